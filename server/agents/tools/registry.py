"""The register of a team's tools: name, arguments, effect and agents of each; a name means one tool alone.

It is read from the agents themselves, so that no second list can differ from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents import Agent, FunctionTool, Handoff, Tool

from server import patterns
from server.agents.context import Json, RunContext
from server.agents.run.tool_calls import Approval, ToolDeclaration
from server.agents.tools import declaration_of
from server.errors import CannotStart
from server.mcp_servers import Effect

SCOPE = patterns.compile(r"mcp:[a-z][a-z0-9_-]{0,31}|(?!mcp\b)[a-z][a-z0-9_-]{0,31}(?::(?:read|write))?")
"""A scope: an area (`web`), area and access (`catalog:read`, `items:write`), or an MCP server (`mcp:weather`)."""

HANDOFF_PREFIX = "transfer_to_"
"""The beginning of the names of handoffs: no tool's name may begin so."""


class ToolsError(CannotStart):
    """Two tools of a team have one name; the message names the service and the tool."""


@dataclass(frozen=True)
class RegisteredTool:
    """One tool of a team."""

    tool: Tool
    declared: ToolDeclaration
    agents: tuple[str, ...]
    """The agents that may call it."""
    server: str | None = None
    """The MCP server of the app that has the tool; None for a tool of this server."""

    @property
    def name(self) -> str:
        """Return the name by which the model calls the tool."""
        return self.tool.name

    @property
    def description(self) -> str:
        """Return what the model reads of the tool; a tool of the model's own server has no description here."""
        return self.tool.description if isinstance(self.tool, FunctionTool) else ""

    @property
    def schema(self) -> Json:
        """Return the JSON Schema of its arguments."""
        return self.tool.params_json_schema if isinstance(self.tool, FunctionTool) else {}

    @property
    def effect(self) -> Effect:
        """Return the effect of a repeated call."""
        return self.declared.effect

    @property
    def approval(self) -> Approval:
        """Return the question to a person before a call, whatever the app asks for."""
        return self.declared.approval

    @property
    def timeout_s(self) -> float:
        """Return the seconds after which a call has failed."""
        return self.declared.timeout_s

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the scopes that it reaches beside its conversation."""
        return self.declared.scopes

    def to_json(self) -> dict[str, Any]:
        """Return its public description, for all callers who may use the service."""
        shown = {
            "name": self.name,
            "description": self.description,
            "effect": self.effect,
            "scopes": list(self.scopes),
            "agents": list(self.agents),
        }
        return shown if self.server is None else {**shown, "server": self.server}


def register_tools(service: str, team: Mapping[str, Agent[RunContext]]) -> dict[str, RegisteredTool]:
    """Return the tools of a team by name. Raises ToolsError where one name means two things."""
    handoffs = handoff_names(team)
    found: dict[str, RegisteredTool] = {}
    for agent in team.values():
        own: set[str] = set()
        for tool in agent.tools:
            known = found.get(tool.name)
            if tool.name in handoffs:
                raise ToolsError(
                    f"Service {service!r}: its tool {tool.name!r} has the name of a handoff; call it otherwise."
                )
            if tool.name in own or (known is not None and known.tool is not tool):
                raise ToolsError(
                    f"Service {service!r}: two tools are called {tool.name!r} (agent {agent.name!r});"
                    " a name stands for one tool of a team."
                )
            _require_scopes(service, tool)
            own.add(tool.name)
            agents = (*(known.agents if known else ()), agent.name)
            found[tool.name] = RegisteredTool(tool, declaration_of(tool), agents)
    return found


def _require_scopes(service: str, tool: Tool) -> None:
    declared = declaration_of(tool)
    for each in declared.scopes:
        if not SCOPE.fullmatch(each):
            raise ToolsError(
                f"Service {service!r}: its tool {tool.name!r} has the scope {each!r};"
                " a scope is an area, as 'web', an area and read or write, as 'items:write', or 'mcp:SERVER'."
            )
        if declared.effect == "read" and each.endswith(":write"):
            raise ToolsError(
                f"Service {service!r}: its tool {tool.name!r} has the effect 'read' and the scope {each!r}."
            )


def handoff_names(team: Mapping[str, Agent[RunContext]]) -> set[str]:
    """Return the names by which the agents of a team hand over, and those by which they might."""
    return {f"{HANDOFF_PREFIX}{name}" for name in team} | set(map(_handoff_name, _handoffs(team)))


def _handoffs(team: Mapping[str, Agent[RunContext]]) -> list[Any]:
    return [each for agent in team.values() for each in agent.handoffs]


def _handoff_name(handoff: Any) -> str:
    """Return the name by which a model hands over; a bare agent gets the SDK's."""
    return handoff.tool_name if isinstance(handoff, Handoff) else Handoff.default_tool_name(handoff)
