"""Short answers that need no reading of their question: to leave it blank, and a yes that is not certain."""

from server import patterns
from server.loopos.answers.certainty import NODS
from server.loopos.answers.clauses.reminders import is_repeat
from server.loopos.answers.element import Element
from server.loopos.answers.refusals import Refused
from server.loopos.answers.words import is_unknown, tokens

_CLEARS = patterns.compile(
    r"(?:(?:nada|nao|no|nothing|please|por|favor) )*(?:apag[ae]r?|tir[ae]r?|remov[ae]r?|elimin[ae]r?|delete|remove|"
    r"erase|clear|take)(?: (?:isso|isto|la|it|this|that|out|por|favor|please))+"
)
"""A wish that no figure stands there."""
_HEDGED = patterns.compile(
    r"^\s*(?:(?:yes|yeah|yep|sim|ya)\b[\s,.]*)?"
    r"(?P<yes>(?:eu )?(?P<pt>a(?:ch|x)o|penso|creio|julgo|suponho)(?: (?:que|q|k|qe))? (?:sim|s)|"
    r"(?:i )?(?:think|believe|guess|suppose|reckon) (?:so|yes|yeah))\b[\s?.,;!]*",
    patterns.IGNORECASE,
)


def leaves_blank(element: Element, answer: str) -> bool:
    """Return whether the whole answer to a question for a number or a date wants nothing to stand there."""
    return element.is_figure and (
        is_unknown(answer) or _CLEARS.fullmatch(" ".join(tokens(answer))) is not None
    )


def spell_hedged_yes(answer: str) -> str:
    """Return an answer that begins with a yes which is not certain with that spelled out, and a comma behind it:
    `think so?? theres a sticker`, `axo q sim tenho d ver`.
    """
    found = _HEDGED.match(answer)
    if found is None:
        return answer
    rest = answer[found.end() :]
    return ("acho que sim" if found["pt"] else "I think so") + (f", {rest}" if rest else "")


def says_nothing(element: Element, answer: str) -> Refused | None:
    """Return why an answer has no value: it only refers to an earlier one, or is a yes or an `ok` where words are
    asked for.
    """
    if is_repeat(answer):
        return Refused("said_before")
    said = tokens(answer) if element.kind == "text" else []
    return Refused("empty") if said and NODS.issuperset(said) else None
