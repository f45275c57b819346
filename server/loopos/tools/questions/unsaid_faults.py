"""Faults that the seller told and no answer says: they are asked to be added to the last text of the item."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from server import patterns
from server.languages import LANGUAGES, fold
from server.loopos.answers import (
    Element,
    ElementOption,
    Judgement,
    ProbableAnswer,
    Refused,
    Text,
    Valid,
    asks_for_none,
    confirms,
    damage_of,
    withdrawn_things,
)
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.clauses.faults import fault_clauses, says_fault, tells_fault
from server.loopos.answers.clauses.instructions import without_instruction
from server.loopos.answers.clauses.joined_parts import join_parts
from server.loopos.answers.clauses.reminders import without_address
from server.loopos.answers.judges.fault_notes import GRADES
from server.loopos.answers.judges.own_words import judge_once
from server.loopos.answers.judges.polarity_judge import text_of_side
from server.loopos.answers.options.option_sides import leads
from server.loopos.answers.options.synonyms import label_key, phrases
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, pending, undo_denial
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.kept_remarks import lacks_answer, note_left, told_remarks
from server.loopos.tools.questions.price import words_beside_price

_KEY = "addition"
"""The text that is asked to be added to, and the clauses that were asked once, which are not asked again."""

MOST_ASKED, MOST_TOLD = 100, 20
"""So many clauses that were asked are remembered, and so many of the newest that were told are compared with them."""
_MOST_LETTERS = 1_000
"""So many characters of each of the two."""

_ONLY = patterns.compile(
    r"^(?:(?:no|none|nope|nothing|n[aã]o|nada|nenhum\w*|yes|sim|ok)\b[\s,.;:]*)*(?:just|only|só|apenas|somente)\b",
    patterns.IGNORECASE,
)
"""The start of a message that names all that the text is to have."""
_BROKEN = "rachado rachadela partido quebrado estalado cracked broken smashed shattered".split()
_GLASS = "vidro visor glass display ecra screen canto cantos corner corners lado side cima baixo top bottom".split()
"""Other words for a screen that is not intact, and where it is not."""
_NOTHING = frozenset(
    "n|no|nao|none|nope|nah|nothing|nada|nenhum|nenhuma|nothing else|mais nada|no thanks|nao obrigado|nao obrigada|"
    "nao falta nada|that's it|thats it|that's all|thats all|e tudo|so isso".split("|")
)
"""Texts that name nothing."""


def ask_unsaid(questions: Questions) -> Element | None:
    """Ask once to add what no answer says; return the text question, whose answer then waits for a yes."""
    home, clauses = home_of(questions), unsaid_faults(questions)
    if home is None or not clauses or pending(questions.draft, home.id):
        return None
    kept = _state(questions)
    _remember(kept, clauses)
    return home if ask_to_add(questions, home, *clauses) else None


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
                return element
    return None


def ask_reopened(questions: Questions, element_id: str | None) -> None:
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


def _contradiction(questions: Questions, element: Element, message: str) -> ProbableAnswer | None:
    """Return the other answer that a message says, to be asked back; None where it contradicts nothing."""
    language, today = questions.draft.language, datetime.now(UTC).date()
    if element.kind == "boolean" and any(
        _was_included(questions, element, each) for each in _withdrawn_in(message)
    ):
        return _no_in(language)
    faults = _faults_in(message)
    if not faults or element is condition_of(questions):
        return None
    if asks_for_none(element):
        denies = _denies_damage(questions, element)
        return damage_of(element, condition_of(questions), message, language, today) if denies else None
    value, shown = questions.answers.get(element.id, (None, ""))
    chosen = next((each for each in element.options if each.value == value), None)
    if value in (None, False) or _is_included(element) or (chosen is not None and _is_bad(chosen)):
        return None
    told = (each for each in faults if not says_fault(tokens(str(shown)), each))
    judged = (judge_once(element, each, language, today) for each in told if _is_against(element, each))
    found = [
        each.guess if isinstance(each, ProbableAnswer) else each
        for each in judged
        if not isinstance(each, Refused)
    ]
    other = next((each for each in found if not each.skipped and each.value != value), None)
    return None if other is None else ProbableAnswer(other)


def _is_bad(option: ElementOption) -> bool:
    return leads(option) is False or tells_fault(option.label.en) or tells_fault(option.label.pt)


def _is_against(element: Element, fault: str) -> bool:
    """Return whether a fault speaks of what a question asks: of whether an item works only one that ends that does."""
    if any(label_key(each.label.en) == "it works with faults" for each in element.options):
        return _DEAD.search(" ".join(tokens(fault))) is not None
    label = content(tokens(f"{element.label.pt} {element.label.en}"), _NO_NOUNS)
    is_named = any(is_like(word, each) for word in tokens(fault) for each in label)
    return is_named and not ("intact" in label and _ONLY_MARKED.search(fold(fault)) is not None)


_DEAD = patterns.compile(
    r"\b(?:dead|stopped|doesnt|does not|wont|will not|nao|n|deixou|parou|avariad[oa]|mort[oa])\b"
)
_ONLY_MARKED = patterns.compile(
    r"\b(?:scratch\w*|scuff\w*|marks?|risc(?:o|os|ad[oa]s?)|risquinhos?|arranh\w+|marcas?)\b"
)
_NO_NOUNS = frozenset(
    "como how estado good bom condition well bem what que working funciona whole inteira passado past".split()
)
_INCLUDES = frozenset("inclui incluem tem".split())


def _is_included(element: Element) -> bool:
    """Return whether a question asks whether a thing comes with the item."""
    return element.kind == "boolean" and not _INCLUDES.isdisjoint(tokens(element.label.pt)[:1])


def _was_included(questions: Questions, element: Element, thing: str) -> bool:
    """Return whether the answer is that this thing comes with the item."""
    if not _is_included(element) or questions.answers.get(element.id, (None,))[0] is not True:
        return False
    label = content(tokens(f"{element.label.pt} {element.label.en}"))
    return all(any(is_like(word, each) for each in label) for word in content(tokens(thing)))


def _no_in(language: str) -> ProbableAnswer:
    return ProbableAnswer(Valid(False, text_of_side(False, language)))


@lru_cache(maxsize=512)
def _withdrawn_in(message: str) -> tuple[str, ...]:
    return tuple(withdrawn_things(message)[0])


def note_run(questions: Questions, element: Element) -> None:
    """Remember in which run the question got its present answer."""
    _state(questions).setdefault("answered_in", {})[element.id] = questions.draft.run.run_id


def _messages_since(questions: Questions, element: Element) -> list[str]:
    """Return the messages behind the one that answered the question, the newest first."""
    draft, run_id = questions.draft, _state(questions).get("answered_in", {}).get(element.id)
    return [] if run_id == draft.run.run_id else [*draft.messages()[:1], *draft.earlier_messages(run_id)]


def condition_of(questions: Questions) -> Element | None:
    """Return the question for the condition of the item, whose choices are letters."""
    return next((each for each in questions.asked if [o.value for o in each.options] == GRADES), None)


def _denies_damage(questions: Questions, element: Element) -> bool:
    value = questions.answers.get(element.id, [None])[0]
    return any(leads(each) for each in element.options if each.value == value)


def add_unsaid(questions: Questions, element: Element, told: Valid) -> Valid:
    """Return the last text, as it was told early, with the faults that no answer says: both are asked in one question.

    Any other answer is returned as it is.
    """
    if element is not home_of(questions):
        return told
    clauses = unsaid_faults(questions, told.shown)
    _remember(_state(questions), clauses)
    text, left = join_parts([without_address(told.shown), *clauses], element.max_length)
    note_left(questions.draft, left)
    return Valid(text, text)


def unsaid_faults(questions: Questions, early: str | None = None) -> list[str]:
    """Return the faults of the seller's messages that no answer says and that were not asked yet, the oldest first.

    `early` is what the last text is to be, where it has no answer yet.
    """
    home = home_of(questions)
    if home is None or (home.id not in questions.answers and early is None):
        return []
    options = [(each, one) for each in questions.asked for one in each.options]
    labels = {fold(name) for each, one in options for name in (*_labels(one.label), *phrases(each, one))}
    written = [text for text in reversed(questions.draft.messages()) if fold(text) not in labels]
    clauses = (clause for text in written for clause in _faults_in(text))
    clauses = (words_beside_price(each, questions.draft.language) or each for each in clauses)
    bare = (without_address(each) for each in (*clauses, *told_remarks(questions.draft)))
    told = _newest((each for each in bare if not lacks_answer(questions.asked, each)), MOST_TOLD)
    asked = _newest(_state(questions).get("asked", ()), MOST_ASKED)
    known, answers, new = tokens(" ".join(asked)), _said_in(questions), list[str]()
    answers += [(tokens(early), [])] if early else []
    for clause in told:
        if not says_fault(known, clause) and not _is_said(answers, clause):
            new.append(clause)
            known += tokens(clause)
    return [
        each for at, each in enumerate(new) if not any(says_fault(tokens(one), each) for one in new[at + 1 :])
    ]


def take_as_asked(questions: Questions) -> None:
    """Ask none of the faults that were told so far any more: the seller has said what the text is to have.

    A text that was asked to be added to is asked no more.
    """
    _state(questions).pop("to", None)
    _remember(_state(questions), (each for text in questions.draft.messages() for each in _faults_in(text)))


def _remember(kept: dict[str, Any], clauses: Iterable[str]) -> None:
    """Add clauses that were asked."""
    kept["asked"] = _newest([*kept.get("asked", ()), *clauses], MOST_ASKED)


def _newest(clauses: Iterable[str], most: int) -> list[str]:
    """Return the last of different clauses in their order: at most so many, of _MOST_LETTERS together."""
    found, left = list[str](), _MOST_LETTERS
    for clause in reversed(list(dict.fromkeys(clauses))[-most:]):
        left -= len(clause)
        if left < 0:
            break
        found.append(clause)
    return found[::-1]


@lru_cache(maxsize=512)
def _faults_in(message: str) -> tuple[str, ...]:
    """Return the faults that a message tells of; kept messages have 500 characters at most."""
    return tuple(fault_clauses(message))


def judge_addition(questions: Questions, element: Element, judged: Judgement) -> Judgement:
    """Return the answer to what was asked to be added: a no leaves the text, other words are added instead.

    What the seller says to write (`just write ...`) takes the place of the text, and so do, asked back, words that
    name all of it (`just the box`).
    """
    kept = _state(questions)
    if _says_all_of_it(questions, element):
        take_as_asked(questions)
    if kept.get("to") != element.id or element.id not in questions.answers:
        return judged
    before = questions.answers[element.id]
    message = next(iter(questions.draft.messages()), "")
    _remember(kept, _faults_in(message))
    if isinstance(judged, Refused):
        if judged.code != "not_confirmed":
            return judged
        undo_denial(questions.draft)
    elif isinstance(judged, ProbableAnswer):
        kept["text"] = str(judged.guess.value)
        return judged
    elif not judged.skipped and not str(judged.value).startswith(kept["text"]):
        if _ONLY.match(message) and not fault_clauses(message):
            kept["text"] = str(judged.value)
            return ProbableAnswer(judged)
        is_restated = without_instruction(element, message) != message
        declines = is_restated or _declines(questions, message, str(judged.value), str(before[1]))
        if not declines and ask_to_add(questions, element, str(judged.value)):
            return ProbableAnswer(Valid(kept["text"], kept["text"]))
        judged = judged if is_restated else Valid(before[0], str(before[1]))
    kept.pop("to")
    is_confirmed = isinstance(judged, Valid) and not judged.skipped
    return judged if is_confirmed else Valid(before[0], str(before[1]))


def _says_all_of_it(questions: Questions, element: Element) -> bool:
    """Return whether the newest message says what alone the text is to have: nothing is asked to be added then."""
    message = next(iter(questions.draft.messages()), "")
    return element is home_of(questions) and without_instruction(element, message) != message


def _declines(questions: Questions, message: str, words: str, before: str) -> bool:
    """Return whether a message tells no other fault than those that are written, and refuses or repeats the text."""
    written, answers = tokens(before), _said_in(questions)
    told = _newest(fault_clauses(words), MOST_TOLD)
    if any(not says_fault(written, each) and not _is_said(answers, each) for each in told):
        return False
    own = content(tokens(words))
    repeated = sum(any(is_like(word, each) for each in written) for word in own)
    return confirms(message, questions.draft.language)[0] is False or 2 * repeated > len(own)


def ask_to_add(questions: Questions, home: Element, *words: str) -> bool:
    """Ask back the text with these words behind it, or instead of one that names nothing.

    Words that stand there are not asked, and those that do not fit are told. Returns whether it is asked.
    """
    value, shown = questions.answers[home.id]
    says_nothing = value is None or fold(str(shown)) in _NOTHING
    before = "" if says_nothing else str(shown)
    text, left = join_parts([without_address(each) for each in words], home.max_length, first=before)
    note_left(questions.draft, left)
    if text == before.strip(" .;"):
        return False
    _state(questions).update(to=home.id, text=text)
    ask_back(questions.draft, home.id, ProbableAnswer(Valid(text, text)))
    return True


def _state(questions: Questions) -> dict[str, Any]:
    kept: dict[str, Any] = questions.draft.run.private.setdefault(_KEY, {})
    return kept


def home_of(questions: Questions) -> Element | None:
    """Return the last question of the item that takes a text."""
    texts = [each for each in questions.asked if each.kind == "text" and each.pattern is None]
    return texts[-1] if texts else None


def _said_in(questions: Questions) -> list[tuple[list[str], list[str]]]:
    """Return the words of each answer of the item, and those of its question.

    A no to whether the screen is intact tells that it is broken, and so does an option that says so.
    """
    labels = {each.id: tokens(f"{each.label.pt} {each.label.en}") for each in questions.asked}
    said = list[tuple[list[str], list[str]]]()
    for element_id, (value, shown) in questions.answers.items():
        about = labels.get(element_id, [])
        is_broken = value is False and {"screen", "intact"}.issubset(about)
        is_broken |= value in ("cracked", "dead") and not {"screen", "glass"}.isdisjoint(about)
        said.append((tokens(str(shown)) + _BROKEN * is_broken, about + _GLASS * is_broken))
    return said


def _is_said(answers: Iterable[tuple[list[str], list[str]]], clause: str) -> bool:
    """Return whether an answer of the item tells of this fault."""
    return any(says_fault(said, clause, about) for said, about in answers)


def _labels(label: Text) -> tuple[str, ...]:
    """Return what a click on an option writes, in each language."""
    return tuple(label.text_in(each) for each in LANGUAGES)
