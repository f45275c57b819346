"""Tools of MCP servers as runs have them: what the model is told, what a person approves, and what a browser sees."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from server.agents.tools.remote import MATERIAL, RemoteTool
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Bench, ScriptedModel, assistant_message, function_call

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


@dataclass
class Shop:
    """A server that answers each call with a text, and the tools that it lists."""

    answer: Any = "Rain."
    ready: bool = True
    calls: list[tuple[dict[str, Any], str]] = field(default_factory=list)
    listed: list[RemoteTool] = field(default_factory=list)

    def tools_for(self, app: str, service: str) -> Sequence[RemoteTool]:
        """Return what it lists in the one app."""
        return self.listed if (app, service) == ("demo", "test") else []

    async def call(self, arguments: dict[str, Any], principal: str) -> dict[str, Any]:
        """Answer a call."""
        self.calls.append((arguments, principal))
        return {"result": self.answer}

    def lists(self, **changes: Any) -> Shop:
        """List a tool that reads."""
        one = RemoteTool(
            name="shop_forecast",
            server="shop",
            description="Tells the weather.",
            schema=SCHEMA,
            effect="read",
            timeout_s=5.0,
            asks=False,
            shown_args=None,
            shows_result=False,
            call=self.call,
            is_ready=lambda: self.ready,
        )
        self.listed = [replace(one, **changes)]
        return self


async def called(shop: Shop, arguments: Any) -> tuple[Play, ScriptedModel, Any]:
    """Let a model call the tool; gives what the run showed."""
    model = ScriptedModel(
        [[function_call("shop_forecast", arguments, call_id="c1")], [assistant_message("It rains.")]]
    )
    play = Play(Bench().service(), model, remote=shop)
    return play, model, await play.say()


async def test_a_model_reads_the_result_as_material_and_a_browser_nothing_unless_the_app_says_so() -> None:
    shop = Shop().lists()
    _, model, out = await called(shop, {"city": "Porto"})
    (offered,) = [each for each in model.calls[0].tools if each.name == "shop_forecast"]
    assert offered.description == f"Tells the weather. {MATERIAL}"
    assert (offered.params_json_schema, offered.strict_json_schema) == (SCHEMA, False)
    assert shop.calls == [({"city": "Porto"}, "pri_1")]
    outputs = [each["output"] for each in model.calls[1].input if each.get("type") == "function_call_output"]
    assert json.loads(outputs[0]) == {"result": "Rain."}
    (start,) = out.of("TOOL_CALL_START")
    assert start["metadata"]["loopwire"]["icon"] == "sliders"
    assert [each["delta"] for each in out.of("TOOL_CALL_ARGS")] == ["{}"]
    (result,) = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"status": "done"}


async def test_a_browser_sees_the_arguments_that_the_app_names_and_the_beginning_of_the_result() -> None:
    shop = Shop(answer="x" * 2_001).lists(shown_args=("city", "day"), shows_result=True)
    _, _, out = await called(shop, {"city": "Porto", "secret": "s"})
    assert [each["delta"] for each in out.of("TOOL_CALL_ARGS")] == ['{"city": "Porto"}']
    (result,) = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"result": "x" * 2_000}


async def test_a_result_that_is_no_text_is_not_shown() -> None:
    _, _, out = await called(Shop(answer=["Rain."]).lists(shows_result=True), {})
    (result,) = out.of("TOOL_CALL_RESULT")
    assert json.loads(result["content"]) == {"status": "done"}


@pytest.mark.parametrize("arguments", ["[]", "{", '"x"', "null"])
async def test_arguments_that_are_no_object_reach_no_server(arguments: str) -> None:
    shop = Shop().lists()
    _, model, _ = await called(shop, arguments)
    outputs = [each["output"] for each in model.calls[1].input if each.get("type") == "function_call_output"]
    assert json.loads(outputs[0]) == {
        "error": "bad_arguments",
        "message": "The arguments have to be one JSON object.",
    }
    assert shop.calls == []


async def test_a_call_without_arguments_has_an_empty_object() -> None:
    shop = Shop().lists()
    await called(shop, "")
    assert shop.calls == [({}, "pri_1")]


@pytest.mark.parametrize(
    ("shown", "pairs"),
    [
        (
            None,
            [
                ("city", "Porto"),
                ("days", "[1, 2]"),
                ("note", "é" * 300),
                ("long", f"{'x' * 300} …"),
                ("n" * 300, "1"),
            ],
        ),
        (("days",), [("days", "[1, 2]")]),
        ((), None),
    ],
)
async def test_a_person_approves_what_the_app_shows_of_the_arguments(shown: Any, pairs: Any) -> None:
    shop = Shop().lists(asks=True, shown_args=shown)
    given = {"city": "Porto", "days": [1, 2], "note": "é" * 300, "long": "x" * 301, "n" * 301: 1}
    play, _, out = await called(shop, given)
    assert play.result is not None and play.result.outcome == "interrupt"
    (block,) = out.of("ACTIVITY_SNAPSHOT")
    shown_pairs = block["content"].get("pairs")
    assert (shown_pairs and [(each["label"], each["value"]) for each in shown_pairs]) == pairs
    assert (block["content"]["message"], shop.calls) == ("Posso usar Shop forecast?", [])


async def test_a_tool_is_offered_only_while_its_server_answers() -> None:
    shop = Shop(ready=False).lists()
    model = ScriptedModel([[assistant_message("Olá.")]])
    await Play(Bench().service(), model, remote=shop).say()
    assert "shop_forecast" not in [each.name for each in model.calls[0].tools]


def test_a_tool_is_made_once_for_each_listing_and_belongs_to_all_agents_of_its_app() -> None:
    shop = Shop().lists()
    runner = Play(Bench().service(), ScriptedModel([]), remote=shop).runner()
    first = runner.tools("demo", "test")["shop_forecast"]
    assert runner.tools("demo", "test")["shop_forecast"].tool is first.tool
    assert (first.server, first.scopes, first.agents) == ("shop", ("mcp:shop",), ("first", "second"))
    assert "shop_forecast" not in runner.tools("other", "test")
    shop.lists(description="Tells it better.")
    assert runner.tools("demo", "test")["shop_forecast"].tool is not first.tool


async def test_a_call_that_happens_once_is_noted_and_asked_for_by_no_key() -> None:
    shop = Shop().lists(effect="once")
    play, _, _ = await called(shop, {"city": "Porto"})
    assert [(call, key) for call, key in play.ledger.asked] == [("c1", None)]
    assert [row.state for row in play.ledger.rows.values()] == ["done"]
