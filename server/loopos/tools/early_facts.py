"""Facts that the seller gave before their question: the seller confirms them, and no tool stores them unconfirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from server.loopos.answers import (
    Element,
    ProbableAnswer,
    Refused,
    Valid,
    judge,
    tells_other_currency,
    told_price,
    without_price,
)
from server.loopos.answers.certainty import is_like
from server.loopos.answers.words import tokens
from server.loopos.tools.draft import Draft

_CLAUSES = re.compile(
    r"(?:(?<!\d)[,.](?!\d)|[,.](?=\s|$))(?!\s*(?:mas|but)\b)|[;!?\n]|\b(?:e|and|com|with)\b", re.IGNORECASE
)
_PARTS = re.compile(r"[,;!\n]|\.(?=\s|$)|(?<=\?)|\b(?:com|with)\b|(?=\b(?:sem|without)\b)", re.IGNORECASE)
"""The borders of what may list things: `com` opens a list, and `sem` belongs to one."""
_SENTENCES = re.compile(r"(?<=[.;!?])\s+|\n")
_LISTED = re.compile(
    r"\b(?:lev[ao]|v(?:ai|em|ão|êm) com|inclu[io]|traz|tr[aá]s|includes?|(?:comes?|goes) with|it has|tem|tenho)\s++"
    r"(?P<things>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""A verb of listing and all behind it, in words without a question mark."""
_AFTER_LIST = re.compile(
    r"[.;!].*|(?:,|(?<!\s))\s++(?:(?:e|and|mas|but)\s++)?(?:comprad\w+|comprei|bought|est[aá]o?|funciona|works?|"
    r"pe[cç]o|quero|queria|asking|i want|(?:por|for)\s+\d|em\s+(?:bom|muito|\d)|"
    r"in (?:good|great|very)|is\b|are\b|it'?s\b).*",
    re.IGNORECASE | re.DOTALL,
)
"""What follows a list and belongs to it no more."""
_LEAD = re.compile(
    r"^(?:(?:e|and|mas|but|sim|yes|it|ele|ela|tb|tamb[eé]m|also|ainda|still|tem|tenho|has|have|i|com|with)\b\s*)+",
    re.IGNORECASE,
)
_SELLING = re.compile(r"\b(?:vend[eo]r?|sell(?:ing)?)\b", re.IGNORECASE)
MOST_WORDS = 16
"""A longer clause talks of more than things."""
_CONTRAST = re.compile(r"\b(?:mas|but)\b", re.IGNORECASE)
_WORDS = {
    "number": "bateria battery",
    "date": "comprei comprado comprada compramos bought purchased",
    "select": "estado condition shape",
    "boolean": "ecra screen",
    "text": "caixa box carregador charger cabo cable capa case jogos games acessorios accessories missing falta",
}
"""Words that a clause needs beside the unit before it may answer a question of this kind."""
_TELLING = (
    frozenset("contas accounts bloqueado bloqueada locked icloud".split()),
    frozenset("funciona funcionam work works working liga ligam turn start dead".split()),
)
"""Words of which a question has one, and a clause that tells of it has one or another."""
_BOUGHT = frozenset("comprou buy".split())


def early_fact(draft: Draft, element: Element) -> Valid | None:
    """Return the one value that earlier messages tell of this question; None where they tell none, or several."""
    return (
        _early_price(draft)
        if element.kind == "price"
        else told_fact(element, draft.earlier_messages(), draft.language)
    )


def told_fact(element: Element, messages: Sequence[str], language: str) -> Valid | None:
    """Return the one value that messages tell of a question.

    Only a clause that says what it is about counts: a bare number or a bare word answers what was asked then.
    """
    today = datetime.now(UTC).date()
    values: dict[str, Valid] = {}
    topic = _topic(element)
    if not topic:
        return None
    if element.kind == "text":
        return _told_things(element, topic, messages, language)
    for message in messages:
        for clause in _CLAUSES.split(message):
            # What a contrast divides is one answer (`it works, but ...`), unless only its end is.
            parts = [part for part in (clause, _CONTRAST.split(clause)[-1]) if _tells_of(topic, part)]
            found = [judge(element, part, language, today) for part in parts]
            judged = next((each for each in found if not isinstance(each, Refused)), None)
            if judged is None or isinstance(judged, Refused):
                continue
            guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
            if not guess.skipped:
                values.setdefault(str(guess.value), guess)
    return next(iter(values.values())) if len(values) == 1 else None


def _told_things(
    element: Element, topic: frozenset[str], messages: Sequence[str], language: str
) -> Valid | None:
    """Return the clauses that name things which the question asks for, in the order in which they were written."""
    told = [part for each in reversed(messages) for part in _things(topic, each, language)]
    judged = judge(element, ", ".join(dict.fromkeys(told)), language, datetime.now(UTC).date())
    return judged if isinstance(judged, Valid) and not judged.skipped else None


def _things(topic: frozenset[str], message: str, language: str) -> list[str]:
    """Return the parts of a message that name such things: all of a list (`it comes with ...`), or one clause."""
    found: list[str] = []
    for sentence in _SENTENCES.split(message):
        listed = _LISTED.search(sentence.rpartition("?")[2])
        if listed and _tells_of(topic, listed["things"]):
            parts = [_AFTER_LIST.sub("", listed["things"])]
        else:
            parts = [_LEAD.sub("", part.strip()) for part in _PARTS.split(sentence)]
        found += [part.strip(" ,;") for part in parts if _tells_of(topic, part) and not _is_talk(part)]
    return [kept for part in found if (kept := without_price(part, language))]


def _is_talk(part: str) -> bool:
    return part.endswith("?") or _SELLING.search(part) is not None or len(part.split()) > MOST_WORDS


def _tells_of(topic: frozenset[str], clause: str) -> bool:
    return any(is_like(word, each) for word in tokens(clause) for each in topic)


def _early_price(draft: Draft) -> Valid | None:
    """Return the amount that the newest message with one asks for the item; the seller may have changed it."""
    told = (told_price(message, draft.language) for message in draft.messages())
    return next((each for each in told if each is not None), None)


def has_foreign_price(draft: Draft) -> bool:
    """Return whether the seller asked a price in another currency, so that the price in euro is to be asked."""
    return any(map(tells_other_currency, draft.earlier_messages()))


def _topic(element: Element) -> frozenset[str]:
    """Return the words by which a clause says that it speaks of this question."""
    label = frozenset(tokens(f"{element.label.pt} {element.label.en}"))
    if element.kind == "date" and not label & _BOUGHT:
        return frozenset()
    words = frozenset(_WORDS.get(element.kind, "").split())
    if element.kind == "text":
        hint = frozenset(tokens(f"{element.hint.pt} {element.hint.en}")) if element.hint else frozenset[str]()
        return words & (label | hint)
    if element.kind == "select" and (telling := [each for each in _TELLING if label & each]):
        return telling[0]
    if element.kind == "date":
        return words
    unit = tokens(f"{element.unit.pt} {element.unit.en}") if element.unit else []
    return (words & label) | frozenset(each for each in unit if each.isalpha() and len(each) > 1)
