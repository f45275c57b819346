"""The doctor's check of the MCP servers of the apps: each has to answer, and to have the tools that its app allows."""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from server.apps import App, AppsError
from server.limits import Limits
from server.mcp.connection import START_S
from server.mcp.connections import connection_to
from server.mcp.listing import ListedTool
from server.mcp_servers import McpServer


class ServerFinding(NamedTuple):
    """The result for one server: its tools, or a sentence about what is wrong, without any text of the server."""

    name: str
    tools: list[str]
    trouble: str | None


async def examine_servers(apps: Mapping[str, App]) -> list[ServerFinding]:
    """Connect to every server of every app at once, and disconnect again."""
    asked = [_examine(app, name, its) for app, one in apps.items() for name, its in one.mcp.items()]
    return await asyncio.gather(*asked)


async def _examine(app: str, name: str, config: McpServer) -> ServerFinding:
    label = f"{app}.{name}"
    listed: dict[str, ListedTool] = {}
    try:
        connection = connection_to(app, name, config, listed.update, Limits())
    except AppsError as error:
        return ServerFinding(label, [], str(error))
    connection.start()
    try:
        ready = await connection.wait_ready()
    finally:
        await connection.aclose()
    if not ready:
        return ServerFinding(
            label, [], f"the server does not answer within {START_S:.0f} s as MCP servers do"
        )
    missing = [each for each in config.tools if each not in listed]
    if missing:
        return ServerFinding(
            label, sorted(listed), f"it has no tool {', '.join(missing)} that can be offered"
        )
    return ServerFinding(label, sorted(listed), None)
