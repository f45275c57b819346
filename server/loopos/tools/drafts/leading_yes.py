"""A yes in a part of its own, before words about something else: the yes counts, whatever the words are."""

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid, confirms, speaks_of, without_price
from server.loopos.answers.amounts.number_words import split_number
from server.loopos.answers.certainty import NEGATIONS, content, opening
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.words import fold, tokens
from server.loopos.tools.drafts.words_behind_yes import BESIDE
from server.text_reading.wishes.agreements import after_yes

_FEWEST = 2
"""So many words of their own have words about something else: `na verdade não` is about the answer."""
_TURNS = frozenset(
    "actually afinal verdade realidade wait espera espere sorry desculpe mean think acho now agora".split()
)
_ALL = frozenset(
    "all everything nothing none both tudo todo toda todos todas nada nenhum nenhuma ambos ambas whole other others "
    "outro outra outros outras".split()
)
"""Words of how much is there, or of another one: they are about the answer."""
_PARTS = patterns.compile(r"[.!;\n]\s+")
_OF_OTHERS = patterns.compile(r"\b(?:19|20)\d\d\b|\b\d+ ?%")
"""Figures that no option of a product has: years and parts of a hundred."""


def says_yes_first(element: Element, kept: Valid, message: str, language: str) -> bool:
    """Return whether a message agrees to the answer that waits (`kept`) in its first sentence, and all behind it is
    about something else than this question: `yes. I bought it at the corner shop` at the minutes of a charge.

    Behind a yes to a number or date there is no other figure than a price, behind one to an option none but years and
    percents. Where the answer has a note, a yes that
    repeats it, or says that the rest is there, agrees to it: `sim, falta a espátula` to a no because of that.
    """
    if element.kind in ("text", "price") or kept.deal_breaker:
        return False
    note = BESIDE.search(kept.shown)
    if note and _agrees_to_note(note[1], message):
        return True
    first, rest = [*_PARTS.split(message, maxsplit=1), ""][:2]
    if confirms(first, language) != (True, "") or not rest.strip():
        return False
    figures = without_price(rest, language)
    if element.id.startswith("option:"):
        figures = _OF_OTHERS.sub(" ", figures)
        counts = split_number(tokens(figures))[0] is not None or any(map(str.isdigit, figures))
    else:
        counts = element.kind in ("number", "date") and any(map(str.isdigit, figures))
    told = [each for each in content(tokens(rest), NEGATIONS) if each not in _TURNS]
    of_answer = _ALL.union(content(tokens(note[1])) if note else ())
    is_of_it = not of_answer.isdisjoint(tokens(rest))
    return len(told) >= _FEWEST and not (is_of_it or counts or tells_fault(rest) or speaks_of(element, rest))


def _agrees_to_note(note: str, message: str) -> bool:
    """Return whether a clause behind a yes has all words of the note, or says that the rest is there; neither counts
    where it denies or tells a fault that the note does not.
    """
    agreed = after_yes(message)
    if agreed is None or opening(message)[0] is False:
        return False
    words, denials = set(content(tokens(note), NEGATIONS)), NEGATIONS.intersection(tokens(note))
    for clause in map(str.strip, _CLAUSES.split(agreed)):
        said = set(tokens(clause))
        if bool(words) and words <= said and NEGATIONS.intersection(said) <= denials:
            return True
        if _REST.match(fold(clause)) and NEGATIONS.isdisjoint(said) and not tells_fault(clause):
            return True
    return False


_CLAUSES = patterns.compile(r"[.!;,\n](?:\s+|$)")
_REST = patterns.compile(
    r"(?:(?:all|and|e|tod[oa]s?)\s)*(?:the (?:rest|others?)|everything else|tudo o resto|o resto|[oa]s outr[oa]s)\b"
)


def adds_note(kept: Valid, found: object) -> bool:
    """Return whether what was judged is the answer that waits, with words beside it."""
    guess = found.guess if isinstance(found, ProbableAnswer) else found
    return isinstance(guess, Valid) and guess != kept and guess.shown.startswith(kept.shown)
