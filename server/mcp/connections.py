"""The connections to all MCP servers of all apps, and the tools that they give to the agents."""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from server.agents.run.tool_calls import ToolFailure
from server.agents.tools.remote import RemoteTool
from server.apps import App, AppsError
from server.limits import Limits
from server.mcp.connection import ServerConnection
from server.mcp.listing import ListedTool
from server.mcp.stdio import inherited_variables
from server.mcp_servers import McpServer, model_name
from server.settings import variables

NOT_LISTED = ListedTool("", {"type": "object", "properties": {}})
"""A tool that its server has not described yet: no agent is offered it, but a call that waits is carried out."""


log = logging.getLogger(__name__)


class McpConnections:
    """The servers of every app. Acquired by `start`, released by `aclose`."""

    def __init__(self, apps: Mapping[str, App], limits: Limits) -> None:
        """Connect to no server yet: tools are known before `start`, and none of them is ready."""
        self._servers = [
            _OfferedServer(app, name, config, limits)
            for app, its in apps.items()
            for name, config in its.mcp.items()
        ]

    def start(self) -> None:
        """Connect to all of them, in the background. Raises AppsError where the environment lacks a variable."""
        for each in self._servers:
            each.connect()

    async def aclose(self) -> None:
        """Disconnect from all of them at once."""
        await asyncio.gather(*(each.aclose() for each in self._servers))

    def tools_for(self, app: str, service: str) -> Sequence[RemoteTool]:
        """Return every tool that the app allows in this service, ready or not."""
        return [
            tool
            for each in self._servers
            if each.app == app and service in each.config.services
            for tool in each.tools
        ]


class _OfferedServer:
    """One server with its tools, which are made anew with each of its lists."""

    def __init__(self, app: str, name: str, config: McpServer, limits: Limits) -> None:
        self.app = app
        self.config = config
        self._limits = limits
        self.tools: list[RemoteTool] = []
        self._name = name
        self._listed: Mapping[str, ListedTool] = {}
        self._first: dict[str, ListedTool] = {}
        """The first description of each tool, which is what the operator has allowed."""
        self._changed: set[str] = set()
        """Tools that were described otherwise since; they are out until this process starts again."""
        self._connection: ServerConnection | None = None
        self._offer({})

    def connect(self) -> None:
        self._connection = connection_to(self.app, self._name, self.config, self._offer, self._limits)
        self._connection.start()

    async def aclose(self) -> None:
        if self._connection is not None:
            await self._connection.aclose()

    def _offer(self, listed: dict[str, ListedTool]) -> None:
        self._pin(listed)
        if listed != self._listed or not self.tools:
            self._listed = listed
            self.tools = [self._make_tool(tool, listed.get(tool, NOT_LISTED)) for tool in self.config.tools]

    def _pin(self, listed: Mapping[str, ListedTool]) -> None:
        """Take out each tool whose description or schema is no more what it was first.

        A description is read by the model like an instruction, so a server could say one thing when it is chosen, and
        another one later.
        """
        for tool, described in listed.items():
            if self._first.setdefault(tool, described) != described and tool not in self._changed:
                self._changed.add(tool)
                log.warning(
                    "MCP server %s.%s describes its tool %s otherwise than before:"
                    " the tool is not offered until Loopwire starts again",
                    self.app, self._name, tool,
                )  # fmt: skip

    def _make_tool(self, tool: str, listed: ListedTool) -> RemoteTool:
        its = self.config.tools[tool]
        return RemoteTool(
            name=model_name(self._name, tool),
            server=self._name,
            description=listed.description,
            schema=listed.schema,
            effect=its.effect,
            timeout_s=self.config.timeout_s,
            asks=its.asks,
            shown_args=its.args,
            shows_result=its.result,
            call=partial(self._call, tool),
            is_ready=partial(self._is_ready, tool, listed is not NOT_LISTED),
        )

    async def _call(self, tool: str, arguments: dict[str, object], principal: str) -> dict[str, object]:
        if tool in self._changed:
            raise ToolFailure("This tool is not what it was. Go on without it.", code="tool_changed")
        assert self._connection is not None  # noqa: S101 - runs are executed where the servers are connected to
        return await self._connection.call(tool, arguments, principal)

    def _is_ready(self, tool: str, is_listed: bool) -> bool:
        if tool in self._changed:
            return False
        return is_listed and self._connection is not None and self._connection.is_ready


def connection_to(
    app: str,
    name: str,
    config: McpServer,
    on_listed: Callable[[dict[str, ListedTool]], None],
    limits: Limits,
) -> ServerConnection:
    """Return a connection, not yet opened. Raises AppsError where the environment lacks a variable that it needs."""
    found = variables((*inherited_variables(), *config.variables))
    missing = sorted(config.variables - found.keys())
    if missing:
        raise AppsError(f"App {app!r}: mcp.{name}: the environment has no {', '.join(missing)}.")
    return ServerConnection(f"{app}.{name}", config, found, on_listed, limits)
