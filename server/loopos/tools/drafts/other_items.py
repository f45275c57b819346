"""Other items that a seller named beside one: they are kept, and offered when that one is done."""

from collections.abc import Sequence

from server.loopos.answers.words import tokens
from server.loopos.core import Core
from server.loopos.tools.drafts.draft import Draft

_KEY = "later"
MOST, LONGEST = 3, 60
"""So many things are kept, each of so many characters."""


async def keep_for_later(draft: Draft, names: Sequence[str]) -> list[str]:
    """Keep what the seller named in their own words and the catalog has; returns what was kept now."""
    said, kept = set(tokens(draft.typed_text())), draft.run.private.setdefault(_KEY, {})
    found: list[str] = []
    for name in (" ".join(each.split()) for each in names[:MOST]):
        words = set(tokens(name))
        if not words or not words <= said or len(name) > LONGEST or len(kept) >= MOST:
            continue
        if await _is_sold_here(draft, name):
            kept.setdefault(name, draft.round)
            found.append(name)
    return found


async def _is_sold_here(draft: Draft, name: str) -> bool:
    """Return whether the catalog has the item by its name, another name of it such as `ps4`, or its kind.

    A text that only resembles a name, as a charger does, is no item.
    """
    core = draft.run.resource(Core)
    if await core.category_key(name):
        return True
    found = await core.search(name, limit=6, language=draft.language)
    said = set(tokens(name))
    return any(each.exact or said <= set(tokens(f"{each.brand} {each.name}")) for each in found.matches)


def left_for_later(draft: Draft) -> list[str]:
    """Return the items that are still to be sold, in the order in which the seller named them."""
    return list(draft.run.private.get(_KEY, {}))


def begin_later(draft: Draft) -> None:
    """Drop what the seller names now that another item is begun: it is no longer left for later."""
    kept: dict[str, int] = draft.run.private.get(_KEY, {})
    said = {word for message in draft.messages() for word in tokens(message)}
    for name in [each for each, named_in in kept.items() if named_in < draft.round]:
        if said.issuperset(tokens(name)):
            del kept[name]
