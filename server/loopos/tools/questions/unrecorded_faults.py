"""Faults that the seller told and no answer says: they are asked to be added to the last text of the item."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from typing import Any

from server import patterns
from server.languages import LANGUAGES, fold
from server.loopos.answers import (
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    confirms,
)
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.clauses.change_requests import (
    added_words,
    name_before,
    says_it_lacks,
    told_addition,
    without_complaint,
)
from server.loopos.answers.clauses.contradicted_parts import without_contradicted, without_denied_lack
from server.loopos.answers.clauses.faults import fault_clauses, says_fault
from server.loopos.answers.clauses.instructions import without_instruction
from server.loopos.answers.clauses.item_facts import whole_clause
from server.loopos.answers.clauses.joined_parts import (
    add_parts,
    adds_to_text,
    join_parts,
    without_noted,
)
from server.loopos.answers.clauses.other_kinds import without_other_goods
from server.loopos.answers.clauses.private_names import without_names
from server.loopos.answers.clauses.reminders import without_address
from server.loopos.answers.judges.fault_notes import GRADES
from server.loopos.answers.options.synonyms import phrases
from server.loopos.answers.words import is_number, tokens
from server.loopos.tools.drafts.confirmation import ask_back, pending, undo_denial
from server.loopos.tools.drafts.words_behind_yes import BESIDE
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import words_beside_price
from server.loopos.tools.questions.texts.denied_texts import denied_text, end_denial
from server.loopos.tools.questions.texts.remarks import lacks_answer, note_left, told_remarks
from server.loopos.tools.questions.texts.told_clauses import lacked_thing
from server.loopos.tools.questions.texts.unheld_facts import unsaid_facts, without_counted

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
_NO = patterns.compile(r"\s*(?:no|n[aã]o|nope|nah)\b", patterns.IGNORECASE)
_PLAINLY = patterns.compile(
    r"[:\"«“]|\b(?:just|only|instead|rather|should|must|has to|s[oó]|apenas|somente|antes|"
    r"devi?am?|devem?|deveriam?|t[eê]m de)\b",
    patterns.IGNORECASE,
)
"""A mark or a word by which an instruction says all that the text is to be."""
_BROKEN = "rachado rachadela partido quebrado estalado cracked broken smashed shattered".split()
_GLASS = "vidro visor glass display ecra screen canto cantos corner corners lado side cima baixo top bottom".split()
"""Other words for a screen that is not intact, and where it is not."""
_NOTHING = frozenset(
    "n|no|nao|none|nope|nah|nothing|nada|nenhum|nenhuma|nothing else|mais nada|nada mais|no thanks|nao obrigado|"
    "nao obrigada|nao falta nada|that's it|thats it|that's all|thats all|e tudo|so isso".split("|")
)
"""Texts that name nothing."""
_WRONG = frozenset("wrong incorrect errado errada mal incorreto thats its".split())


def ask_unsaid(questions: Questions) -> Element | None:
    """Ask once to add what no answer says; return the text question, whose answer then waits for a yes.

    What was told earlier is joined to the text, and never takes its place.
    """
    home, clauses = home_of(questions), unrecorded_faults(questions)
    if home is None or not clauses or pending(questions.draft, home.id):
        return None
    _remember(_state(questions), clauses)
    clauses = unsaid_facts(questions, clauses)
    return home if clauses and ask_to_add(questions, home, *clauses, anew=False) else None


def condition_of(questions: Questions) -> Element | None:
    """Return the question for the condition of the item, whose choices are letters."""
    return next((each for each in questions.asked if [o.value for o in each.options] == GRADES), None)


def add_unsaid(questions: Questions, element: Element, told: Valid) -> Valid | None:
    """Return the last text, as it was told early, with the faults that no answer says: both are asked in one question.

    None where notes beside the answers say all of it. Any other answer is returned as it is.
    """
    if element is not home_of(questions):
        return told
    early = without_noted(without_address(told.shown), notes_in(questions), facts=True)
    clauses = unrecorded_faults(questions, told.shown)
    _remember(_state(questions), clauses)
    text, left = join_parts([early, *unsaid_facts(questions, clauses)], element.max_length)
    note_left(questions.draft, left)
    return Valid(text, text) if text else None


def _without_noted(questions: Questions, element: Element, judged: Judgement) -> Judgement:
    """Return the last text without the faults that notes beside the answers say, where it says something else too."""
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if element is not home_of(questions) or isinstance(guess, Refused) or guess.skipped:
        return judged
    left = without_noted(str(guess.value), notes_in(questions))
    if not left or left == guess.value:
        return judged
    return (
        replace(judged, guess=Valid(left, left)) if isinstance(judged, ProbableAnswer) else Valid(left, left)
    )


def notes_in(questions: Questions) -> list[str]:
    """Return what stands beside the chosen options."""
    chosen = {each.id for each in questions.asked if each.kind in ("select", "boolean")}
    beside = (BESIDE.search(str(shown)) for key, (_, shown) in questions.answers.items() if key in chosen)
    return [each[1] for each in beside if each]


def unrecorded_faults(questions: Questions, early: str | None = None) -> list[str]:
    """Return the faults of the seller's messages that no answer says and that were not asked yet, the oldest first;
    `early` is what the last text is to be, where it has no answer yet.
    """
    home = home_of(questions)
    if home is None or (home.id not in questions.answers and early is None):
        return []
    options = [(each, one) for each in questions.asked for one in each.options]
    labels = {fold(one.label.text_in(language)) for _, one in options for language in LANGUAGES}
    labels |= {fold(name) for each in options for name in phrases(*each)}
    heard = (
        without_other_goods(home, told_addition(text) or text)
        for text in reversed(questions.draft.messages())
    )
    written = (text for text in heard if fold(text) not in labels)
    clauses = (whole_clause(text, clause) for text in written for clause in faults_in(text))
    clauses = (words_beside_price(each, questions.draft.language) or each for each in clauses)
    bare = (without_complaint(each) for each in (*clauses, *told_remarks(questions.draft)))
    left = (without_counted(questions, each) for each in bare if not lacks_answer(questions.asked, each))
    told = _newest(filter(None, left), MOST_TOLD)
    answers = [*_said_in(questions), *([(tokens(early), [])] if early else [])]
    known, new = tokens(" ".join(_newest(_state(questions).get("asked", ()), MOST_ASKED))), list[str]()
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
    _remember(_state(questions), (each for text in questions.draft.messages() for each in faults_in(text)))


def settle_faults(questions: Questions, clauses: Iterable[str]) -> None:
    """Ask these faults no more."""
    _remember(_state(questions), clauses)


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
def faults_in(message: str) -> tuple[str, ...]:
    """Return the faults that a message tells of; kept messages have 500 characters at most."""
    return tuple(fault_clauses(message))


def judge_addition(
    questions: Questions, element: Element, judged: Judgement, waited: Valid | None
) -> Judgement:
    """Return the answer to a text that is asked to be added to, that waits for a yes (`waited`) or that is written.

    Other words than a yes or no are added to what stands there, and asked back. A no to an addition leaves the text.
    Only what the seller says to write (`just write ...`), or asked back words that name all of it (`just the box`),
    take the place of the text.
    """
    kept = _state(questions)
    if waited is not None and judged == waited and kept.get("to") == element.id:
        kept.pop("to")
        return judged  # The seller has agreed to this text as it is.
    judged = _without_noted(questions, element, judged)
    if _says_all_of_it(questions, element):
        take_as_asked(questions)
    if kept.get("to") != element.id or element.id not in questions.answers:
        return _judge_beside(questions, element, judged, waited)
    before = questions.answers[element.id]
    message = next(iter(questions.draft.messages()), "")
    _remember(kept, faults_in(message))
    if isinstance(judged, Refused):
        if judged.code != "not_confirmed":
            return judged
        undo_denial(questions.draft)
    elif isinstance(judged, ProbableAnswer) and str(judged.guess.value).startswith(kept["text"]):
        kept["text"] = str(judged.guess.value)
        return judged
    elif not (guess := judged.guess if isinstance(judged, ProbableAnswer) else judged).skipped and not str(
        guess.value
    ).startswith(kept["text"]):
        denied = confirms(message, questions.draft.language)[0] is False
        standing = Valid(*before) if denied else Valid(kept["text"], kept["text"])
        is_restated = _restates(element, message)
        if not (is_restated or _declines(questions, message, str(guess.value), str(before[1]))):
            return _judge_beside(questions, element, judged, standing)
        judged = judged if is_restated else Valid(before[0], str(before[1]))
    kept.pop("to")
    is_confirmed = isinstance(judged, Valid) and not judged.skipped
    return judged if is_confirmed or isinstance(judged, ProbableAnswer) else Valid(before[0], str(before[1]))


def _judge_beside(
    questions: Questions, element: Element, judged: Judgement, waited: Valid | None
) -> Judgement:
    """Return a text with the words that are typed where it waits for a yes or is written; they are asked back.
    Words that only repeat a part of it agree, unless a no stands before them.
    """
    draft, message = questions.draft, next(iter(questions.draft.messages()), "")
    is_clicked = any(part.get("type") == "answer" for part in draft.run.input)
    guess, standing = _guess_of(judged), _text_so_far(questions, element, waited)
    if isinstance(guess, Refused):
        if waited and guess.code == "empty":  # It was a price or talk.
            ask_back(draft, element.id, ProbableAnswer(waited))
        return judged
    if standing is None and not (is_clicked or guess.skipped):
        return _judge_behind_no(questions, element, judged)
    is_whole = standing is not None and str(guess.value).startswith(standing)
    is_nothing = fold(str(guess.value)).strip(" .!") in _NOTHING
    is_whole |= is_clicked or guess.skipped or (is_nothing and waited is not None)
    if standing is None or is_whole or _restates(element, message):
        return judged
    if not is_nothing and _ONLY.match(message) and not fault_clauses(message):
        take_as_asked(questions)
        note_asked(questions, element, str(guess.value))
        return ProbableAnswer(guess)
    _remember(_state(questions), faults_in(message))
    is_open = waited is None and draft.waiting_block() == element.id
    if is_open and not (
        is_nothing or adds_to_text(message) or told_addition(message) or says_it_lacks(message)
    ):
        note_asked(questions, element, str(guess.value))
        return judged if guess.value == standing else ProbableAnswer(guess)
    said = name_before(message) + str(guess.value)
    words = lacked_thing(questions, said, standing) or added_words(said)
    if is_nothing or not content(tokens(words)):
        return ProbableAnswer(Valid(standing, standing)) if waited else Valid(standing, standing)
    before = without_contradicted(without_denied_lack(standing, said), words)
    text, left = add_parts(before, words, element.max_length, whole=True)
    note_left(draft, left)
    if text == standing.strip(" .;"):
        denied = confirms(message, draft.language)[0] is False
        return ProbableAnswer(guess) if denied else Valid(standing, standing)
    note_asked(questions, element, text)
    return ProbableAnswer(Valid(text, text))


def _judge_behind_no(questions: Questions, element: Element, judged: Judgement) -> Judgement:
    """Return a text behind a plain no to one that was proposed: words that say that they add to that one are asked back
    with it, all others are the text.
    """
    refused, guess = denied_text(questions, element), _guess_of(judged)
    if isinstance(guess, Valid) and (lacked := lacked_thing(questions, str(guess.value), refused)):
        text, refused = join_parts([lacked], element.max_length, first=refused)[0], ""
        judged = ProbableAnswer(Valid(text, text))
    refused = "" if fold(refused) in _NOTHING else refused
    if refused and isinstance(guess, Valid) and _WRONG.issuperset(content(tokens(str(guess.value)))):
        return Refused("not_confirmed")
    end_denial(questions)
    message = next(iter(questions.draft.messages()), "")
    if not refused or isinstance(guess, Refused) or not (adds_to_text(message) or told_addition(message)):
        return judged
    text, left = add_parts(refused, added_words(str(guess.value)), element.max_length)
    note_left(questions.draft, left)
    return ProbableAnswer(Valid(text, text))


def _text_so_far(questions: Questions, element: Element, waited: Valid | None) -> str | None:
    """Return the free text that waits for a yes or is written; None where there is none, or one that names nothing."""
    value, shown = (waited.value, waited.shown) if waited else questions.answers.get(element.id, (None, ""))
    is_free = element.kind == "text" and element.pattern is None
    return str(shown) if is_free and value is not None and fold(str(shown)) not in _NOTHING else None


def note_asked(questions: Questions, element: Element, text: str) -> None:
    """Note the text that is asked back beside one that is written: a no leaves that."""
    if element.id in questions.answers:
        _state(questions).update(to=element.id, text=text)


def _restates(element: Element, message: str) -> bool:
    """Return whether a message plainly says what the text is to be: `put mario kart too` adds to it."""
    said = "" if told_addition(message) else added_words(message)
    is_plain = _PLAINLY.search(message) is not None or _NO.match(message) is not None
    return is_plain and bool(said) and without_instruction(element, said) != said


def _guess_of(judged: Judgement) -> Valid | Refused:
    return judged.guess if isinstance(judged, ProbableAnswer) else judged


def _says_all_of_it(questions: Questions, element: Element) -> bool:
    """Return whether the newest message says what alone the text is to have: nothing is asked to be added then."""
    message = next(iter(questions.draft.messages()), "")
    return element is home_of(questions) and _restates(element, message)


def _declines(questions: Questions, message: str, words: str, before: str) -> bool:
    """Return whether a message tells no other fault than those that are written, and refuses or repeats the text."""
    written, answers = tokens(before), _said_in(questions)
    told = _newest(fault_clauses(words), MOST_TOLD)
    if any(not says_fault(written, each) and not _is_said(answers, each) for each in told):
        return False
    own = content(tokens(words))
    repeated = sum(any(is_like(word, each) for each in written) for word in own)
    return confirms(message, questions.draft.language)[0] is False or 2 * repeated > len(own)


def ask_to_add(questions: Questions, home: Element, *words: str, anew: bool = True) -> bool:
    """Ask back the text with these words behind it, or instead of one that names nothing.

    Words that stand there are not asked, those that do not fit are told; `anew`: words that tell it anew replace it.
    """
    value, shown = questions.answers[home.id]
    says_nothing = value is None or fold(str(shown)) in _NOTHING
    before = "" if says_nothing else str(shown)
    told = [lacked_thing(questions, each, before) or without_names(without_complaint(each)) for each in words]
    if len(told) == 1 and before:
        text, left = add_parts(before, told[0], home.max_length, whole=anew)
    else:
        text, left = join_parts(told, home.max_length, first=before)
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
    """Return whether an answer of the item tells of this fault; of a share only one with its figure does."""
    shares = {each for each in tokens(clause) if is_number(each)} if "%" in clause else set[str]()
    return any(shares <= {*said} and says_fault(said, clause, about) for said, about in answers)
