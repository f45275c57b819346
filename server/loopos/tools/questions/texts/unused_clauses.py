"""The clauses of the seller that nothing of the item holds: they are offered beside the field of the last text."""

from __future__ import annotations

from collections.abc import Iterator

from server import patterns
from server.languages import split_question
from server.loopos.answers.amounts.deal_words import SALE
from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.certainty import HEDGES, NODS, PRAISE, content, is_like
from server.loopos.answers.words import tokens
from server.loopos.tools.questions.item_questions import Questions

_MOST, _LONGEST = 5, 120
"""So many clauses are offered, the newest, each of at most so many characters."""
_MOSTLY = 0.5
"""A clause is held where answers have more of its words than this share."""
_FEWEST_LETTERS = 3
_BORDERS = patterns.compile(
    r"(?<!\d)[,.](?=\s|$)|[,.](?=\s|$)|[;:!?\n()\[\]]|\s[-–—]\s|\s(?=(?:but|mas)\s)", patterns.IGNORECASE
)
_LEAD = patterns.compile(
    r"^(?:(?:and|e|mas|but|also|tamb[eé]m|oh|ah|ok|okay|so|well|ent[aã]o)\b[\s,]*)+", patterns.IGNORECASE
)
_TALK = frozenset(
    "hi hello hey ola oi viva boa bom tarde dia noite quero queria gostava gostaria preciso want need help ajuda "
    "please favor thanks thank obrigado obrigada would like create item criar artigo another outro outra none nenhum "
    "nenhuma these destes change mudar alterar wait espera espere sorry desculpe desculpa afinal actually wrong errado "
    "mistake engano mean meant correction correcao question pergunta know sei think acho bought comprei comprado "
    "comprada price preco euro euros eur asking got have tenho tem has years year anos ano month meses mes ago nothing "
    "else nada mais menos ou all that tudo just only apenas continue next last passado passada like new novo nova nem "
    "looks look lembro remember idea ideia skip passo said disse say digo as como then they come pounds libras dollars "
    "real reais for and e".split()
)
"""Words of a clause that speaks of the sale or the talk, and tells nothing of the item."""


def unused_clauses(questions: Questions, text: str) -> tuple[str, ...]:
    """Return what the seller's messages tell and neither an answer, an option nor `text` holds, the oldest first.

    A client offers these clauses; none is kept before the seller adds it.
    """
    held = _held_words(questions, text)
    found = list[str]()
    for message in questions.draft.messages():
        clauses = [each for each in _clauses_of(questions, message) if not _is_held(each, held)]
        for clause in clauses:
            held += tokens(clause)
        found = [*clauses, *found]
    return tuple(found[-_MOST:])


def _clauses_of(questions: Questions, message: str) -> Iterator[str]:
    said = take_price(split_question(message)[0], questions.draft.language, None).rest
    for part in _BORDERS.split(said):
        clause = _LEAD.sub("", part.strip(" .,;-")).strip()
        if 0 < len(clause) <= _LONGEST:
            yield clause


def _held_words(questions: Questions, text: str) -> list[str]:
    """Return the words of the product, the options, the answers with their questions, and the text."""
    state = questions.draft.run.state
    labels = [f"{each.label.pt} {each.label.en}" for each in questions.asked]
    choices = [f"{one.label.pt} {one.label.en}" for each in questions.asked for one in each.options]
    options = [f"{name} {value}" for name, value in (state.get("options") or {}).items()]
    named = [str(state.get("product", "")), str(state.get("brand", ""))]
    return tokens(" ".join([*named, *options, *labels, *choices, *questions.shown.values(), text]))


def _is_held(clause: str, held: list[str]) -> bool:
    said = [each for each in content(tokens(clause)) if not _is_idle(each)]
    new = [each for each in said if not any(is_like(each, one) for one in held)]
    tells = any(each.isalpha() and len(each) >= _FEWEST_LETTERS for each in new)
    return not tells or len(new) < _MOSTLY * len(said)


def _is_idle(word: str) -> bool:
    return word in _TALK or word in SALE or word in HEDGES or word in PRAISE or word in NODS
