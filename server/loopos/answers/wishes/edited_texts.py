"""A text after the wishes of a message: the parts that are to go are gone, what is to come stands behind the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from server import patterns
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.clauses.cut_texts import cut_named, cut_text
from server.loopos.answers.clauses.replaced_words import with_replaced
from server.loopos.answers.wishes.text_wishes import TextWish
from server.loopos.answers.words import tokens, without_debris


@dataclass(frozen=True)
class EditedText:
    """A text, and the wishes that it does not fulfil."""

    text: str
    left: tuple[TextWish, ...]


def edit_text(text: str, wishes: Iterable[TextWish], question: Sequence[str]) -> EditedText:
    """Return a text without the parts that are to go, and with those that stand instead of others.

    `question` are the words of its question. A part that is not clear stays, and its wish is left.
    """
    left = list[TextWish]()
    for wish in wishes:
        edited = _cut(text, wish.words, question) if wish.kind == "gone" else _replace(text, wish, question)
        if edited is None:
            left.append(wish)
        else:
            text = edited
    return EditedText(text, tuple(left))


def names_whole(text: str, what: str) -> bool:
    """Return whether words name all of a text of one part."""
    wanted = content(tokens(_bare(what)))
    there = all(any(is_like(word, each) for each in tokens(text)) for word in wanted)
    return bool(wanted) and there and _PARTS.search(text) is None


_PARTS = patterns.compile(r"[;,\n]|\s(?:e|and|mas|but)\s", patterns.IGNORECASE)
"""A border in a text that has more than one part."""


def names_several(what: str) -> bool:
    """Return whether words name more than one part that is to go."""
    return (
        len([each for each in _JOINTS.split(what) if tokens(each)]) >= _SEVERAL or what.count('"') > _SEVERAL
    )


def _cut(text: str, what: str, question: Sequence[str]) -> str | None:
    """Return a text without a part, or without each of those that `and` joins; None where one is unclear."""
    whole = cut_named(text, what, question)
    pieces = [each.strip(' .!"«»“”') for each in _JOINTS.split(what)]
    pieces = [each for each in pieces if tokens(each)]
    if len(pieces) < _SEVERAL and '"' not in what:
        return whole
    for piece in pieces:
        cut = (
            _without_quoted(text, piece)
            if _is_quoted(piece, what)
            else cut_named(text, _bare(piece), question)
        )
        if cut is None:
            return whole
        text = cut
    return text


_SEVERAL = 2
_JOINTS = patterns.compile(r"\s+(?:and|e|nor|nem)\s+|\s*,\s*|(?<=[\"»”])\s+", patterns.IGNORECASE)
_LEAD = patterns.compile(
    r"^(?:(?:the|that|o|a|os|as|also|tamb[eé]m)\s+)+|\s+(?:bit|part|thing|line|too|tamb[eé]m)$",
    patterns.IGNORECASE,
)


def _bare(piece: str) -> str:
    return _LEAD.sub("", piece) if content(tokens(_LEAD.sub("", piece))) else piece


def _is_quoted(piece: str, what: str) -> bool:
    return any(f"{before}{piece}{behind}" in what for before, behind in ('""', "«»", "“”"))


def _without_quoted(text: str, words: str) -> str | None:
    """Return a text without these words, which stand there once, whatever is around them."""
    place = patterns.compile(rf"(?<!\w){patterns.escape(words)}(?!\w)", patterns.IGNORECASE)
    return without_debris(place.sub("", text)).strip(" ,;") or None if len(place.findall(text)) == 1 else None


def _replace(text: str, wish: TextWish, question: Sequence[str]) -> str | None:
    return with_replaced(text, wish.words) or (
        cut_text(text, wish.words, question) if wish.is_plain else None
    )
