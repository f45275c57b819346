"""The summaries that a run shows: their parts, their room, and what is left of it after a checkpoint."""

from __future__ import annotations

from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.events.shown_reasoning import MOST_CHARACTERS
from server.protocol.events import ours
from tests.unit.agents.outlet import Recorder


def begun(*shown: dict[str, str], allowed: bool = True) -> tuple[EventEmitter, Recorder]:
    """Return an emitter of a run that has shown these messages, and what it sends."""
    out = Recorder("run_1", "ses_1", [])
    emitter = EventEmitter(out)
    emitter.agent = "first"
    if allowed:
        emitter.shown_reasoning.allow(shown)
    return emitter, out


def test_the_parts_of_a_summary_are_paragraphs_and_the_next_one_is_another_message() -> None:
    emitter, out = begun()
    shown = emitter.shown_reasoning
    shown.begin_part()
    shown.add("One", "first")
    shown.begin_part()
    shown.begin_part()
    shown.add("two.", "first")
    shown.close_summary()
    shown.close_summary()
    shown.begin_part()
    shown.add("Three.", "second")
    shown.close_summary()
    told = [(each["content"], ours(each)["agent"]) for each in out.transcript.messages]
    assert told == [("One\n\ntwo.", "first"), ("Three.", "second")]
    assert [each["type"][18:] for each in out.events] == [
        "START", "CONTENT", "CONTENT", "END", "START", "CONTENT", "END",
    ]  # fmt: skip


async def test_words_of_the_answer_end_a_summary_before_they_begin() -> None:
    emitter, out = begun()
    emitter.shown_reasoning.add("It may be.", "first")
    emitter.text(0, "It is.")
    emitter.end_texts()
    assert out.types() == [
        "REASONING_MESSAGE_START", "REASONING_MESSAGE_CONTENT", "REASONING_MESSAGE_END",
        "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END",
    ]  # fmt: skip


def test_nothing_is_shown_of_blanks_of_a_service_that_shows_none_and_after_the_end() -> None:
    emitter, out = begun()
    emitter.shown_reasoning.add(" \n", "first")
    emitter.close()
    emitter.shown_reasoning.add("Late.", "first")
    hidden, told = begun(allowed=False)
    hidden.shown_reasoning.add("Hidden.", "first")
    hidden.end_texts()
    assert (out.events, told.events) == ([], [])


def test_a_summary_that_is_open_when_its_run_is_left_is_closed_by_who_ends_the_run() -> None:
    emitter, out = begun()
    emitter.shown_reasoning.add("It may", "first")
    emitter.close()
    assert out.types()[-1] == "REASONING_MESSAGE_CONTENT"
    assert [each["type"] for each in out.transcript.close_events()] == ["REASONING_MESSAGE_END"]


def test_what_was_shown_before_a_checkpoint_takes_of_the_room() -> None:
    before = {"role": "reasoning", "content": "x" * (MOST_CHARACTERS - 3)}
    emitter, out = begun(before, {"role": "assistant", "content": "y" * MOST_CHARACTERS})
    emitter.shown_reasoning.add("abcde", "first")
    emitter.shown_reasoning.add("more", "first")
    (message,) = out.transcript.messages
    assert (message["content"], ours(message)["truncated"]) == ("abc", True)
    full, told = begun({"role": "reasoning", "content": "x" * (MOST_CHARACTERS + 1)})
    full.shown_reasoning.add("abc", "first")
    assert told.events == []


def test_a_summary_that_just_fits_is_truncated_by_what_comes_next() -> None:
    emitter, out = begun({"role": "reasoning", "content": "x" * (MOST_CHARACTERS - 3)})
    emitter.shown_reasoning.add("abc", "first")
    assert out.types()[-1] == "REASONING_MESSAGE_CONTENT"
    emitter.shown_reasoning.add("d", "first")
    (message,) = out.transcript.messages
    assert (message["content"], ours(message)["truncated"]) == ("abc", True)


def test_control_characters_of_a_summary_are_left_out() -> None:
    emitter, out = begun()
    for piece in ("a\x07b\r", "\nc"):
        emitter.shown_reasoning.add(piece, "first")
    assert out.transcript.messages[0]["content"] == "ab\nc"
