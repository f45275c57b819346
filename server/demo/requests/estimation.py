"""The demo model's estimation: the price band of the item's category and brand in its condition."""

from typing import Any

from server.demo.requests.condition import condition_of
from server.demo.requests.given import GivenRequest
from server.demo.requests.money import prices, span

_REPAIRED = ("C", "D")
"""Conditions in which something is to be repaired."""


def answer(given: GivenRequest) -> dict[str, Any]:
    """Estimate by the facts."""
    item = given.facts.get("item") or {}
    said = condition_of(item.get("description", ""))
    condition = item.get("condition") or (said.grade if said else "B")
    values: dict[str, Any] = {}
    repair = span(given, "repair") if condition in _REPAIRED else (0.0, 0.0, 0.0)
    for name, (low, middle, high) in (
        ("value_out", prices(given, {})),
        ("recycling_value", span(given, "recycling")),
        ("repair_cost", repair),
    ):
        values |= {f"{name}_min": low, f"{name}_average": middle, f"{name}_max": high}
    name = item.get("name") or item.get("category") or given.say("Artigo", "Item")
    known = given.facts.get("price_band")
    basis = given.say(
        f"Faixa de preços incluída nesta instalação, no estado {condition}, sem fontes da web."
        if known
        else "Sem categoria conhecida: faixa geral para artigos usados, sem fontes da web.",
        f"Price band of this installation in condition {condition}, without sources of the web."
        if known
        else "No known category: a general band for used things, without sources of the web.",
    )
    return {
        **values,
        "reasoning": f"{basis} {given.label}",
        "description": given.say(
            f"{name}, usado, estado {condition}.", f"{name}, used, condition {condition}."
        ),
        "references": [],
    }
