"""The demo model's decision: the option that the item's words name, by grades of condition or by shared words."""

from typing import Any

from rapidfuzz import fuzz

from server.demo.requests.given import GivenRequest, grade_of
from server.languages import fold

_NAMES = {
    "A": ("excellent", "excelente", "as new", "like new", "como novo", "a"),
    "B": ("good", "bom", "boa", "b"),
    "C": ("fair", "razoavel", "c"),
    "D": ("poor", "mau", "ma", "bad", "d"),
}
_YES = ("sim", "yes", "accept", "aceitar", "approve", "aprovar")
_NO = ("nao", "no", "reject", "recusar", "rejeitar", "refuse")


def answer(given: GivenRequest) -> dict[str, Any]:
    """Choose by the grade that is said, then by the words that options and item share, then the last option."""
    options: list[str] = given.request["options"]
    item = " ".join(str(given.request.get(name) or "") for name in ("item_context", "context"))
    chosen, why = _by_grade(options, item) or _by_words(options, item) or (None, "")
    if chosen is None:
        chosen = next((each for each in options if fold(each) in _NO), options[-1])
        reason = given.say(
            f"Nada na descrição decide; «{chosen}» é a opção mais prudente.",
            f"Nothing in the description decides; “{chosen}” is the most cautious option.",
        )
    else:
        reason = given.say(
            f"A descrição diz «{why}», o que corresponde a «{chosen}».",
            f"The description says “{why}”, which fits “{chosen}”.",
        )
    return {"decision": chosen, "reasoning": f"{reason} {given.label}"}


def _by_grade(options: list[str], item: str) -> tuple[str, str] | None:
    named = {grade: each for grade, names in _NAMES.items() for each in options if fold(each) in names}
    grade = grade_of(item)
    if grade is None or len(named) < 2:  # noqa: PLR2004 - one of them may be a word like any other
        return None
    order = "ABCD"
    nearest = min(named, key=lambda each: (abs(order.index(each) - order.index(grade)), -order.index(each)))
    return named[nearest], _NAMES[grade][0]


def _by_words(options: list[str], item: str) -> tuple[str, str] | None:
    if {fold(each) for each in options} <= {*_YES, *_NO}:
        return None
    words = fold(item)
    scored = [(fuzz.token_set_ratio(fold(each), words), each) for each in options]
    score, best = max(scored, key=lambda each: each[0])
    shared = [word for word in fold(best).split() if word in words.split()]
    return (best, " ".join(shared)) if score >= 60 and shared else None  # noqa: PLR2004
