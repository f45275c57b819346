"""The demo model's reading of a document: it sees no pictures, so it reads the words of the request's messages.

A message that says what stands on the document (`number: …`, `name: …`, the lines of its machine-readable zone) takes
the place of the pictures. Without one nothing was read.
"""

from typing import Any

from server import patterns
from server.demo.requests.parsed_request import Answers, ParsedRequest
from server.languages import fold
from server.text_reading.words.beginnings import beginning_of

_MOST_LETTERS = 8_000
"""Letters of the messages that are read."""

_ZONE = patterns.compile(r"[^\s:]{20,90}")
"""A line of a machine-readable zone, also a spoiled one: a word has no two fillers, and none has twenty letters."""

_CARDS = "IAC"
"""First letters of the zones of cards."""

_LABELS = {
    "type": "doc_type", "tipo": "doc_type", "country": "country", "pais": "country",
    "number": "number", "numero": "number", "name": "name", "nome": "name",
    "birth": "birth", "nascimento": "birth", "expiry": "expiry", "validade": "expiry",
}  # fmt: skip
"""What a line begins with that says a field, without accents."""

_BLURRED = frozenset({"blurred", "unreadable", "ilegivel", "desfocado"})
_COPIED = frozenset({"copy", "specimen", "screenshot", "copia", "especime"})

_NOTHING: dict[str, Any] = {
    "doc_type": None, "country": None, "number": None, "name": None, "birth": None, "expiry": None,
}  # fmt: skip


def answer(given: ParsedRequest) -> dict[str, Any]:
    """Read the words about the document; without any nothing was read."""
    lines = _newest_lines([each["text"] for each in given.request.get("messages") or ()])
    printed = _printed_fields(lines)
    zone = [each for each in lines if _ZONE.fullmatch(each) and "<<" in each]
    words = {fold(each) for each in lines}
    read = {**_NOTHING, "doc_type": _kind_of(zone), **printed}
    return {
        **read,
        "legible": bool(read["number"] or zone) and not words & _BLURRED,
        "authentic": not words & _COPIED,
        "mrz": zone,
        "ocr_confidence": 0.0,
        "by_demo": True,
    }


def _kind_of(zone: list[str]) -> str | None:
    """Return the type that the first letter of a machine-readable zone says: a passport or a card."""
    first = zone[0][:1].upper() if zone else ""
    return "passport" if first == "P" else "id-card" if first and first in _CARDS else None


def _newest_lines(messages: list[str]) -> list[str]:
    """Return the lines of the newest messages, the oldest line first, as far as they are read."""
    read: list[str] = []
    left = _MOST_LETTERS
    for each in reversed(messages):
        read.insert(0, beginning_of(each, left))
        left -= len(read[0])
        if left <= 0:
            break
    return [line.strip() for each in read for line in each.splitlines()]


def _printed_fields(lines: list[str]) -> dict[str, Any]:
    """Return the fields that lines such as `number: 12345678Z` say."""
    pairs = (each.split(":", 1) for each in lines if ":" in each)
    return {_LABELS[fold(label)]: text.strip() or None for label, text in pairs if fold(label) in _LABELS}


ANSWERS: Answers = {"DocumentReading": answer}
