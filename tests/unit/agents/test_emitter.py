"""The events of a run on their way out: what a timer cannot append, and what comes after the end."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

from server.agents.context import CallOutcome
from server.agents.run.events.event_emitter import EventEmitter, has_answer
from server.agents.tools import FOREIGN
from server.errors import Unavailable
from server.protocol import events as ev
from server.protocol.blocks import Choice, Choices, Notice
from tests.unit.agents.outlet import Recorder

QUESTION = Choices(legend="Which?", name="product", choices=(Choice("1", "One"),)).to_content()


def begun() -> tuple[EventEmitter, Recorder]:
    """Return an emitter and what it sends."""
    out = Recorder("run_1", "ses_1", [])
    return EventEmitter(out), out


async def test_an_emitter_raises_the_failure_of_its_timer_at_the_next_publication() -> None:
    emitter, out = begun()

    def refuse(event: dict[str, Any]) -> None:
        raise Unavailable

    emitter.text(0, "Olá")
    out.on = refuse
    await out.until(lambda: emitter.fault is not None)
    out.on = None
    told = list(out.events)
    for act in (emitter.publish, emitter.wait_for_room):
        with pytest.raises(Unavailable):
            await act()
    emitter.progress("c1", 0.5, "Half", None)
    emitter.close()
    assert out.events == told, "no event may follow one that is missing"


async def test_an_emitter_publishes_what_waits_at_its_end_and_nothing_after() -> None:
    emitter, out = begun()
    emitter.text(0, "Olá")
    emitter.effects.block(Notice(title="Note").to_content(), None)
    emitter.close()
    types = [each["type"] for each in out.events]
    assert types == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "ACTIVITY_SNAPSHOT"]
    emitter.text(0, "late")
    emitter.progress("c1", 0.5, "late", None)
    emitter.effects.block(Notice(title="Late").to_content(), None)
    await emitter.publish()
    emitter.flush_text()
    assert [each["type"] for each in out.events] == types


async def test_texts_of_one_read_leave_as_one_and_each_output_is_a_message() -> None:
    emitter, out = begun()
    for index, delta in ((0, "a"), (0, ""), (0, "b"), (1, "c"), (0, "d")):
        emitter.text(index, delta)
    await out.until(lambda: out.text().endswith("d"))
    emitter.end_texts()
    shown = [(each["type"].removeprefix("TEXT_MESSAGE_"), each.get("delta")) for each in out.events]
    assert shown == [
        ("START", None),
        ("CONTENT", "ab"),
        ("START", None),
        ("CONTENT", "c"),
        ("CONTENT", "d"),
        ("END", None),
        ("END", None),
    ]
    assert out.events[4]["messageId"] == out.events[0]["messageId"] != out.events[2]["messageId"]
    emitter.text(0, "e")
    assert out.events[-1]["messageId"] not in {each["messageId"] for each in out.events[:-1]}


async def test_words_or_a_block_are_an_answer_and_blanks_are_none() -> None:
    emitter, _ = begun()
    emitter.text(0, " \n")
    assert not emitter.answered
    emitter.text(0, "a")
    emitter.text(0, " ")
    assert emitter.answered
    other, _ = begun()
    other.effects.block(Notice(title="Note").to_content(), None)
    assert other.answered


@pytest.mark.parametrize(
    ("messages", "has"),
    [
        ([], False),
        ([{"role": "user", "content": "a"}], False),
        ([{"role": "assistant", "content": " "}, {"role": "assistant"}], False),
        ([{"role": "activity", "activityType": "handoff"}], False),
        ([{"role": "activity", "activityType": "block"}], True),
        ([{"role": "assistant", "content": "a"}], True),
    ],
)
def test_a_run_that_is_taken_over_has_an_answer_by_its_messages(
    messages: list[dict[str, Any]], has: bool
) -> None:
    assert has_answer(messages) is has


async def test_a_call_ends_with_its_last_progress_its_result_and_what_it_showed() -> None:
    emitter, out = begun()
    emitter.agent = "ana"
    await emitter.start_call("c1", "look", FOREIGN, "{}")
    assert emitter.is_shown("c1") and not emitter.is_shown("c2")
    for fraction in (0.1, 0.2, 0.9):
        emitter.progress("c1", fraction, "Reading", None)
    emitter.note_call_end("c1", CallOutcome("done", {"a": 1}, 7))
    assert await emitter.end_call("c1", FOREIGN) == "done"
    told = [each["content"]["progress"] for each in out.of("ACTIVITY_SNAPSHOT")]
    assert told == [0.1, 0.9]
    assert out.events[-1]["type"] == "TOOL_CALL_RESULT"


async def test_a_call_a_question_and_a_handoff_come_after_the_words_before_them() -> None:
    for act in ("call", "question", "handoff"):
        emitter, out = begun()
        await emitter.enter("ana")
        question = emitter.effects.block(QUESTION, None)
        emitter.text(0, "Olá")
        if act == "call":
            await emitter.start_call("c1", "look", FOREIGN, "{}")
            assert out.types()[-1] == "TOOL_CALL_END"
        elif act == "question":
            await emitter.show_waiting_call("c1", "look", FOREIGN, "{}", ("blk_1", QUESTION))
            assert out.of("ACTIVITY_SNAPSHOT")[-1]["messageId"] == "blk_1"
        else:
            await emitter.hand_over("rui", "why")
            asked, handed = out.of("ACTIVITY_SNAPSHOT")
            assert (asked["messageId"], handed["content"]["from"], handed["content"]["to"]) == (
                question,
                "ana",
                "rui",
            )
            assert out.types()[4:] == [
                "ACTIVITY_SNAPSHOT",
                "STEP_FINISHED",
                "ACTIVITY_SNAPSHOT",
                "STEP_STARTED",
            ]
        assert out.types()[1:4] == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]


async def test_an_emitter_publishes_the_text_before_an_event_and_skips_an_empty_batch() -> None:
    emitter, out = begun()
    await emitter.publish()
    assert out.committed == []
    emitter.text(0, "Olá")
    await emitter.publish(ev.step_started("ana"))
    assert out.types() == ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "STEP_STARTED"]
    assert len(out.committed) == 1


async def test_a_run_that_has_ended_is_let_go_of_at_once() -> None:
    emitter, _ = begun()
    await emitter.start_call("c1", "look", FOREIGN, "{}")
    for fraction in (0.1, 0.2):
        emitter.progress("c1", fraction, "Reading", None)
    emitter.close()
    ended = weakref.ref(emitter)
    gc.disable()
    try:
        del emitter
        assert ended() is None, "no cycle is left for the collector"
    finally:
        gc.enable()


async def test_an_agent_that_leaves_ends_its_texts_and_shows_what_is_left() -> None:
    emitter, out = begun()
    await emitter.finish_agent()
    assert out.events == []
    await emitter.enter("ana")
    emitter.text(0, "Olá")
    emitter.effects.block(Notice(title="Note").to_content(), None)
    await emitter.finish_agent()
    assert out.types() == [
        "STEP_STARTED",
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
        "ACTIVITY_SNAPSHOT",
        "STEP_FINISHED",
    ]
    assert {each["stepName"] for each in (*out.of("STEP_STARTED"), *out.of("STEP_FINISHED"))} == {"ana"}
    assert out.of("TEXT_MESSAGE_START")[0]["name"] == "ana"
