"""MCP servers of the apps: the connections to them, and limits on what they send. Only this package imports `mcp`."""

from server.mcp.connections import McpConnections
from server.mcp.server_check import examine_servers

__all__ = ["McpConnections", "examine_servers"]
