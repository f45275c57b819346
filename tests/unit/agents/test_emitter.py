"""The events of a run on their way out: what a timer cannot append, and what comes after the end."""

from __future__ import annotations

from typing import Any

import pytest

from server.agents.context import CallOutcome
from server.agents.run.events.event_emitter import EventEmitter, has_answer
from server.agents.tools import FOREIGN
from server.errors import Unavailable
from server.protocol.blocks import Notice
from tests.unit.agents.outlet import Recorder


def begun() -> tuple[EventEmitter, Recorder]:
    """Return an emitter and what it sends."""
    out = Recorder("run_1", "ses_1", [])
    return EventEmitter(out), out


async def test_what_a_timer_could_not_append_is_raised_by_who_publishes_next() -> None:
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


async def test_nothing_follows_the_end_but_what_waited_for_it() -> None:
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


async def test_an_agent_that_leaves_ends_its_texts_and_shows_what_is_left() -> None:
    emitter, out = begun()
    await emitter.leave()
    assert out.events == []
    await emitter.enter("ana")
    emitter.text(0, "Olá")
    emitter.effects.block(Notice(title="Note").to_content(), None)
    await emitter.leave()
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
