"""Scopes of tools: declared in one form, offered by the rules of the app, and held against these at each call."""

from __future__ import annotations

from typing import Any

import pytest
from agents import Agent, Tool, WebSearchTool

from server.agents.context import RunContext, ToolRules
from server.agents.service import Service
from server.agents.tools import FOREIGN, declaration_of, tool
from server.errors import CannotStart
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Ctx, ScriptedModel, assistant_message, function_call

CATALOG_ONLY = ToolRules(scopes=frozenset({"catalog:read"}))


def scoped(name: str, *scopes: str, done: list[str] | None = None, effect: Any = "read") -> Any:
    """A tool of this name that reaches this."""

    async def body(ctx: Ctx) -> str:
        """Do it."""
        if done is not None:
            done.append(name)
        return name

    body.__name__ = name
    return tool(effect=effect, scopes=scopes)(body)


def service_of(*tools: Tool) -> Service:
    """Return a service of one agent that has these tools."""
    agent = Agent[RunContext](name="first", tools=list(tools))
    return Service(name="test", start="first", agents=lambda: {"first": agent})


@pytest.mark.parametrize("scope", ["web", "catalog:read", "items:write", "mcp:weather", "a_b-c"])
def test_a_scope_is_an_area_with_or_without_how_or_a_server(scope: str) -> None:
    assert service_of(scoped("look", scope, effect="idempotent")).tools()["look"].scopes == (scope,)


@pytest.mark.parametrize(
    "scope", ["", "Web", "items:delete", "items:", "mcp", "mcp:", "mcp:A", "a b", "a:b:c"]
)
def test_a_scope_of_another_form_ends_the_start_with_a_sentence(scope: str) -> None:
    with pytest.raises(CannotStart, match=r"its tool 'look' has the scope .*; a scope is an area"):
        service_of(scoped("look", scope, effect="idempotent")).team()


def test_a_tool_that_reads_and_writes_ends_the_start_with_a_sentence() -> None:
    with pytest.raises(CannotStart, match="has the effect 'read' and the scope 'items:write'"):
        service_of(scoped("look", "items:write")).team()


async def test_a_tool_with_a_scope_that_the_app_excludes_is_neither_offered_nor_told() -> None:
    done: list[str] = []
    tools = [scoped("look", "catalog:read", done=done), scoped("write", "catalog:read", "web", done=done)]
    model = ScriptedModel(
        [
            [function_call("write", {}, call_id="c1"), function_call("look", {}, call_id="c2")],
            [assistant_message("Feito.")],
        ]
    )
    play = Play(service_of(*tools, scoped("talk")), model, rules=CATALOG_ONLY)
    out = await play.say("olá")
    assert [each.name for each in model.calls[0].tools] == ["look", "talk"]
    assert done == ["look"]
    assert sorted(each["metadata"]["loopwire"]["status"] for each in out.of("TOOL_CALL_RESULT")) == [
        "done",
        "failed",
    ]
    assert list(play.runner().tools("demo", "test")) == ["look", "talk"]
    shown = play.runner().tools("demo", "test")["look"].to_json()
    assert (shown["name"], shown["scopes"], shown["agents"]) == ("look", ["catalog:read"], ["first"])
    assert list(play.runner().tools("other", "test")) == ["look", "write", "talk"]


async def test_every_tool_is_offered_when_the_app_has_no_rule() -> None:
    model = ScriptedModel([[assistant_message("Olá.")]])
    await Play(service_of(scoped("look", "catalog:read"), scoped("find", "web")), model).say("olá")
    assert [each.name for each in model.calls[0].tools] == ["look", "find"]


async def test_a_call_that_the_app_has_excluded_meanwhile_fails_before_its_body() -> None:
    done: list[str] = []

    @tool(effect="read")
    async def exclude(ctx: Ctx) -> str:
        """Change the rules, while a call of the other tool waits for a person."""
        ctx.context.rules, ctx.context.awaited = CATALOG_ONLY, frozenset({"write"})
        return "ok"

    model = ScriptedModel(
        [
            [function_call("exclude", {}, call_id="c1")],
            [function_call("write", {}, call_id="c2")],
            [assistant_message("Não pude.")],
        ]
    )
    write = scoped("write", "items:write", done=done, effect="idempotent")
    out = await Play(service_of(exclude, write), model).say("olá")
    assert done == []
    assert '"not_allowed"' in str(model.calls[2].input)
    assert [each["metadata"]["loopwire"]["status"] for each in out.of("TOOL_CALL_RESULT")] == [
        "done",
        "failed",
    ]


def test_an_undeclared_tool_has_scope_foreign_and_hosted_web_search_scope_web() -> None:
    assert declaration_of(WebSearchTool()).scopes == ("web",)
    assert declaration_of(None) is FOREIGN and FOREIGN.scopes == ("foreign",)
