"""Nodes of a catalog that callers name: the words of a category, of a path of categories, or of a product."""

import re

from server.agents import RunContext
from server.loopos.answers import Element
from server.loopos.core import Core, Match
from server.markup_removal import beginning, without_markup, without_symbols

_PATH = re.compile(r"\s*(?:[>»/|]|::)+\s*")
_ASIDE = re.compile(
    r"[.,;!?](?!\d)|\b(?:para|for|com|with|inclui|includes?|e|and|mais|plus)\b", re.IGNORECASE
)
_MOST_WORDS = 200
"""Characters that a node may be named by."""
_SURE = 0.5
"""The score from which on a product that is not named in full is of the kind that is meant."""


def ways_of(text: str) -> list[str]:
    """Return the parts of a path as `Electronics > Smartphones`, the last first, and then the whole."""
    plain = without_markup(beginning(text, _MOST_WORDS))[:_MOST_WORDS]
    parts = [without_symbols(each) for each in _PATH.split(plain)]
    return [each for each in dict.fromkeys([*reversed(parts), without_symbols(plain)]) if each]


def subject_of(text: str) -> str:
    """Return what a text says of the item itself: its beginning, up to what comes with it or what it is for."""
    return _ASIDE.split(without_markup(text), maxsplit=1)[0]


async def products_of(run: RunContext, text: str) -> list[Match]:
    """Return the products of the category that a text names; none where it names no category."""
    core = run.resource(Core)
    for words in ways_of(text):
        if (key := await core.category_key(words)) is not None:
            return (await core.search("", category=key, limit=200, language=run.language)).matches
    return []


async def kinds_of(run: RunContext, text: str) -> tuple[frozenset[int], str]:
    """Return the ids of the catalog's categories that a text means, with those below, and a name; nothing if none."""
    words = without_symbols(beginning(text, _MOST_WORDS))[:_MOST_WORDS]
    core = run.resource(Core)
    named = (await core.search(words, limit=1, language=run.language)).matches if words else []
    if named and named[0].exact:
        return frozenset({named[0].category_id}), named[0].category
    listed = await products_of(run, words)
    return frozenset(each.category_id for each in listed), listed[0].category if listed else ""


async def questions_of(run: RunContext, texts: list[str]) -> tuple[list[Element], str]:
    """Return the questions of the first of these texts that means a product, or a category of one kind of things.

    With them comes the name that the catalog has for it. A wider category has no questions of its own.
    """
    core = run.resource(Core)
    for text in texts:
        for words in ways_of(text):
            named = (await core.search(words, limit=1, language=run.language)).matches
            if named and named[0].exact:
                return await core.protocol(named[0].product_id), named[0].name
            listed = await products_of(run, words)
            if not listed and named and named[0].score >= _SURE:
                listed = await products_of(run, named[0].category)
            if listed and len({each.category_id for each in listed}) == 1:
                return await _shared_questions(core, listed), listed[0].category
    return [], ""


async def _shared_questions(core: Core, listed: list[Match]) -> list[Element]:
    """Return the questions that the first and the last product share: those of their category."""
    first, last = [await core.protocol(each.product_id) for each in (listed[0], listed[-1])]
    known = {each.id for each in last}
    return [each for each in first if each.id in known]
