"""The certainty that a query means a product: what its words name, and what in them contradicts it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from server.loopos.catalog.index import Cover, Hits, Index, Key, cover
from server.loopos.catalog.words import VARIANTS, Token, read
from server.loopos.seed.catalog import Catalog, CatalogProduct

CONFIDENT = 0.65
"""From this score on a match may be proposed; below it is only similar."""

_OF_BRAND, _OF_CATEGORY, _OF_BOTH, _OTHER_KIND = 0.5, 0.45, 0.65, 0.7
KIND_ALONE = frozenset((_OF_CATEGORY, _OF_BOTH))
"""The scores of products of whose kind a query speaks, with or without their brand, and of nothing more."""
_PARTIAL = 0.85
_OTHER_NUMBER, _OTHER_VARIANT, _OTHER_BRAND = 0.4, 0.6, 0.5
_OTHER_CATEGORY, _ACCESSORY, _VAGUE = 0.6, 0.5, 0.4
_SURE, _DISTINCT, _WORD, _STEM = 0.84, 5, 3, 4
_HEADS = frozenset("maquina cadeira robot robo machine".split())
"""First words of categories that already name them, if only roughly."""
ORDINARY = frozenset("meta delta giant sage valve amazon google beats joie marshall mi".split())
"""Brands that are also words: they count only with nothing else unexplained."""
ACCESSORIES = frozenset(
    "capa capas pelicula peliculas carregador carregadores cabo cabos comando comandos bolsa suporte bracelete correia "
    "jogo jogos acessorio acessorios capsulas peca pecas cover case cases charger chargers cable cables controller "
    "controllers strap straps protector game games accessory accessories pods".split()
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A product that a query may mean."""

    product_id: int
    brand_id: int
    score: float
    """0 to 1; see CONFIDENT."""
    exact: bool
    """The query names this very model: nothing of its name is missing, and no other number or variant is said."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query with all that its words hit."""

    tokens: list[Token]
    brands: dict[int, frozenset[int]]
    categories: dict[int, frozenset[int]]
    kinds: frozenset[int]
    """The categories whose whole name is said, and not only its head."""
    covers: dict[int, list[Cover]]
    """By product, the names that are said at least in part."""
    hits: Hits
    index: Index

    @property
    def terms(self) -> Iterable[str]:
        """Return the terms of the catalog that the query names."""
        return self.hits.keys()


def whole(keys: Iterable[Key], hits: Hits, tokens: Sequence[Token]) -> dict[int, frozenset[int]]:
    """Return the owners of keys that are said whole (or by their head), with the places in the query.

    A head whose next word names nothing here is another kind: `máquina de lavar`.
    """
    known = {place for each in hits.values() for hit in each for place in range(hit.start, hit.end)}
    found: dict[int, frozenset[int]] = {}
    for key in keys:
        covered = cover(key, hits)
        if covered is None:
            continue
        head = key.tokens[0].text in _HEADS.difference(each.text for each in covered.missing)
        following = max(covered.said) + 1
        is_other = following < len(tokens) and following not in known and _is_word(tokens[following])
        if not covered.missing or (head and not is_other):
            found[key.owner] = found.get(key.owner, frozenset()) | covered.said
    return found


def _is_word(token: Token) -> bool:
    """Return whether the token may be a noun, and not a number, a variant or a slip."""
    return token.text.isalpha() and len(token.text) > _WORD and token.text not in VARIANTS


def ask(index: Index, tokens: list[Token]) -> Query:
    """Find all that the tokens name; this is done once for all products."""
    hits = index.hits(tokens)
    brands, categories = whole(index.brands, hits, tokens), whole(index.categories, hits, tokens)
    most = _most_said(categories)
    named = {key.owner for key in index.categories if (part := cover(key, hits)) and not part.missing}
    return Query(tokens, brands, most, frozenset(named & most.keys()), _covers(index, hits), hits, index)


def _most_said(categories: dict[int, frozenset[int]]) -> dict[int, frozenset[int]]:
    """Drop a category whose words another one uses with more: `máquina de café` is not also a camera."""
    return {
        owner: said
        for owner, said in categories.items()
        if not any(said < other for other in categories.values())
    }


def _covers(index: Index, hits: Hits) -> dict[int, list[Cover]]:
    """Return the names of products that are said at least in part."""
    found: dict[int, list[Cover]] = {}
    for key in index.products_with(hits):
        covered = cover(key, hits)
        if covered is not None and covered.names:
            found.setdefault(key.owner, []).append(covered)
    return found


def judge(catalog: Catalog, asked: Query, product: CatalogProduct) -> Ranking:
    """Return the best of what the product's names, its brand and its category say for it."""
    lineage = catalog.lineage(product.category_id) if asked.categories else ()
    in_category = frozenset[int]().union(*(asked.categories.get(each.id, frozenset()) for each in lineage))
    if not in_category and product.brand_id not in asked.brands and product.id not in asked.covers:
        return Ranking(product.id, product.brand_id, 0.0, exact=False)  # As nearly every product.
    about = _About(
        brand=asked.brands.get(product.brand_id, frozenset()),
        category=in_category,
        options=frozenset(
            place
            for place, token in enumerate(asked.tokens)
            if token.text in asked.index.options[product.id]
            and (not token.text.isdigit() or _is_amount(asked, place, product))
        ),
        names=frozenset[int]().union(*(each.said for each in asked.covers.get(product.id, []))),
        other_category=bool(asked.categories) and not in_category,
    )
    score, exact = max(
        [_by_name(asked, about, product, each) for each in asked.covers.get(product.id, [])]
        + [(_by_kind(asked, about), False)],
        key=lambda found: (found[1], found[0]),
    )
    if asked.kinds and not in_category and not exact:
        score = 0.0  # It is of another kind than the seller names.
    return Ranking(product.id, product.brand_id, round(min(score, 1.0), 4), exact)


def _is_amount(asked: Query, place: int, product: CatalogProduct) -> bool:
    """Return whether this number may name a variant.

    `128`, `2 TB` and `4 drawers` may, a bare `2` more likely numbers a model.
    """
    token, behind = asked.tokens[place], asked.tokens[place + 1 : place + 2]
    counted = {each[:_STEM] for each in asked.index.options[product.id] if each.isalpha()}
    return token.measure or len(token.text) > 1 or any(each.text[:_STEM] in counted for each in behind)


@dataclass(frozen=True, slots=True)
class _About:
    """The places in the query that speak of the product beside its name."""

    brand: frozenset[int]
    category: frozenset[int]
    options: frozenset[int]
    names: frozenset[int]
    """The places of all its names: its other name is no contradiction."""
    other_category: bool

    @property
    def places(self) -> frozenset[int]:
        return self.brand | self.category | self.options


def _unexplained_share(asked: Query, explained: frozenset[int]) -> float:
    """Return the share of the query, 0 to 1, that says something else."""
    weights = [(token.weight, place in explained) for place, token in enumerate(asked.tokens)]
    return sum(weight for weight, known in weights if not known) / sum(weight for weight, _ in weights)


def _by_kind(asked: Query, about: _About) -> float:
    """Return the score where only the brand, only the category, or both are said."""
    if not about.brand and not about.category:
        return 0.0
    rest = _unexplained_share(asked, about.places)
    if about.brand and not about.category and rest:
        ordinary = all(asked.tokens[place].text in ORDINARY for place in about.brand)
        others = [token for place, token in enumerate(asked.tokens) if place not in about.places]
        if ordinary or any(map(_is_word, others)):
            return 0.0  # `frigorífico samsung`
    score = _OF_BOTH if about.brand and about.category else _OF_BRAND if about.brand else _OF_CATEGORY
    if about.other_category:
        score *= _OTHER_KIND
    if not about.brand and asked.brands:
        score *= _OTHER_BRAND
    if _is_accessory(asked, about.places):
        score *= _ACCESSORY
    return score * (1 - 0.6 * rest)


def _by_name(asked: Query, about: _About, product: CatalogProduct, covered: Cover) -> tuple[float, bool]:
    """Return how surely the name is said, in part or whole; a contradiction counts heavily."""
    explained = about.places | about.names
    left = [place for place in range(len(asked.tokens)) if place not in explained]
    rest = _unexplained_share(asked, explained)
    if covered.missing and covered.said <= about.brand | about.category:
        # The text has only the brand's or category's part of the name, which `_by_kind` weighs.
        return 0.0, False
    shared = not about.brand and not about.category and _only_variants(covered)
    led = min(covered.said) - 1 in left and _is_word(asked.tokens[min(covered.said) - 1])
    if (rest and shared) or (led and covered.missing and not _has_word(covered)):
        return 0.0, False  # `Moto G9` is no `ThinkPad X1 Carbon Gen 9`.
    score = covered.quality * (0.5 + 0.5 * covered.share)
    doubts = [
        (_OTHER_NUMBER, _has_other_number(asked, product, covered, left)),
        (_OTHER_VARIANT, _has_other_variant(asked, covered, left) or _has_other_network(asked, product)),
        (_OTHER_BRAND, _has_other_brand(asked, about, covered)),
        (_ACCESSORY, _is_accessory(asked, explained)),
    ]
    score *= min((factor for factor, holds in doubts if holds), default=1.0)
    if about.other_category:
        score *= _OTHER_CATEGORY
    if covered.missing:
        score = min(score, _PARTIAL)
    distinct = _is_distinct(covered, about)
    if shared or (rest and not distinct):
        score *= _VAGUE
    sure = not covered.missing and covered.quality >= _SURE and distinct
    exact = sure and not any(holds for _, holds in doubts)
    return score * (1 - 0.25 * rest), exact


def _is_distinct(covered: Cover, about: _About) -> bool:
    """Return whether the name is enough alone: a short one without a number (`Fox`) needs brand or category."""
    text = "".join(token.text for token in covered.found)
    return len(text) >= _DISTINCT or any(map(str.isdigit, text)) or bool(about.brand or about.category)


def _only_variants(covered: Cover) -> bool:
    """Return whether the query has only words that many models share, or single letters."""
    said = [token.text for token in covered.found]
    if any(map(str.isdigit, said)) and not all(each.isdigit() or each in VARIANTS for each in said):
        return False
    return all(each in VARIANTS or len(each) < _WORD for each in said)


def _has_word(covered: Cover) -> bool:
    """Return whether the query has a word of the name, and not only numbers and letters."""
    return any(token.text.isalpha() and len(token.text) >= _WORD for token in covered.found)


def _follows(asked: Query, place: int, said: frozenset[int]) -> bool:
    """Return whether the token stands right after a token of the query, or in the same word."""
    token = asked.tokens[place]
    return any(0 <= token.place - asked.tokens[each].place <= 1 for each in said if each < place)


def _has_other_number(asked: Query, product: CatalogProduct, covered: Cover, left: list[int]) -> bool:
    """Return whether the query has a number that is not the model's: instead of one of its own, or right after its
    name.
    """
    numbers = [place for place in left if asked.tokens[place].counts and not asked.tokens[place].measure]
    years = {asked.tokens[place].text for place in numbers if asked.tokens[place].is_year}
    named = {token.text for token in read(product.name) if token.is_year} if years else set()
    if years and named and not years & named:
        return True
    plain = [place for place in numbers if not asked.tokens[place].is_year]
    if plain and any(token.counts and not token.is_year for token in covered.missing):
        return True
    words = covered.said | {
        place for place, token in enumerate(asked.tokens) if token.text in asked.index.terms
    }
    return any(_follows(asked, place, words) for place in plain)


def _has_other_variant(asked: Query, covered: Cover, left: list[int]) -> bool:
    """Return whether a word of other models stands beside the name, or letters after it (`iphone 12 pro`, `xs`)."""
    brands = frozenset[int]().union(*asked.brands.values())
    for place in left:
        token = asked.tokens[place]
        if place in brands or token.counts:
            continue
        if token.text in VARIANTS or token.text in asked.index.terms:
            if any(abs(token.place - asked.tokens[each].place) <= 1 for each in covered.said):
                return True
        elif len(token.text) < _WORD and _follows(asked, place, covered.said):
            return True
    return False


def _has_other_network(asked: Query, product: CatalogProduct) -> bool:
    """Return whether the query names a mobile network and the product's name another one: `a52 4g`."""
    said = _networks(asked.tokens)
    named = _networks(read(product.name)) if said else frozenset[str]()
    return bool(said and named) and said.isdisjoint(named)


def _networks(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the numbers of the mobile networks among the tokens."""
    return frozenset(one.text for one, unit in pairwise(tokens) if one.measure and unit.text == "g")


def _has_other_brand(asked: Query, about: _About, covered: Cover) -> bool:
    """Return whether the query names another brand, in words that are not a part of the name."""
    return not about.brand and any(not said <= covered.said for said in asked.brands.values())


def _is_accessory(asked: Query, explained: frozenset[int]) -> bool:
    """Return whether the query names a thing for the product, not the product: `capa para iphone`, `iphone case`.

    What stands behind `with` or `and` comes with the product: `iphone with a case`.
    """
    tokens, last = asked.tokens, len(asked.tokens) - 1
    behind = tokens[max(explained, default=-1) + 1 :]
    named = {0} if any(token.beside for token in behind) else {0, last}
    return any(place not in explained and tokens[place].text in ACCESSORIES for place in named)
