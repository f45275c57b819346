"""The catalog's names as comparable words, and the places where the words of a query match them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz import process
from rapidfuzz.distance import OSA

from server.loopos.catalog.words import NO_ERRORS, VARIANTS, Token, read, sound
from server.loopos.seed.catalog import Catalog

_LONGEST_JOIN, _SHORTEST_LINE = 3, 3
_EDITS = ((9, 2), (5, 1))
"""From this length on so many typing errors are forgiven."""
_SOUNDS_ALIKE, _ONE_ERROR, _TWO_ERRORS = 0.92, 0.9, 0.85


@dataclass(frozen=True, eq=False)
class Key:
    """One way to name something: a product's name or alias, a brand or a category."""

    owner: int
    tokens: tuple[Token, ...]

    @cached_property
    def weight(self) -> float:
        """Return the weight of all its tokens."""
        return sum(token.weight for token in self.tokens)

    @cached_property
    def joins(self) -> tuple[tuple[int, int, str], ...]:
        """Return what `joins` gives for the key's tokens. The result is kept, since every search asks every key."""
        return tuple(joins(self.tokens))


@dataclass(frozen=True, slots=True)
class Hit:
    """Query tokens `start` to `end` are a term of the catalog, as surely as `quality`."""

    start: int
    end: int
    quality: float


@dataclass(frozen=True, slots=True)
class Cover:
    """The part of a key that stands in the query."""

    share: float
    quality: float
    said: frozenset[int]
    """The places in the query's tokens."""
    found: tuple[Token, ...]
    """The part of the key that is said."""
    missing: tuple[Token, ...]
    """The part of the key that is not said."""
    names: bool
    """Whether a part of the key is said that names something by itself."""


Hits = dict[str, list[Hit]]


def joins(tokens: Iterable[Token]) -> Iterator[tuple[int, int, str]]:
    """Yield every run of up to three tokens that follow each other, written as one word."""
    row = list(tokens)
    for start in range(len(row)):
        for end in range(start + 1, min(start + _LONGEST_JOIN, len(row)) + 1):
            if any(row[i + 1].place - row[i].place > 1 for i in range(start, end - 1)):
                break
            yield start, end, "".join(token.text for token in row[start:end])


class Index:
    """Every key of a catalog, and their words for looking up."""

    def __init__(self, catalog: Catalog) -> None:
        self.products = [
            _key(product.id, name)
            for product in catalog.products
            for name in (product.name, *product.aliases)
        ]
        self.brands = [
            _key(brand.id, name) for brand in catalog.brands for name in (brand.name, *brand.aliases)
        ]
        self.categories = [
            _key(category.id, name) for category in catalog.categories for name in category.aliases
        ]
        self.options = {
            product.id: frozenset(
                token.text
                for choice in catalog.choices(product.id)
                for value in choice.values
                for name in (value.name.pt, value.name.en)
                for token in _tokens(name)
            )
            for product in catalog.products
        }
        every = [key for keys in (self.products, self.brands, self.categories) for key in keys]
        self.terms = frozenset(term for key in every for _, _, term in key.joins)
        self._places: dict[str, set[int]] = defaultdict(set)
        """By term, where the names of products stand that have it."""
        for place, key in enumerate(self.products):
            for _, _, term in key.joins:
                self._places[term].add(place)
        self.line_brands, self.line_kinds = self._lines(catalog)
        words = {token.text for key in every for token in key.tokens}
        self._words = sorted(word for word in words if word.isalpha() and len(word) > 3)  # noqa: PLR2004
        self._sounds: dict[str, list[str]] = defaultdict(list)
        for term in self._words:
            self._sounds[sound(term)].append(term)

    def _lines(self, catalog: Catalog) -> tuple[dict[str, int], dict[str, int]]:
        """Return the words of several products' names that are of one brand alone, and those of one category alone.

        `Galaxy` is of a brand, `Watch` of a category. The words of brands and of categories say it themselves.
        """
        owners: dict[str, set[int]] = defaultdict(set)
        named = {term for keys in (self.brands, self.categories) for key in keys for _, _, term in key.joins}
        named |= {
            token.text for keys in (self.brands, self.categories) for key in keys for token in key.tokens
        }
        for key in self.products:
            for token in key.tokens:
                if token.text.isalpha() and len(token.text) >= _SHORTEST_LINE:
                    owners[token.text].add(key.owner)
        brands, kinds = dict[str, int](), dict[str, int]()
        for term in owners.keys() - named - VARIANTS:
            made = [catalog.product_by_id[each] for each in owners[term]]
            if len(made) > 1 and len({each.brand_id for each in made}) == 1:
                brands[term] = made[0].brand_id
            if len(made) > 1 and len({each.category_id for each in made}) == 1:
                kinds[term] = made[0].category_id
        return brands, kinds

    def products_with(self, hits: Hits) -> list[Key]:
        """Return the names of products that share a term with the query."""
        places = set[int]().union(*(self._places.get(term, ()) for term in hits))
        return [self.products[place] for place in sorted(places)]

    def hits(self, tokens: list[Token]) -> Hits:
        """Return the terms that the query names. A word that is a term itself is taken for no other."""
        found: Hits = defaultdict(list)
        for start, end, word in joins(tokens):
            if word in self.terms:
                found[word].append(Hit(start, end, 1.0))
            elif word.isalpha() and word not in NO_ERRORS:
                for term, quality in self._alike(word, joined=end - start > 1):
                    found[term].append(Hit(start, end, quality))
        return found

    def _alike(self, word: str, *, joined: bool) -> list[tuple[str, float]]:
        """Return the single words of names nearest to a mistyped one; joins would make `iphone xs` an `iphone x`."""
        same = self._sounds.get(sound(word))
        if same and len(word) > 3:  # noqa: PLR2004 - shorter words sound like too many
            return [(term, _SOUNDS_ALIKE) for term in same]
        limit = next((edits for length, edits in _EDITS if len(word) >= length), 0)
        limit = min(limit, 1) if joined else limit
        if not limit:
            return []
        near = process.extract(word, self._words, scorer=OSA.distance, score_cutoff=limit, limit=8)
        near = [each for each in near if each[0][0] == word[0] and len(each[0]) >= _EDITS[-1][0]]
        least = min((distance for _, distance, _ in near), default=0)
        quality = _ONE_ERROR if least <= 1 else _TWO_ERRORS
        return [(term, quality) for term, distance, _ in near if distance == least]


def _key(owner: int, name: str) -> Key:
    return Key(owner, _tokens(name))


@lru_cache(maxsize=4096)
def _tokens(name: str) -> tuple[Token, ...]:
    """Read a name of the catalog once: products share their options' values, and catalogs their products."""
    return tuple(read(name))


@lru_cache(maxsize=4)
def index_of(catalog: Catalog) -> Index:
    """Return the index of a catalog, made once."""
    return Index(catalog)


def cover(key: Key, hits: Hits) -> Cover | None:
    """Lay the query over the key, the longest joins first; None when they share nothing."""
    found = [
        (end - start, hit.quality, start, end, hit)
        for start, end, term in key.joins
        if term in hits
        for hit in hits[term]
    ]
    if not found:
        return None
    taken: set[int] = set()
    said: set[int] = set()
    gained = sure = 0.0
    names = False
    for _, quality, start, end, hit in sorted(found, key=lambda each: (-each[0], -each[1], each[4].start)):
        if taken.intersection(range(start, end)) or said.intersection(range(hit.start, hit.end)):
            continue
        taken.update(range(start, end))
        said.update(range(hit.start, hit.end))
        weight = sum(token.weight for token in key.tokens[start:end])
        gained += weight
        sure += weight * quality
        names = names or _names_something(key.tokens[start:end])
    parts = [(token, place in taken) for place, token in enumerate(key.tokens)]
    return Cover(
        share=gained / key.weight,
        quality=sure / gained,
        said=frozenset(said),
        found=tuple(token for token, known in parts if known),
        missing=tuple(token for token, known in parts if not known),
        names=names,
    )


def _names_something(tokens: tuple[Token, ...]) -> bool:
    """Return whether the word can be a name: three letters or more, or letters with digits."""
    letters = sum(len(token.text) for token in tokens if not token.text.isdigit())
    return letters > 2 or (letters > 0 and any(token.text.isdigit() for token in tokens))  # noqa: PLR2004
