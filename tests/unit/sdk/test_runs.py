"""Runs as they are read and awaited, and the conversation that remembers how they ended."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import pytest

from loopwire import Ask, Closed, Garbled, Result, Retracted, Text, Usage
from loopwire.conversation import Conversation, End
from loopwire.parts import Part
from loopwire.run import Listening, Run
from server.protocol import events as ev
from tests.unit.sdk.socket_server import SESSION, Json, answer, snapshot

ANSWER = answer()
ASKED: Json = {"id": "int_1", "toolCallId": "cal_1", "metadata": {"loopwire": {"kind": "approval"}}}
WAITS = ev.run_finished(SESSION, "run_1", {"type": "interrupt", "interrupts": [ASKED]})
SPENT: Json = {"model": "m", "inputTokens": 1, "outputTokens": 2, "totalTokens": 3}


class Talk:
    """A conversation without a server, and its runs."""

    def __init__(self, *events: Json) -> None:
        self.conversation = Conversation()
        self.stopped: list[str] = []
        self.held: set[str] = set()
        self.hear(*events)

    def hear(self, *events: Json) -> None:
        """Take events."""
        for event in events:
            self.conversation.take({"seq": 0, "event": event})

    async def _stop(self, run_id: str) -> None:
        self.stopped.append(run_id)

    def run(self, run_id: str = "run_1") -> Run:
        """Return one of its runs."""
        return Run(self.conversation, run_id, None, self._stop, self.held)

    def result(self, run_id: str = "run_1") -> Result:
        """Return how one ended."""
        end = self.conversation.end_of(run_id)
        assert end is not None
        return end.result


async def result_of(run: Run) -> Result:
    return await run


async def parts_of(run: Run) -> list[Part]:
    return [part async for part in run]


async def let_others_run() -> None:
    """Let every task come to where it waits."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_an_answer_that_has_ended_is_read_from_its_beginning_each_time() -> None:
    talk = Talk(*ANSWER)
    run = talk.run()
    for _ in range(2):
        assert await parts_of(run) == [Text("Hello there.", "msg_run_1")]


async def test_a_reader_gets_what_was_said_before_and_what_comes_and_nothing_of_other_runs() -> None:
    talk = Talk(*answer("run_0", "Not this."), *ANSWER[:6])
    parts = aiter(talk.run())
    assert await anext(parts) == Text("Hello ", "msg_run_1")
    reading = asyncio.ensure_future(anext(parts))
    await let_others_run()
    assert not reading.done()
    talk.hear(ANSWER[6])
    assert await reading == Text("there.", "msg_run_1")
    ending = asyncio.ensure_future(anext(parts, None))
    await let_others_run()
    talk.hear(*ANSWER[7:])
    assert await ending is None
    assert await anext(parts, None) is None


async def test_a_reader_gets_the_last_words_before_the_failure() -> None:
    talk = Talk(*ANSWER[:6])
    run = talk.run()
    parts = aiter(run)
    waiting = [asyncio.ensure_future(each) for each in (result_of(run), result_of(run))]
    await let_others_run()
    talk.conversation.fail(Closed("gone"))
    assert await anext(parts) == Text("Hello ", "msg_run_1")
    for each in (anext(parts), anext(parts), *waiting, result_of(run)):
        with pytest.raises(Closed, match="gone"):
            await each


async def test_a_question_is_told_once_and_the_answer_goes_on_after_it() -> None:
    talk = Talk(*ANSWER[:-1], WAITS)
    run = talk.run()
    parts = aiter(run)
    assert await anext(parts) == Text("Hello there.", "msg_run_1")
    ask = await anext(parts)
    assert ask == Ask("int_1", "run_1", "approval", "", {}, "cal_1")
    assert await anext(parts, None) is None
    run.go_on("run_2")
    run.go_on("run_2")
    assert run.chain == ["run_1", "run_2"]
    going_on = asyncio.ensure_future(anext(parts))
    await let_others_run()
    talk.hear(*answer("run_2", "Sold."))
    assert await going_on == Text("Sold.", "msg_run_2")
    assert await anext(parts, None) is None


async def test_a_question_that_the_client_answers_by_itself_is_no_end() -> None:
    talk = Talk(*ANSWER[:-1], WAITS)
    talk.held |= {"int_1", "int_9"}
    run = talk.run()
    parts = aiter(run)
    await anext(parts)
    waiting = [asyncio.ensure_future(result_of(run)), asyncio.ensure_future(anext(parts, None))]
    await let_others_run()
    assert not any(each.done() for each in waiting)
    talk.held.discard("int_1")
    talk.conversation.tell()
    assert (await waiting[0]).outcome == "interrupt"
    assert isinstance(await waiting[1], Ask)


async def test_the_result_of_an_answer_has_the_words_and_the_usage_of_all_its_runs() -> None:
    talk = Talk(*ANSWER[:-1], ev.run_finished(SESSION, "run_1", usage=[SPENT]))
    talk.hear(*answer("run_3", ""), *answer("run_4", "Sold.")[:-1])
    talk.hear(ev.run_finished(SESSION, "run_4", {"type": "cancelled"}, usage=[{**SPENT, "model": "n"}, {}]))
    run = talk.run()
    for each in ("run_2", "run_3", "run_4"):
        run.go_on(each)
    assert await run == Result(
        "finished",
        "Hello there.\n\nSold.",
        "cancelled",
        (Usage("m", 1, 2, 3), Usage("n", 1, 2, 3), Usage("", 0, 0, 0)),
    )


async def test_the_last_run_of_an_answer_is_stopped_where_it_has_not_ended() -> None:
    talk = Talk(*ANSWER)
    run = talk.run()
    await run.stop()
    assert talk.stopped == []
    run.go_on("run_2")
    await run.stop()
    assert talk.stopped == ["run_2"]


async def test_a_message_without_the_form_of_its_role_is_told_to_its_reader() -> None:
    odd = {"id": "msg_1", "metadata": {"loopwire": {"run_id": "run_1"}}}
    talk = Talk(ANSWER[0], {"type": "MESSAGES_SNAPSHOT", "messages": [odd]})
    with pytest.raises(Garbled, match="a message has not the form of its role: KeyError"):
        await parts_of(talk.run())


async def test_a_listener_gets_what_is_said_from_then_on_in_all_runs() -> None:
    talk = Talk(*answer("run_0", "Before."), *ANSWER[:6])
    heard = Listening(talk.conversation)
    waiting = asyncio.ensure_future(anext(heard))
    await let_others_run()
    assert not waiting.done()
    talk.hear(*ANSWER[6:], *answer("run_2", "After."))
    assert await waiting == Text("there.", "msg_run_1")
    assert await anext(aiter(heard)) == Text("After.", "msg_run_2")
    talk.hear(*answer("run_3", "The last."))
    talk.conversation.fail(Closed("gone"))
    assert await anext(heard) == Text("The last.", "msg_run_3")
    for _ in range(2):
        with pytest.raises(Closed, match="gone"):
            await anext(heard)


async def test_a_listener_that_waits_is_told_of_the_end() -> None:
    talk = Talk()
    waiting = asyncio.ensure_future(anext(Listening(talk.conversation)))
    await let_others_run()
    talk.conversation.fail(Closed("gone"))
    with pytest.raises(Closed, match="gone"):
        await waiting


def test_a_conversation_remembers_the_first_end_of_a_run() -> None:
    talk = Talk(*ANSWER[:-1])
    assert talk.conversation.end_of("run_1") is None
    talk.hear(ev.run_error("Too long.", "timeout"))
    assert talk.result() == Result("error", "Hello there.", code="timeout", message="Too long.")
    talk.hear(*ANSWER)
    assert talk.result().status == "error"


def test_a_run_ends_with_what_it_asks() -> None:
    talk = Talk(*ANSWER[:-1], WAITS)
    ask = Ask("int_1", "run_1", "approval", "", {}, "cal_1")
    assert talk.result() == Result("finished", "Hello there.", "interrupt", asks=(ask,))
    end = talk.conversation.end_of("run_1")
    assert end is not None and end.interrupts == (ASKED,)


def test_a_snapshot_tells_how_its_run_ended() -> None:
    talk = Talk()
    talk.conversation.take(snapshot(9, ANSWER))
    assert talk.result() == Result("finished", "Hello there.", "success")


def test_256_ends_are_remembered_and_the_first_that_is_known_counts() -> None:
    conversation = Conversation()
    for number in range(257):
        conversation.note_end(f"run_{number}", End(Result("finished", f"{number}")))
        conversation.note_end(f"run_{number}", End(Result("finished", "again")))
    assert conversation.end_of("run_0") is None
    for number in (1, 256):
        end = conversation.end_of(f"run_{number}")
        assert end is not None and end.result.text == f"{number}"


def test_a_run_is_pending_while_it_is_at_work_or_in_the_queue() -> None:
    talk = Talk(*ANSWER[:3])
    assert [talk.conversation.is_pending(each) for each in ("run_1", "run_2")] == [True, False]
    talk.hear(*ANSWER[3:])
    assert not talk.conversation.is_pending("run_1")
    items: list[Json] = [{"run_id": "run_2", "id": "m2"}, {"run_id": "run_3"}]
    talk.conversation.take({"type": "queue", "items": items})
    pending = [talk.conversation.is_pending(f"run_{number}") for number in range(1, 5)]
    assert pending == [False, True, True, False]
    assert talk.conversation.queue == tuple(items)
    assert not Conversation().is_pending("run_1")


async def test_a_watcher_is_woken_until_it_has_looked_at_each_change_once() -> None:
    conversation = Conversation()
    watcher = conversation.watch()
    waiting = asyncio.ensure_future(watcher.wait())
    await let_others_run()
    assert not waiting.done()
    conversation.tell(["a", "b"])
    conversation.tell(["a", "c"])
    await waiting
    await watcher.wait()
    assert (watcher.take(), watcher.take()) == (["a", "b", "c"], [])
    waiting = asyncio.ensure_future(watcher.wait())
    await let_others_run()
    assert not waiting.done()
    conversation.tell()
    await waiting


def test_a_watcher_that_is_not_kept_is_forgotten() -> None:
    conversation = Conversation()
    kept = [conversation.watch(), conversation.watch()]
    assert len(conversation._watchers) == 2
    kept.pop()
    gc.collect()
    assert len(conversation._watchers) == 1


@pytest.mark.parametrize(
    "frame",
    [
        {"event": {"type": "RUN_STARTED"}},
        {"event": {"type": "RUN_FINISHED", "runId": "run_1", "outcome": 7}},
        {"event": {"type": "MESSAGES_SNAPSHOT", "messages": [3]}},
        {"type": "queue", "items": [None]},
        {"type": "snapshot", "events": [{"type": "STATE_DELTA"}]},
    ],
    ids=str,
)
def test_an_event_without_the_form_of_its_type_is_garbage(frame: Json) -> None:
    with pytest.raises(Garbled, match="an event has not the form of its type: "):
        Talk(ANSWER[0]).conversation.take(frame)


def test_frames_of_no_known_type_change_nothing() -> None:
    talk = Talk(*ANSWER)
    before: Any = talk.conversation.transcript.messages
    talk.conversation.take({"type": "of a later version", "items": [1], "on": True})
    assert talk.conversation.transcript.messages == before
    assert (talk.conversation.degraded, talk.conversation.queue) == (False, ())


async def test_parts_missing_in_a_snapshot_that_begins_before_them_are_retracted() -> None:
    talk = Talk(*answer("run_0", "Before."), *answer("run_1", "Old."))
    heard = Listening(talk.conversation)
    talk.conversation.take(snapshot(9, answer("run_1", "Old.")))
    waiting = asyncio.ensure_future(anext(heard))
    await let_others_run()
    assert not waiting.done()
    talk.conversation.take(snapshot(19, answer("run_1", "Old.")[:4]))
    assert await waiting == Retracted("msg_run_1")
    talk.conversation.take({**snapshot(20), "events": []})
    talk.hear(*answer("run_2", "New."))
    assert await anext(heard) == Text("New.", "msg_run_2")
