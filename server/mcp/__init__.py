"""MCP servers of the apps: the connections to them, and all that they may do to this process. Only this knows `mcp`."""

from server.mcp.connections import McpConnections
from server.mcp.server_check import examine_servers

__all__ = ["McpConnections", "examine_servers"]
