"""Times as commands print them."""

from datetime import UTC, datetime


def utc(ms: int) -> str:
    """Write a time in ms since the epoch."""
    return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
