"""The Python client during faults of the network or the server: no event is lost or doubled, and no run stops."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from loopwire import Chat, Event, Snapshot, Text, connect
from loopwire.transcript import Transcript
from tests.integration.conversation.models import remote
from tests.integration.crash.restarting_server import RestartingServer
from tests.integration.sdk.cutting import cutting
from tests.integration.sdk.people import OPENING, agent_words, read, sell, words
from tests.modelserver import Scripted
from tests.parts.model import Model, sentences
from tests.parts.sampled import later
from tests.parts.server import Served, served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

FRAMES = 40
"""More than a first answer has, with what comes before it."""


@pytest.fixture(scope="module")
def quick() -> Iterator[Served]:
    """Yield a server whose demo model does not pause."""
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as running:
        yield running


async def stored(chat: Chat) -> list[dict[str, object]]:
    """Return what the server stored, in order."""
    return [each async for each in chat.history()][::-1]


@pytest.mark.parametrize("frames", [range(1, FRAMES, 4), later(range(1, FRAMES))], ids=["some", "each"])
async def test_a_run_is_read_whole_when_its_socket_is_cut_after_any_frame(
    quick: Served, frames: range
) -> None:
    async def talk(after: int) -> int:
        async with (
            cutting(quick.url, after) as way,
            connect(way.url, service="submission", language="en", open_timeout=60) as chat,
        ):
            run = await chat.send(OPENING, id="m1")
            parts = await read(run)
            assert words(parts) == agent_words(await stored(chat)) != ""
            assert chat.messages == await stored(chat)
            assert (await run).outcome == "success"
            assert [each["role"] for each in chat.messages].count("user") == 1
            return way.cuts

    cuts = await asyncio.gather(*(talk(after) for after in frames))
    assert cuts[0] == 1


@pytest.mark.conformance
async def test_runs_are_read_whole_over_a_network_that_breaks_all_the_time(quick: Served) -> None:
    """Each socket is cut soon after its welcome, in the middle of all that is said."""
    async with (
        cutting(quick.url, *(3 + number % 3 for number in range(30))) as way,
        connect(way.url, service="submission", language="en", open_timeout=60) as chat,
    ):
        for number, content in enumerate(("Polly Magic", "yes", "no")):
            run = await chat.send(content, id=f"m{number}")
            assert words(await read(run)) == (await run).text.replace("\n\n", "") != ""
        assert chat.messages == await stored(chat)
        assert [each["role"] for each in chat.messages].count("user") == 3
        assert way.cuts > 3


@pytest.mark.conformance
async def test_a_server_that_dies_in_mid_answer_goes_on_and_its_client_with_it() -> None:
    restarting = RestartingServer({})
    try:
        async with connect(
            restarting.served.url, service="submission", language="pt", open_timeout=60
        ) as chat:
            restarting.die_at("publish.TOOL_CALL_RESULT:0")
            run = await chat.send(OPENING)
            parts = await read(run)
            assert restarting.died()
            result = await run
            assert (result.status, result.outcome) == ("finished", "success")
            assert chat.messages == await stored(chat)
            assert words(parts).endswith(result.text.split("\n\n")[-1])
            assert [each["role"] for each in chat.messages].count("user") == 1
    finally:
        restarting.close()


@pytest.mark.conformance
async def test_a_slow_reader_gets_every_word_once_and_delays_no_other() -> None:
    """Nobody looks at the parts before the end: there are as many as there are messages, not as there were words."""
    with remote("responses") as running:
        async with running.model(Scripted()) as server, connect(running.served.url, service="chat") as chat:
            Model(server).will_say(sentences(200))
            run = await chat.send("Olá")
            parts = aiter(run)
            await until_async(lambda: chat.run is not None and chat.run.status == "finished")
            told = [part async for part in parts if isinstance(part, Text)]
            assert [each.delta for each in told] == [agent_words(chat.messages)]
            assert agent_words(chat.messages).split() == sentences(200).split()


@pytest.mark.conformance
async def test_a_log_that_nobody_reads_for_long_has_every_event_once(quick: Served) -> None:
    async with connect(quick.url, service="submission", language="pt") as chat, chat.events() as events:
        assert isinstance(await anext(events), Snapshot)
        await sell(chat)
        transcript, last = Transcript(), 0
        while transcript.messages != chat.messages:
            event = await anext(events)
            assert isinstance(event, Event)
            assert event.first == last + 1
            last = event.seq
            transcript.apply(event.data)
        assert transcript.state == chat.state


async def test_messages_sent_while_the_server_is_away_are_answered_later() -> None:
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as running:
        async with connect(running.url, service="submission", language="en") as chat:
            assert running.stop() == 0
            await until_async(lambda: not chat.is_connected)
            sending = [asyncio.ensure_future(chat.send(text)) for text in ("Polly Magic", "yes")]
            with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}, data_dir=running.data_dir, port=_port(running)):
                runs = await asyncio.gather(*sending)
                assert [(await each).outcome for each in runs] == ["success", "success"]
                assert [each["role"] for each in chat.messages].count("user") == 2


def _port(running: Served) -> int:
    port = urlsplit(running.url).port
    assert port is not None
    return port
