"""The demo model's brands: those of the marketplace's catalog."""

from typing import Any

from server.demo.requests.parsed_request import Answers, ParsedRequest
from server.text_reading.words.markup_removal import without_symbols


def answer(given: ParsedRequest) -> dict[str, Any]:
    """Name the catalog's brands of the category."""
    brands = list(given.facts.get("brands") or [])
    category = without_symbols(str(given.specific.get("category", "")))
    reason = given.say("brands.known" if brands else "brands.unknown", category=category)
    return {"brands": brands, "reasoning": f"{reason} {given.label}"}


ANSWERS: Answers = {"BrandsAnswer": answer}
