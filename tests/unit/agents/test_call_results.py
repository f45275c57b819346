"""The events of calls: the public view of what goes in and comes out, how long each took, and their bounds."""

from __future__ import annotations

import json
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from server.agents.context import CallOutcome
from server.agents.run.events import call_results
from server.agents.run.events.call_results import CallResults, arguments_of
from server.agents.run.tool_calls import ToolDeclaration
from server.agents.tools import FOREIGN
from server.protocol.shown_state import MOST_BYTES


def view(**declared: Any) -> ToolDeclaration:
    """Return the declaration of a tool of ours."""
    return ToolDeclaration("read", 20.0, **declared)


def opened(arguments: str, declared: ToolDeclaration) -> str:
    """Return the arguments as a page sees them."""
    start, args, end = CallResults(lambda: 7).opening("c1", "look", declared, arguments, "ana")
    assert [each["toolCallId"] for each in (start, args, end)] == ["c1"] * 3
    assert (start["toolCallName"], start["timestamp"]) == ("look", 7)
    assert start["metadata"]["loopwire"] == {"icon": declared.icon, "agent": "ana"}
    return str(args["delta"])


def test_a_page_sees_the_public_arguments_as_they_are_written() -> None:
    shows = view(args=lambda a: {"word": a["word"]}, icon="eye")
    assert opened('{"word": "é", "secret": 1}', shows) == '{"word": "é"}'
    assert opened('{"word": "a\\u0007b\\ud83d"}', shows) == '{"word": "ab\ud83d"}'
    for odd in ("{}", "[]", "{", "", "null"):
        assert opened(odd, shows) == "{}"
    assert opened('{"word": 1}', view()) == "{}", "nothing is public that is not said to be"


@pytest.mark.parametrize("error", [KeyError, TypeError, ValueError, AttributeError, IndexError])
def test_a_view_that_fails_shows_nothing(error: type[Exception]) -> None:
    def fail(value: Any) -> Any:
        raise error

    assert opened('{"word": "x"}', view(args=fail)) == "{}"
    results = CallResults(lambda: 7)
    results.note_end("c1", CallOutcome("done", {"a": 1}, 3))
    event, _ = results.finish_call("c1", view(result=fail))
    assert json.loads(event["content"]) == {"status": "done"}


def test_arguments_are_shown_up_to_their_size_and_to_a_page_that_works_with_them_all() -> None:
    shows = view(args=lambda a: a)
    fits = json.dumps({"word": "é" * ((MOST_BYTES - len('{"word": ""}')) // 2)}, ensure_ascii=False)
    assert len(fits.encode()) == MOST_BYTES
    assert opened(fits, shows) == fits
    longer = fits.replace("é", "xé", 1)
    assert json.loads(opened(longer, shows)) == {"bytes": MOST_BYTES + 1}
    assert opened(longer, view(args=lambda a: a, waits="tool")) == longer


def ended(outcome: CallOutcome | None, declared: ToolDeclaration) -> tuple[Any, Any, str]:
    """Return what a page sees of a result, how long it took, and how it ended."""
    results = CallResults(lambda: 7)
    if outcome is not None:
        results.note_end("c1", outcome)
    event, status = results.finish_call("c1", declared)
    assert (event["toolCallId"], event["timestamp"]) == ("c1", 7)
    told = event["metadata"]["loopwire"]
    assert told["status"] == status
    return event["content"], told.get("duration_ms"), status


def test_a_page_sees_the_public_result_of_a_call_that_was_done() -> None:
    shows = view(result=lambda r: {"word": r["word"], "on": r["on"]})
    value = {"word": "é\u0007", "on": date(2026, 1, 2), "secret": 1}
    said = '{"word": "é", "on": "2026-01-02"}'
    assert ended(CallOutcome("done", value, 3), shows) == (said, 3, "done")
    for status in ("failed", "unknown"):
        outcome = CallOutcome(status, value, 3)  # type: ignore[arg-type]
        assert ended(outcome, shows) == (f'{{"status": "{status}"}}', 3, status)
    assert ended(CallOutcome("done", None, 3), shows)[0] == '{"status": "done"}'


def test_a_call_that_did_not_say_how_it_ended_has_failed_if_it_is_ours() -> None:
    assert ended(None, view()) == ('{"status": "failed"}', 0, "failed")
    assert ended(None, FOREIGN) == ('{"status": "done"}', 0, "done")


def test_a_call_took_from_its_beginning_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(now=1000.0, monotonic=lambda: clock.now)
    monkeypatch.setattr(call_results, "time", clock)
    results = CallResults(lambda: 7)
    for each in ("c1", "c2"):
        results.begin(each)
    results.note_effect("c2", None)
    clock.now += 1.5
    event, _ = results.finish_call("c1", FOREIGN)
    (cut,) = results.cut()
    assert [each["metadata"]["loopwire"]["duration_ms"] for each in (event, cut)] == [1500, 1500]
    assert json.loads(cut["content"]) == {"status": "unknown"}
    assert results.cut() == [], "each is told once"


def test_only_calls_whose_effect_has_begun_are_cut_and_not_those_that_have_ended() -> None:
    results = CallResults(lambda: 7)
    for each in ("c1", "c2", "c3"):
        results.begin(each)
    results.note_effect("c2", lambda r: {"paid": r})
    results.note_effect("c3", None)
    results.note_end("c2", CallOutcome("done", 5, 3))
    results.finish_call("c3", view())
    (cut,) = results.cut()
    assert (cut["toolCallId"], json.loads(cut["content"])) == ("c2", {"paid": 5})


def test_a_call_that_was_refused_is_shown_as_stopped_and_has_begun() -> None:
    results = CallResults(lambda: 7)
    event = results.refusal("c1")
    assert event["metadata"]["loopwire"]["status"] == "stopped"
    assert (event["toolCallId"], event["timestamp"]) == ("c1", 7)
    assert results.is_begun("c1") and not results.is_begun("c2")


def test_arguments_are_an_object_or_none() -> None:
    assert arguments_of('{"a": 1}') == {"a": 1}
    for odd in ("", None, "[]", "{", "1", "[" * 30_000):
        assert arguments_of(odd) == {}
