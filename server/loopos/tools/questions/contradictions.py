"""Answers that a later message contradicts: they are asked back, once each."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from server import patterns
from server.languages import fold
from server.loopos.answers import (
    Element,
    ElementOption,
    ProbableAnswer,
    Refused,
    Valid,
    asks_for_none,
    damage_of,
    withdrawn_things,
)
from server.loopos.answers.certainty import NEGATIONS, content, is_like, without_lead
from server.loopos.answers.clauses.faults import says_fault, tells_fault
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.judges.polarity_judge import text_of_side
from server.loopos.answers.judges.report_judge import judge_once
from server.loopos.answers.judges.states import asks_whether_it_works
from server.loopos.answers.options.option_sides import leads
from server.loopos.answers.options.question_words import asks_for_thing
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.drafts.proposal_choices import YES
from server.loopos.tools.drafts.words_behind_yes import BESIDE
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.unrecorded_faults import condition_of, faults_in, settle_faults


def ask_contradicted(questions: Questions) -> Element | None:
    """Ask back, once each, an answer that a later message contradicts: it tells of damage where there was none, or says
    that a thing is not there that was included.
    """
    known: list[str] = _state(questions).setdefault("contradicted", [])
    for element in questions.asked:
        if element.id in known or element.kind not in ("select", "boolean"):
            continue
        for message in _messages_since(questions, element):
            if (told := _contradiction(questions, element, message)) is not None:
                known.append(element.id)
                ask_back(questions.draft, element.id, told)
                _note_asked(questions, element, message)
                return element
    return None


def ask_contradiction(questions: Questions, element_id: str | None) -> None:
    """Ask back what the newest message says against the answer of the question that is to be shown again."""
    element = next((each for each in questions.asked if each.id == element_id), None)
    message = next(iter(questions.draft.messages()), "")
    is_typed = not any(part.get("type") == "answer" for part in questions.draft.run.input)
    if element is None or not is_typed or pending(questions.draft, element.id):
        return
    if (told := _contradiction(questions, element, message)) is not None:
        ask_back(questions.draft, element.id, told)


def ask_without(questions: Questions, things: Iterable[str]) -> Element | None:
    """Ask back a no to whether one of these things is included; return that question."""
    for element in questions.asked:
        if any(_was_included(questions, element, each) for each in things):
            ask_back(questions.draft, element.id, _no_in(questions.draft.language))
            return element
    return None


def _note_asked(questions: Questions, element: Element, message: str) -> None:
    """Ask no more to add to the text what a message denies of the thing that this question asks about."""
    label = content(tokens(f"{element.label.pt} {element.label.en}"), _NO_NOUNS)
    own = (
        each
        for each in faults_in(message)
        if any(is_like(word, one) for word in tokens(each) for one in label)
    )
    if asks_for_thing(element):
        settle_faults(questions, own)


def _contradiction(questions: Questions, element: Element, message: str) -> ProbableAnswer | None:
    """Return the other answer that a message says, to be asked back; None where it contradicts nothing."""
    language, today = questions.draft.language, datetime.now(UTC).date()
    if (bare := _without_found(questions, element, message)) is not None:
        return bare
    faults = faults_in(message)
    # `No box` is no answer to whether the box or pouch is included.
    is_one_of_two = "or" in tokens(element.label.en) and without_lead(message) == message and not faults
    if not is_one_of_two and any(_was_included(questions, element, each) for each in _withdrawn_in(message)):
        return _no_in(language)
    if not faults or element is condition_of(questions):
        return None
    if asks_for_none(element):
        denies = _denies_damage(questions, element)
        return damage_of(element, condition_of(questions), message, language, today) if denies else None
    value, shown = questions.answers.get(element.id, (None, ""))
    chosen = next((each for each in element.options if each.value == value), None)
    if value in (None, False) or asks_for_thing(element) or (chosen is not None and _is_bad(chosen)):
        return None
    told = (each for each in faults if not _is_shown(str(shown), each))
    judged = (
        judge_once(element, without_lead(each), language, today)
        for each in told
        if _is_against(element, each)
    )
    found = [
        each.guess if isinstance(each, ProbableAnswer) else each
        for each in judged
        if not isinstance(each, Refused)
    ]
    other = next((each for each in found if not each.skipped and each.value != value), None)
    return None if other is None else ProbableAnswer(other)


def _is_shown(shown: str, fault: str) -> bool:
    """Return whether the words beside an answer tell of a fault, or of the parts of which it is."""
    noted = BESIDE.search(shown)
    known, parts = tokens(noted[1]) if noted else [], content(tokens(fault))
    shared = [each for each in parts if any(is_like(each, word) for word in known)]
    is_of_these = 2 * len(shared) > len(parts) and NEGATIONS.isdisjoint(tokens(fault))
    return is_of_these or says_fault(tokens(shown), fault)


def _is_bad(option: ElementOption) -> bool:
    return leads(option) is False or tells_fault(option.label.en) or tells_fault(option.label.pt)


def _is_against(element: Element, fault: str) -> bool:
    """Return whether a fault speaks of what a question asks: of whether an item works one that ends that, or by
    which it works badly.
    """
    if asks_whether_it_works(element):
        return (_DEAD.search(" ".join(tokens(fault))) or _FALTERS.search(fold(fault))) is not None
    if _LACKS.search(fold(fault)) and not any(_LACKS.search(fold(each.label.en)) for each in element.options):
        return False  # What is not there says nothing of the state of what is.
    label = content(tokens(f"{element.label.pt} {element.label.en}"), _NO_NOUNS)
    is_named = any(is_like(word, each) for word in tokens(fault) for each in label)
    return is_named and not ("intact" in label and _ONLY_MARKED.search(fold(fault)) is not None)


_DEAD = patterns.compile(
    r"\b(?:dead|stopped|doesnt|does not|wont|will not|nao|n|deixou|parou|avariad[oa]|estragad[oa]|mort[oa]|faulty|"
    r"is broken|drifts?|(?<!not )(?<!nt )(?<!never )leaks?|(?<!nao )perde agua)\b"
)
_FALTERS = patterns.compile(
    r"\b(?:crackl\w*|buzz\w*|distort\w*|static|muffled|rattl\w*|flicker\w*|glitch\w*|stutter\w*|intermittent\w*|"
    r"(?:cuts?|drops?|cutting|dropping) out|crepit\w*|zumb\w*|zunid\w*|distorc\w*|chia|chiam|intermitente\w*|pisca\w*|"
    r"engasga\w*|(?:som|audio) (?:que )?(?:estala\w*|falha\w*|corta\w*))\b"
)
_ONLY_MARKED = patterns.compile(
    r"\b(?:scratch\w*|scuff\w*|marks?|risc(?:o|os|ad[oa]s?)|risquinhos?|arranh\w+|marcas?)\b"
)
_LACKS = patterns.compile(r"\b(?:falta|faltam|faltava|missing|lacks?|lost|not (?:all )?(?:there|included))\b")
_NO_NOUNS = frozenset(
    "como how estado good bom condition well bem what que working funciona whole inteira passado past".split()
)


def _was_included(questions: Questions, element: Element, thing: str) -> bool:
    """Return whether the answer is that this thing comes with the item."""
    if not asks_for_thing(element) or questions.answers.get(element.id, (None,))[0] is not True:
        return False
    label = content(tokens(f"{element.label.pt} {element.label.en}"))
    return all(any(is_like(word, each) for each in label) for word in content(tokens(thing)))


_FOUND = patterns.compile(
    r"(?<!\bnot )(?<!\bn[ãa]o )\b(?:found|encontrei|encontr[aá]mos|achei|apareceu|located)\s+"
    r"(?P<thing>\S[^,.;!?\n]{2,60})",
    patterns.IGNORECASE,
)
"""A thing that was lost and is there again."""
_LOST = patterns.compile(
    r"\b(?:lost|missing|gone|perdi|perdeu|perdid[oa]s?|faltam?|desapareceu|sem|without|no longer)\b",
    patterns.IGNORECASE,
)
_LOSES = frozenset(
    "lost missing gone perdi perdeu perdido perdida perdidos perdidas falta faltam desapareceu".split()
)


def _without_found(questions: Questions, element: Element, message: str) -> ProbableAnswer | None:
    """Return the answer without the part of its note that calls a thing lost which the message has found; the yes to
    whether that thing is included.
    """
    found = _FOUND.search(message) if len(message) <= _LONGEST_FOUND else None
    value, shown = questions.answers.get(element.id, (None, ""))
    said = content(tokens(found["thing"])) if found else []
    if not said or value is None:
        return None
    note = BESIDE.search(str(shown))
    parts = [each.strip() for each in _NOTE_BORDERS.split(note[1])] if note else []
    left = [each for each in parts if not (_LOST.search(each) and _is_named(each, said))]
    if len(left) < len(parts):
        bare = BESIDE.sub("", str(shown))
        return ProbableAnswer(Valid(value, bare + beside(*left) if left else bare))
    is_thing = value is False and asks_for_thing(element) and not parts
    label = content(tokens(f"{element.label.pt} {element.label.en}"), _NO_NOUNS)
    named = is_thing and any(is_like(said[0], each) for each in label)
    return ProbableAnswer(Valid(True, text_of_side(True, questions.draft.language))) if named else None


def _is_named(part: str, said: list[str]) -> bool:
    words = [each for each in content(tokens(part)) if each not in _LOSES]
    return bool(words) and all(any(is_like(word, each) for each in said) for word in words)


_NOTE_BORDERS = patterns.compile(r"\s*[,;]\s+")
_LONGEST_FOUND = 300


def _no_in(language: str) -> ProbableAnswer:
    return ProbableAnswer(Valid(False, text_of_side(False, language)))


@lru_cache(maxsize=512)
def _withdrawn_in(message: str) -> tuple[str, ...]:
    return tuple(withdrawn_things(message)[0])


def note_run(questions: Questions, element: Element) -> None:
    """Remember in which run the question got its present answer."""
    _state(questions).setdefault("answered_in", {})[element.id] = questions.draft.run.run_id


def _messages_since(questions: Questions, element: Element) -> list[str]:
    """Return the messages behind the one that answered the question, the newest first.

    Where the newest one has just answered whether the item works, those before it count: a plain yes may forget what
    they say. A choice that was clicked forgets nothing.
    """
    draft, run_id = questions.draft, _state(questions).get("answered_in", {}).get(element.id)
    if run_id == draft.run.run_id:
        is_chosen = draft.clicked_value(element.id) not in (None, YES)
        return draft.earlier_messages() if asks_whether_it_works(element) and not is_chosen else []
    return [*draft.messages()[:1], *draft.earlier_messages(run_id)]


def _denies_damage(questions: Questions, element: Element) -> bool:
    value = questions.answers.get(element.id, [None])[0]
    return any(leads(each) for each in element.options if each.value == value)


def _state(questions: Questions) -> dict[str, Any]:
    kept: dict[str, Any] = questions.draft.run.private.setdefault("addition", {})
    return kept
