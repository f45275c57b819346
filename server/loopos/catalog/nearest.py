"""The products that are near to one which the catalog lacks: of the kind and the brand that the query means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from server.loopos.catalog.certainty import CONFIDENT, Query, Ranking
from server.loopos.catalog.index import cover
from server.loopos.catalog.words import Token
from server.loopos.seed.catalog import Catalog, CatalogProduct

_SAME = 0.005
"""Scores that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class _Meant:
    """What all words of a query together say of the product: its brands, and each kind, of which it is."""

    brands: frozenset[int]
    kinds: frozenset[int]

    def allows(self, catalog: Catalog, product: CatalogProduct) -> bool:
        lineage = {each.id for each in catalog.lineage(product.category_id)}
        return (not self.brands or product.brand_id in self.brands) and self.kinds <= lineage


def keep_nearest(catalog: Catalog, asked: Query, matches: Sequence[Ranking]) -> list[Ranking]:
    """Return the matches, best first, without those of another kind or brand than the query means.

    A word that only names of one brand or kind have says which (`Galaxy`, `Tab`). Where the query has words that
    explain none of the best matches, these have to be of one kind: of several kinds none is near.
    """
    exact = [each for each in matches if each.exact]
    said = asked.index.line_brands, asked.index.line_kinds
    brands, kinds = ({owners[term] for term in asked.terms if term in owners} for owners in said)
    are_two = any(each.beside for each in asked.tokens)  # Each of two things has its own brand and kind.
    meant = _Meant(
        frozenset(() if are_two else brands | asked.brands.keys()), frozenset(() if are_two else kinds)
    )
    near = [
        each
        for each in matches
        if not each.exact and meant.allows(catalog, catalog.product_by_id[each.product_id])
    ]
    near = near if exact or not near or near[0].score >= CONFIDENT else _of_one_kind(catalog, asked, near)
    return [*exact, *near]


def _of_one_kind(catalog: Catalog, asked: Query, near: Sequence[Ranking]) -> list[Ranking]:
    """Return the matches of the best one's kind, all where nothing of the query is left, or none of several kinds."""
    best = [each for each in near if near[0].score - each.score < _SAME]
    left = _places_left(asked, best)
    if not left:
        return list(near)
    kinds = _kinds(catalog, best)
    if len(kinds) > 1:
        shared = _most_shared(asked, best, left)
        kinds = _kinds(catalog, shared)
        near = shared
    return [each for each in near if len(kinds) == 1 and not kinds.isdisjoint(_kinds(catalog, [each]))]


def _kinds(catalog: Catalog, matches: Sequence[Ranking]) -> set[int]:
    return {catalog.product_by_id[each.product_id].category_id for each in matches}


def _places_left(asked: Query, best: Sequence[Ranking]) -> set[int]:
    """Return the places of the query that are of no brand or category, and of no option of the best matches."""
    known = frozenset[int]().union(*asked.brands.values(), *asked.categories.values())
    options = frozenset[str]().union(*(asked.index.options[each.product_id] for each in best))

    def says_more(place: int, token: Token) -> bool:
        return place not in known and token.text not in options

    return {place for place, token in enumerate(asked.tokens) if says_more(place, token)}


def _most_shared(asked: Query, best: Sequence[Ranking], left: set[int]) -> list[Ranking]:
    """Return those whose names have the most in common with these places of the query: `A53` with `a14`."""
    shares = dict[int, float]()
    for key in asked.index.products:
        covered = cover(key, asked.hits)
        if covered is not None and left & covered.said:
            shares[key.owner] = max(shares.get(key.owner, 0.0), covered.share)
    most = max((shares.get(each.product_id, 0.0) for each in best), default=0.0)
    return [each for each in best if most and shares.get(each.product_id, 0.0) == most]
