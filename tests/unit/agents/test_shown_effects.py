"""The effects of calls: blocks in their places, questions that wait for the words, and changes of the state."""

from __future__ import annotations

from typing import Any

from server.agents.context import current_call
from server.agents.run.events.shown_effects import ShownEffects
from server.protocol.blocks import Choice, Choices, Notice

NOTICE = Notice(title="Note").to_content()
QUESTION = Choices(legend="Which?", name="product", choices=(Choice("1", "One"),)).to_content()
AGAIN = {**QUESTION, "again_of": "blk_0"}


def effects(state: dict[str, Any] | None = None) -> ShownEffects:
    """Return the effects of a run with this state."""
    made = ShownEffects(lambda: 7)
    made.follow({} if state is None else state)
    return made


def told(events: list[dict[str, Any]]) -> list[tuple[str, Any]]:
    """Return of each event its block, and its content or change."""
    return [(each["messageId"], each["content"] if "content" in each else each["patch"]) for each in events]


def ended(status: str, answer: Any = None) -> list[dict[str, Any]]:
    patch = [{"op": "add", "path": "/status", "value": status}]
    return patch if answer is None else [*patch, {"op": "add", "path": "/answer", "value": answer}]


def test_a_question_waits_for_the_words_and_a_notice_does_not() -> None:
    shown = effects()
    assert not shown.answered
    question, notice = shown.block(QUESTION, None), shown.block(NOTICE, None)
    assert shown.answered and question != notice
    assert told(shown.pop_all()) == [(notice, NOTICE)]
    assert told(shown.pop_questions()) == [(question, QUESTION)]
    assert (shown.pop_all(), shown.pop_questions(), shown.held) == ([], [], {})


def test_a_question_in_the_place_of_a_block_that_was_shown_is_shown_at_once() -> None:
    shown = effects()
    assert shown.block(QUESTION, "blk_1") == "blk_1"
    assert told(shown.pop_all()) == [("blk_1", QUESTION)]
    assert shown.held == {}


def test_a_question_that_waits_takes_what_replaces_it() -> None:
    shown = effects()
    question = shown.block(QUESTION, None)
    other = {**QUESTION, "legend": "Which one?"}
    assert shown.block(other, question) == question
    assert shown.pop_all() == []
    assert shown.block(NOTICE, question) == question
    assert told(shown.pop_all()) == [(question, NOTICE)]
    assert shown.pop_questions() == [], "a notice asks nothing"


def test_a_question_that_is_asked_again_ends_the_first_one_before_it() -> None:
    shown = effects()
    question = shown.block(AGAIN, None)
    assert shown.pop_all() == []
    assert told(shown.pop_questions()) == [("blk_0", ended("closed")), (question, AGAIN)]


def test_a_question_that_is_not_asked_again_after_all_ends_the_first_one() -> None:
    shown = effects()
    question = shown.block(AGAIN, None)
    shown.block({**AGAIN, "legend": "Which one?"}, question)
    assert shown.pop_all() == [], "it is the same question again"
    shown.block(QUESTION, question)
    assert told(shown.pop_all()) == [("blk_0", ended("closed"))]
    assert told(shown.pop_questions()) == [(question, QUESTION)]


def test_a_question_that_ends_before_it_was_asked_is_shown_as_it_ended() -> None:
    for answer, end in ((None, {"status": "closed"}), ("1", {"status": "answered", "answer": "1"})):
        shown = effects()
        question = shown.block(QUESTION, None)
        shown.close_block(question, answer)  # type: ignore[arg-type]
        assert told(shown.pop_all()) == [(question, {**QUESTION, **end})]
        again = shown.block(AGAIN, None)
        shown.close_block(again, answer)  # type: ignore[arg-type]
        assert told(shown.pop_all()) == [("blk_0", ended("closed")), (again, {**AGAIN, **end})]
        assert shown.pop_questions() == []


def test_a_block_that_was_shown_ends_in_its_place() -> None:
    shown = effects()
    shown.close_block("blk_1", None)
    shown.close_block("blk_2", {"value": "1"})
    assert told(shown.pop_all()) == [
        ("blk_1", ended("closed")),
        ("blk_2", ended("answered", {"value": "1"})),
    ]


def test_each_call_has_what_it_showed_alone() -> None:
    shown = effects()
    notice = shown.block(NOTICE, None)
    token = current_call.set("c1")
    own = shown.block(NOTICE, None)
    current_call.reset(token)
    assert shown.pop_events("c2") == []
    assert told(shown.pop_events("c1")) == [(own, NOTICE)]
    assert told(shown.pop_events("")) == [(notice, NOTICE)]


def test_a_state_is_told_as_it_is_by_then_and_only_where_it_changed() -> None:
    state: dict[str, Any] = {"same": [1], "old": 0, "gone": 1}
    shown = effects(state)
    state.update({"a/b~c": {"x": 1}, "old": 2, "same": [1]})
    del state["gone"]
    shown.state(["a/b~c", "old", "same", "gone", "never"])
    state["old"] = 3
    (event,) = shown.pop_events("")
    assert event["delta"] == [
        {"op": "add", "path": "/a~1b~0c", "value": {"x": 1}},
        {"op": "add", "path": "/old", "value": 3},
        {"op": "remove", "path": "/gone"},
    ]
    shown.state(["old", "gone"])
    assert shown.pop_events("") == [], "what is told already is not told again"
    state["none"] = None
    shown.state(["none"])
    assert shown.pop_events("")[0]["delta"] == [{"op": "add", "path": "/none", "value": None}]
