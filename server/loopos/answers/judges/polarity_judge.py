"""Yes and no as answers: only a plain one is sure."""

from __future__ import annotations

from datetime import date

from server import patterns
from server.loopos.answers.certainty import (
    BARE_NO,
    BARE_YES,
    HEDGES,
    NEGATIONS,
    POLITE,
    PRAISE,
    asks,
    content,
    doubts,
    is_bare,
    is_hedged_no,
    is_hedged_yes,
    is_like,
    opening,
    plain_words,
)
from server.loopos.answers.clauses.absence_questions import denies_genuine, says_without, told_set
from server.loopos.answers.clauses.asides import THINGS, is_ignorant, without_asides
from server.loopos.answers.clauses.change_requests import without_addition
from server.loopos.answers.clauses.contrasts import mark_pairs
from server.loopos.answers.clauses.faults import (
    EXCEPTED,
    GONE,
    denies_trouble,
    excepts_fault,
    fault_clauses,
    tells_fault,
)
from server.loopos.answers.element import Element, Text
from server.loopos.answers.judges.fault_notes import beside, words_behind_turn
from server.loopos.answers.judges.light_marks import WHOLE, told_marks
from server.loopos.answers.judges.other_parts import without_other_parts
from server.loopos.answers.judges.validation import validate
from server.loopos.answers.options.question_words import (
    OTHER_WORDS,
    VERBS,
    asks_for_thing,
    in_own_words,
    own_words_of,
)
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import clauses, fold, is_unknown, tokens

_FAULTS = frozenset(
    "risquinho risquinhos risquito risquitos arranhao arranhoes arranhado arranhada mossa mossas partido "
    "partida partidos rachado rachada riscado riscada riscos risco racha fissura estalado estalada "
    "estragado estragada cracked broken scratched crack cracks scratch scratches chip chipped smashed "
    "shattered damaged perdi perdida perdido lost missing falta faltam gone".split()
)
_SOUND = frozenset(
    "perfeito perfeita impecavel perfect perfectly fine bem well completo completa tudo todos todas td all "
    "everything".split()
)
_AFFIRMING = VERBS - frozenset("e it i do com with is ta".split())
_ALL_OF_IT = frozenset(
    "can read see ler leio them they both still there here ambos ambas ainda deles delas works working funciona".split()
)
"""Words behind a yes that take nothing of it back: `yes, both still there`."""
_TURNS = frozenset("mas but".split())
_WORKING = frozenset("funciona funcionam works working work trabalha trabalham".split())
_WELL = _WORKING | frozenset("bem well".split())
_EVERYTHING = frozenset("tudo todos todas td all everything completo completa".split())
_EXCEPT = frozenset("apart exceto excepto except menos tirando salvo senao but falta missing".split())
_SCRATCHES = frozenset(
    "risquinho risquinhos risquito risquitos riscado riscada riscos risco scratched scratch scratches".split()
)
_FIRST_CLAUSE = patterns.compile(r"(?<!\d)[,.;!]|[,.;!](?!\d)")
_LEADING_NO = patterns.compile(
    r"^\s*(?:no|nope|n[aã]o)[\s,.;!]+(?=(?:the|just|only|[oa]|s[oó]|apenas)\b)", patterns.IGNORECASE
)
"""A no before what there is: `no the case is included`."""
_ANSWER_BEFORE = patterns.compile(
    r"^\s*(?:i['’]?m afraid not|\w+)\b[\s,.;:!–—-]*(?:(?:yes|sim|no|n[aã]o)\s*[,.;:!–—-]+\s*)?",
    patterns.IGNORECASE,
)
_NO_BUT = patterns.compile(r"^\s*(?:no|nope|nah|n[aã]o)[\s,.;]+(?=(?:but|mas)\s)", patterns.IGNORECASE)
_DENIALS = frozenset("nao not doesnt dont isnt havent hasnt arent wasnt didnt it i do".split())


def judge_polarity(element: Element, answer: str, language: str, today: date) -> Judgement:
    own, answer = own_words_of(element), mark_pairs(answer)
    answer = without_other_parts(element, answer, own) if own & WHOLE else answer
    reading = validate(element, answer, language, today)
    if is_unknown(answer):
        return reading
    if (one := names_one(element, answer)) is not None:
        said = _ANSWER_BEFORE.sub("", one) if opening(one)[0] else one
        return ProbableAnswer(Valid(True, text_of_side(True, language) + beside(said)))
    answer = in_own_words(element, answer)
    words = plain_words(answer, language)
    if (told := _judge_told(element, answer, language)) is not None:
        return told
    says, after = opening(_NO_BUT.sub("no, ", answer))
    rest = plain_words(after, language) if says is not None else words
    if asks(answer) or not words:
        return Refused("yes_or_no")
    if isinstance(reading, Refused) and reading.code == "number_beside":
        return reading
    plain = _plain_polarity(element, says, rest, words)
    if plain is not None:
        noted = "" if plain else beside(words_behind_turn(answer, language))
        return Valid(plain, text_of_side(plain, language) + noted)
    others = [] if says else _denies_others(element, answer)
    if says is None and not others:
        says, after = _first_clause(element, answer, after, language)
    guess = True if others else _guess(element, answer, says, after, language)
    if guess is None:
        return Refused("yes_or_no")
    noted = (
        beside(*others)
        or _half_beside(element, answer, says)
        or _fault_beside(without_addition(answer), says, guess, language)
    )
    return ProbableAnswer(Valid(guess, text_of_side(guess, language) + noted))


def _judge_told(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return what an answer says by telling what there is and what there is not."""
    if is_hedged_no(answer):
        return ProbableAnswer(Valid(False, text_of_side(False, language)))
    if (absent := says_without(element, answer)) is not None:
        return ProbableAnswer(Valid(absent, text_of_side(absent, language)))
    if (told := told_set(element, answer)) is not None:
        return ProbableAnswer(Valid(told[0], text_of_side(told[0], language) + beside(*told[1])))
    if copied := denies_genuine(element, answer):
        return ProbableAnswer(Valid(False, text_of_side(False, language) + beside(copied)))
    return _judge_scratched(element, answer, language)


def deny_half(element: Element, answer: str, judged: Judgement, language: str) -> Judgement:
    """Return a no with its words for a guessed yes to a question for two things, where the answer tells a fault of one:
    `cracked screen but touch ok`.
    """
    label, own = fold(element.label.pt), own_words_of(element)
    is_yes = isinstance(judged, ProbableAnswer) and judged.guess.value is True
    if element.kind != "boolean" or not is_yes or " e " not in label or not own & WHOLE:
        return judged
    about = without_other_parts(element, answer, own)
    faulty = [
        each
        for each in clauses(about)
        if (NEGATIONS | _OUTSIDE).isdisjoint(each)
        and (tells_fault(" ".join(each)) or not _FAULTS.isdisjoint(each))
    ]
    if opening(answer)[0] is not None or not faulty or _judge_scratched(element, answer, language):
        return judged
    return ProbableAnswer(Valid(False, text_of_side(False, language) + beside(about)))


_OUTSIDE = frozenset("case capa cover caixa box tampa traseira back moldura frame lado side lateral".split())
"""Words of what is no part of a screen."""


def tells_apart(element: Element, answer: str) -> bool:
    """Return whether an answer says yes to what is asked and denies another thing, so that no words near it count."""
    return (
        names_one(element, answer) is not None
        or bool(_denies_others(element, answer))
        or told_set(element, answer) is not None
        or _judge_scratched(element, answer, "en") is not None
    )


def _judge_scratched(element: Element, answer: str, language: str) -> ProbableAnswer | None:
    """Return the yes, with the marks, of an answer that tells of no other fault: a scratch is no crack."""
    marks = told_marks(element, answer)
    return None if marks is None else ProbableAnswer(Valid(True, text_of_side(True, language) + marks))


def names_one(element: Element, answer: str) -> str | None:
    """Return an answer that says which of two things there is, where either is asked for: `só a bolsa, a caixa não`."""
    either = _EITHER.search(fold(element.label.pt))
    if either is None or "?" in answer:
        return None
    own, said = own_words_of(element), _LEADING_NO.sub("", mark_pairs(answer))
    parts = [each for each in clauses(said) if own & set(each)]
    denied = [each for each in parts if not NEGATIONS.isdisjoint(each) and _things(element, each)]
    gone = {word for each in denied for word in _things(element, each)}
    has = [
        each
        for each in parts
        if NEGATIONS.isdisjoint(each)
        and (each[0] in _ONLY_THIS or (denied and _things(element, each) - gone))
    ]
    is_more = len(tokens(said)) > _MOST_OF_ONE or len(said) < len(answer)
    return said if has and opening(said)[0] is not False and is_more else None


def _denies_others(element: Element, answer: str) -> list[str]:
    """Return the clauses that deny something of other things, where another one affirms what is asked: `a câmara
    dispara e foca, o flash é que não levanta`.
    """
    texts = (element.label.pt, element.label.en)
    plain = PRAISE | {"does"} if " and " in element.label.en else VERBS | _GENUINE
    labels = [set(content(tokens(each), plain)) for each in texts]
    own, affirmed, others = own_words_of(element), set[str](), list[str]()
    works = bool(_WELL & own)
    for part in filter(None, map(str.strip, _PARTS.split(answer))):
        words = tokens(part)
        is_own = any(is_like(word, each) for word in content(words) for each in own)
        is_bad = not (NEGATIONS | _FAULTS).isdisjoint(words) or tells_fault(part)
        if is_own and is_bad and opening(part) not in ((False, ""), (True, "")):
            return []
        affirmed |= {each for each in set().union(*labels) if any(is_like(word, each) for word in words)}
        affirmed |= own if works and not is_bad and not _WORKING.isdisjoint(words) else set()
        is_subject = _SUBJECT.search(fold(part)) or not THINGS.isdisjoint(words)
        others += [part] if is_bad and not is_own and is_subject else []
    affirms = any(2 * len(affirmed & label) >= len(label) for label in labels)
    return others if affirms and own.isdisjoint(WHOLE | _FAULTS) else []


_GENUINE = frozenset("original originais extra".split())
_PARTS = patterns.compile(r"(?<!\d)[,.;!]+|[,.](?!\d)|[;!\n]|\b(?:mas|but)\b", patterns.IGNORECASE)
_SUBJECT = patterns.compile(
    r"\b(?:(?:o|a|os|as|the|my|meu|minha|um|uma)\s+\w{3,}|(?:tem|traz|falta|perdi|lost|missing|has|have)\s+(?:e\s+)?\w{4,})"
)
"""A thing that a clause speaks of."""


def _half_beside(element: Element, answer: str, says: bool | None) -> str:
    """Return an answer about one of two things that are asked for together: `box yes, papers no`, `just the box`."""
    if says is not None or " and " not in element.label.en.casefold():
        return ""
    own = own_words_of(element)
    sides = {NEGATIONS.isdisjoint(each) for each in clauses(answer) if own & set(each)}
    is_one = tokens(answer)[:1] and tokens(answer)[0] in _ONLY_THIS - {"com", "with"}
    return beside(answer) if len(sides) > 1 or (is_one and own.isdisjoint(WHOLE)) else ""


def _things(element: Element, words: list[str]) -> set[str]:
    """Return those of the two things that words name, by their place in the question."""
    labels = ((element.label.pt, _EITHER), (element.label.en, _EITHER_IN_ENGLISH))
    return {
        at
        for label, pattern in labels
        if (found := pattern.search(fold(label)))
        for at in ("first", "second")
        if found[at] in words or not OTHER_WORDS.get(found[at], frozenset()).isdisjoint(words)
    }


_EITHER_IN_ENGLISH = patterns.compile(r"\b(?P<first>\w+) or (?:the |an? )?(?P<second>\w+)")
_EITHER = patterns.compile(r"\b(?P<first>\w+) ou (?:o |a |os |as )?(?P<second>\w+)")
_ONLY_THIS = frozenset("so apenas somente only just com with".split())
_MOST_OF_ONE = 3
"""`só a bolsa` is a yes without more words."""


def _first_clause(element: Element, answer: str, after: str, language: str) -> tuple[bool | None, str]:
    """Return the plain yes or no that the first clause says on its own, and what follows: `não tem. é mais antiga`,
    `dock yes, the mount is missing`.
    """
    first, _, rest = _FIRST_CLAUSE.sub("\n", fold(answer), count=1).partition("\n")
    words = plain_words(first, language)
    if rest.strip() and is_hedged_yes(first):
        return True, rest
    own = own_words_of(element)
    is_named = (
        len(words) > 1 and not content(words[:-1], own) and own.isdisjoint([*_EVERYTHING, *tokens(rest)])
    )
    if rest.strip() and is_named and words[-1] in BARE_YES | BARE_NO:
        return words[-1] in BARE_YES, rest
    if words[:1] in (["nunca"], ["never"]) and not denies_trouble(words[1:]):
        return False, rest
    says = _plain_polarity(element, None, words, words) if rest.strip() else None
    return says, after if says is None else rest


def _fault_beside(answer: str, says: bool | None, guess: bool, language: str) -> str:
    """Return the seller's own words that tell of a fault, behind an answer or alone, and those behind a `mas` or `but`
    that follows a yes or no: they stay beside it.
    """
    is_alone = says is None and not guess
    is_told = not (_FAULTS | _EXCEPT).isdisjoint(tokens(answer)) or tells_fault(answer)
    if says is None and guess:
        return beside(*fault_clauses(answer)) or beside(words_behind_turn(answer, language))
    if not is_told:
        return "" if says is None else beside(words_behind_turn(answer, language))
    return beside(answer if is_alone else _ANSWER_BEFORE.sub("", answer))


def _guess(element: Element, answer: str, says: bool | None, after: str, language: str) -> bool | None:
    """Return the likely side of what the answer says of the question."""
    about = without_asides(element, answer if says is None else after)
    rest = plain_words(about, language)
    if says is None and (not rest or is_ignorant(answer)):
        return None
    own, words = own_words_of(element), plain_words(without_asides(element, answer), language)
    if says is not False and own & _EVERYTHING and excepts_fault(answer):
        return True  # `all there except one foot is wobbly`
    excepts = _EVERYTHING & set(tokens(answer)[:2]) and _EXCEPT & set(tokens(answer)[1:])
    if says is None and (excepts or (own & WHOLE and fault_clauses(answer))):
        return False  # `all except the spatula`, `cracked and not responding`
    if says is not False and own & _EVERYTHING and EXCEPTED.search(fold(answer)):
        return False  # `cables yes, except one`
    if says and _TURNS & set(rest) and NEGATIONS & set(rest) and own & set(rest):
        return False  # `sim, mas sem o original`
    faulty = [clause for clause in clauses(answer) if _FAULTS.intersection(clause)]
    if len(faulty) > 1 and len({NEGATIONS.isdisjoint(clause) for clause in faulty}) > 1:
        return False if own & WHOLE else None  # `not a scratch, just cracked`
    return _guess_polarity(element, says, rest, words)


def text_of_side(value: bool, language: str) -> str:
    return (Text("Sim", "Yes") if value else Text("Não", "No")).text_in(language)


def _plain_polarity(element: Element, says: bool | None, rest: list[str], words: list[str]) -> bool | None:
    """Return yes or no, where nothing else is said than the question's own words and what goes with that answer."""
    own = own_words_of(element)
    if says is False and _AFFIRMING & set(rest) and set(content(rest, own)) <= VERBS | POLITE:
        return None  # `não, tenho a fatura` says both.
    if says is False and _is_sound(rest):
        return None  # `não, está inteiro` and `no, it's intact` say both.
    if is_bare(says, rest) or (
        says is False and (set(rest) <= _DENIALS | VERBS or _only_explains(own, rest))
    ):
        return says
    beside = set(content(rest, own))
    if says is True and not doubts(set(rest) - {"can"}):
        # Whether it works says nothing of whether it is whole.
        works = _WORKING if own.isdisjoint(WHOLE) else frozenset[str]()
        return True if beside <= VERBS | _SOUND | WHOLE | _ALL_OF_IT | works else None
    if says is False:
        return (
            False
            if beside <= _FAULTS | _DENIALS | VERBS and not doubts({*rest} - NEGATIONS) and not beside & own
            else None
        )
    if set(words) <= VERBS and _AFFIRMING & set(words):
        return True
    if set(words) <= _DENIALS | VERBS and NEGATIONS & set(words):
        return False
    broken = beside and beside <= _FAULTS - _SCRATCHES and not doubts(words)
    return False if broken and own & WHOLE else None


def _only_explains(own: set[str], rest: list[str]) -> bool:
    """Return whether words behind a no to whether a thing is there only say where it is: `no, it was lost`."""
    words = rest[1:] if rest[:1] in (["mas"], ["but"]) else rest
    is_about = not own.isdisjoint(words) or not own.isdisjoint(WHOLE | _FAULTS)
    ago = {"ha"} if {"muito", "anos", "tempo", "meses"}.intersection(words) else set()
    is_clear = (NEGATIONS | (_AFFIRMING - ago) | _EVERYTHING | _TURNS | HEDGES).isdisjoint(words)
    gone = GONE | {"lixo", "bin"}
    return not is_about and is_clear and (len(words) < len(rest) or not gone.isdisjoint(words))


def _is_sound(words: list[str]) -> bool:
    """Return whether the words say that all is well, and deny nothing and tell no fault."""
    return bool((PRAISE | WHOLE) & set(words)) and not doubts(words) and _FAULTS.isdisjoint(words)


def _guess_polarity(element: Element, says: bool | None, rest: list[str], words: list[str]) -> bool | None:
    """Return the likely side, where the answer at least speaks of what was asked."""
    own = own_words_of(element)
    about = own & set(words)
    is_open = _FAULTS & set(rest) and (own & _FAULTS or NEGATIONS & set(rest))
    if says is False and (is_open or _is_sound(rest)):
        return None  # `no, no cracks` may deny the fault, `não, rachado` the whole; `no, it's perfect` says both.
    if says is not None:
        is_of_none = not {"sem", "without", "free"}.isdisjoint(
            tokens(f"{element.label.pt} {element.label.en}")
        )
        return says and (is_of_none or not _denies_own(own, rest))
    denied = not NEGATIONS.isdisjoint(words)
    if _FAULTS & set(words):
        is_there = not denied and about and GONE.isdisjoint(words) and asks_for_thing(element)
        is_whole = denied and not own & _FAULTS and (not (own - WHOLE) & set(words) or own & WHOLE)
        return bool(is_there or is_whole)  # `the lid is cracked` says that there is one.
    label = set(tokens(f"{element.label.pt} {element.label.en}"))
    works = _WELL & label and _WORKING & set(words) and set(content(words)) <= _WORKING | _SOUND | WHOLE
    if works or (content(words) and set(content(words)) <= _SOUND | PRAISE and not doubts(words)):
        return True  # `works fine`, `it's fine`
    hedged_yes, hedged_no = set(words) & BARE_YES, set(words) & BARE_NO
    if hedged_no and not about and len(words) <= 3 and not denies_trouble(words):  # noqa: PLR2004 - `acho que não`
        return False
    if hedged_yes and len(words) <= 3:  # noqa: PLR2004 - `acho que sim`
        return True
    is_about = about or (not denied and own & {word.removesuffix("s") for word in words})  # `it shoots`
    return (not denied) if is_about else None


def _denies_own(own: set[str], rest: list[str]) -> bool:
    """Return whether words behind a yes deny what was asked: `yes, no charger though`."""
    denials = [at for at, word in enumerate(rest) if word in NEGATIONS]
    # `yes, no cracks and touch works`: what is denied is the fault.
    denials = [
        at
        for at in denials
        if own.intersection(rest[at + 1 : at + 2]) or _FAULTS.isdisjoint(rest[at + 1 : at + 2])
    ]
    return any(is_like(word, each) for at in denials for word in rest[at + 1 : at + 3] for each in own)
