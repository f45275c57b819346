"""The budget of bytes of one MCP server: a server that sends more in a minute loses its connection."""

import time

MOST_MESSAGE = 1024 * 1024
"""Bytes of one message of a server: a result, or a page of its list of tools."""

MOST_A_MINUTE = 32 * 1024 * 1024
LINE_COST = 512
"""The cost of a message besides its bytes: reading an empty one is work too."""

PART_COST = 512
"""The cost of a part of an answer besides its bytes: a server may send each byte as one."""

EVENT_LINE_COST = 128
"""The cost of a line of a stream of events besides its bytes; a message has three or four."""

VALUE_COST = 128
"""The cost of a value of a message besides its bytes: the library checks each against several models, twice."""

REQUEST_COST = 16 * 1024
"""The cost of a request to the server: a server can make its client ask again and again."""

WINDOW_S = 60.0


class Flood(Exception):
    """A server sends more than it may."""


class FloodBudget:
    """Counts what a server makes us read, in windows of a minute."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._spent = 0

    def spend(self, cost: int) -> None:
        """Count so many bytes. Raises Flood when a minute's are spent."""
        now = time.monotonic()
        if now - self._since > WINDOW_S:
            self._since, self._spent = now, 0
        self._spent += cost
        if self._spent > MOST_A_MINUTE:
            raise Flood("more than 32 MiB in a minute")
