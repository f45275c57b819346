"""Parts of a text that words added to it contradict: `box and cable` beside `no box`."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import content, is_like
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
_PRESENT, _ABSENT = True, False


def without_contradicted(text: str, words: str) -> str:
    """Return a text without its parts that say of a thing the opposite of what new words say of it.

    What tells a fault of the thing stays.
    """
    if max(len(text), len(words)) > MOST_LETTERS:
        return text
    for clause in _CLAUSES.split(words):
        things, state = things_in(clause), _state_of(clause)
        for thing in sorted(things) if state is not None else ():
            text = _without_denied(text, thing) if state is _PRESENT else _without_listed(text, thing)
    return text


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
