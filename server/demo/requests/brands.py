"""The demo model's brands: those of the marketplace's catalog."""

from typing import Any

from server.demo.requests.given import GivenRequest


def answer(given: GivenRequest) -> dict[str, Any]:
    """Name the catalog's brands of the category."""
    brands = list(given.facts.get("brands") or [])
    category = str(given.specific.get("category", ""))
    reason = given.say(
        f"Marcas do catálogo desta instalação para «{category}»."
        if brands
        else f"O catálogo desta instalação não tem marcas para «{category}».",
        f"Brands of this installation's catalog for “{category}”."
        if brands
        else f"The catalog of this installation has no brands for “{category}”.",
    )
    return {"brands": brands, "reasoning": f"{reason} {given.label}"}
