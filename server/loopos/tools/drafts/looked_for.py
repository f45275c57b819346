"""The searches for a product: what was said of an item that was left says nothing of the one that is found."""

from collections.abc import Sequence, Set

from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.words import tokens
from server.loopos.rows import Match
from server.loopos.tools.drafts.draft import Draft

_MOST_MISSED, _MOST_SEARCHES = 200, 10
"""So many characters of each of so many searches in vain are remembered."""


def note_looked_for(draft: Draft, query: str, found: Sequence[Match], *, again: bool) -> None:
    """Remember what was looked for, and the categories of what was found; what was said of an item that the catalog
    does not have, or that was left for another one, says nothing of the item that is found now.

    Where the same offer is shown `again`, what was looked for in vain was no item. Once something was, an item of the
    same category is the same one only if it shares more of its name than brand and category.
    """
    private, kinds = draft.run.private, {each.category for each in found}
    known = private.get("missed") or []
    known = known if isinstance(known, list) else []  # It was a text in sessions of older versions.
    now = [draft.run.run_id, query[:_MOST_MISSED], sorted(kinds)]
    if again:
        private["missed"] = [each for each in known if each[2]]
    elif not kinds:
        private["missed"] = [*known, now][-_MOST_SEARCHES:]
    else:
        in_vain = not all(each[2] for each in known)
        common = (
            {word for each in found for word in tokens(f"{each.brand} {each.category}")} if in_vain else set()
        )
        same = [
            each[0]
            for each in known
            if _is_same(query, each[1], common) or not (in_vain or kinds.isdisjoint(each[2]))
        ]
        others = [each[0] for each in known if each[0] not in (*same, draft.run.run_id)]
        private["missed"] = [now]
        if others:
            draft.forget_words_until(others[-1], same)


def _is_same(query: str, missed: str, common: Set[str]) -> bool:
    """Return whether half of the words by which a product was found, or the number of its model, stand in what was
    looked for in vain before; a lone digit, and words that are `common` to many products, do not count beside others.
    """
    before = content(tokens(missed))
    said = content(tokens(query))
    words = [each for each in said if each not in common and not (each.isdigit() and len(each) == 1)] or said
    if any(each in before and any(map(str.isdigit, each)) and len(each) > 1 for each in words):
        return True
    return 2 * sum(any(is_like(word, each) for each in before) for word in words) >= len(words)
