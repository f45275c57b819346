"""The clause right behind a fault that belongs to it: where it is, or what helps; and how a remark begins."""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.certainty import SMALL
from server.loopos.answers.clauses.faults import is_place
from server.loopos.answers.words import FILLERS, tokens


def with_what_follows(answer: str, told: Sequence[str]) -> list[str]:
    """Return faults with the clauses right behind each that say where it is, what helps, or that it is hardly seen:
    `but a pin clears it`, `only visible when off`.
    """
    found = list[str]()
    for each in filter(None, told):
        behind = answer.partition(each)[2]
        place, relief = _PLACE.match(behind), _RELIEF.match(behind)
        more = relief[0] if relief else place[0] if place and is_place(place["where"]) else ""
        behind = behind.removeprefix(more)
        more += softer[0] if (softer := _SOFTER_NEXT.match(behind)) else ""
        found.append(f"{each}{more.rstrip()}")
    return found


def with_turn(answer: str, told: str) -> str:
    """Return words of an answer with the `mas` or `but` that follows them: half of it would mislead."""
    turn = _TURN_NEXT.match(answer.partition(told)[2]) if told else None
    return told + turn[0].rstrip() if turn else told


_TURN_NEXT = patterns.compile(
    r"\s*,?\s*(?:mas|but|por[eé]m|though|although|embora)\s[^,.;!?\n]{3,100}(?=[,.;!\n]|$)",
    patterns.IGNORECASE,
)


def softens(clause: str) -> bool:
    """Return whether a clause says of what stands before it that it is hardly seen or felt: `não se nota nas fotos`."""
    return _SOFTER.match(clause) is not None


def softening_behind(answer: str, told: str) -> str:
    """Return the clause right behind words of an answer by which they are hardly seen or felt, with its mark."""
    softer = _SOFTER_NEXT.match(answer.partition(told)[2]) if told else None
    return softer[0].rstrip() if softer else ""


_SOFTENS = (
    r"(?:(?:mas|but|and|e|though|although|embora|que|which|it|isto|isso)\s+)*"
    r"(?:(?:it['’]?s\s+|is\s+)?(?:only|just|barely|hardly|not(?: really)?|never|n[aã]o|nem|mal|quase n[aã]o|s[oó])\s+"
    r"(?:(?:really|even|that|very|muito|sequer|se|quando se|em|you|i|can|se pode)\s+)*"
    r"(?:visible|noticeable|seen|shows?|see|notice|feel|nota[m]?|v[eê](?:em)?|percebe[m]?|sente[m]?|vis[ií]vel|vis[ií]veis|"
    r"afeta[m]?|affects?|incomoda[m]?|bothers?)|"
    r"(?:(?:you|i|u)\s+)?(?:can['’]?t|cannot|don['’]?t|doesn['’]?t|does not|won['’]?t|couldn['’]?t)\s+"
    r"(?:(?:really|even|you)\s+)*"
    r"(?:see|notice|feel|tell|show|affect|bother|matter)|"
    r"(?:works?|funciona)\s+(?:fine|perfectly|bem|na mesma)|(?:purely|just|only)\s+cosmetic|"
    r"(?:s[oó]\s+|é\s+)*est[eé]tic\w+)"
    r"\b[^,.;!?\n]{0,60}"
)
_SOFTER = patterns.compile(rf"\s*{_SOFTENS}", patterns.IGNORECASE)
_SOFTER_NEXT = patterns.compile(rf"\s*[,;]?\s*{_SOFTENS}(?=[,.;!\n]|$)", patterns.IGNORECASE)
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
