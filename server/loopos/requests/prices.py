"""Prices of used things, from the embedded bands: what a product of a category brings in each condition, in euro."""

import json
from functools import cache
from math import log2, prod
from pathlib import Path
from typing import Any

from server.agents import RunContext
from server.languages import fold
from server.loopos.core import Core, Match
from server.loopos.requests.accessories import is_accessory, part_pieces
from server.loopos.requests.nodes import subject_of
from server.loopos.requests.traits import age_of, storage_of

_FILE = Path(__file__).with_name("bands.json")

CONDITION_FACTORS = {"A": 1.0, "B": 0.82, "C": 0.62, "D": 0.3}
"""Shares of the price in condition A. An estimate of ours, as the bands are."""

BASE_STORAGE = {"smartphones": 64, "tablets": 64, "laptops": 256}
"""Gigabytes that the bands mean."""

STORAGE_STEP = 0.09
"""The share that each doubling of the storage adds to a price."""

YOUNG, YEARLY, OLDEST = 3, 0.88, 0.15
"""The age in years that the bands mean, what is left of a price after each further year, and at last."""

UNKNOWN_BRAND = 0.6
"""The factor of a brand that the catalog lacks, on its category's band."""


_MOST_NAMED = 80
"""Characters of a product's name that facts repeat."""


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


async def price_facts(
    run: RunContext, *, product: str, brand: str, category: str, condition: str | None, text: str
) -> dict[str, Any]:
    """Return the product of the catalog that is meant, if there is one, and the price band in its condition.

    The storage and the age that name and text say move the band, and so do a brand that the catalog lacks and the
    number of things. `of` of the band says whether it is of the product itself or of its category, `unknown_product`
    names a product that the catalog lacks, and `other_brand` the brand that such a name begins with.
    """
    pieces, product = part_pieces(product)
    if is_accessory(product, category, text):
        return {}
    named, product = product, product or ("" if category else subject_of(text))
    match = await _product(run, product, brand)
    key = await _category(run, match.category if match else "", category, product)
    facts: dict[str, Any] = {"category": key} if key else {}
    known = match.brand if match else await _brand(run, brand)
    if match is not None:
        facts["product"] = {"name": match.name, "brand": match.brand, "category": match.category}
    elif named.strip():
        facts |= {"unknown_product": named.strip()[:_MOST_NAMED], **await _other_brand(run, named, brand)}
    band = band_of(match.name if match else "", known or "", key) if key else None
    if band is None:
        return facts
    moved = _adjustments(key or "", storage_of(product, text), None if match else age_of(product, text))
    if brand and known is None:
        moved.append({"for": "unknown_brand", "value": brand, "factor": UNKNOWN_BRAND})
    if pieces > 1:
        moved.append({"for": "pieces", "value": pieces, "factor": pieces})
    factor = prod(each["factor"] for each in moved)
    by_condition = {
        letter: {end: round(band[end] * factor * share, 2) for end in ("min", "max")}
        for letter, share in CONDITION_FACTORS.items()
    }
    facts["price_band"] = {
        "currency": "EUR",
        "source": "embedded price bands of this installation",
        "of": "product" if match and match.name in _bands()["products"] else "category",
        **by_condition.get(condition or "", by_condition["B"]),
        "by_condition": by_condition,
        "adjusted": moved,
        **{name: value * pieces for name, value in band.items() if name not in ("min", "max")},
    }
    return facts


async def _product(run: RunContext, product: str, brand: str) -> Match | None:
    """Return the product of the catalog, whatever brand it is said to be of."""
    core = run.resource(Core)
    named = product if brand.casefold() in product.casefold() else f"{brand} {product}"
    for words in (named, product):
        if product.strip():
            found = await core.search(words[:200], limit=1, language=run.language)
            if found.matches and found.matches[0].exact:
                return found.matches[0]
    return None


async def _category(run: RunContext, *texts: str) -> str | None:
    core = run.resource(Core)
    for text in texts:
        if text and (key := await core.category_key(text)) is not None:
            return key
    return None


async def _brand(run: RunContext, brand: str) -> str | None:
    """Return the catalog's spelling of a brand; None for one that it lacks."""
    if not brand.strip():
        return None
    found = await run.resource(Core).search("", brand=brand[:200], limit=100, language=run.language)
    brands = {each.brand for each in found.matches}
    return brands.pop() if len(brands) == 1 else None


async def _other_brand(run: RunContext, product: str, brand: str) -> dict[str, str]:
    """Return the catalog's brand that a name begins with, if it is another one than the brand that is given."""
    first = product.split(maxsplit=1)[0]
    if not brand.strip() or fold(first) in fold(brand):
        return {}
    found = await _brand(run, first)
    return {} if found is None or fold(found) != fold(first) else {"other_brand": found}


def _adjustments(category: str, storage: int | None, age: int | None) -> list[dict[str, Any]]:
    """Return what moves a band, each with its factor."""
    moved: list[dict[str, Any]] = []
    if storage and category in BASE_STORAGE:
        steps = log2(storage / BASE_STORAGE[category])
        factor = min(max(1 + STORAGE_STEP * steps, 0.8), 1.45)
        moved.append({"for": "storage_gb", "value": storage, "factor": round(factor, 3)})
    if age and age > YOUNG:
        factor = max(YEARLY ** (age - YOUNG), OLDEST)
        moved.append({"for": "age_years", "value": age, "factor": round(factor, 3)})
    return moved


def require_ascending(answer: dict[str, Any], name: str) -> None:
    """Raise ValueError where `{name}_min`, `_average` and `_max` do not ascend."""
    low, middle, high = (answer[f"{name}_{end}"] for end in ("min", "average", "max"))
    if not low <= middle <= high:
        raise ValueError(f"{name}_min <= {name}_average <= {name}_max does not hold")
