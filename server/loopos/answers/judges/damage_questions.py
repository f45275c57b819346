"""Questions whether there is none of something, as `is the piece undamaged?`: what is told of it contradicts a yes."""

from __future__ import annotations

from datetime import date

from server import patterns
from server.loopos.answers.certainty import (
    CONTRASTS,
    HEDGES,
    NEGATIONS,
    POLITE,
    PRAISE,
    content,
    is_like,
    opening,
    plain_words,
)
from server.loopos.answers.clauses.faults import denies_faults, fault_clauses, tells_fault
from server.loopos.answers.element import Element
from server.loopos.answers.judges.choice_judge import judge_choice
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.judges.option_remarks import note_remark
from server.loopos.answers.judges.other_parts import without_other_parts
from server.loopos.answers.options.examples import NEAR, nearest_option
from server.loopos.answers.options.option_sides import among, leads, valid_option
from server.loopos.answers.options.synonyms import label_key
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import fold, tokens

_NONE = frozenset("sem without undamaged".split())
_THERE = frozenset("tem ha has have does there temos".split())
"""Verbs of a yes that say that something is there."""
_BARE = _THERE | POLITE | frozenset("it are is pois some alguns algumas uns umas um uma o a".split())
_WITH_FAULTS = "it works with faults"


def asks_for_none(element: Element) -> bool:
    """Return whether a yes to the question says that there is no damage, and another option says which there is."""
    label = tokens(f"{element.label.pt} {element.label.en}")
    if element.kind != "select" or _NONE.isdisjoint(label):
        return False
    keys = [label_key(each.label.en) for each in element.options]
    return _WITH_FAULTS not in keys and any(leads(each) for each in element.options)


def say_what_is_there(
    element: Element, answer: str, judged: Judgement, language: str, today: date
) -> Judgement:
    """Return the option of the damage that stands behind a yes, asked back; of a yes that only says that something is
    there (`sim, tem`) which option it is.
    """
    says, after = opening(answer)
    if says is False or isinstance(judged, Refused) or not asks_for_none(element):
        return judged
    rest, label = (
        plain_words(after if says else answer, language),
        set(tokens(f"{element.label.pt} {element.label.en}")),
    )
    if _THERE.intersection(rest) and _BARE.issuperset(rest) and label.isdisjoint(_THERE.intersection(rest)):
        return among(list(element.options), language)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if not any(leads(each) for each in element.options if each.value == guess.value):
        return judged
    told = fault_clauses(answer)
    if not told and leaves_out(element, answer):
        return among(list(element.options), language)
    is_there = any(not _THERE.isdisjoint(tokens(each)) for each in told)
    unclear = among(list(element.options), language) if is_there else judged
    return (told_damage(element, answer, language, today) if told else None) or unclear


def judge_fault_words(element: Element, answer: str, language: str) -> ProbableAnswer | Refused | None:
    """Return the yes to such a question of an answer that denies what the other options say: `nenhum desvia`.

    It is asked back. Of a yes that says the fault (`sim, desvia`) it is asked which option it is. None where the answer
    names a side that an option has, turns, or asks.
    """
    if not asks_for_none(element) or "?" in answer:
        return None
    if _says_all_sound(element, answer):
        return ProbableAnswer(valid_option(next(each for each in element.options if leads(each)), language))
    says, after = opening(answer)
    words = plain_words(answer if says is None else after, language)
    others = [each for each in element.options if not leads(each)]
    told = {
        word for each in others for word in content(tokens(f"{each.label.pt} {each.label.en}"))
    } - NEGATIONS
    faults = {word for word in _nouns(element) for each in told if is_like(word, each)}
    faults |= {word for word in told if _is_among(word, faults)}
    faults |= {word for word in told if _is_among(word, faults)}  # `desvio`, then `desvia`, then `desviam`.
    sides = {word for word in told if not _is_among(word, faults)} - _BOTH
    if not faults or not CONTRASTS.isdisjoint(words) or not (sides.isdisjoint(words) or _denies_all(answer)):
        return None
    names_it, is_denied = any(_is_among(word, faults) for word in words), not NEGATIONS.isdisjoint(words)
    if says:
        return among(others, language) if names_it and not is_denied else None
    is_all = _NEITHER.issuperset(words)
    counts_both = not _BOTH.isdisjoint(words) and _ALL.isdisjoint(words)
    if not is_denied or not (names_it or is_all) or counts_both:
        return None
    agreeing = [each for each in element.options if leads(each)]
    return ProbableAnswer(valid_option(agreeing[0], language)) if len(agreeing) == 1 else None


def _denies_all(answer: str) -> bool:
    """Return whether an answer is one clause that denies a list: `never seen any dust or spots`."""
    return _NO_LIST.fullmatch(fold(answer).strip(" .!")) is not None


_NO_LIST = patterns.compile(
    r"(?:(?:i|ive|i have|eu|ha|tem|theres|there is|there was) )*(?:no|not|never|havent|have not|didnt|without|zero|"
    r"nunca|nao|n|sem|nenhum\w*)(?: (?!(?:only|just|so|apenas|com|with|has|but|mas)\b)\w+){1,6}"
    r"(?: (?:or|nor|ou|nem)(?: (?!(?:only|just|so|apenas|com|with|has|but|mas)\b)\w+){1,3}){1,3}"
)


def _says_all_sound(element: Element, answer: str) -> bool:
    """Return whether each clause says of a thing that it is well or works, and one names what the question asks about:
    `o travão funciona lindamente, a estrutura não tem nada`. A past without accidents is not told so.
    """
    parts = [part for part in _PARTS.split(fold(answer)) if content(tokens(part))]
    own = _nouns(element)
    named = any(is_like(word, each) for part in parts for word in tokens(part) for each in own)
    is_past = not {"acidentes", "accidents"}.isdisjoint(tokens(f"{element.label.pt} {element.label.en}"))
    return named and not is_past and opening(answer)[0] is None and all(map(is_sound, parts))


def is_sound(part: str) -> bool:
    """Return whether a folded clause says that something is well or works, and hedges nothing."""
    plain = _NOTHING_WRONG.sub(" ", part)
    words, is_said = tokens(plain), plain != part or denies_faults(part)
    denies = not denies_faults(part) and not NEGATIONS.isdisjoint(words)
    is_said |= not (PRAISE | _WELL).isdisjoint(words)
    return is_said and not (denies or tells_fault(plain)) and (_ONLY | HEDGES | CONTRASTS).isdisjoint(words)


_PARTS = patterns.compile(r"(?<!\d)[,.]|[,.](?!\d)|[;!\n]|\s(?:e|and|mas|but)\s")
_NOTHING_WRONG = patterns.compile(
    r"\b(?:(?:nao|n) (?:tem|ha|teve) nada(?: de (?:mal|errado|especial|mais|grave))?|"
    r"(?:theres |has |is )?nothing (?:is )?wrong(?: with| in)?|"
    r"(?:no|sem|zero) (?:problems?|probs|issues?|bother|problemas?|queixas?|complaints?))\b(?! mais)"
)
"""Words that deny what may be wrong, in folded text."""
_WELL = frozenset(
    "funciona funcionam works work working trava travam brake firme firmes firm solid solida impecaveis perfeitos "
    "perfeitas otimos otimas optimos optimas inteiro inteira inteiros inteiras intact fixe fixes".split()
)
_ONLY = frozenset("so apenas somente only just".split())


def _is_among(word: str, others: set[str]) -> bool:
    return any(is_like(word, each) for each in others)


_ALL = frozenset("nenhum nenhuma neither none".split())
_BOTH = frozenset("dois both two ambos one".split())
_NEITHER = _ALL | frozenset("nao no of them deles delas os dos das dois both two the".split())
"""Words that deny all of several things."""


def leaves_out(element: Element, answer: str) -> bool:
    """Return whether an answer that denies such damage leaves out a thing: `no scratches, just the handle`."""
    if not asks_for_none(element):
        return False
    first, _, rest = _EXCEPTION.sub("\n", answer, count=1).partition("\n")
    words = set(content(tokens(rest)))
    return denies_faults(first) and bool(words) and _WEAR.isdisjoint(words) and NEGATIONS.isdisjoint(words)


_EXCEPTION = patterns.compile(
    r"[\s,.;]+(?:only|just|s[oó]|apenas|somente|except(?: for)?|exce[p]?to|menos|tirando|apart from|besides)\s+",
    patterns.IGNORECASE,
)
_WEAR = frozenset("normal usual use uso wear wears desgaste dust dusty po age idade".split())
"""Words of what is no damage."""


def told_damage(element: Element, text: str, language: str, today: date) -> ProbableAnswer | None:
    """Return the only option other than a yes that the faults in a text say, with their words, to be asked back."""
    told = fault_clauses(text)
    found = dict[str, Valid]()
    for clause in told:
        judged = judge_choice(element, clause, language, today)
        if isinstance(judged, Refused):
            continue
        guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
        if not guess.skipped and not _is_yes(element, guess):
            found.setdefault(str(guess.value), guess)
    if len(found) != 1:
        return None
    guess = next(iter(found.values()))
    own = fold(guess.shown)
    words = [each for each in told if fold(each) != own]
    return ProbableAnswer(Valid(guess.value, guess.shown + beside(*words), guess.deal_breaker))


def damage_of(
    element: Element, whole: Element | None, message: str, language: str, today: date
) -> ProbableAnswer | None:
    """Return the damage that a message tells of what the question asks about; `whole` is the item's condition."""
    told = [each for each in own_faults(element, message) if _speaks_of_its_part(element, whole, each)]
    if not told:
        return None
    whole_clauses = [part.strip() for part in _PARTS.split(message) if any(each in part for each in told)]
    return next(
        filter(
            None,
            (
                told_damage(element, "; ".join(told), language, today),
                *(_nearest_damage(element, part, language) for part in whole_clauses),
                *(_nearest_damage(element, part, language) for each in told for part in _PARTS.split(each)),
            ),
        ),
        None,
    )


def _nearest_damage(element: Element, clause: str, language: str) -> ProbableAnswer | None:
    """Return the option other than a yes that the examples plainly say a clause means, with its words."""
    value, near = nearest_option(element, clause) or ("", 0.0)
    option = next((each for each in element.options if each.value == value and not leads(each)), None)
    if option is None or near < NEAR:
        return None
    noted = note_remark(element, clause, ProbableAnswer(valid_option(option, language)), language)
    return noted if isinstance(noted, ProbableAnswer) else None


def own_faults(element: Element, message: str) -> list[str]:
    """Return the faults that a message tells, without those of another part than the question is about."""
    return [each for each in fault_clauses(message) if without_other_parts(element, each)]


def _speaks_of_its_part(element: Element, whole: Element | None, clause: str) -> bool:
    """Return whether a clause names a part that the question asks about; of a question about the item as a whole, which
    has the noun of the one for its condition (`whole`), any clause does.
    """
    own = _nouns(element)
    if whole is not None and own & _nouns(whole):
        return True
    return any(is_like(word, each) for word in tokens(clause) for each in own - _MARKS)


_MARKS = frozenset("scratch scratches risco riscos".split())
"""Words of damage in a question that do not say of which part it is."""


def _nouns(element: Element) -> set[str]:
    label = content(tokens(f"{element.label.pt} {element.label.en}"))
    return {each for each in label if each not in _NOT_NOUNS}


_NOT_NOUNS = _NONE | frozenset(
    "danos em que estado what condition are is esta estao acidentes accidents past passado free whole inteira".split()
)


def _is_yes(element: Element, guess: Valid) -> bool:
    return any(leads(each) for each in element.options if each.value == guess.value)
