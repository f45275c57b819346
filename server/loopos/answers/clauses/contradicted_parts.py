"""Parts of a text that words added to it contradict: `box and cable` beside `no box`."""

from __future__ import annotations

from collections.abc import Sequence

from server import patterns
from server.loopos.answers.certainty import NEGATIONS, content, is_like
from server.loopos.answers.clauses.cut_texts import denies_thing, without_thing
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.clauses.item_facts import things_in
from server.loopos.answers.words import MOST_LETTERS, fold, tokens, without_debris

_CLAUSES = patterns.compile(r"(?<!\d)[,.;:!\n]+|[,.;:!\n]+(?!\d)|\s(?:mas|but)\s", patterns.IGNORECASE)
_PARTS = patterns.compile(r"(\s*[;,](?!\d)\s*|\.\s+|\s(?:e|and|mas|but)\s)", patterns.IGNORECASE)
_THERE = patterns.compile(
    r"\b(?:found|encontrei|achei|apareceu|apareceram|inclu\w+|included|comes? with|vai com|vem com|"
    r"(?:i|eu)? ?(?:do have|have|has|got|tenho|tem)|leva|traz|afinal ha|there is|theres|sim ha)\b"
)
"""Words that say of a thing that it is there."""
_GONE = patterns.compile(
    r"\b(?:lost|missing|perdi|perdid[oa]s?|perdeu|faltam?|sem|without|gone|deitei fora|threw|nem|neither|nor)\b"
)
_OWN = frozenset("i eu it ja tbm tb tambem also too".split())
_PRESENT, _ABSENT = True, False


def says_absent(clause: str) -> bool:
    """Return whether a clause says that its things are not there."""
    return _state_of(clause) is _ABSENT


def without_contradicted(text: str, words: str) -> str:
    """Return a text without its parts that say of a thing the opposite of what new words say of it.

    What tells a fault of the thing stays, and so does what tells more than the new words speak of: another cable.
    """
    if max(len(text), len(words)) > MOST_LETTERS:
        return text
    for clause in _CLAUSES.split(words):
        things, state = things_in(clause), _state_of(clause)
        for thing in sorted(things) if state is not None else ():
            left = _without_denied(text, thing) if state is _PRESENT else _without_listed(text, thing)
            text = text if _loses_more(text, left, clause) else left
    return text


def without_denied_lack(text: str, words: str) -> str:
    """Return a text without its parts that words behind `it is not missing` tell: `falta o i5`, `i5`."""
    said = content(tokens(words), NEGATIONS) if _NOT_LACKING.match(words) else []
    parts = text.split("; ")
    kept = [each for each in parts if not said or not (own := _words_of(each)) or not set(own) <= set(said)]
    return "; ".join(kept)


def without_lead_of_lack(words: str) -> str:
    """Return words without those before them which say that what a text lists is not missing."""
    return _NOT_LACKING.sub("", words)


_NOT_LACKING = patterns.compile(
    r"\W*(?:n[aã]o|n|(?:(?:it|that|this)['’]?s|is|isn['’]?t)(?:\s+not)?|not)\s+(?:(?:é|e|est[aá]|t[aá])\s+)?(?:(?:uma?|em|a)\s+)?"
    r"(?:faltar?|missing)\s*[,;:.]\s*(?:(?:mas|but|e|and)\s+)?(?=\w)",
    patterns.IGNORECASE,
)
"""Words that say that something is not missing, before what it is: `não é falta, o processador é i5`."""


def _loses_more(text: str, left: str, clause: str) -> bool:
    """Return whether what is left out of a text is another thing than that of which a clause speaks: each is told by
    words that the other has not.
    """
    lost, said = _unlike(_words_of(text), tokens(left)), _words_of(clause)
    return bool(_unlike(lost, said) and _unlike(said, lost))


def _unlike(words: Sequence[str], others: Sequence[str]) -> list[str]:
    return [each for each in words if not any(is_like(each, one) for one in others)]


def _words_of(part: str) -> list[str]:
    """Return the words of a part without those that say only that its things are there, or are not."""
    return content(tokens(_GONE.sub(" ", _THERE.sub(" ", fold(part)))), NEGATIONS | _OWN)


def _state_of(clause: str) -> bool | None:
    """Return whether a clause says that its things are there, or are not; None where it says neither."""
    if tells_fault(clause) and not _GONE.search(fold(clause)):
        return None
    if denies_thing(tokens(clause)) or _GONE.search(fold(clause)):
        return _ABSENT
    return _PRESENT if _THERE.search(fold(clause)) else None


def _without_listed(text: str, thing: str) -> str:
    rest = without_thing(text, thing)
    return text if rest is None else rest


def _without_denied(text: str, thing: str) -> str:
    """Return a text without its parts which say that this thing is not there."""
    parts = _PARTS.split(text)
    said = [at for at in range(0, len(parts), 2) if parts[at].strip()]
    kept = [at for at in said if not (_names(parts[at], thing) and _state_of(parts[at]) is _ABSENT)]
    left = "".join(parts[at] + "".join(parts[at + 1 : at + 2]) * (at != kept[-1]) for at in kept)
    return text if kept == said else without_debris(left)


def _names(part: str, thing: str) -> bool:
    return any(is_like(thing, each) for each in content(tokens(part)))
