"""Clauses of an answer about another part of the item than the one that its question asks for."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import content, doubts, opening
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.options.option_sides import valid_option
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import ProbableAnswer
from server.loopos.answers.words import fold, tokens

_ELSEWHERE = patterns.compile(
    r"\b(?:(?:on|in|at|near|around|to|of) (?:the |its |one )?(?:back|rear|frame|case|body|lid|"
    r"bottom|base|chassis|box|strap)|(?:na|no|nas|nos|da|do|das|dos) (?:parte de tras|traseira|verso|costas|moldura|"
    r"later(?:al|ais)|tampa|base|caixa|carcaca|corpo|fundo|aro)|atras|de tras|"
    r"(?:the|its) (?:back|rear|frame|lid)|[ao] (?:traseira|parte traseira|tampa(?: traseira)?|moldura|carcaca))\b"
)
"""Words that say where a fault is."""
_BETWEEN = patterns.compile(r"[,.;!?\n]+\s+|\b(?:but|mas)\b", patterns.IGNORECASE)
_CHOSEN = frozenset(("select", "boolean"))
_SCREEN = frozenset("ecra screen".split())
_COMES_WITH = frozenset("carregador charger caixa box fatura invoice".split())
"""Things that come with an item and are no part of it."""


def without_other_parts(element: Element, answer: str, own: set[str] | None = None) -> str:
    """Return the answer to a question about one part without what it says of others: of a screen without the faults
    elsewhere, of a charger without the clauses about the screen too.

    `own` are the words of the question. Nothing is left of an answer about other parts alone; the answer to any other
    question is returned as it is.
    """
    words = own or set(content(tokens(f"{element.label.pt} {element.label.en}")))
    is_thing = element.kind == "boolean" and not _COMES_WITH.isdisjoint(words)
    if own is None and not (is_thing or (element.kind in _CHOSEN and not _SCREEN.isdisjoint(words))):
        return answer
    parts = [part for part in _BETWEEN.split(answer) if part.strip()]
    kept = [part for part in parts if words & set(tokens(part)) or not _is_elsewhere(part, is_thing)]
    is_turned = not {"mas", "but"}.isdisjoint(tokens(answer))
    if is_thing and len(kept) < len(parts) and not is_turned and _NO.issuperset(tokens(" ".join(kept))):
        return ""  # `no, the screen is fine` denies what was said of the screen.
    return answer if len(kept) == len(parts) else ", ".join(map(str.strip, kept))


def judge_sound(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return that a screen has no marks, asked back, where an answer only says that it is fine."""
    says, after = opening(answer)
    said = fold(answer) if says is None else after
    clean = [each for each in element.options if label_key(each.label.en) == _NO_MARKS]
    if element.kind != "select" or len(clean) != 1 or not _IS_FINE.search(said) or tells_fault(answer):
        return None
    is_turned = doubts(tokens(said)) or "?" in answer
    return None if is_turned else ProbableAnswer(valid_option(clean[0], language))


_NO_MARKS = "no marks"
_IS_FINE = patterns.compile(
    r"\b(?:screens?|ecra)\b(?: [\w']+){0,3} "
    r"(?:fine|good|great|ok|okay|perfect|bem|bom|otimo|optimo|impecavel|perfeito)\b"
)
_NO = frozenset("no nao n nope nah".split())


def _is_elsewhere(part: str, is_thing: bool) -> bool:
    on_screen = is_thing and not _SCREEN.isdisjoint(tokens(part))
    return on_screen or (tells_fault(part) and _ELSEWHERE.search(fold(part)) is not None)
