"""Calls that waited, in the run that goes on: what each answer of a person or a page does, and what the model reads."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from agents import Agent

from server.agents.context import NO_RULES, RunContext, ToolRules
from server.agents.run.runner import Result
from server.agents.service import Service
from server.agents.tools import tool
from server.agents.tools.ask import ask_user
from server.store.rows import Interrupt
from tests.unit.agents.outlet import Memory, Play, Recorder
from tests.unit.agents.teams import Ctx, ScriptedModel, assistant_message, function_call
from tests.unit.agents.test_remote_tools import Shop

DOOR = {"name": "open_door", "description": "Open it.", "parameters": {}}
QUESTIONS = {"type": "object", "properties": {"size": {"type": "string"}}}
DONE = assistant_message("Pronto.")


@dataclass
class Talk:
    """A conversation whose agent calls something that waits; each `answer` is a run that goes on."""

    tools: list[Any]
    calls: list[Any]
    page_tools: list[dict[str, Any]] = field(default_factory=list)
    remote: Shop | None = None
    rules: ToolRules = NO_RULES
    last: Result | None = None
    model: ScriptedModel = field(default_factory=ScriptedModel)
    ledger: Memory = field(default_factory=Memory)

    def play(self, script: list[Any]) -> Play:
        """Return the agent with this model."""
        self.model = ScriptedModel(script)
        agent = Agent[RunContext](name="only", tools=self.tools)
        service = Service(name="test", start="only", agents=lambda: {"only": agent})
        return Play(service, self.model, remote=self.remote, rules=self.rules, ledger=self.ledger)

    async def asks(self) -> list[Interrupt]:
        """Let the model call; returns what waits."""
        play = self.play([self.calls])
        await play.say("oi", tools=self.page_tools)
        self.last = play.result
        return self.open()

    def open(self) -> list[Interrupt]:
        """Return what waits."""
        assert self.last is not None
        return self.last.interrupts

    async def answer(self, *given: dict[str, Any]) -> Recorder:
        """Answer, and let the run that goes on end."""
        assert self.last is not None and self.last.resume is not None
        play = self.play([[DONE]])
        turn, out = play.prepare(content=list(given), tools=self.page_tools)
        await play.go(replace(turn, checkpoint=self.last.resume), out)
        self.last = play.result
        return out

    def read(self) -> dict[str, Any]:
        """Return what the model reads of each call."""
        outputs = [each for each in self.model.calls[0].input if each.get("type") == "function_call_output"]
        return {each["call_id"]: json.loads(each["output"]) for each in outputs}


def given(asked: Interrupt, payload: Any = None, **changes: Any) -> dict[str, Any]:
    """Return what a run stores of an answer."""
    part = {"type": "resume", "call_id": asked.call_id, "kind": asked.kind, "status": "resolved"}
    return {**part, "payload": payload, **changes}


def giving(done: list[str], **options: Any) -> Any:
    """A tool that gives something away, once."""

    @tool(effect="once", **{"approval": lambda run, a: f"Give {a['what']}?", **options})
    async def give(ctx: Ctx, what: str) -> dict[str, str]:
        """Give."""
        done.append(what)
        return {"given": what}

    return give


def give(what: str = "bread", call_id: str = "c1") -> Any:
    return function_call("give", {"what": what}, call_id=call_id)


def status_of(out: Recorder) -> dict[str, str]:
    """Return how each call ended."""
    return {each["toolCallId"]: each["metadata"]["loopwire"]["status"] for each in out.of("TOOL_CALL_RESULT")}


SAID_NO = "The person said no. Do not try it again; go on without it."
NOT_ANSWERED = "This was not answered. Go on without it."
TOO_LATE = "Nobody answered in time. Go on without it."


@pytest.mark.parametrize(
    ("answer", "read"),
    [
        ({"payload": {"approved": False}}, {"error": "declined", "message": SAID_NO}),
        (
            {"payload": {"approved": False, "reason": "x" * 501}},
            {"error": "declined", "message": SAID_NO, "reason": "x" * 500},
        ),
        ({"status": "cancelled"}, {"error": "declined", "message": SAID_NO}),
        ({"type": "expired"}, {"error": "expired", "message": TOO_LATE}),
    ],
    ids=["no", "why", "cancelled", "too late"],
)
async def test_a_call_without_a_yes_does_not_happen_and_the_model_reads_why(answer: Any, read: Any) -> None:
    done: list[str] = []
    talk = Talk([giving(done)], [give()])
    (asked,) = await talk.asks()
    out = await talk.answer(given(asked, **answer))
    assert (done, talk.read()) == ([], {"c1": read})
    assert status_of(out) == {"c1": "stopped"}
    types = out.types()
    assert types.index("TOOL_CALL_RESULT") < types.index("TEXT_MESSAGE_START"), "it is shown before the words"
    assert out.of("TOOL_CALL_START") == [], "the run that asked has shown it"


async def test_a_form_that_is_left_is_not_answered_and_one_that_is_sent_gives_its_answers() -> None:
    call = function_call("ask_user", {"message": "Which?", "questions": QUESTIONS}, call_id="c1")
    for answer, read in (
        ({"status": "cancelled"}, {"error": "cancelled", "message": NOT_ANSWERED}),
        ({"payload": {"size": "M"}}, {"size": "M"}),
    ):
        talk = Talk([ask_user], [call])
        (asked,) = await talk.asks()
        await talk.answer(given(asked, **answer))
        assert talk.read() == {"c1": read}


async def test_a_yes_is_for_its_own_call_and_the_other_one_goes_on_waiting() -> None:
    done: list[str] = []
    talk = Talk([giving(done)], [give("bread", "c1"), give("wine", "c2")])
    bread, wine = await talk.asks()
    out = await talk.answer(given(bread, {"approved": True}))
    assert done == ["bread"]
    assert status_of(out) == {"c1": "done"}
    assert talk.open() == [wine], "it is the same question"
    assert out.of("ACTIVITY_SNAPSHOT") == [], "which is not shown again"
    out = await talk.answer(given(wine, {"approved": True}))
    assert (done, status_of(out)) == (["bread", "wine"], {"c2": "done"})
    assert talk.last is not None and talk.last.outcome == "success"


async def test_a_tool_of_the_page_that_changes_something_is_agreed_to_and_then_asked_of_the_page() -> None:
    talk = Talk([], [function_call("open_door", {"which": 7}, call_id="c1")], [{**DOOR, "effect": True}])
    (agreed,) = await talk.asks()
    assert agreed.kind == "approval"
    out = await talk.answer(given(agreed, {"approved": True}))
    (asked,) = talk.open()
    assert (asked.kind, asked.message, asked.schema) == ("tool", "open_door", {"type": "string"})
    assert (asked.block_id, asked.id != agreed.id) == (None, True)
    assert out.of("TOOL_CALL_START") == [], "the call was shown with the question"
    out = await talk.answer(given(asked, "open"))
    assert status_of(out) == {"c1": "done"}
    (result,) = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"result": "open"}
    (output,) = [each for each in talk.model.calls[0].input if each.get("type") == "function_call_output"]
    assert output["output"] == "open"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ('{"error": "locked"}', "failed"),
        ('["error"]', "done"),
        ("{", "done"),
        ("error", "done"),
        ("[" * 30_000, "done"),
    ],
    ids=["an error", "a list", "no JSON", "a word", "too deep"],
)
async def test_a_page_that_sends_an_error_has_failed(sent: str, status: str) -> None:
    talk = Talk([], [function_call("open_door", {}, call_id="c1")], [DOOR])
    (asked,) = await talk.asks()
    assert status_of(await talk.answer(given(asked, sent))) == {"c1": status}


async def test_a_call_that_was_allowed_is_made_though_its_server_is_away_or_the_app_excludes_it_by_then() -> (
    None
):
    shop = Shop().lists(effect="once", asks=True)
    talk = Talk([], [function_call("shop_forecast", {"city": "Porto"}, call_id="c1")], remote=shop)
    (asked,) = await talk.asks()
    shop.ready = False
    await talk.answer(given(asked, {"approved": True}))
    assert shop.calls == [({"city": "Porto"}, "pri_1")]

    done: list[str] = []
    excluded = Talk([giving(done, scopes=("items:write",))], [give()])
    (asked,) = await excluded.asks()
    excluded.rules = ToolRules(scopes=frozenset({"web"}))
    out = await excluded.answer(given(asked, {"approved": True}))
    assert (done, status_of(out)) == ([], {"c1": "failed"})
    assert excluded.read()["c1"]["error"] == "not_allowed"


@pytest.mark.parametrize("arguments", ["{", "{}", "[]", ""])
async def test_a_question_that_cannot_be_made_of_the_arguments_is_the_general_one(arguments: str) -> None:
    done: list[str] = []
    talk = Talk([giving(done)], [function_call("give", arguments, call_id="c1")])
    (asked,) = await talk.asks()
    assert asked.message == "Posso usar Give?"
    out = await talk.answer(given(asked, {"approved": True}))
    assert (done, status_of(out)) == ([], {"c1": "failed"})
    assert talk.read()["c1"]["error"] == "bad_arguments"
    assert talk.last is not None and talk.last.outcome == "success"


async def test_a_waiting_run_hands_on_the_unanswered_call_alone() -> None:
    @tool(effect="read")
    async def look(ctx: Ctx) -> str:
        """Look."""
        return "seen"

    talk = Talk([giving([]), look], [function_call("look", {}, call_id="c0"), give()])
    (asked,) = await talk.asks()
    assert talk.last is not None and talk.last.resume is not None
    assert [each["call_id"] for each in talk.last.resume.items] == ["c1"]
    assert talk.last.resume.messages == []
    await talk.answer(given(asked, {"approved": True}))
    assert [(each["type"], each["call_id"]) for each in talk.last.items if "call_id" in each] == [
        ("function_call", "c1"),
        ("function_call_output", "c1"),
    ]


async def test_an_empty_question_asks_nobody_whatever_the_app_wants() -> None:
    for approval in ("", lambda run, a: ""):
        done: list[str] = []
        talk = Talk([giving(done, approval=approval)], [give()], rules=ToolRules(frozenset({"give"})))
        play = talk.play([talk.calls, [DONE]])
        await play.say("oi")
        assert play.result is not None and play.result.outcome == "success"
        assert done == ["bread"]
