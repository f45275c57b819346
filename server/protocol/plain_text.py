"""Text without control characters: what comes from models, tools and clients is made plain where it comes in.

A control character draws nothing in a page and steers a terminal that shows a log or an export. The newline forms
CR LF, CR, VT, FF and NEL become LF; tab and LF stay; every other character of C0 and C1, and DEL, is dropped. Of a
terminal's escape sequence the rest stays as it is: `ESC[31m` becomes `[31m`.
"""

import json
from math import inf
from typing import Any

from server import patterns

LONGEST = 400_000
"""Characters of the longest text of a request that is made plain.

No field takes half of them, so that a longer text is refused for its length, as whatever it would become.
"""

_NEWLINES = ("\r\n", "\r", "\x0b", "\x0c", "\x85")
_CONTROL = patterns.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]+")
_ANY_CONTROL = patterns.compile("[\x00-\x1f\x7f-\x9f]")
_WORDLESS = frozenset({int, float, bool, type(None)})


def plain_text(text: str) -> str:
    """Return the text without control characters, each newline form as LF."""
    if text.isprintable():
        return text
    for each in _NEWLINES:
        text = text.replace(each, "\n")
    return _CONTROL.sub("", text)


def has_control(text: str) -> bool:
    """Return whether the text holds a character of C0 or C1, or DEL; tab and newlines are such characters."""
    return _ANY_CONTROL.search(text) is not None


def plain_value(value: Any, longest: float = inf) -> Any:
    """Return plain JSON with all its texts and names made plain, but for texts of more than `longest` characters."""
    if isinstance(value, str):
        return plain_text(value) if len(value) <= longest else value
    if isinstance(value, dict):
        return {
            plain_value(key, longest): each if type(each) in _WORDLESS else plain_value(each, longest)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [each if type(each) in _WORDLESS else plain_value(each, longest) for each in value]
    return value


def plain_json(text: str) -> str:
    """Return a JSON text whose texts are plain; the same when they are, or when it is no JSON."""
    if "\\" not in text and text.isprintable():
        return text
    try:
        value = json.loads(text)
        plain = plain_value(value)
    except (ValueError, RecursionError):
        return text
    return text if plain == value else json.dumps(plain, ensure_ascii=False)


class PlainPieces:
    """The pieces of one text made plain as they come: together they are what the whole text would be."""

    def __init__(self) -> None:
        self._after_return = False
        """The piece before ended with a CR, which has become the LF of both."""

    def feed(self, piece: str) -> str:
        """Return the next piece made plain, which may be empty."""
        if not piece:
            return piece
        begins = 1 if self._after_return and piece[0] == "\n" else 0
        self._after_return = piece[-1] == "\r"
        return plain_text(piece[begins:])
