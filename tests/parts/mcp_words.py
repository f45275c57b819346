"""The texts of the tests' MCP server that must reach no reader."""

CANARY = "canary-of-the-server-71c3"
"""What no browser may ever see."""
