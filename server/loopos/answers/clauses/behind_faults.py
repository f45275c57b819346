"""The clause right behind a fault that belongs to it: where it is, or what helps; and how a remark begins."""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.certainty import SMALL
from server.loopos.answers.clauses.faults import is_place
from server.loopos.answers.words import FILLERS, tokens


def with_what_follows(answer: str, told: Sequence[str]) -> list[str]:
    """Return faults with the clause right behind each that says where it is, or what helps: `but a pin clears it`."""
    found = list[str]()
    for each in filter(None, told):
        behind = answer.partition(each)[2]
        place, relief = _PLACE.match(behind), _RELIEF.match(behind)
        more = relief[0] if relief else place[0] if place and is_place(place["where"]) else ""
        found.append(f"{each}{more.rstrip()}")
    return found


_PLACE = patterns.compile(r"\s*,\s*(?P<where>[^,.;!?\n]{3,60})(?=[,.;!\n]|$)")
_RELIEF = patterns.compile(
    r"\s*,?\s*(?:mas|but)\s(?:(?:isso|it|that|you|one|ela?|sai|limpa\w*|resolve\w*|passa|basta|com|d[aá]|"
    r"easily|a (?:pin|quick|wipe|clean|bit))\b)[^,.;!?\n]{3,80}(?=[,.;!\n]|$)",
    patterns.IGNORECASE,
)


def begin_small(words: str) -> str:
    """Return words with a small first letter, where no name begins so: `tem é aquela racha`."""
    first = tokens(words.partition(" ")[0])[:1]
    return (
        words[0].lower() + words[1:] if words[:2].istitle() and first and first[0] in _BEGINNINGS else words
    )


_BEGINNINGS = (
    FILLERS | SMALL | frozenset("so ha there theres apenas only just tirando menos except".split())
) - {"i"}
"""Words that no name begins with."""
