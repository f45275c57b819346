"""Figures of an earlier time in the answer to a question for a number: `was 91 when I bought it, now it's 84`."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.element import Element
from server.loopos.answers.words import MOST_LETTERS

_COUNTS = "|".join(sorted(NUMBER_WORDS | {"one", "um", "uma"}, key=len, reverse=True))
_FIGURE = patterns.compile(rf"\d[\d.,]*+|\b(?:{_COUNTS})\b", patterns.IGNORECASE)
_NOW = r"(?:now|nowadays|today|these days|agora|hoje|atualmente|neste momento)"
_IS_NOW = patterns.compile(rf"\b{_NOW}\b", patterns.IGNORECASE)
_NEW = (
    r"(?:when (?:it was |i (?:got|bought) (?:it|them|this)|(?:brand )?new)(?: new)?|(?:from|as) new|"
    r"em nov[oa]s?|(?:quando|qd|qdo) (?:era |estava |tava )?nov[oa]s?|(?:quando|qd|qdo) (?:[oa] )?comprei)"
)
_PAST = patterns.compile(
    rf"\b(?:was|were|used to|had|started|originally|era|eram|estava|tava|tinha|costumava|{_NEW})\b",
    patterns.IGNORECASE,
)
_GONE = patterns.compile(rf"\b(?:used to|costumava|{_NEW})\b", patterns.IGNORECASE)
"""Words of a time that is over, which say nothing of today."""
_CLAUSES = patterns.compile(
    r"(?<=[,;.!])\s+|\s+(?=(?:so|but|and|mas|e|portanto|ent[aã]o)\s)"
    rf"|\s+(?={_NOW}\s(?:[^\W\d]+['’\s]+){{0,4}}\d)",
    patterns.IGNORECASE,
)
_CONCLUDES = (
    r"(?:(?:leaves|leaving|makes?|that['’]?s|that makes|in total|"
    r"portanto|ou seja|logo|ent[aã]o|por isso{so})\s)"
)
_ROUGHLY = (
    r"(?:(?:about|around|roughly|maybe|only|just|say|like|it['’]?s|its|"
    r"uns|umas|cerca de|talvez|s[oó]|[eé]|s[aã]o|d[aá])\s)*"
)
_CONCLUDED = {
    is_pt: patterns.compile(
        rf"\b{_CONCLUDES.format(so=more)}{_ROUGHLY}(?=(?:\d|(?:{_COUNTS})\b))", patterns.IGNORECASE
    )
    for is_pt, more in ((True, ""), (False, "|so"))
}
"""Words before the figure that a seller concludes from others; the Portuguese `so` is `only`."""
_HAD = patterns.compile(
    rf"\b(?:had|used to have|tinha|tive|havia)\s(?:\d+|(?:{_COUNTS})\b)", patterns.IGNORECASE
)
_LEFT_US = patterns.compile(
    r"\b(?:broke|lost|sold|gave|threw|died|partiu|partiram|parti|perdi|perdeu|vendi|dei|avariou|estragou|deitei)\b",
    patterns.IGNORECASE,
)
_MOST_THINGS = 20


def without_earlier_figures(element: Element, answer: str, language: str) -> str:
    """Return the answer to a question for a number without the figures of an earlier time, and without those from
    which another one is concluded: `was 300 in march, so about 350 now`.

    What was and of which nothing tells how it is now is no figure of today: `used to be 87`.
    """
    if element.kind != "number" or len(answer) > MOST_LETTERS:
        return answer
    concluded = _CONCLUDED[language == "pt"].search(answer)
    if concluded and _FIGURE.search(answer[: concluded.start()]):
        return f"about {answer[concluded.end() :]}"
    parts = _CLAUSES.split(answer)
    told = [each for each in parts if _FIGURE.search(each)]
    now = [each for each in told if _IS_NOW.search(each)]
    if now and any(_PAST.search(each) for each in told if each not in now):
        return " ".join(each for each in parts if each in now or each not in told)
    past = [each for each in told if _GONE.search(each)]
    has_lost = _is_of_things(element) and _HAD.search(answer) and _LEFT_US.search(answer)
    return _FIGURE.sub(" ", answer) if has_lost or (past and len(past) == len(told)) else answer


def _is_of_things(element: Element) -> bool:
    return element.max is not None and element.max <= _MOST_THINGS
