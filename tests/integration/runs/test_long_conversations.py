"""A long conversation: a run reads and folds its newest messages only, and all readers see the whole conversation."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from bench.seeding import seed
from server.agents.service import RunLimits
from server.agents.tools import tool
from server.protocol.blocks import Choice, Choices
from server.protocol.commands import Cancel, Edit, TextPart
from server.runs.conversation import conversation_cache, snapshots
from tests.integration.runs.asking import Asked, Asking
from tests.integration.runs.instances import Screen, instance, rested, settled
from tests.parts.wait import until_async
from tests.unit.agents.teams import Bench, Ctx

pytestmark = pytest.mark.once

FEW, LONG = 120, 1000
"""Turns. After 120 there are as many messages and items as any run reads."""

SMALL = 4
MORE = 1.05
LEASE_S = 5


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few messages are many already."""
    monkeypatch.setattr(conversation_cache, "MESSAGES", SMALL)
    monkeypatch.setattr(snapshots, "READ", 2 * SMALL)
    monkeypatch.setattr(snapshots, "JOINED", SMALL)


@pytest.fixture
def bodies_read(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield the sizes of JSON that the store decodes, by engines that are made after this."""
    sizes: list[int] = []

    def decoded(text: Any) -> Any:
        sizes.append(len(text))
        return decode(text)

    decode = snapshots.decode_json
    for module in ("engine.engines", "conversations.messages"):
        monkeypatch.setattr(f"server.store.{module}.decode_json", decoded)
    yield sizes


class Later(Bench):
    """`again` shows another block in the place of the one that was shown; `late` closes it and waits."""

    def tools(self) -> list[Any]:
        @tool(effect="read")
        async def again(ctx: Ctx) -> str:
            """Show it anew."""
            block = Choices(legend="Agora?", name="product", choices=(Choice("2", "Dois"),))
            ctx.context.block(block, instead_of=ctx.context.state["shown"])
            return "ok"

        @tool(effect="read")
        async def late(ctx: Ctx) -> str:
            """Close it, and never end."""
            ctx.context.close_block(ctx.context.state["shown"])
            self.entered.put_nowait("late")
            await asyncio.Event().wait()
            return ""

        return [*super().tools(), again, late]


def show() -> list[list[Any]]:
    return [[function_call("show", {"fractions": [1.0]}, call_id="c_show")], [assistant_message("Qual?")]]


def plain(count: int) -> list[list[Any]]:
    return [[assistant_message(f"answer {each}")] for each in range(count)]


def use(name: str) -> list[list[Any]]:
    return [[function_call(name, {}, call_id=f"c_{name}")], [assistant_message("Done.")]]


async def say_and_wait(here: Any, session: Any, screen: Screen, text: str) -> None:
    """Say something and wait until its end is told and kept."""
    ends = screen.ends() + 1
    await here.say(session, text)
    await until_async(lambda: screen.ends() == ends, what="the end")
    await rested(here)


async def shown_long_ago(here: Any, count: int = 3) -> tuple[Any, Screen, str]:
    """Return a conversation in which a block was shown, and then enough was said that it is out of the window."""
    session = await here.session()
    screen = await here.screen(session)
    for text in ("show", *map(str, range(count))):
        await say_and_wait(here, session, screen, text)
    kept_now = here.runs.snapshots.kept[session.id]
    block = next(each["id"] for each in screen.folded.messages if each["id"].startswith("blk_"))
    assert kept_now.older and block not in {each["id"] for each in kept_now.messages}
    return session, screen, block


async def agree(here: Any, session: Any, screen: Screen) -> list[dict[str, Any]]:
    """Fold of the live events = stored transcript, and a snapshot is its end."""
    stored = (await here.store.messages.transcript(session.id)).messages
    assert screen.folded.messages == stored
    snapshot = await here.runs.snapshot(session.id)
    assert len(snapshot.transcript.messages) < len(stored)
    assert snapshot.transcript.messages == stored[-len(snapshot.transcript.messages) :]
    return stored


@pytest.mark.parametrize("known", [True, False])
async def test_a_block_of_long_ago_is_closed_where_it_stands(store, live_url, small_window, known: bool):
    script = ScriptedModel([*show(), *plain(3), *use("answer")])
    async with instance(store, live_url, script, bench=Later()) as here:
        session, screen, block = await shown_long_ago(here)
        if not known:
            here.runs.snapshots.kept.clear()
            await here.bus.forget(session.id)
        await say_and_wait(here, session, screen, "answer it")
        stored = await agree(here, session, screen)
        found = next(each for each in stored if each["id"] == block)
        assert (found["content"]["status"], found["content"]["answer"]["value"]) == ("answered", "1")
        assert found["metadata"]["loopwire"]["run_id"] == stored[0]["metadata"]["loopwire"]["run_id"]


async def test_a_block_in_the_place_of_one_of_long_ago_is_told_as_its_change(store, live_url, small_window):
    script = ScriptedModel([*show(), *plain(3), *use("again")])
    async with instance(store, live_url, script, bench=Later()) as here:
        session, screen, block = await shown_long_ago(here)
        late = await here.screen(session)
        late.folded = (await here.runs.snapshot(session.id)).transcript
        await say_and_wait(here, session, screen, "another")
        stored = await agree(here, session, screen)
        assert next(each for each in stored if each["id"] == block)["content"]["legend"] == "Agora?"
        told_of = [each.event for each in screen.entries if each.event.get("messageId") == block]
        assert [each["type"] for each in told_of] == ["ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"]
        assert block not in {each["id"] for each in late.folded.messages}, "who lacks it is shown nothing odd"


async def test_a_change_that_a_stop_cuts_short_is_told_and_stored(store, live_url, small_window):
    script = ScriptedModel([*show(), *plain(3), *use("late")])
    async with instance(store, live_url, script, bench=Later()) as here:
        session, screen, block = await shown_long_ago(here)
        ack = await here.say(session, "close it")
        await here.bench.entered.get()
        await here.runs.cancel(session, Cancel(type="cancel", id="x", run_id=ack.run_id))
        await until_async(lambda: screen.ends() == 5, what="the end")
        await settled(here, session, 5)
        stored = await agree(here, session, screen)
        assert next(each for each in stored if each["id"] == block)["content"]["status"] == "closed"
        changes = [each.event for each in screen.entries if each.event.get("messageId") == block]
        assert [each["type"] for each in changes] == ["ACTIVITY_SNAPSHOT", "ACTIVITY_DELTA"]


async def test_a_take_over_keeps_what_the_holder_before_changed(store, live_url, small_window):
    script = ScriptedModel(
        [
            *show(),
            *plain(3),
            [function_call("answer", {}, call_id="c1")],
            [function_call("wait", {"name": "never"}, call_id="c2")],
            [assistant_message("whole")],
        ]
    )
    async with instance(store, live_url, script, lease_s=LEASE_S, bench=Later()) as first:
        session, seen, block = await shown_long_ago(first)
        await first.say(session, "answer it")
        await first.bench.entered.get()
        assert seen.folded.message(block)["content"]["status"] == "answered"
        await first.runs.worker.aclose(drain_s=0)
        async with instance(store, live_url, script, lease_s=LEASE_S, bench=Later()) as here:
            await until_async(lambda: seen.ends() == 5, what="the end")
            await settled(here, session, 5)
            stored = await agree(here, session, seen)
            assert next(each for each in stored if each["id"] == block)["content"]["status"] == "answered"
            assert stored[-1]["content"] == "whole"


async def test_all_open_approvals_are_closed_although_they_exceed_the_window(store, live_url, small_window):
    calls = [function_call("give", {"what": f"thing {each}"}, call_id=f"g{each}") for each in range(4)]
    script = ScriptedModel([*plain(2), calls, [assistant_message("Then not.")]])
    async with instance(store, live_url, script, bench=Asking()) as here:
        asked = await Asked.of(here)
        for text in ("one", "two", "give me four things"):
            await asked.say(text)
        assert len(await asked.open()) == 4
        await rested(here)
        assert len(here.runs.snapshots.kept[asked.session.id].messages) > SMALL
        await asked.say("something else")
        assert await asked.open() == []
        stored = await agree(here, asked.session, asked.screen)
        blocks = [each["content"]["status"] for each in stored if each["role"] == "activity"]
        assert blocks == ["closed"] * 4
        assert asked.results() == {f"g{each}": "stopped" for each in range(4)}


async def test_a_provider_that_counts_its_calls_from_zero_never_meets_a_call_of_long_ago(
    store, live_url, small_window
):
    """Beyond the history nobody knows which ids there were: it would go on in the middle of the conversation."""
    script = ScriptedModel(
        [
            *([[function_call("look", {"word": "a"}, call_id="call_0")], [assistant_message("A.")]]),
            *plain(4),
            *([[function_call("look", {"word": "b"}, call_id="call_0")], [assistant_message("B.")]]),
        ]
    )
    bench = Bench(limits=RunLimits(history_items=4))
    async with instance(store, live_url, script, bench=bench) as here:
        session = await here.session()
        screen = await here.screen(session)
        for text in ("look", "1", "2", "3", "4", "look again"):
            await say_and_wait(here, session, screen, text)
        stored = await agree(here, session, screen)
        calls = [each["id"] for each in stored if "toolCalls" in each]
        assert calls[0] == "call_0" and calls[1].startswith("cal_")
        assert [each["role"] for each in stored[-4:]] == ["user", "assistant", "tool", "assistant"]


async def test_the_model_reads_the_same_whether_the_process_knew_the_conversation_or_not(store, live_url):
    script = ScriptedModel(plain(8))
    bench = Bench(limits=RunLimits(history_items=5))
    async with instance(store, live_url, script, bench=bench) as here:
        session = await here.session()
        screen = await here.screen(session)
        for text in "abcd":
            await say_and_wait(here, session, screen, text)
        warm = script.calls[-1].input
        await say_and_wait(here, session, screen, "e")
        kept = here.runs.snapshots.kept[session.id]
        assert len(kept.items) == 6, "one more shows that there are older ones"
        here.runs.snapshots.kept.clear()
        await here.bus.forget(session.id)
        await say_and_wait(here, session, screen, "f")
        read = [[str(item["content"]) for item in call.input] for call in script.calls]
        assert len(warm) == 5
        assert read[-1] == ["d", "answer 3", "e", "answer 4", "f"]
        assert read[-2] == ["c", "answer 2", "d", "answer 3", "e"]


@pytest.mark.parametrize("how", ["cold", "another version"])
async def test_a_model_that_reads_few_items_reads_them_from_a_message_on_however_they_were_read(
    store, live_url, how: str
):
    script = ScriptedModel(plain(4))
    bench = Bench(limits=RunLimits(history_items=4))
    async with instance(store, live_url, script, bench=bench) as here:
        session = await here.session()
        screen = await here.screen(session)
        acks = []
        for text in "abc":
            acks.append(await here.say(session, text))
            await rested(here)
        here.runs.snapshots.kept.clear()
        await here.bus.forget(session.id)
        if how == "cold":
            await say_and_wait(here, session, screen, "d")
        else:
            part = TextPart(type="text", text="d")
            edit = Edit(type="edit", id="e1", message_id=str(acks[-1].message_id), content=[part])
            await here.runs.versions.edit(session, edit, "en")
            await rested(here)
    read = [str(item["content"]) for item in script.calls[-1].input]
    older = ["b", "answer 1", "c", "answer 2"] if how == "cold" else ["a", "answer 0", "b", "answer 1"]
    assert read == [*older, "d"]


async def test_a_run_that_says_nothing_leaves_the_older_messages_known(store, live_url, small_window):
    async with instance(store, live_url, ScriptedModel(plain(4))) as here:
        session = await here.session()
        screen = await here.screen(session)
        for text in "abcd":
            await say_and_wait(here, session, screen, text)
        assert here.runs.snapshots.kept[session.id].older
        await here.runs.operators.say(session, "o1", "Be brief.", name=None, key_id="key_a", whisper=True)
        await until_async(lambda: screen.ends() == 5, what="the end")
        await rested(here)
        kept = here.runs.snapshots.kept[session.id]
        assert (kept.older, len(kept.messages)) == (True, SMALL)


async def test_a_cold_run_reads_no_more_of_a_long_conversation_and_a_warm_one_nothing(
    bodies_read, store, live_url
):
    script = ScriptedModel(plain(8))
    async with instance(store, live_url, script) as here:
        sizes = []
        for turns in (FEW, LONG):
            session = await here.session()
            await seed(store, session.id, turns)
            screen = await here.screen(session)
            for _ in range(2):
                bodies_read.clear()
                ends = screen.ends() + 1
                await here.say(session, "go on")
                await until_async(lambda ends=ends, screen=screen: screen.ends() == ends, what="the end")
                sizes.append((len(bodies_read), sum(bodies_read)))
                await rested(here)
    cold_few, warm_few, cold_long, warm_long = sizes
    assert 0 < cold_long[0] <= cold_few[0] * MORE, sizes
    assert warm_long[0] <= warm_few[0] < 10, sizes
    assert cold_long[1] < cold_few[1] * 1.1 and warm_long[1] < 1.2 * warm_few[1], sizes


async def test_messages_that_a_cold_run_read_serve_a_join_without_another_read(bodies_read, store, live_url):
    async with instance(store, live_url, ScriptedModel([])) as here:
        session = await here.session()
        await seed(store, session.id, FEW)
        read = await here.runs.snapshots.conversation(await store.sessions.load(session.id), 200)
        assert read.messages != []
        bodies_read.clear()
        joined = await here.runs.snapshot(session.id)
        assert joined.transcript.messages != []
        assert [each for each in bodies_read if each > len("{}")] == [], (
            "only empty objects of the session are read"
        )


async def test_a_conversation_kept_by_another_process_is_read_from_redis_once(store, live_url, monkeypatch):
    script = ScriptedModel(plain(1))
    async with (
        instance(store, live_url, script) as one,
        instance(store, live_url, script, capacity=0) as other,
    ):
        session = await one.session()
        screen = await one.screen(session)
        await one.say(session, "hello")
        await until_async(lambda: screen.ends() == 1, what="the end")
        await settled(one, session)
        asked, read = [], other.bus.cache.get

        async def get(*key):
            asked.append(key)
            return await read(*key)

        monkeypatch.setattr(other.bus.cache, "get", get)
        first, again = [await other.runs.snapshot(session.id) for _ in range(2)]
        assert first.transcript.messages == again.transcript.messages != []
        assert len(asked) == 1


async def test_a_cold_join_reads_no_more_of_a_long_conversation(bodies_read, store, live_url):
    async with instance(store, live_url, ScriptedModel([])) as here:
        sizes = []
        for turns in (FEW, LONG):
            session = await here.session()
            await seed(store, session.id, turns)
            bodies_read.clear()
            taken = await here.runs.snapshot(session.id)
            sizes.append(len(bodies_read))
            assert len(taken.events[1]["messages"]) == snapshots.SHOWN
            assert taken.before == taken.events[1]["messages"][0]["id"]
            bodies_read.clear()
            await here.runs.snapshot(session.id)
            assert [each for each in bodies_read if each > len("{}")] == [], "what was read is kept"
        assert 0 < sizes[1] <= sizes[0] <= snapshots.JOINED + 5, sizes


async def test_a_snapshot_has_a_cursor_when_all_kept_messages_are_shown(
    store, live_url, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(snapshots, "JOINED", snapshots.SHOWN)
    async with instance(store, live_url, ScriptedModel([])) as here:
        session = await here.session()
        await seed(store, session.id, snapshots.SHOWN)
        taken = await here.runs.snapshot(session.id)
        assert len(taken.transcript.messages) == snapshots.SHOWN
        page = await store.messages.page(session.id, session.principal, snapshots.SHOWN, taken.before)
        assert len(page.messages) == snapshots.SHOWN and page.cursor is None


class Calls:
    """Calls of functions in this thread, Python's and C's, while a run goes through."""

    def __init__(self) -> None:
        self.count = 0

    def _called(self, _frame: Any, what: str, _arg: Any) -> None:
        if what in {"call", "c_call"}:
            self.count += 1

    def __enter__(self) -> Calls:
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)


async def calls_of_a_run(here: Any, turns: int) -> int:
    """Return the fewest of three runs after one that reads: which steps of the clock fall into one is chance."""
    session = await here.session()
    await seed(here.store, session.id, turns)
    screen = await here.screen(session)
    counts = []
    for place in range(4):
        with Calls() as calls:
            await here.say(session, f"go on {place}")
            await here.runs.worker.slots.idle.wait()  # No polling, which a slow machine would do more of.
        assert screen.ends() == place + 1
        counts.append(calls.count)
    return min(counts[1:])


async def test_a_run_does_no_more_at_turn_1000_than_at_turn_120(store, live_url):
    """Counted are calls of functions: of all walks over what a conversation has said."""
    async with instance(store, live_url, ScriptedModel(plain(12))) as here:
        await calls_of_a_run(here, 2)
        few, many = await calls_of_a_run(here, FEW), await calls_of_a_run(here, LONG)
        assert many <= few * MORE, (few, many)
