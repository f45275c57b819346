"""Wishes that a seller writes where a free text is asked: another price, a step back, another value of the item."""

from server import patterns
from server.languages import fold
from server.loopos.answers.amounts.price_words import removes_price
from server.loopos.answers.clauses.cut_texts import asks_to_cut, is_of_answer

_LONGEST = 300
"""So many letters of an answer are read: a wish is short."""
_SET = (
    r"(?:set|change|make|put|update|raise|lower|drop|"
    r"mud[ae]r?|alter[ae]r?|poe|ponha|met[ae]|coloc[ae]|baix[ae]|sobe|suba)"
)
_WISHES = patterns.compile(
    rf"\b{_SET}(?: (?:o|the|my|meu|asking)){{0,2}} (?:preco|price)\b(?: \w+){{0,3}} \d"
    r"|^(?:(?:o|the) )?(?:preco|price) (?:a|para|em|to|at) \d"
    r"|\b(?:go|going|get|take me|move) back\b.{0,30}\b(?:questions?|steps?|answers?|one)\b"
    r"|^(?:please |can (?:i|we|you) |could (?:i|we|you) |i want to |let'?s )*(?:go|take me) back\b"
    r"|\b(?:volta|voltar|volte|recuar|recue)\b.{0,30}\b(?:perguntas?|passos?|respostas?|atras|tras)\b"
    r"|^(?:(?:wait|hold on|hang on|sorry|actually|oops|espera|espere|afinal|desculp[ae]|ups|enganei me) )+"
    r"(?:(?:it'?s|it is|they'?re|e|sao) \w+(?: gb)? (?:and |e )?(?:not|nao)\b|"
    r"(?:it'?s |it is )?(?:not|nao)(?: e| sao)? \w+ (?:it'?s|it is|e|sao) \w)"
)


def asks_for_a_change(text: str) -> bool:
    """Return whether a text speaks of the price to set, of an earlier question or of a value that is another one.

    Such a text may still be meant as the answer: it is asked back.
    """
    read = text[:_LONGEST]
    wishes = _WISHES.search(fold(read)) is not None or removes_price(read)
    return wishes or asks_to_cut(read) or is_of_answer(read)
