"""The parser of server-sent events: it takes bytes as they arrive, with any chunk borders and line ends."""

from server.agents.model.answer_size import MOST_WIRE_BYTES
from server.errors import Limit

_BOM = b"\xef\xbb\xbf"


class SseFrames:
    """Takes the bytes of a stream, gives the data of its events; fields that are not data are ignored."""

    def __init__(self) -> None:
        self._torn: list[bytes] = []
        """The pieces of a line whose end has not come: joined once, however many there are."""
        self._data: list[bytes] = []
        self._held = 0
        """Bytes of the event whose end has not come."""
        self._begun = False
        self._after_return = False

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the data of the events that end in this piece. Raises Limit when one is too large."""
        self._held += len(piece)
        if self._held > MOST_WIRE_BYTES:
            raise Limit
        if self._after_return and piece[:1] == b"\n":
            piece = piece[1:]  # The LF of a CRLF that was split.
            self._after_return = False
        if b"\r" in piece:
            self._after_return = piece.endswith(b"\r")
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        elif piece:
            self._after_return = False
        if b"\n" not in piece:
            self._torn.append(piece)
            return []
        if self._torn:
            piece = b"".join((*self._torn, piece))
        *lines, rest = piece.split(b"\n")
        self._torn = [rest] if rest else []
        if not self._begun:
            self._begun = True
            lines[0] = lines[0].removeprefix(_BOM)
        return self._events(lines)

    def _events(self, lines: list[bytes]) -> list[bytes]:
        found: list[bytes] = []
        for line in lines:
            if line[:5] == b"data:":
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line and self._data:
                found.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
                self._data, self._held = [], 0
        return found
