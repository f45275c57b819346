"""The size limits of one answer of a model while it streams; beyond them the run ends with code `limit`."""

from server import patterns
from server.errors import Limit

MOST_MESSAGE_BYTES = 256 * 1024
"""Bytes of one message, and of the arguments of one call: pages, snapshots and every later request carry it."""

MOST_WRITTEN_BYTES = 1024 * 1024
"""Bytes of all that one answer writes: messages, arguments and reasoning."""

MOST_MESSAGES = 64
"""Messages of one answer."""

MOST_WIRE_BYTES = 8 * 1024 * 1024
"""Bytes of one event on the wire, and of the events of one answer that are kept until its end."""


MOST_DEPTH = 100
"""Objects and lists within each other in the arguments of one call: Python reads no more than some hundred."""

_STRING = patterns.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)', patterns.DOTALL)
"""A text, which may have no end: otherwise each quote in one would be looked at as the beginning of another."""

_BRACKET = patterns.compile(r"[\[\]{}]")


class AnswerSize:
    """The size of one answer so far."""

    def __init__(self) -> None:
        self.written = 0
        """Bytes of everything."""
        self._messages: dict[int, int] = {}
        """Bytes of each message that is open, by its place."""
        self._begun = 0

    def fitting(self, index: int, delta: str) -> str:
        """Count a piece of a message and return as much of it as the message may have. Raises Limit."""
        if index not in self._messages:
            self._begun += 1
            if self._begun > MOST_MESSAGES:
                raise Limit
        known, size = self._messages.get(index, 0), size_of(delta)
        self._messages[index] = known + size
        self.add(size)
        if known + size <= MOST_MESSAGE_BYTES:
            return delta
        kept = delta.encode(errors="surrogatepass")[: MOST_MESSAGE_BYTES - known]
        return kept.decode(errors="ignore")

    def note_complete(self, index: int) -> None:
        """Note that a message is complete: what follows at its place is another one."""
        self._messages.pop(index, None)

    def add(self, size: int) -> None:
        """Count bytes of whatever the answer writes. Raises Limit."""
        self.written += size
        if self.written > MOST_WRITTEN_BYTES:
            raise Limit


class WireSize:
    """Bytes of the wire that are kept while an answer is read."""

    def __init__(self) -> None:
        self._kept = 0

    def keep(self, size: int) -> None:
        """Count bytes that are kept. Raises Limit."""
        self._kept += size
        if self._kept > MOST_WIRE_BYTES:
            raise Limit


def size_of(text: str) -> int:
    """Return the bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode(errors="surrogatepass"))


def is_too_deep(arguments: str) -> bool:
    """Return whether the JSON of a call's arguments is nested deeper than `MOST_DEPTH`."""
    depth = 0
    for each in _BRACKET.findall(_STRING.sub("", arguments)):
        depth += 1 if each in "[{" else -1
        if depth > MOST_DEPTH:
            return True
    return False
