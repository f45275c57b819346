"""The values in the messages of an MCP server, counted and paid for before the library's models see them."""

from server.errors import TooLong
from server.mcp.flood_budget import VALUE_COST, FloodBudget
from server.value_count import ValueCount

MOST_VALUES = 10_000
"""Lists, objects, members and elements of one message: a list of two hundred tools with their schemas has fewer, and of
a result the model reads 24,000 characters."""


class MessageValues:
    """Counts the values of one message after another, from their bytes."""

    def __init__(self, budget: FloodBudget) -> None:
        self._budget = budget
        self._values = ValueCount(b"[{,", MOST_VALUES, "This message has too many values.")

    def feed(self, piece: bytes) -> None:
        """Count the next piece of a message. Raises TooLong for one with too many, Flood where the budget is spent."""
        before = self._values.count
        self._values.feed(piece)  # What is refused costs no more than its bytes: nothing reads it.
        self._budget.spend((self._values.count - before) * VALUE_COST)

    def end_line(self) -> None:
        """Go on with the message in another line: no text of JSON goes beyond one."""
        self._values.end_text()

    def end_message(self) -> None:
        """Begin with another message."""
        self._values.restart()

    def are_few(self, message: bytes) -> bool:
        """Return whether a whole message may be read. Raises Flood where the budget is spent."""
        self.end_message()
        try:
            self.feed(message)
        except TooLong:
            return False
        return True


class EventValues:
    """Counts the values of the messages in a stream of events, whose lines and events end as the library reads them."""

    def __init__(self, budget: FloodBudget) -> None:
        self._values = MessageValues(budget)
        self._is_empty = True
        """Nothing of the open line has come."""
        self._after_return = False
        """The last part ended with a carriage return, which may be half of a line's end."""

    def feed(self, part: bytes) -> None:
        """Count the next part of the stream. Raises TooLong for a message with too many values, and Flood."""
        text = b"\r" + part if self._after_return else part
        self._after_return = text.endswith(b"\r")
        text = text[: len(text) - self._after_return].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        for at, piece in enumerate(text.split(b"\n")):
            if at:
                self._end_line()
            self._is_empty = self._is_empty and not piece
            self._values.feed(piece)

    def _end_line(self) -> None:
        if self._is_empty:
            self._values.end_message()
        self._values.end_line()
        self._is_empty = True
