"""Several answers of a finished item that one message changes: each clause gives a value to one of them."""

from __future__ import annotations

from datetime import UTC, datetime

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Refused, Valid, judge
from server.loopos.answers.certainty import content, without_lead
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.tools.drafts.confirmation import ask_back, forget
from server.loopos.tools.questions.bare_figures import counts, names_figure
from server.loopos.tools.questions.corrections import value_told
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.question_topics import speaks_of, topic_of
from server.loopos.tools.questions.unrecorded_faults import home_of, take_as_asked

_CLAUSES = patterns.compile(r"[,;.!\n]+(?=\s|$)|\s(?:e|and|mas|but)\s", patterns.IGNORECASE)
_SLIP = patterns.compile(
    r"\W*(?:(?:oh|ah|ups|oops|e|and|so|eu|i|ok|no|n[aã]o|wait|espera)\b[\s,]*)*"
    r"(?:enganei-?me|engano(?: meu)?|confundi-?me|desculp[ae]\w*|perd[aã]o|sorry|my (?:bad|mistake)|"
    r"(?:i\s)?(?:was|got (?:it|that|them)) wrong|afinal|actually|j[aá] agora|btw|by the way|n[aã]o|no|nope|nah|"
    r"(?:(?:isso|isto|that|thats|that['’]s|it['’]?s)\s(?:n[aã]o\s(?:é|e|era)|(?:is\s|was\s)?not)|not)\s"
    r"(?:uma?\s|an?\s|para as\s|for the\s)?(?:notas?|notes?|texto?))\W*",
    patterns.IGNORECASE,
)
"""A clause that only says that something was wrong, or that what was said is no note."""
_NAMED_KINDS = frozenset(("number", "select", "boolean"))
_MOST_CLAUSES = 6


def ask_several_values(questions: Questions, message: str) -> Element | None:
    """Ask back the new value of each answer, where all clauses of a message give one to an answered question each.

    One is enough beside a clause that calls the last words no note. Returns the first that is asked back, or None.
    """
    if len(message) > MOST_LETTERS or "?" in message or any(e.kind != "price" for e in questions.open()):
        return None
    told, is_slip = _told_clauses(message)
    if not (len(told) > 1 or (told and is_slip)) or len(told) > _MOST_CLAUSES:
        return None
    values = dict[str, tuple[Element, Valid]]()
    for clause in told:
        found = _value_in(questions, " ".join(_TURN.sub(" ", clause).split()))
        if found is None or found[0].id in values:
            return None
        values[found[0].id] = found
    new = [each for each in values.values() if each[1].value != questions.answers[each[0].id][0]]
    for element, value in new:
        ask_back(questions.draft, element.id, ProbableAnswer(value))
    home = home_of(questions)
    if is_slip and home is not None:
        forget(questions.draft, home.id)
    if new:
        take_as_asked(questions)
    return new[0][0] if new else None


def calls_no_note(message: str) -> bool:
    """Return whether a message says that the last words are no note, and something else: `no note, it is 82`."""
    told, is_slip = _told_clauses(message) if len(message) <= MOST_LETTERS else ([], False)
    return bool(told) and is_slip


def _told_clauses(message: str) -> tuple[list[str], bool]:
    """Return the clauses that tell something, and whether another one says that the last words are no note."""
    clauses = [each.strip() for each in _CLAUSES.split(message) if content(tokens(each))]
    told = [each for each in clauses if not _SLIP.fullmatch(each)]
    return told, any(_NO_NOTE.search(each) for each in clauses if each not in told)


_TURN = patterns.compile(
    r":(?=\s)|\b(?:afinal|na verdade|na realidade|actually|really|in fact|instead)\b", patterns.IGNORECASE
)
"""A mark or a word inside a clause that only says that something is put right."""
_NO_NOTE = patterns.compile(r"\b(?:notas?|notes?|texto?)\b", patterns.IGNORECASE)


def _value_in(questions: Questions, clause: str) -> tuple[Element, Valid] | None:
    """Return the only answered question to which a clause gives a value, and that value."""
    known = [each for each in questions.asked if each.id in questions.answers]
    told = [(each, guess) for each in known if (guess := _value_for(questions, each, clause)) is not None]
    return told[0] if len(told) == 1 else None


def _value_for(questions: Questions, element: Element, clause: str) -> Valid | None:
    if element.kind == "date":
        return value_told(questions, element, clause)
    names = names_figure(element, clause) and counts(element, clause)
    is_named = names if element.kind == "number" else speaks_of(topic_of(element), clause)
    if element.kind not in _NAMED_KINDS or not is_named:
        return None
    judged = judge(element, without_lead(clause), questions.draft.language, datetime.now(UTC).date())
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return None if isinstance(guess, Refused) or guess.skipped else guess
