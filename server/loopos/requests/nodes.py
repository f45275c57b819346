"""Nodes of a catalog that callers name: the words of a category, of a path of categories, or of a product."""

import asyncio

from server import patterns
from server.agents import RunContext
from server.loopos.answers import Element
from server.loopos.core import Core, Match
from server.text_reading.words.markup_removal import beginning, without_markup, without_symbols

_PATH = patterns.compile(r"\s*(?:[>»/|]|::)+\s*")
_ASIDE = patterns.compile(
    r"[.,;!?](?!\d)|\b(?:para|for|com|with|inclui|includes?|e|and|mais|plus)\b", patterns.IGNORECASE
)
_MOST_WORDS = 200
"""Characters that a node may be named by."""
_MOST_PARTS = 4
"""Parts of a path that are looked up each by itself, from its end."""
MOST_LOOKUPS = 60
"""Lookups of one request: each asks the Core, which may be the customer's own."""
MOST_SEARCHED = 3_000
"""Characters of all texts that one request has looked up: a search of the embedded Core costs by its words."""
_SURE = 0.5
"""The score from which on a product that is not named in full is of the kind that is meant."""


def ways_of(text: str) -> list[str]:
    """Return the last parts of a path as `Electronics > Smartphones`, the very last first, and then the whole."""
    plain = without_markup(beginning(text, _MOST_WORDS))[:_MOST_WORDS]
    parts = filter(None, map(without_symbols, reversed(_PATH.split(plain))))
    last = list(dict.fromkeys(parts))[:_MOST_PARTS]
    return [each for each in dict.fromkeys([*last, without_symbols(plain)]) if each]


def subject_of(text: str) -> str:
    """Return what a text says of the item itself: its beginning, up to what comes with it or what it is for."""
    return _ASIDE.split(without_markup(text), maxsplit=1)[0]


class CatalogNodes:
    """The nodes of the catalog that the texts of one request name.

    Each lookup is a step of its own on the event loop. A request has at most `MOST_LOOKUPS` of them, of
    `MOST_SEARCHED` together; what it asks beyond that is not found. The same words are looked up once.
    """

    def __init__(self, run: RunContext) -> None:
        """`run` has the Core, and the language of the names."""
        self._core = run.resource(Core)
        self._language = run.language
        self._lookups = self._characters = 0
        self._nearest: dict[str, list[Match]] = {}
        self._keys: dict[str, str | None] = {}
        self._listed: dict[str, list[Match]] = {}

    async def nearest(self, words: str) -> list[Match]:
        """Return the product that words mean before all others, if they mean any."""
        if words not in self._nearest:
            if not await self._may_look(words):
                return []
            self._nearest[words] = (await self._core.search(words, limit=1, language=self._language)).matches
        return self._nearest[words]

    async def products_of(self, text: str) -> list[Match]:
        """Return the products of the category that a text names; none where it names no category."""
        for words in ways_of(text):
            if (key := await self._key(words)) is not None:
                return await self._products_below(key)
        return []

    async def kinds_of(self, text: str) -> tuple[frozenset[int], str]:
        """Return the ids of the categories that a text means, with those below, and a name; nothing if none."""
        words = without_symbols(beginning(text, _MOST_WORDS))[:_MOST_WORDS]
        named = await self.nearest(words) if words else []
        if named and named[0].exact:
            return frozenset({named[0].category_id}), named[0].category
        listed = await self.products_of(words)
        return frozenset(each.category_id for each in listed), listed[0].category if listed else ""

    async def questions_of(self, texts: list[str]) -> tuple[list[Element], str]:
        """Return the questions of the first text that means a product, or a category of one kind of things.

        With them comes the name that the catalog has for it. A wider category has no questions of its own.
        """
        for text in texts:
            for words in ways_of(text):
                named = await self.nearest(words)
                if named and named[0].exact:
                    return await self._core.protocol(named[0].product_id), named[0].name
                listed = await self.products_of(words)
                if not listed and named and named[0].score >= _SURE:
                    listed = await self.products_of(named[0].category)
                if listed and len({each.category_id for each in listed}) == 1:
                    return await self._shared_questions(listed), listed[0].category
        return [], ""

    async def _key(self, words: str) -> str | None:
        """Return the key of the category that words name."""
        if words not in self._keys:
            if not await self._may_look(words):
                return None
            self._keys[words] = await self._core.category_key(words)
        return self._keys[words]

    async def _products_below(self, key: str) -> list[Match]:
        """Return the products of a category."""
        if key not in self._listed:
            if not await self._may_look(key):
                return []
            found = await self._core.search("", category=key, limit=200, language=self._language)
            self._listed[key] = found.matches
        return self._listed[key]

    async def _shared_questions(self, listed: list[Match]) -> list[Element]:
        """Return the questions that the first and the last product share: those of their category."""
        first, last = [await self._core.protocol(each.product_id) for each in (listed[0], listed[-1])]
        known = {each.id for each in last}
        return [each for each in first if each.id in known]

    async def _may_look(self, words: str) -> bool:
        """Count a lookup of these words and leave the loop to others before it; say whether it is allowed."""
        if self._lookups >= MOST_LOOKUPS or self._characters + len(words) > MOST_SEARCHED:
            return False
        self._lookups += 1
        self._characters += len(words)
        await asyncio.sleep(0)
        return True
