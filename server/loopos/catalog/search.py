"""The search of the catalog: the products that a seller's words may mean, best first, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache

from server.languages import LANGUAGES
from server.loopos.answers.words import fold
from server.loopos.catalog.certainty import CONFIDENT, Ranking, ask, judge, whole
from server.loopos.catalog.index import Key, index_of
from server.loopos.catalog.nearest import keep_nearest
from server.loopos.catalog.words import read
from server.loopos.seed.catalog import Catalog, CatalogProduct
from server.text_reading.things.unsold_kinds import is_other_kind, other_piece

__all__ = ["CONFIDENT", "Ranking", "brand_named", "category_named", "overview", "rank", "search"]

_FLOOR, _FALL = 0.18, 0.6
"""Matches below the floor, or below this share of the best, are noise."""
_LISTED = 0.5


def search(
    catalog: Catalog,
    query: str,
    *,
    category: int | None = None,
    brand: int | None = None,
    limit: int = 6,
    offset: int = 0,
) -> list[Ranking]:
    """Return one page of what `rank` finds."""
    return rank(catalog, query, category=category, brand=brand)[offset : offset + limit]


def rank(
    catalog: Catalog, query: str, *, category: int | None = None, brand: int | None = None
) -> list[Ranking]:
    """Return all matches, exact ones first, then by score.

    A number of a model means itself only: asked for `iphone 13`, an iPhone 12 is at most similar, never exact, and
    nothing of another kind or brand is, nor where a piece beside it is named. A category narrows to itself and what
    is below it. Without words, a category or brand lists all it has.
    """
    products = [each for each in catalog.products if _lies_in(catalog, each, category, brand)]
    tokens = read(query)
    if not tokens:
        listed = category is not None or brand is not None
        return [Ranking(each.id, each.brand_id, _LISTED, exact=False) for each in products] if listed else []
    asked = ask(index_of(catalog), tokens)
    matches = [judge(catalog, asked, each) for each in products]
    best = max((match.score for match in matches), default=0.0)
    piece = other_piece(query)
    matches = (
        [replace(each, exact=False, score=each.score * each.exact) for each in matches] if piece else matches
    )
    other = is_other_kind(query)
    kept = [
        match for match in matches if match.exact or (match.score >= max(_FLOOR, best * _FALL) and not other)
    ]
    kept.sort(key=lambda match: (not match.exact, -match.score, match.product_id))
    return keep_nearest(catalog, asked, kept)


def overview(catalog: Catalog) -> list[Ranking]:
    """Return all products: the first of each category, then the second of each, and so on."""
    seen: Counter[int] = Counter()
    turns: list[tuple[int, Ranking]] = []
    for each in catalog.products:
        turns.append((seen[each.category_id], Ranking(each.id, each.brand_id, _LISTED, exact=False)))
        seen[each.category_id] += 1
    return [match for _, match in sorted(turns, key=lambda turn: turn[0])]


def category_named(catalog: Catalog, text: str) -> int | None:
    """Return the category that a text names in any language, for callers that have a word and need an id."""
    named = _categories_by_name(catalog).get(fold(text).strip())
    return _owner(catalog, index_of(catalog).categories, text) if named is None else named


@lru_cache(maxsize=4)
def _categories_by_name(catalog: Catalog) -> dict[str, int]:
    """Return the ids of the categories by their keys and by their folded names in each language."""
    found: dict[str, int] = {}
    for each in catalog.categories:
        for name in (each.key, *(fold(each.name.text_in(language)).strip() for language in LANGUAGES)):
            found.setdefault(name, each.id)
    return found


def brand_named(catalog: Catalog, text: str) -> int | None:
    """Return the brand that a text names."""
    return _owner(catalog, index_of(catalog).brands, text)


def _owner(catalog: Catalog, keys: Iterable[Key], text: str) -> int | None:
    tokens = read(text)
    said = whole(keys, index_of(catalog).hits(tokens), tokens)
    return max(said, key=lambda owner: len(said[owner]), default=None)


def _lies_in(catalog: Catalog, product: CatalogProduct, category: int | None, brand: int | None) -> bool:
    if brand is not None and product.brand_id != brand:
        return False
    return category is None or any(each.id == category for each in catalog.lineage(product.category_id))
