"""Two instances over one Redis and one database: no client can tell on which of them it is."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from websockets.exceptions import ConnectionClosed

from tests.integration.ws.visitor import Talk, Visitor, settled
from tests.parts import postgres
from tests.parts.sampled import later
from tests.parts.server import Served, served

TEXT = "Quero vender um iPhone 13"


@pytest.fixture(scope="module")
def instances(redis_url: str, postgres_server: object) -> Iterator[tuple[Served, Served]]:
    """Two web processes that both execute runs."""
    with postgres.fresh_database(postgres_server) as database:  # type: ignore[arg-type]
        shared = {"REDIS_URL": redis_url, "DATABASE_URL": database, "LOOPWIRE_SECRET": "one secret for both"}
        shared["LOOPWIRE_DEMO_DELAY_MS"] = "300"
        with served(shared) as first, served(shared) as second:
            yield first, second


@pytest.fixture
async def both(instances: tuple[Served, Served]) -> AsyncIterator[tuple[Visitor, Visitor]]:
    """Yield one visitor with a browser window on each instance."""
    first = Visitor(instances[0])
    first.request("GET", "/v1/sessions")
    second = Visitor(instances[1], cookie=first.cookie)
    yield first, second
    await first.aclose()
    await second.aclose()


async def tabs(both: tuple[Visitor, Visitor]) -> tuple[Talk, Talk]:
    one = await both[0].open()
    return one, await both[1].open(session=one.session)


@pytest.mark.conformance
async def test_tabs_on_two_instances_see_the_same_answer(both: tuple[Visitor, Visitor]) -> None:
    one, other = await tabs(both)
    for number, sender in enumerate((one, other)):
        await sender.say(TEXT, f"c{number}")
        await settled(sender, one, other)
        assert one.transcript == other.transcript
        assert (one.seq, one.epoch) == (other.seq, other.epoch)


async def test_a_stop_on_one_instance_ends_the_run_of_the_other(both: tuple[Visitor, Visitor]) -> None:
    one, other = await tabs(both)
    for number, (sender, stopper) in enumerate(((one, other), (other, one))):
        await sender.say(TEXT, f"c{number}")
        while (
            (run := stopper.transcript.run) is None
            or run.id != sender.asked
            or not stopper.transcript.open_texts
        ):
            await stopper.receive()
        await stopper.send({"type": "cancel", "id": f"s{number}", "message_id": f"c{number}"})
        await settled(sender, one, other)
        assert one.transcript == other.transcript
        assert one.transcript.run is not None
        assert one.transcript.run.outcome == {"type": "cancelled"}


@pytest.mark.parametrize("home", [0, later(1)])
async def test_a_reconnect_to_the_other_instance_misses_no_event(
    both: tuple[Visitor, Visitor], home: int
) -> None:
    one, other = await tabs(both)
    talks = (one, other)
    leaver, watcher, away = talks[home], talks[1 - home], both[1 - home]
    ack = await leaver.say(TEXT, "c1")
    await leaver.until(lambda _: leaver.seq >= 9)
    await leaver.socket.close()
    position = {"last_seq": leaver.seq, "epoch": leaver.epoch}
    ticket = away.ticket(session_id=watcher.session)["ticket"]
    back = Talk(await away.socket(), transcript=leaver.transcript, seq=leaver.seq, epoch=leaver.epoch)
    await back.send({"type": "hello", "ticket": ticket, **position})
    await asyncio.gather(back.finished(ack["run_id"]), watcher.finished(ack["run_id"]))
    assert back.welcome["resumed"] is True
    assert back.transcript == watcher.transcript


async def test_a_visitor_who_leaves_one_instance_is_out_of_the_other(both: tuple[Visitor, Visitor]) -> None:
    one, other = await tabs(both)
    assert both[0].request("DELETE", "/v1/visitor").status == 204
    for talk in (one, other):
        with pytest.raises(ConnectionClosed):
            while True:
                await talk.receive()
        assert talk.socket.close_code == 4401
