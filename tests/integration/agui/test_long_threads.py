"""A long conversation over AG-UI: a run costs as much as in a young one, and a caller that lacks messages gets all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from bench.seeding import ASKED, seed
from server.protocol import events as ev
from server.protocol.codec import decode_json
from server.protocol.events import Event, ours
from server.runs.conversation.conversation_cache import MESSAGES
from server.store.tables import messages
from tests.integration.agui.caller import Caller, body_of, events_in, told
from tests.integration.agui.test_any_log import folded
from tests.integration.ws.inside import Inside, inside, rested
from tests.parts.agui_client import Json
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

FEW, MIDDLE, LONG = 10, 300, 1000
"""Turns. After 300 there are more messages and items than any run reads."""

NEWEST = MESSAGES
WARM = 3
"""Runs of a conversation after its first."""

MOST_READ = 6 * MESSAGES
"""Values of JSON that a run reads at most, with the newest messages, their items, and what the server asks meanwhile,
which is chance; the messages of 1,000 turns alone are 2,000."""

BESIDES = 30
"""Values of JSON that a request decodes besides messages: of its session, its runs, its service."""

NewCaller = Callable[..., Caller]


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield how many values of JSON columns each turn of the loop decodes, of engines that are made after this.

    The bodies of a path of messages are decoded beside the engine.
    """
    turns = [0]

    def count(text: Any) -> Any:
        turns[-1] += 1
        return decode_json(text)

    for module in ("engine.engines", "conversations.messages"):
        monkeypatch.setattr(f"server.store.{module}.decode_json", count)
    yield turns


@pytest.fixture
async def here(decoded: list[int], tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a server in this loop."""
    async with inside(tmp_path, capacity=1) as running:
        yield running


@pytest.fixture
async def quiet(decoded: list[int], tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a server whose runs the test writes."""
    async with inside(tmp_path) as running:
        yield running


class Known:
    """A caller that came a long time ago, and knows what was said."""

    def __init__(self, here: Inside, session: str) -> None:
        self.here = here
        self.session = session
        self.count = 0

    @classmethod
    async def of(cls, here: Inside, turns: int) -> Known:
        """Give a new conversation so many turns."""
        made = await asyncio.to_thread(here.visitor.ticket, service="chat", language="en")
        await seed(here.ready.parts.store, made["session_id"], turns)
        return cls(here, made["session_id"])

    async def all(self) -> list[Json]:
        """Return what is stored, under the caller's ids."""
        return [told(each) for each in await self.stored()]

    async def stored(self) -> list[Json]:
        """Return the messages as they are stored."""
        return (await self.here.ready.parts.store.messages.transcript(self.session)).messages

    async def headers(self) -> dict[str, str]:
        """Return the permission to come to it."""
        made = await asyncio.to_thread(self.here.visitor.ticket, session_id=self.session)
        return {"authorization": f"Bearer {made['ticket']}"}

    async def body(self, most: int) -> Json:
        """Return a new message, after the last ones that are known."""
        self.count += 1
        body = body_of(self.session, f"run {self.count}", (f"m{self.count}", "Olá"))
        said = [each for each in await self.all() if each["role"] != "activity"]
        return {**body, "messages": [*said[len(said) - most :], *body["messages"]]}

    async def say(self, most: int) -> list[Json]:
        """Say something, and have the whole answer."""
        events = await self.posted(await self.body(most))
        assert events[-1]["type"] == "RUN_FINISHED", events
        await rested(self.here)
        return events

    async def posted(self, body: Json) -> list[Json]:
        """Send this, and read to the end."""
        headers = await self.headers()
        answer = await asyncio.to_thread(
            self.here.visitor.request, "POST", "/agui/chat", body, headers=headers
        )
        assert answer.status == 200, answer.body
        return events_in(answer.body)


def snapshots(events: list[Json]) -> list[list[Json]]:
    """Return the messages of each snapshot."""
    return [
        [told(each) for each in event["messages"]] for event in events if event["type"] == "MESSAGES_SNAPSHOT"
    ]


@pytest.mark.conformance
async def test_a_run_of_a_caller_that_knows_the_newest_messages_reads_no_more_at_turn_1000(
    here: Inside, decoded: list[int]
) -> None:
    counts: dict[int, list[int]] = {}
    for turns in (FEW, MIDDLE, LONG):
        known = await Known.of(here, turns)
        for _ in range(WARM + 1):
            body = await known.body(NEWEST)
            decoded[:] = [0]
            events = await known.posted(body)
            counts.setdefault(turns, []).append(decoded[-1])
            assert snapshots(events) == []
            assert events[-1]["type"] == "RUN_FINISHED"
            await rested(here)
    assert all(each > 0 for found in counts.values() for each in found), counts
    assert max(counts[MIDDLE] + counts[LONG]) <= MOST_READ, counts


@pytest.mark.conformance
async def test_a_caller_that_lacks_messages_gets_all_of_them_and_then_the_next_runs_alone(
    here: Inside, caller: NewCaller
) -> None:
    known = await Known.of(here, 250)
    person = caller(here.visitor.served, service="chat")
    await person.begin(headers=await known.headers())
    first = await person.say("Olá")
    assert first.error is None
    assert [told(each) for each in first.messages] == await known.all()
    assert len(first.messages) > 500
    await person.client.do("headers", agent=person.agent, headers=await known.headers())
    await rested(here)
    second = await person.say("Olá")
    assert second.of("MESSAGES_SNAPSHOT") == []
    assert [told(each) for each in second.messages] == await known.all()


async def test_the_event_loop_turns_while_a_long_conversation_is_read(
    here: Inside, decoded: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = await Known.of(here, LONG)
    body = await known.body(0)
    going = asyncio.Event()

    async def turn() -> None:
        while not going.is_set():
            decoded.append(0)
            await asyncio.sleep(0)

    decoded[:] = [0]
    turning = asyncio.create_task(turn())
    events = await known.posted(body)
    going.set()
    await turning
    assert len(snapshots(events)[-1]) > 2 * LONG
    assert sum(decoded) > 2 * LONG
    # On a busy machine the answers of two readings come in one turn of the loop.
    assert max(decoded) <= 2 * (2 * MESSAGES + BESIDES), "what a run reads that nobody knew is the most"


@pytest.mark.conformance
async def test_an_old_run_that_is_asked_for_again_is_told_with_what_was_said_before_it(here: Inside) -> None:
    known = await Known.of(here, 400)
    events = await known.posted(body_of(known.session, "again", ("seeded-40", ASKED)))
    assert ours(events[0])["run_id"] == ours((await known.stored())[78])["run_id"]
    assert snapshots(events)[-1] == (await known.all())[:80]


BLOCK = {"status": "open", "n": 1}
"""The content of a block of long ago."""


async def told_of_change(quiet: Inside, most: int, change: Callable[[str], list[Event]]) -> list[Json]:
    """Return what a caller gets of a run that begins with these changes of a block of long ago."""
    known = await Known.of(quiet, 150)
    store, bus = quiet.ready.parts.store, quiet.ready.parts.bus
    old = (await store.messages.transcript(known.session)).messages[1]
    shown = {**old, "role": "activity", "activityType": "block", "content": BLOCK}
    async with store.database.write() as connection:
        await connection.execute(update(messages).where(messages.c.id == old["id"]).values(body=shown))
    reading = asyncio.create_task(known.posted(await known.body(most)))
    await until_async(lambda: len(quiet.web.agui.open_answers) == 1, what="the answer to be open")
    run_id = (await store.runs.queue(known.session))[0].run_id
    run = await store.runs.get(run_id)
    writer = await bus.writer(known.session, fence=151, floor=1500, reaches=1501)
    await writer.publish(
        ev.run_started(known.session, run.id),
        *change(old["id"]),
        ev.text_start(run.message_id, "user", client_id=run.client_id),
        ev.text_content(run.message_id, "Olá"),
        ev.text_end(run.message_id),
        ev.run_finished(known.session, run.id),
    )
    await writer.aclose()
    return await reading


@pytest.mark.parametrize("most", [NEWEST, later(0)])
async def test_a_block_of_long_ago_is_told_as_it_is_now(quiet: Inside, most: int) -> None:
    patch = [{"op": "add", "path": "/status", "value": "answered"}]
    events = await told_of_change(quiet, most, lambda id: [ev.activity_delta(id, "block", patch)])
    (now,) = [each for each in folded(events).messages if each["role"] == "activity"]
    assert now["content"] == {**BLOCK, "status": "answered"}
    assert [len(each) for each in snapshots(events)] == ([] if most else [300])


@pytest.mark.parametrize("most", [NEWEST, later(0)])
async def test_a_block_of_long_ago_that_a_withdrawn_attempt_replaced_stays_as_its_holder_has_it(
    quiet: Inside, most: int
) -> None:
    """The holder of a run may begin with more of the conversation than a reader, and then replaces a block whole."""

    def change(id: str) -> list[Event]:
        return [
            ev.activity(id, "block", {"status": "closed", "n": 2}),
            ev.messages_snapshot([], scope="run", attempt=2),
        ]

    events = await told_of_change(quiet, most, change)
    (now,) = [each for each in folded(events).messages if each["role"] == "activity"]
    assert now["content"] == {"status": "closed", "n": 2}
