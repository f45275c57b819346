"""The demo model's prices: the caller's hints, else the band of the facts, else a band for things of no known kind."""

from typing import Any

from server.demo.requests.given import GivenRequest

UNKNOWN = (10.0, 60.0)
"""Euro, for a thing of no known category."""


def prices(given: GivenRequest, hints: dict[str, Any]) -> tuple[float, float, float]:
    """Return lowest, middle and highest price in euro, ascending."""
    band = given.facts.get("price_band")
    low, high = (float(band["min"]), float(band["max"])) if band else UNKNOWN
    low = float(hints["value_out_min"]) if hints.get("value_out_min") is not None else low
    high = float(hints["value_out_max"]) if hints.get("value_out_max") is not None else high
    middle = hints.get("value_out_average")
    if middle is not None:
        low, high = min(low, float(middle)), max(high, float(middle))
    low, high = min(low, high), max(low, high)
    return round(low, 2), round(float(middle) if middle is not None else (low + high) / 2, 2), round(high, 2)


def span(given: GivenRequest, name: str) -> tuple[float, float, float]:
    """Return a band of the facts, as `repair`: lowest, middle, highest; zeros where there is none."""
    band = given.facts.get("price_band") or {}
    low, high = float(band.get(f"{name}_min", 0)), float(band.get(f"{name}_max", 0))
    return round(low, 2), round((low + high) / 2, 2), round(high, 2)
