"""The count of the values in a JSON text, before a parser makes objects of them."""

import asyncio

from server.errors import TooLong

MOST_OF_MESSAGES = 80_000
"""The most lists, objects, members and elements of a body that may bring a whole conversation: two bytes of the body
make the server allocate, judge and free one value. 5,000 messages that each call a tool have 60,000."""

MOST_VALUES = 16_000
"""The most of these values in a body that is large because of its pictures."""

MOST_ESCAPES = 500_000
"""The most escapes of the texts of one body: each costs more than a letter. Ten megabytes of a picture in base64 have
160,000 where the sender escapes each slash."""

_STEP_BYTES = 64 * 1024


class ValueCount:
    """Counts the values that a parser would make objects of, piece by piece as the JSON text arrives."""

    def __init__(self, marks: bytes, most: int, refusal: str) -> None:
        """`marks` are the bytes outside of texts that count; `refusal` is the sentence for more than `most`."""
        self._marks = marks
        self._most = most
        self._refusal = refusal
        self.count = 0
        """Values of the text so far."""
        self._escapes = 0
        self._in_text = False
        self._escaped = False
        """The last piece ended within an escape."""

    @classmethod
    def of_messages(cls) -> "ValueCount":
        """Count lists, objects, members and elements of a body that may bring a whole conversation."""
        return cls(b"[{,", MOST_OF_MESSAGES, "This has too many values.")

    @classmethod
    def of_values(cls) -> "ValueCount":
        """Count lists, objects, members and elements of a body that may bring pictures."""
        return cls(b"[{,", MOST_VALUES, "This has too many values.")

    def feed(self, piece: bytes) -> None:
        """Count the values of the next piece. Raises TooLong above `most` values or `MOST_ESCAPES` escapes."""
        piece = piece[self._escaped :]
        self._escaped = (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1
        plain = piece.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in piece else piece
        parts = plain.split(b'"')
        outside = b"".join(parts[self._in_text :: 2])
        self._in_text ^= len(parts) % 2 == 0
        self.count += sum(outside.count(each) for each in self._marks)
        if self.count > self._most:
            raise TooLong(self._refusal)
        self._escapes += piece.count(b"\\")
        if self._escapes > MOST_ESCAPES:
            raise TooLong("This has too many escapes in its texts.")

    async def feed_in_steps(self, text: bytes) -> None:
        """Count a whole text with turns of the loop in between. Raises TooLong."""
        for start in range(0, len(text), _STEP_BYTES):
            self.feed(text[start : start + _STEP_BYTES])
            await asyncio.sleep(0)
        self.end_text()

    def end_text(self) -> None:
        """Go on outside of a string: a line has ended, and no string of JSON goes beyond its line."""
        self._in_text = self._escaped = False

    def restart(self) -> None:
        """Begin anew, for another JSON text."""
        self.count = self._escapes = 0
        self.end_text()
