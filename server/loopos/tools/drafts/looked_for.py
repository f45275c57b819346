"""The searches for a product: what was said of an item that was left says nothing of the one that is found."""

from collections.abc import Set

from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.draft import Draft

_MOST_MISSED, _MOST_SEARCHES = 200, 10
"""So many characters of each of so many searches in vain are remembered."""


def note_looked_for(draft: Draft, query: str, kinds: Set[str], *, again: bool) -> None:
    """Remember what was looked for, and the categories of what was found; what was said of an item that the catalog
    does not have, or that was left for another one, says nothing of the item that is found now.

    Where the same offer is shown `again`, what was looked for in vain was no item.
    """
    private = draft.run.private
    known = private.get("missed") or []
    known = known if isinstance(known, list) else []  # It was a text in sessions of older versions.
    now = [draft.run.run_id, query[:_MOST_MISSED], sorted(kinds)]
    if again:
        private["missed"] = [each for each in known if each[2]]
    elif not kinds:
        private["missed"] = [*known, now][-_MOST_SEARCHES:]
    else:
        same = [each[0] for each in known if _is_same(query, each[1]) or not kinds.isdisjoint(each[2])]
        others = [each[0] for each in known if each[0] not in (*same, draft.run.run_id)]
        private["missed"] = [now]
        if others:
            draft.forget_words_until(others[-1], same)


def _is_same(query: str, missed: str) -> bool:
    """Return whether half of the words by which a product was found, or the number of its model, stand in what was
    looked for in vain before.
    """
    words, before = content(tokens(query)), content(tokens(missed))
    if any(each in before and any(map(str.isdigit, each)) and len(each) > 1 for each in words):
        return True
    return 2 * sum(any(is_like(word, each) for each in before) for word in words) >= len(words)
