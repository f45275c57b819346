"""A run that is disturbed while an AG-UI client reads it stays one legal answer, with nothing missing at its end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
import redis

from server.bus import EmbeddedValkey
from server.protocol.events import ours
from tests.integration.agui.caller import Caller, body_of, events_in, told, wait_for_words
from tests.integration.conversation.conftest import Held
from tests.integration.conversation.models import remote
from tests.integration.crash.restarting_server import ENVIRONMENT, RestartingServer
from tests.integration.ws.visitor import Talk
from tests.modelserver import Scripted
from tests.modelserver.faults import ServerError
from tests.parts import postgres
from tests.parts.agui_client import Json, Ran
from tests.parts.model import Model
from tests.parts.sampled import later
from tests.parts.server import Backend, apart, served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

NewCaller = Callable[..., Caller]

ANSWER = " ".join(f"palavra{n}" for n in range(40))
LONG = "Olá, o que é que posso vender aqui?"


@pytest.fixture
async def model(held: Held) -> AsyncIterator[Model]:
    """Yield the model of the held server, with nothing to say yet."""
    async with held.remote.model(Scripted()) as server:
        yield Model(server)


@pytest.fixture
async def person(held: Held, caller: NewCaller) -> Caller:
    """Return a caller at the held server, in its chat."""
    new = caller(held.remote.served)
    await new.begin()
    return new


def knows_all(caller: Caller, ran: Ran) -> None:
    """The client has just what is stored."""
    assert ran.error is None
    stored = caller.stored(caller.session(ran))
    assert [told(each) for each in ran.messages] == stored


async def test_a_second_reader_of_the_same_request_gets_the_whole_run(model: Model, person: Caller) -> None:
    tap = model.held(ANSWER)
    tap.let(3)
    ran = await person.said(LONG)
    await wait_for_words(ran, 3)
    said = [(each["id"], each["content"]) for each in await messages_of(person)]
    again = asyncio.create_task(asyncio.to_thread(person.post, body_of(person.thread, "other-run", *said)))
    tap.open()
    await person.client.wait(ran)
    events = await again
    assert [each["type"] for each in events] == ran.types()
    assert ours(events[0])["run_id"] == ours(ran.events[0])["run_id"]
    assert events[0]["runId"] == events[-1]["runId"] == "other-run"
    assert events[1:-1] == ran.events[1:-1]
    late = person.post(body_of(person.thread, "third-run", *said))
    assert [each for each in late[1:-1] if not state(each)] == [
        each for each in events[1:-1] if not state(each)
    ]
    knows_all(person, ran)


def state(event: Json) -> bool:
    """Return whether it tells of the state."""
    return str(event["type"]).startswith("STATE_")


async def messages_of(person: Caller) -> list[Json]:
    """Return what the agent would send."""
    said: list[Json] = (await person.client.do("known", agent=person.agent))["messages"]
    return [each for each in said if each["role"] == "user"]


async def test_a_stop_from_another_tab_ends_the_answer_as_cancelled(model: Model, person: Caller) -> None:
    model.held(ANSWER).let(5)
    ran = await person.said(LONG)
    await wait_for_words(ran, 5)
    other_tab = Caller(person.served, client=person.client, cookie=person.cookie)
    for named in ({"messageId": "of-nothing"}, {"runId": "run_ofnothing"}):
        told = other_tab.request(
            "POST", f"/agui/{person.service}/cancel", {"threadId": person.thread, **named}
        )
        assert (told.status, told.body["runId"]) == (200, None)
    told = other_tab.request("POST", f"/agui/{person.service}/cancel", {"threadId": person.thread})
    assert told.body == {"threadId": person.thread, "runId": ours(ran.events[0])["run_id"]}
    await person.client.wait(ran)
    assert ran.outcome == "cancelled"
    assert ran.text().split() == ANSWER.split()[:5]
    knows_all(person, ran)


async def test_a_message_waits_for_the_answer_before_it_and_may_be_stopped_meanwhile(
    model: Model, person: Caller, caller: NewCaller
) -> None:
    tap = model.held(ANSWER)
    tap.let(2)
    first = await person.said(LONG)
    await wait_for_words(first, 2)
    other = caller(person.served, cookie=person.cookie)
    await other.begin(thread=person.thread)
    stopped = await other.said("não interessa")
    watcher = await person.open(session=person.session(first))
    while not (waiting := queued(watcher)):
        await watcher.receive()
    assert stopped.events == []
    await watcher.send({"type": "cancel", "id": "stop", "message_id": waiting[0]["message_id"]})
    await watcher.until(lambda frame: frame.get("id") == "stop")
    model.will_say("Que produto é?")
    tap.open()
    await asyncio.gather(person.client.wait(first), person.client.wait(stopped))
    assert (first.outcome, stopped.outcome) == ("success", "cancelled")
    answered = await other.say("Polly Magic")
    assert answered.text() == "Que produto é?"
    knows_all(other, answered)


def queued(talk: Talk) -> list[Json]:
    """Return what waits in a conversation, as its last queue told."""
    told = [each for each in talk.frames if each.get("type") == "queue"]
    return told[-1]["items"] if told else []


async def test_a_failed_answer_is_an_error_of_the_run(model: Model, person: Caller) -> None:
    model.server.faults.add(ServerError(), times=None)
    failed = await person.say(LONG)
    assert failed.types()[-1] == "RUN_ERROR"
    assert failed.of("RUN_ERROR")[0]["code"] == "model_error"
    model.server.faults.clear()
    model.will_say("Que produto é?")
    ran = await person.say("Polly Magic")
    assert ran.outcome == "success"
    knows_all(person, ran)


async def test_a_client_that_leaves_stops_no_run_and_reads_all_of_it_later(
    model: Model, person: Caller
) -> None:
    tap = model.held(ANSWER)
    tap.let(4)
    ran = await person.said(LONG)
    await wait_for_words(ran, 4)
    await person.client.do("abort", agent=person.agent)
    await person.client.wait(ran)
    tap.open()
    session = person.session(ran)
    await until_async(lambda: len(person.stored(session)) == 2, what="the answer to be stored")
    assert person.stored(session)[-1]["content"] == ANSWER
    again = await person.client.ran(person.agent)
    assert again.outcome == "success"
    knows_all(person, again)
    nothing = await person.client.ran(person.agent)
    assert nothing.types() == ["RUN_STARTED", "RUN_ERROR"]
    assert nothing.events[-1]["code"] == "nothing_new"


async def test_an_answer_that_was_left_in_its_middle_is_whole_with_the_next(
    model: Model, person: Caller
) -> None:
    tap = model.held(ANSWER)
    tap.let(4)
    ran = await person.said(LONG)
    await wait_for_words(ran, 4)
    await person.client.do("abort", agent=person.agent)
    await person.client.wait(ran)
    assert ran.messages[-1]["content"] != ANSWER
    tap.open()
    model.will_say("Que produto é?")
    again = await person.say("Polly Magic")
    assert again.messages[1]["content"] == ANSWER
    knows_all(person, again)
    tap = model.held("Está bem.")
    tap.let(1)
    later = await person.said("Uma pandeireta")
    await wait_for_words(later, 1)  # One that had ended before anybody looked would be told by a snapshot.
    tap.open()
    await person.client.wait(later)
    assert later.of("MESSAGES_SNAPSHOT") == []
    knows_all(person, later)


async def test_a_stopped_answer_ends_as_run_finished_for_older_clients(model: Model, person: Caller) -> None:
    tap = model.held(ANSWER)
    tap.let(2)
    response = await asyncio.to_thread(person.opened, body_of(person.thread, "old", ("m1", LONG)))
    with response:
        (started,) = events_in(await asyncio.to_thread(response.readline))
        bearer = {"cookie": "", "authorization": f"Bearer {ours(started)['resume_token']}"}
        body = {"threadId": person.thread, "messageId": "m1"}
        assert person.request("POST", f"/agui/{person.service}/cancel", body, headers=bearer).status == 200
        ended = events_in(await asyncio.to_thread(response.read))[-1]
    assert ended["type"] == "RUN_FINISHED"
    assert "outcome" not in ended
    assert ours(ended)["outcome"] == "cancelled"


async def test_a_client_that_returns_in_mid_answer_reads_on(model: Model, person: Caller) -> None:
    tap = model.held(ANSWER)
    tap.let(4)
    ran = await person.said(LONG)
    await wait_for_words(ran, 4)
    await person.client.do("abort", agent=person.agent)
    await person.client.wait(ran)
    again = person.client.begin(person.agent)
    await until_async(lambda: "TEXT_MESSAGE_START" in again.types(), what="the open text")
    tap.open()
    await person.client.wait(again)
    assert again.outcome == "success"
    knows_all(person, again)


async def test_an_answer_is_whole_although_its_log_is_lost_in_the_middle(
    model: Model, person: Caller, held: Held
) -> None:
    tap = model.held(ANSWER)
    tap.let(4)
    ran = await person.said(LONG)
    await wait_for_words(ran, 4)
    url = held.backend.environment.get("REDIS_URL") or EmbeddedValkey(held.remote.served.data_dir).url
    with redis.Redis.from_url(url) as client:
        client.flushall()
    tap.let(4)
    await until_async(lambda: ran.done.is_set() or "MESSAGES_SNAPSHOT" in ran.types(), what="a snapshot")
    tap.open()
    await person.client.wait(ran)
    assert ran.outcome == "success"
    knows_all(person, ran)
    assert ran.messages[-1]["content"] == ANSWER


async def test_a_server_that_leaves_ends_the_answer_and_not_the_run(
    backend: Backend, caller: NewCaller
) -> None:
    with apart(backend) as own:
        hasty = {**own.environment, "LOOPWIRE_DRAIN_SECONDS": "0"}
        with remote("responses", hasty) as leaving:
            async with leaving.model(Scripted()) as server:
                Model(server).held(ANSWER).let(3)
                person = caller(leaving.served, service="chat")
                await person.begin()
                ran = await person.said(LONG)
                await wait_for_words(ran, 3)
                stopping = asyncio.create_task(asyncio.to_thread(leaving.served.stop))
                await person.client.wait(ran)
                await stopping
    assert (ran.error, ran.types()[-1]) == (None, "RUN_ERROR")
    assert ran.events[-1]["code"] == "unavailable"
    assert ours(ran.events[-1])["retry"]


@pytest.mark.parametrize(("gone", "code"), [later("visitor", "unauthorized"), ("conversation", "not_found")])
async def test_a_deletion_ends_the_open_answer_with_its_code(
    model: Model, person: Caller, gone: str, code: str
) -> None:
    model.held(ANSWER).let(3)
    ran = await person.said(LONG)
    await wait_for_words(ran, 3)
    path = "/v1/visitor" if gone == "visitor" else f"/v1/sessions/{person.session(ran)}"
    assert person.request("DELETE", path).status == 204
    await person.client.wait(ran)
    assert (ran.error, ran.types()[-1]) == (None, "RUN_ERROR")
    assert ran.events[-1]["code"] == code
    assert not ours(ran.events[-1])["retry"]
    assert ran.text().split() == ANSWER.split()[:3]


@pytest.fixture
def elsewhere(redis_url: str, postgres_server: str) -> Iterator[Backend]:
    """Yield a redis-server and a database of this test."""
    with postgres.fresh_database(postgres_server) as durable:
        yield Backend("configured", {"REDIS_URL": redis_url, "DATABASE_URL": durable})


DEATHS = {
    0: "publish.TOOL_CALL_START",
    1: "append.ACTIVITY_SNAPSHOT",
    2: "append.TEXT_MESSAGE_CONTENT:2",
    3: "finish.after_commit",
}


@pytest.mark.conformance
async def test_a_run_that_loses_its_worker_goes_on_in_the_same_answer(
    elsewhere: Backend, caller: NewCaller
) -> None:
    own = {"LOOPWIRE_WORKERS_IN_WEB": "0", **ENVIRONMENT, **elsewhere.environment}
    worker = RestartingServer(elsewhere.environment, command="worker")
    try:
        with served(own, command="web") as web:
            await survives(caller(web), worker)
    finally:
        worker.close()


async def survives(seller: Caller, worker: RestartingServer) -> None:
    """Go some way through a conversation whose worker dies in each answer."""
    await seller.begin()
    texts = ["Polly Magic", "sim", "sim", "sim"]
    ran: Ran | None = None
    for number, text in enumerate(texts):
        worker.die_at(DEATHS[number])
        ran = await seller.say(text)
        await until_async(worker.died, what="the death")
        assert ran.error is None
        assert ran.outcome == "success"
        assert number == len(DEATHS) - 1 or "MESSAGES_SNAPSHOT" in ran.types()
        knows_all(seller, ran)


@pytest.mark.conformance
async def test_the_same_request_at_another_server_gets_the_whole_run(
    elsewhere: Backend, caller: NewCaller
) -> None:
    shared = {
        "LOOPWIRE_SECRET": "one secret for both",
        "LOOPWIRE_DEMO_DELAY_MS": "40",
        **elsewhere.environment,
    }
    with served({**shared, "LOOPWIRE_LEASE_SECONDS": "5"}) as first, served(shared) as second:
        seller = caller(first)
        await seller.begin()
        ran = await seller.said(LONG)
        await wait_for_words(ran, 3)
        first.kill()
        await seller.client.wait(ran)
        said = [(each["id"], each["content"]) for each in await messages_of(seller)]
        other = caller(second, cookie=seller.cookie)
        events = await asyncio.to_thread(other.post, body_of(seller.thread, "again", *said))
        assert events[-1]["type"] == "RUN_FINISHED"
        # The connection was lost, which is an error to the client; it may complain after the run is done.
        seller.client.complaints.clear()
        replay = caller(second, cookie=seller.cookie)
        await replay.client.do("agent", agent=replay.agent, kind="replay", threadId=seller.thread)
        judged = await replay.client.wait(replay.client.begin(replay.agent, events=events))
        assert judged.error is None
        stored = other.stored(str(ours(events[0])["session_id"]))
        assert [told(each) for each in judged.messages] == stored
