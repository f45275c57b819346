"""The MCP server of the tests under an app, and a model's server in each dialect."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from server.agents.service import RunLimits
from server.apps import App
from server.limits import Limits
from server.mcp import McpConnections
from server.mcp_servers import McpServer
from tests.parts.wait import until_async
from tests.unit.agents.teams import Bench

SCRIPT = Path(__file__).parents[2] / "parts" / "mcp_server.py"
LIMITS = RunLimits(tool_failures=10)


@dataclass
class Shop:
    """An app with the server, and what the server did."""

    folder: Path
    connections: McpConnections
    bench: Bench = field(default_factory=lambda: Bench(limits=LIMITS))

    def called(self) -> list[str]:
        """Return the calls that reached the server."""
        return self.lines("called")

    def lines(self, name: str) -> list[str]:
        """Return the lines of a file that the server writes."""
        file = self.folder / name
        return file.read_text().splitlines() if file.exists() else []

    def is_ready(self) -> bool:
        """Return whether every tool can be called that the server has."""
        return all(each.is_ready() for each in self.connections.tools_for("demo", "test"))


def program(folder: Path, **more: Any) -> dict[str, Any]:
    """Return the table of the server as a program."""
    return {
        "services": ["test"],
        "command": sys.executable,
        "args": [str(SCRIPT), str(folder)],
        **more,
    }


@asynccontextmanager
async def shop_with(
    folder: Path, *, limits: Limits | None = None, **servers: dict[str, Any]
) -> AsyncIterator[Shop]:
    """Connect to the servers of an app."""
    app = App(service="test", mcp={name: McpServer.model_validate(its) for name, its in servers.items()})
    async with AsyncExitStack() as stack:
        connections = McpConnections({"demo": app}, limits or Limits())
        stack.push_async_callback(connections.aclose)
        connections.start()
        yield Shop(folder, connections)


Open = Callable[..., Any]


@pytest.fixture
async def open_shop(tmp_path: Path) -> AsyncIterator[Open]:
    """Yield a factory of a shop whose server is a program with these tools, connected to."""
    async with AsyncExitStack() as stack:

        async def opened(tools: dict[str, Any], **more: Any) -> Shop:
            table = program(tmp_path, tools=tools, **more)
            shop: Shop = await stack.enter_async_context(shop_with(tmp_path, shop=table))
            await until_async(shop.is_ready, what="the server", seconds=120)
            return shop

        yield opened


def outputs(request: Any) -> list[Any]:
    """Return what the model read of the calls that it made."""
    return [json.loads(each["output"]) for each in request.outputs_since_user]
