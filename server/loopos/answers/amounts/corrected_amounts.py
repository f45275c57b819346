"""Amounts that the seller corrects within one message: of `120 euros... no, 110` the last one counts."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.words import MOST_LETTERS

ANY_NUMBER_WORD = rf"(?:{'|'.join(sorted(NUMBER_WORDS, key=len, reverse=True))})"
SPELLED = rf"{ANY_NUMBER_WORD}(?:\s++(?:e\s++|and\s++)?{ANY_NUMBER_WORD})*+"
"""A number in words."""
NOT_IN_NUMBER = rf"(?<!\b{ANY_NUMBER_WORD}(?=\s(?:e|and)\s{ANY_NUMBER_WORD}\b))"
"""What stands before a blank that is in no number in words: `six hundred and fifty`."""
_NUMBER = rf"(?:\d++(?:[.,]\d++)*+(?:\s?(?:k|mil)\b)?|\b{SPELLED}\b)"
_EURO = r"(?:\s?(?:€|(?:e|euros?|eur|paus|cash)\b))"
_AMOUNT = rf"€?\s?{_NUMBER}{_EURO}?"
_SIGHS = r"(?:ah|ai|eh|oh|uh|ui|hm+)"
_NO = (
    r"(?:n(?:[aã]o|o|ope)?\b(?=\s*[,.:;!…–—-]|\s+(?:{again}))"
    r"|(?<=\b(?:ah|ai|eh|oh|uh|ui)\s)n(?:[aã]o|o|ope)\b)"
)
"""A no that a mark parts from the amount behind it, or one behind a sigh: `450. oh no 420`."""
_AGAIN = (
    r"wait|hang on|hold on|esper[ae]\w*|ali[aá]s|afinal|actually|make (?:it|that)|(?:or )?rather|(?:ou )?melhor|"
    r"quer dizer|quero dizer|i mean|i meant|digo|corrijo|desculp\w*|sorry|ponham?|p[oõ]e|mete|fica|let'?s say|"
    r"scratch that|o+ps|ups|whoops|hm+|or say|ou digamos|ou ent[aã]o"
)
_BORDER = r"[\s,.:;!…–—-]"
_ENDS = (
    r"(?=\s*(?:$|[^\w\s%]|(?:for (?:it|this|that|both)|por|please|thanks|obrigad\w|then|ent[aã]o|instead|actually|"
    r"afinal|e|and|but|mas|ou|or|n[aã]o|not|neg\w*|ono|obo|fix[oa]|fixed|firme?|final)\b))"
)
"""What stands behind an amount that counts no thing."""
_CORRECTED = patterns.compile(
    rf"(?<![\w.,])(?P<old>{_AMOUNT}(?:\s(?:ou|or|a|to|e)\s{_AMOUNT})?)(?:\s(?:for it|por (?:ele|ela|isso)))?"
    rf"{_BORDER}++(?:(?:{_SIGHS}|mas|but|e|and|or|ou)\b{_BORDER}*)?"
    rf"(?:(?:{_NO.format(again=_AGAIN)}|{_AGAIN})\b{_BORDER}*+)+"
    rf"(?:(?:por|for|os|uns|about|a|em|at|to|s[oó]|just)\s)*(?P<new>€?\s?{_NUMBER})(?:(?P<euro>{_EURO})|{_ENDS})",
    patterns.IGNORECASE,
)
"""An amount, words that take it back, and the amount that is meant."""
_SAYS = r"(?:said|told (?:you|u)|asked|wrote|disse|pedi|tinha (?:dito|pedido)|escrevi)"
_SAID = rf"\b(?:(?:i|eu)\s)?{_SAYS}\s(?:(?:os|uns|about|for)\s)?"
_AGREED = r"(?:ok(?:ay)?|fine|pronto|v[aá]|t[aá] bem|est[aá] bem|alright|pode ser|now|agora)"
_TURN = rf"{_BORDER}++(?:but|mas|por[eé]m|(?:e |and )?(?:now|agora))\b{_BORDER}*"
_SAID_BEFORE = patterns.compile(
    rf"(?:{_SAID}{_AMOUNT}{_TURN}(?:{_AGREED}\b{_BORDER}*)*|(?<![\w.,]){_AMOUNT}{_TURN}(?:{_AGREED}\b{_BORDER}*)+)"
    rf"(?=(?:[^\W\d]+['’\s]){{0,4}}€?\s?{_NUMBER}(?:{_EURO}|{_ENDS}))",
    patterns.IGNORECASE,
)
"""An amount that was said before another one: of `i said 180 but ok 170` the last counts."""
_FORGOTTEN = patterns.compile(
    rf"(?:{_BORDER}|\b(?:e|and|mas|but|so|ent[aã]o)\s)*+\b(?:esque[cç]\w*(?:-se)?|forget|ignor[ae]\w*|disregard|"
    r"never ?mind|scrap|deixa l[aá]|(?:n[aã]o|nao) ligu?es? a)\s"
    rf"(?:(?:about|d?os|d?o|the|aqueles|esses|those|that|what i said,?|pre[cç]o|price|de|of)\s)*+{_AMOUNT}(?!\w)"
    rf"(?:\s(?:de h[aá] pouco|de antes|anteriores|from before|before|i said|que disse))?{_BORDER}*+",
    patterns.IGNORECASE,
)
"""An amount that is to be forgotten: `final price 145, forget the 130`."""
NOT_ASKED = patterns.compile(
    r"\b(?:pagu?ei|comprei|custou|custaram|cost|bought|paid|nov[oa]s?|new|vale|worth|(?:em|in|desde|since|from)\s*$)[^,.;!?]*$",
    patterns.IGNORECASE,
)
"""The words of the clause before an amount that was paid, or before a year."""
_IN_EURO = patterns.compile(r"€|(?:e|euros?|eur|paus|cash)$", patterns.IGNORECASE)
_MOST_CORRECTIONS, _MOST_BEFORE = 3, 100


def without_corrected(text: str) -> str:
    """Return a text without the amounts that it takes back and the words that do so; the last amount is in their place.

    A text of more than MOST_LETTERS stays as it is.
    """
    is_short = len(text) <= MOST_LETTERS
    text = without_forgotten(_SAID_BEFORE.sub("", text)) if is_short else text
    for _ in range(_MOST_CORRECTIONS if is_short else 0):
        meant = _CORRECTED.sub(_meant, text)
        if meant == text:
            break
        text = meant
    return text


def without_forgotten(text: str, is_known: bool = False) -> str:
    """Return a text without the amounts that it says to forget, where it has another one, the price is known, or it
    says nothing else.
    """
    if _FORGOTTEN.search(text) is None:
        return text
    left = _FORGOTTEN.sub(", ", text).strip(" ,")
    return left if is_known or not left or _ANY.search(left) else text


_ANY = patterns.compile(_NUMBER, patterns.IGNORECASE)


def _meant(found: patterns.Match[str]) -> str:
    """Return the amount that is meant, with the currency of the one before it."""
    if NOT_ASKED.search(found.string, max(0, found.start() - _MOST_BEFORE), found.start()):
        return found[0]
    said = found["new"] + (found["euro"] or "")
    is_bare = _IN_EURO.search(said) is None and _IN_EURO.search(found["old"].strip()) is not None
    return said.strip() + " euros" * is_bare
