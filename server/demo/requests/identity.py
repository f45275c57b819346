"""The demo model's reading of a document: it sees no pictures, so it repeats the number that is expected."""

import re
from typing import Any

from server.demo.requests.given import GivenRequest

_SHAPES = (
    (re.compile(r"[0-9]{8}[A-Z]"), "dni-es", "ES"),
    (re.compile(r"[XYZ][0-9]{7}[A-Z]"), "nie-es", "ES"),
    (re.compile(r"[0-9]{9}[A-Z0-9]{2}[0-9]"), "cc-pt", "PT"),
)


def answer(given: GivenRequest) -> dict[str, Any]:
    """Take the expected number for what is printed; without one nothing can be read."""
    wanted = given.specific
    number = re.sub(r"[^A-Z0-9]", "", str(wanted.get("number") or "").upper())
    found = next(((kind, land) for shape, kind, land in _SHAPES if shape.fullmatch(number)), None)
    first = str(wanted.get("doc_type", "")).split(",")[0].strip().lower()
    kind, land = found or (first, "PT")
    return {
        "legible": bool(number),
        "authentic": True,
        "doc_type": kind if number else None,
        "country": land if number else None,
        "number": number or None,
        "name": wanted.get("name"),
        "expiry": None,
        "mrz": [],
        "ocr_confidence": 0.0,
    }
