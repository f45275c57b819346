"""The events of a call that waits for a person: its start, its block, and the interrupt that ends the run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from agents import Agent

from server.agents.context import NO_RULES, ToolRules
from server.agents.service import RunLimits, Service
from server.agents.tools import tool
from server.agents.tools.ask import ask_user
from server.store.rows import Interrupt
from tests.unit.agents.outlet import Play, Recorder
from tests.unit.agents.teams import Ctx, ScriptedModel, function_call

NOW_MS = 1_800_000_000_000
APPROVAL_SCHEMA = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "reason": {"type": "string"}},
    "required": ["approved"],
}


def paying(**options: Any) -> Any:
    """A tool that pays, with these options."""

    @tool(effect="once", icon="coins", **options)
    async def pay_order(ctx: Ctx, order: str, items: list[str]) -> str:
        """Pay an order."""
        return "paid"

    return pay_order


async def waiting(
    tool: Any, arguments: dict[str, Any], rules: ToolRules = NO_RULES, language: str = "en"
) -> tuple[Recorder, Interrupt, Play]:
    """Let a model call it; gives what the run showed, and the interrupt that it ended with."""
    team = {"cashier": Agent(name="cashier", tools=[tool])}
    limits = RunLimits(approval_s=60.0, form_s=600.0)
    service = Service(name="test", start="cashier", agents=lambda: team, limits=limits)
    play = Play(service, ScriptedModel([[function_call(tool.name, arguments, call_id="c1")]]), rules=rules)
    out = await play.say(language=language)
    assert play.result is not None and play.result.outcome == "interrupt"
    (interrupt,) = play.result.interrupts
    return out, interrupt, play


def block(out: Recorder) -> dict[str, Any]:
    """Return the content of the one block."""
    (shown,) = out.of("ACTIVITY_SNAPSHOT")
    assert shown["activityType"] == "block"
    content: dict[str, Any] = shown["content"]
    return content


async def test_a_call_that_needs_a_yes_is_shown_with_its_question_and_its_public_arguments() -> None:
    given = {"order": "A-7", "items": ["pen", "ink"]}
    pay = paying(approval="Pay now?", args=lambda a: {"name": a["order"], "items": a["items"]})
    out, asked, play = await waiting(pay, given)
    (start,) = out.of("TOOL_CALL_START")
    assert start["metadata"]["loopwire"] == {"icon": "coins", "agent": "cashier"}
    assert block(out) == {
        "kind": "approval",
        "interrupt_id": asked.id,
        "message": "Pay now?",
        "expires_at": NOW_MS + 60_000,
        "tool": "pay_order",
        "pairs": [{"label": "Option", "value": "A-7"}, {"label": "items", "value": "pen · ink"}],
        "status": "open",
    }
    assert asked == Interrupt(
        asked.id,
        "c1",
        "approval",
        "pay_order",
        "Pay now?",
        APPROVAL_SCHEMA,
        out.of("ACTIVITY_SNAPSHOT")[0]["messageId"],
        NOW_MS + 60_000,
    )
    assert play.result is not None
    (output,) = [each["output"] for each in play.result.items if each.get("type") == "function_call_output"]
    assert json.loads(output)["error"] == "not_answered"


async def test_an_approval_shows_at_most_twelve_pairs_of_the_tool() -> None:
    pay = paying(approval="Pay?", pairs=lambda run, a: {f"k{n}": f"{n}" for n in range(13)})
    out, _, _ = await waiting(pay, {"order": "A-7", "items": []})
    assert block(out)["pairs"] == [{"label": f"k{n}", "value": f"{n}"} for n in range(12)]


@pytest.mark.parametrize("views", [{}, {"args": lambda a: {"x": a["missing"]}}])
async def test_an_approval_shows_no_private_or_unreadable_arguments(views: dict[str, Any]) -> None:
    out, _, _ = await waiting(paying(approval="Pay?", **views), {"order": "A-7", "items": []})
    assert "pairs" not in block(out)
    assert "A-7" not in json.dumps(out.events)


@pytest.mark.parametrize(
    ("approval", "sentence"),
    [(lambda run, a: f"Pay {a['order']}?", "Pay A-7?"), (None, "May I use Pay order?")],
)
async def test_the_sentence_is_the_tools_own_or_that_of_every_tool_which_the_app_asks_about(
    approval: Any, sentence: str
) -> None:
    rules = ToolRules(approvals=frozenset({"pay_order"}))
    out, asked, _ = await waiting(paying(approval=approval), {"order": "A-7", "items": []}, rules)
    assert (block(out)["message"], asked.message) == (sentence, sentence)


async def test_a_form_is_shown_with_its_fields_and_waits_its_own_time() -> None:
    questions = {
        "type": "object",
        "properties": {
            "colour": {"type": "string", "enum": ["red", "blue"], "title": "Colour"},
            "pieces": {"type": "integer", "minimum": 1, "maximum": 3},
        },
        "required": ["colour"],
    }
    out, asked, _ = await waiting(ask_user, {"message": "Which one?", "questions": questions})
    assert block(out) == {
        "kind": "ask",
        "interrupt_id": asked.id,
        "message": "Which one?",
        "expires_at": NOW_MS + 600_000,
        "fields": [
            {
                "name": "colour",
                "label": "Colour",
                "input": "choice",
                "choices": [{"value": "red", "label": "red"}, {"value": "blue", "label": "blue"}],
                "required": True,
            },
            {"name": "pieces", "label": "pieces", "input": "integer", "required": False, "min": 1, "max": 3},
        ],
        "status": "open",
    }
    assert (asked.kind, asked.schema, asked.expires_at) == ("form", questions, NOW_MS + 600_000)


async def on_page(effect: bool) -> tuple[Recorder, Interrupt]:
    """Let a model call a tool of the sender's page."""
    told = {"name": "open_door", "description": "Open it.", "parameters": {"required": []}, "effect": effect}
    team = {"cashier": Agent(name="cashier")}
    limits = RunLimits(approval_s=60.0, page_tool_s=30.0)
    service = Service(name="test", start="cashier", agents=lambda: team, limits=limits)
    model = ScriptedModel([[function_call("open_door", {"which": 7}, call_id="c1")]])
    play = Play(service, model)
    out = await play.say(language="en", tools=[told])
    (offered,) = model.calls[0].tools
    assert (offered.name, offered.description) == ("open_door", "Open it.")
    assert offered.params_json_schema == {"type": "object", "properties": {}, "required": []}
    assert play.result is not None
    (asked,) = play.result.interrupts
    return out, asked


async def test_a_tool_of_the_page_waits_for_the_page_and_shows_nobody_a_block() -> None:
    out, asked = await on_page(effect=False)
    assert out.of("ACTIVITY_SNAPSHOT") == []
    assert (asked.kind, asked.message, asked.schema) == ("tool", "open_door", {"type": "string"})
    assert (asked.block_id, asked.expires_at) == (None, NOW_MS + 30_000)
    (start,) = out.of("TOOL_CALL_START")
    assert start["metadata"]["loopwire"]["icon"] == "sliders"
    assert [json.loads(each["delta"]) for each in out.of("TOOL_CALL_ARGS")] == [{"which": 7}]


async def test_a_page_tool_that_changes_something_waits_for_an_approval_first() -> None:
    out, asked = await on_page(effect=True)
    assert (asked.kind, asked.schema, asked.expires_at) == ("approval", APPROVAL_SCHEMA, NOW_MS + 60_000)
    shown = block(out)
    assert (shown["kind"], shown["tool"], shown["message"]) == ("approval", "open_door", asked.message)
    assert "Open door" in asked.message or "open door" in asked.message
    assert shown["pairs"] == [{"label": "which", "value": "7"}]
