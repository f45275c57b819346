"""Prices of used things, from the embedded bands: what a product of a category brings in each condition, in euro."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from server.agents import RunContext
from server.loopos.core import Core

_FILE = Path(__file__).with_name("bands.json")

CONDITION_FACTORS = {"A": 1.0, "B": 0.82, "C": 0.62, "D": 0.3}
"""Shares of the price in condition A. An estimate of ours, as the bands are."""

MOST_CANDIDATES = 6


@cache
def _bands() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def band_of(product: str, brand: str, category: str) -> dict[str, float] | None:
    """Return lowest and highest price in condition A, and the repair and recycling bands; None for an unknown category.

    `category` is the catalog's key. A brand moves the band of its category, a product has one of its own.
    """
    category_band = _bands()["categories"].get(category)
    if category_band is None:
        return None
    low, high = _bands()["products"].get(product) or (
        each * _bands()["brands"].get(brand, 1.0) for each in category_band["value"]
    )
    names = ("repair", "recycling")
    more = {
        f"{name}_{end}": category_band[name][at] for name in names for at, end in enumerate(("min", "max"))
    }
    return {"min": round(low, 2), "max": round(high, 2), **more}


async def price_facts(run: RunContext, *, name: str, category: str, condition: str | None) -> dict[str, Any]:
    """Return the product of the catalog that is meant, if there is one, and the price band in its condition."""
    core = run.resource(Core)
    found = (
        await core.search(name[:200], limit=MOST_CANDIDATES, language=run.language) if name.strip() else None
    )
    match = found.matches[0] if found is not None and found.matches and found.matches[0].exact else None
    key = await core.category_key(match.category if match is not None else category or name)
    band = band_of(match.name if match else "", match.brand if match else "", key) if key else None
    facts: dict[str, Any] = {}
    if match is not None:
        facts["product"] = {"name": match.name, "brand": match.brand, "category": match.category}
    if band is not None:
        factor = CONDITION_FACTORS.get(condition or "", CONDITION_FACTORS["B"])
        facts["price_band"] = {
            "currency": "EUR",
            "source": "embedded price bands of this installation",
            "min": round(band["min"] * factor, 2),
            "max": round(band["max"] * factor, 2),
            **{key: value for key, value in band.items() if key not in ("min", "max")},
        }
    return facts


def require_ascending(answer: dict[str, Any], name: str) -> None:
    """Raise ValueError where `{name}_min`, `_average` and `_max` do not ascend."""
    low, middle, high = (answer[f"{name}_{end}"] for end in ("min", "average", "max"))
    if not low <= middle <= high:
        raise ValueError(f"{name}_min <= {name}_average <= {name}_max does not hold")
