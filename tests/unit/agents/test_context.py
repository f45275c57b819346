"""The context of a run: what its tools change and show, within its bounds."""

from __future__ import annotations

import inspect
import re
import sys
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from server.agents import contract
from server.agents.context import (
    MOST_SOURCES,
    ChosenForRun,
    Emitter,
    RunContext,
    StateTooLarge,
    ToolRules,
    recorded,
)
from server.agents.contract import (
    LARGEST,
    MOST_OPEN_BYTES,
    RequestContract,
    ServiceRequest,
    require_small,
)
from server.agents.run.events.event_emitter import EventEmitter
from server.protocol.blocks import Notice
from server.protocol.plain_text import plain_value
from server.protocol.shown_state import MOST_BYTES, PRIVATE, public_state
from tests.unit.agents.outlet import NoConversations, Recorder


class Claimed(NoConversations):
    """Conversations of which a user has claimed each."""

    async def owner_of(self, session_id: str) -> str:
        return f"usr_of_{session_id}"


def begun(**given: Any) -> tuple[RunContext, Recorder]:
    """Return a context and what it shows."""
    out = Recorder("run_1", "ses_1", [])
    fields = {
        "session_id": "ses_1",
        "run_id": "run_1",
        "principal": "pri_1",
        "app": "demo",
        "service": "test",
        "language": "en",
        "conversations": NoConversations(),
    }
    context = RunContext(**{**fields, "emitter": EventEmitter(out), **given})
    context.emitter.effects.follow(context.state)  # type: ignore[attr-defined]
    return context, out


def shown(context: RunContext) -> list[dict[str, Any]]:
    """Return what its tools have shown so far."""
    taken: list[dict[str, Any]] = context.emitter.effects.pop_all()  # type: ignore[attr-defined]
    return taken


def test_a_change_of_the_state_is_told_by_its_keys_and_what_is_the_same_is_not():
    context, _ = begun(state={"same": 1, "gone": 2})
    context.set_state(same=1, gone=None, new={"a": [1]}, never=None)
    assert context.state == {"same": 1, "new": {"a": [1]}}
    assert [each["delta"] for each in shown(context)] == [
        [{"op": "remove", "path": "/gone"}, {"op": "add", "path": "/new", "value": {"a": [1]}}]
    ]
    context.set_state(same=1, never=None)
    assert shown(context) == []


def test_the_state_has_a_size_to_the_byte_and_one_that_is_too_large_may_shrink():
    context, _ = begun()
    fits = "x" * (MOST_BYTES - len('{"text":""}'))
    context.set_state(text=fits)
    with pytest.raises(StateTooLarge, match=f"would be {MOST_BYTES + 1} bytes; the most is {MOST_BYTES}"):
        context.set_state(text=fits + "x")
    assert context.state == {"text": fits}
    context.state["text"] += "xx"
    context.set_state(other=None)
    with pytest.raises(StateTooLarge):
        context.set_state(other=None, text="é" + fits)
    context.set_state(text=None)
    assert context.state == {}


def test_the_private_part_is_no_state_and_is_stored_with_it():
    context, _ = begun(state={"a": [1]})
    with pytest.raises(ValueError, match=r"RunContext\.private"):
        context.set_state(**{PRIVATE: {}})
    assert context.stored_state() == {"a": [1]}
    context.private["b"] = [2]
    stored = context.stored_state()
    assert stored == {"a": [1], PRIVATE: {"b": [2]}}
    context.state["a"].append(3)
    context.private["b"].append(3)
    assert stored == {"a": [1], PRIVATE: {"b": [2]}}
    assert public_state(stored) == {"a": [1]}


def test_a_context_repeats_the_recorded_acts_of_a_tool():
    context, _ = begun(private={"old": 1})
    did: list[dict[str, Any]] = []
    token = recorded.set(did)
    try:
        context.set_state(a=1)
        first = context.block(Notice(title="One"))
        context.block(Notice(title="Two"), instead_of=first)
        context.close_block("blk_other", {"value": "yes"})
    finally:
        recorded.reset(token)
    did.append({"did": "private", "changes": {"new": [1]}, "gone": ["old", "never"]})
    again, _ = begun(private={"old": 1, "kept": 2})
    again.repeat(did)
    told, repeated = shown(context), shown(again)
    for each in (*told, *repeated):
        each.pop("timestamp", None)
    assert repeated == told
    assert [each.get("messageId") for each in repeated] == [None, first, first, "blk_other"]
    assert (again.state, again.private) == ({"a": 1}, {"new": [1], "kept": 2})
    again.private["new"].append(2)
    assert did[-1]["changes"] == {"new": [1]}


def test_a_state_that_is_too_large_is_no_deed():
    context, _ = begun()
    did: list[dict[str, Any]] = []
    token = recorded.set(did)
    try:
        with pytest.raises(StateTooLarge):
            context.set_state(text="x" * MOST_BYTES)
    finally:
        recorded.reset(token)
    assert did == []


def test_two_hundred_sources_are_remembered_the_first_ones_once_each():
    context, _ = begun(sources=["a"])
    context.add_sources(["b", "a", "b", "c"])
    assert context.sources == ["a", "b", "c"]
    context.add_sources(f"p{n}" for n in range(MOST_SOURCES))
    assert (len(context.sources), context.sources[-1]) == (200, "p196")
    context.add_sources(["late"])
    assert "late" not in context.sources


@pytest.mark.parametrize(("fraction", "told"), [(-1.0, 0.0), (0.25, 0.25), (1 / 3, 0.3333), (7.0, 1.0)])
def test_progress_is_between_nothing_and_all(fraction: float, told: float):
    context, out = begun()
    context.progress(fraction, "Reading")
    context.emitter.close()  # type: ignore[attr-defined]
    (event,) = out.events
    assert event["content"] == {"tool_call_id": "", "progress": told, "label": "Reading"}


def test_a_step_is_told_where_there_is_one():
    context, out = begun()
    context.progress(0.5, "Reading", "page 2")
    assert out.events[0]["content"]["step"] == "page 2"
    known, out = begun()
    known.progress(0.5, "approval.answered", "approval.answered")
    assert out.events[0]["content"]["label"] == out.events[0]["content"]["step"] == "Confirmed"


def test_a_resource_may_be_chosen_for_the_run():
    context, _ = begun(resources={int: 7, str: ChosenForRun(lambda run: f"for {run.app}")})
    assert (context.resource(int), context.resource(str)) == (7, "for demo")
    with pytest.raises(KeyError):
        context.resource(bytes)


@pytest.mark.parametrize(
    ("principal", "then"), [("vis_1", "usr_of_ses_1"), ("usr_2", "usr_2")], ids=["a visitor", "a user"]
)
async def test_a_visitors_run_goes_on_as_the_user_who_claimed_it(principal: str, then: str):
    context, _ = begun(principal=principal, conversations=Claimed())
    await context.follow_owner()
    assert context.principal == then


async def test_a_visitor_whom_nobody_claimed_stays():
    context, _ = begun(principal="vis_1")
    await context.follow_owner()
    assert context.principal == "vis_1"


@pytest.mark.parametrize(
    ("allowed", "scopes", "may"),
    [((), ("web",), True), (("web",), (), True), (("web",), ("web",), True), (("web",), ("web", "x"), False)],
)
def test_a_tool_may_be_used_where_the_app_allows_all_its_scopes(allowed: Any, scopes: Any, may: bool):
    context, _ = begun(rules=ToolRules(scopes=frozenset(allowed)))
    assert context.may_reach(scopes) is may


@pytest.mark.parametrize(
    "value",
    [
        {"text": "x" * (MOST_OPEN_BYTES - len('{"text":""}'))},
        {"n": LARGEST, "m": -LARGEST, "list": [{"deep": 1.5}]},
    ],
)
def test_an_object_of_the_callers_own_fits(value: dict[str, Any]):
    assert require_small(value) is value


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ({"text": "x" * (MOST_OPEN_BYTES + 1 - len('{"text":""}'))}, "more than 64 KiB"),
        ({"n": LARGEST + 1}, "no finite one"),
        ({"list": [{"deep": [float("nan")]}]}, "no finite one"),
        ({"n": float("-inf")}, "no finite one"),
        ({"n": float("nan"), "text": "x" * MOST_OPEN_BYTES}, "more than 64 KiB"),
    ],
)
def test_an_object_that_is_too_large_or_has_no_finite_number_does_not(value: Any, sentence: str):
    with pytest.raises(ValueError, match=sentence):
        require_small(value)


def test_a_number_in_deep_lists_is_read_once():
    """Each number was passed on by every level above it: 30,000 of them in 180 lists took a quarter of a second."""
    value: Any = [1] * 1_000
    for _ in range(150):
        value = [value]
    steps = 0

    def count(*_event: Any) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(count)
    try:
        require_small({"a": value})
    finally:
        sys.setprofile(None)
    assert steps < 20_000


def test_only_the_fields_of_a_request_are_made_plain(monkeypatch: pytest.MonkeyPatch):
    """A text of ten megabytes in any other field cost as much as in one that is read."""
    seen: list[Any] = []

    def noting(value: Any, longest: float) -> Any:
        seen.append(value)
        return plain_value(value, longest)

    monkeypatch.setattr(contract, "plain_value", noting)
    given = {"error": "a\r\nb", "zzz": "\r" * 10, "images": ["c"], "session_id": None}
    assert ServiceRequest.model_validate(given).error == "a\nb"
    assert seen == ["a\r\nb"]


def test_agents_read_of_a_request_what_is_asked():
    request = ServiceRequest(
        language="en-US",
        session_id="s1",
        conversation=True,
        callback_url="https://host/secret",
        images=["https://host/picture"],
        session_extra_data={"a": 1},
        error="It\x00 failed.",
    )
    assert request.for_models() == {"language": "en-US", "error": "It failed."}
    assert ServiceRequest().for_models() == {"language": "PT-PT"}


class Dated(ServiceRequest):
    """A request with a day."""

    on: date = date(2026, 1, 2)


def test_agents_read_a_request_as_json_and_what_is_no_object_is_none():
    assert Dated().for_models() == {"language": "PT-PT", "on": "2026-01-02"}
    for odd in ([], "x", None):
        with pytest.raises(ValidationError):
            Dated.model_validate(odd)


def test_a_contract_has_a_path_of_services_and_its_example_in_other_languages():
    given: dict[str, Any] = {
        "request": ServiceRequest,
        "response": ServiceRequest,
        "summary": "Says.",
        "example": {"a": 1},
        "route": lambda request: [],
    }
    made = RequestContract("/loopos_ai_test", **given, examples={"pt": {"a": 2}})
    assert (made.example_in("pt"), made.example_in("en")) == ({"a": 2}, {"a": 1})
    with pytest.raises(ValueError, match="'/test' of a service has to begin with /loopos_ai_"):
        RequestContract("/test", **given)


def test_a_run_without_a_trace_sends_no_headers_of_one():
    context, _ = begun()
    assert context.trace_headers() == {}


def test_the_context_calls_of_the_emitter_what_tools_may_use():
    source = inspect.getsource(RunContext)
    assert set(re.findall(r"self\.emitter\.(\w+)", source)) <= {
        name for name in vars(Emitter) if name[0] != "_"
    }


def test_each_method_of_the_context_has_a_test_here():
    methods = {name for name, _ in inspect.getmembers(RunContext, inspect.isfunction) if name[0] != "_"}
    assert methods - set(re.findall(r"\.(\w+)\(", Path(__file__).read_text())) == set()
