"""What the MCP server of the tests says to the wrong ears."""

CANARY = "canary-of-the-server-71c3"
"""What no browser may ever see."""
