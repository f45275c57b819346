"""A text that the seller cuts down: the part to go is named by its words, the rest stays as it was written."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.words import MOST_LETTERS, fold, tokens

_TAKE_OUT = patterns.compile(
    r"(?:^|[,.;:!]\s*)(?:(?:n[aã]o|no|sim|yes|ok|please|por favor|pf|mas|but|and|e|can you|could you|podes?|podem)\b"
    r"[\s,.:]*)*(?:tir[ae]r?|retir[ae]r?|remov[ae]r?|remove|apag[ae]r?|elimin[ae]r?|delete|(?:drop|cut)(?= the\b)|"
    r"(?:take|leave|cut) out|take away|get rid of)\s+(?P<what>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_NO_THING = patterns.compile(
    r"^(?:(?:n[aã]o|no|sim|yes|ok|mas|but|well|wait|espere?|afinal|actually|sorry|desculpe|e|and)\b[\s,.:]*)*"
    r"(?P<what>(?!(?:isso|isto|ele|ela|that|this|it)\s+(?:n|is))[^,.;:!?\n]{2,60}?)\s+"
    r"(?:n(?:[aã]o)?\s+(?:é|e|s[aã]o|contam? como)|"
    r"(?:is|are)n['’]?t|(?:is|are) not|(?:do|does)(?:n['’]?t| not) count as)\s+"
    r"(?:(?:um[as]?|uns|an?|the|part of the|real|really)\s+)*(?:acess[oó]rios?|accessor(?:y|ies)|extras?)\b"
    r"[\s,.;:!]*(?P<rest>.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""A text's part that is no accessory, and what the text is to have instead."""
_ALONE = patterns.compile(
    r"^(?:(?:e|and|mas|but|fica|ficam|é|s[aã]o|vai|it['’]?s|there['’]?s|leave|keep|s[oó]|apenas|somente|just|only)\b[\s,:]*)*",
    patterns.IGNORECASE,
)
_PART = patterns.compile(
    r"^(?:(?:isso|isto|that|this|s[oó]|just|only|(?:a|o|the) (?:parte|frase|palavra|bocado|part|bit|words?|sentence)|"
    r"d[aeo]s?|sobre|about|of|that says|with|que diz|onde diz|where it says|o|a|os|as|the)\s+)*",
    patterns.IGNORECASE,
)
_OUT_OF = patterns.compile(
    r"\s+(?:d[ao] (?:texto|nota|resposta)|das notas|from (?:the|my) (?:text|notes?|answer)|out|please|por favor|pf)$",
    patterns.IGNORECASE,
)
_BORDERS = (
    patterns.compile(r"(\s*(?:[;\n]|[,.](?!\d))\s*)"),
    patterns.compile(r"(\s*(?:[;\n]|[,.](?!\d)|\b(?:e|and)\b)\s*)"),
)
"""A part is a sentence or a thing of a list; where nothing else would be left, also what `and` joins."""
_HALF = 0.5


def asks_to_cut(message: str) -> bool:
    """Return whether a message says to take a part out of something that was written."""
    return len(message) <= MOST_LETTERS and _named_part(message) is not None


def without_no_thing(text: str) -> str:
    """Return what is left of a text that says of a part that it is no accessory: `not an accessory, just the box`.

    Nothing is left where it says only that; the text itself where it says nothing of the kind.
    """
    found = _NO_THING.match(text) if len(text) <= MOST_LETTERS else None
    return text if found is None else _ALONE.sub("", found["rest"]).strip()


def _named_part(message: str) -> str | None:
    """Return the words of the part that is to go."""
    found = _NO_THING.match(message) or _TAKE_OUT.search(message)
    return None if found is None else found["what"]


def cut_text(text: str, message: str) -> str | None:
    """Return what is left of a text without the part that a message says to take out.

    None where the message says nothing of the kind, names no part of the text, or nothing would be left.
    """
    part = _named_part(message) if max(len(message), len(text)) <= MOST_LETTERS else None
    if part is None:
        return None
    named = tokens(_OUT_OF.sub("", _PART.sub("", part.strip(" .!\"'«»“”"))))
    wanted = content(named) or named
    left = (_without_part(border.split(text), wanted) for border in _BORDERS)
    return next((each for each in left if each), None)


def _without_part(parts: list[str], wanted: list[str]) -> str:
    """Return parts, between which their borders stand, without those that have most of the wanted words."""
    scores = [_share_of(wanted, tokens(part)) for part in parts[::2]]
    best = max(scores, default=0.0)
    kept = [at for at, score in enumerate(scores) if score < best and parts[2 * at].strip()]
    if best < _HALF or not kept:
        return ""
    left = "".join(parts[2 * at] + (parts[2 * at + 1] if at != kept[-1] else "") for at in kept)
    return left.strip(" ,;\n")


def _share_of(wanted: list[str], said: list[str]) -> float:
    """Return how many of the wanted words a part has: 0 to 1."""
    return sum(any(is_like(word, each) for each in said) for word in wanted) / len(wanted) if wanted else 0.0


def is_of_answer(text: str) -> bool:
    """Return whether a text speaks of an answer or a question of this talk: `na resposta dos danos pus sim`."""
    return named_answer(text) is not None


def named_answer(text: str) -> str | None:
    """Return the folded words by which a text names an answer of this talk, and all behind them."""
    found = _OF_ANSWER.search(fold(text[:MOST_LETTERS]))
    return None if found is None else found["words"]


_OF_ANSWER = patterns.compile(
    r"\b(?:resposta|pergunta|answer|question)s? (?:que )?(?:d[aeo]s?|sobre|se|about|on|for|of|to|whether|if|where) "
    r"(?P<words>\w.*)",
    patterns.DOTALL,
)
