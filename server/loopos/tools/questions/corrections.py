"""Corrections that name their fields: each value is asked back for the field that its clause names."""

from datetime import UTC, datetime

from server import patterns
from server.loopos.answers import PRICE, Element, Judgement, ProbableAnswer, Refused, Valid, confirms, judge
from server.loopos.answers.amounts.dates import lacks_year
from server.loopos.answers.amounts.numbers import read_number, unit_words
from server.loopos.answers.amounts.side_amounts import speaks_of_deal
from server.loopos.answers.certainty import content, is_bare, is_like, opening, plain_words, without_lead
from server.loopos.answers.clauses.change_requests import told_addition, told_changes, wished_addition
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.questions.bare_figures import counts, names_figure
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.late_corrections import ask_last_answer
from server.loopos.tools.questions.question_topics import speaks_of, topic_of
from server.loopos.tools.questions.texts.remarks import take_left
from server.loopos.tools.questions.unrecorded_faults import ask_to_add, home_of, take_as_asked

_YEAR = patterns.compile(r"\b(?:19|20)\d\d\b")
_SHORTEST = 3
_OF_DATES = frozenset("data date comprei comprado comprada bought".split())
_OF_TEXTS = frozenset("nota notas note notes acessorios accessories observacoes texto text extras".split())


def ask_told_corrections(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back each value that a message gives to a field that it names, or what it says that the last text lacks.

    `asked` is the question that the message may answer. Returns the first that is asked back, or None.
    """
    if asked is not None and asked.kind == "price" and confirms(message, questions.draft.language)[0]:
        return None  # The yes counts, and the words behind it are asked back then.
    changes = _changes_of(questions, asked, message)
    known = questions.answers
    if len(changes) > 1 or any(element is not asked or element.id in known for element, _, _ in changes):
        first = None
        for element, _, judged in changes:
            if not isinstance(judged, Refused) and _is_new(questions, element, judged):
                guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
                ask_back(questions.draft, element.id, ProbableAnswer(guess))
                first = first or element
        if first is not None:
            take_as_asked(questions)
            return first
    found = _ask_addition(questions, asked, message) or _ask_told_value(questions, asked, message)
    return found or ask_last_answer(questions, asked, message)


def _ask_told_value(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the value that a message surely gives to one answer and to no other, where nothing, a text or the price
    is open.

    Where a text is open the message names a number with its unit or its question, so that it is no text; beside the
    price it names no price.
    """
    is_price = asked is not None and asked.kind == "price"
    if asked is not None and not is_price and (asked.kind != "text" or asked.id in questions.answers):
        return None
    says, rest = opening(_TRAILING.sub("", without_lead(message)))
    if is_bare(says, plain_words(rest, questions.draft.language)):
        return None  # `afinal não` names no answer.
    if is_price and not isinstance(_judge(questions, PRICE, message), Refused):
        return None
    kinds = ("number", "date") if is_price else ("number",) if asked is not None else _OF_ONE_VALUE
    among = kinds if is_price else _OF_ONE_VALUE
    known = [each for each in questions.asked if each.id in questions.answers and each.kind in among]
    told = [(each, guess) for each in known if (guess := value_told(questions, each, message)) is not None]
    if len(told) != 1 or told[0][0].kind not in kinds:
        return None
    element, guess = told[0]
    is_listed = asked is not None and not _LISTED.isdisjoint(unit_words(element.unit))
    if not _is_new(questions, element, guess) or (is_listed and without_lead(message) == message):
        return None
    ask_back(questions.draft, element.id, ProbableAnswer(guess))
    return element


_OF_ONE_VALUE = frozenset(("number", "date", "select", "boolean"))
_LISTED = frozenset("comando comandos controller controllers".split())
"""Units that are things: a text that lists accessories may have them."""


def value_told(questions: Questions, element: Element, message: str) -> Valid | None:
    """Return the value of this answer that a message surely says: a number beside its unit, its question or the number
    that it takes the place of; a count of years beside no other unit.
    """
    said = _TRAILING.sub("", without_lead(message))
    judged = judge(element, said, questions.draft.language, datetime.now(UTC).date())
    words = content(tokens(said))
    is_of_another = element.kind == "date" and len(words) > _MOST_OF_DATE and _OF_DATES.isdisjoint(words)
    is_of_another |= element.kind == "boolean" and not speaks_of(topic_of(element), said)
    if isinstance(judged, Refused) or is_of_another:
        return None
    figures = [read_number(each) for each in _FIGURES.findall(said)]
    kept = questions.answers[element.id][0]
    is_replaced = element.kind == "number" and len(figures) > 1 and kept in figures
    if element.kind == "number" and not (
        is_replaced or (names_figure(element, said) and counts(element, said))
    ):
        return None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    is_sure = isinstance(judged, Valid) or is_replaced or (element.kind == "date" and len(figures) == 1)
    return guess if is_sure and not guess.skipped else None


_MOST_OF_DATE = 3
"""More words tell of another date: `o copo de substituição de 2022 é o que está na máquina`."""
_FIGURES = patterns.compile(r"\d+(?:[.,]\d+)*(?:\s?(?:k|mil|thousand)\b)?", patterns.IGNORECASE)
_TRAILING = patterns.compile(
    r"[\s,]+(?:afinal|ali[aá]s|actually|instead|sorry|desculp[ae])[\s.!]*$", patterns.IGNORECASE
)


def unread_changes(questions: Questions) -> dict[str, str]:
    """Return as `not_taken` the values that no field takes, and what does not fit in the last text: they are told."""
    changes = _changes_of(questions, None, next(iter(questions.draft.messages()), ""))
    left = take_left(questions.draft).get("not_taken", "")
    refused = [(each, value) for each, value, judged in changes if isinstance(judged, Refused)]
    unread = ", ".join(value for each, value in refused if pending(questions.draft, each.id) is None)
    told = "; ".join(filter(None, (unread, left)))
    return {"not_taken": told} if told else {}


def _ask_addition(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the last text with what the message says that it lacks."""
    home, words = home_of(questions), told_addition(message)
    words = words or (wished_addition(message) if asked is None else "")
    if home is None or not words or home.id not in questions.answers or speaks_of_deal(words):
        return None
    if asked is not None and asked.id not in questions.answers and asked.kind != "price":
        return None
    return home if ask_to_add(questions, home, words) else None


def _changes_of(
    questions: Questions, asked: Element | None, message: str
) -> list[tuple[Element, str, Judgement]]:
    """Return each field that the message names, the value that it is to have, and how that is judged."""
    told = told_changes(message, lambda words: _find_field(questions, asked, words) is not None)
    found = [(_find_field(questions, asked, subject), value) for subject, value in told]
    return [
        (element, value, _judge(questions, element, value)) for element, value in found if element and value
    ]


def _judge(questions: Questions, element: Element, value: str) -> Judgement:
    """Judge the value; a month without its year has the year that the answer has."""
    shown = str(questions.answers.get(element.id, (None, ""))[1])
    year = _YEAR.search(shown) if element.kind == "date" and lacks_year(value) else None
    said = f"{value} {year[0]}" if year else value
    return judge(element, said, questions.draft.language, datetime.now(UTC).date())


def _is_new(questions: Questions, element: Element, judged: Judgement) -> bool:
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if isinstance(guess, Refused) or guess.skipped:
        return False
    return (guess.value, guess.shown) != tuple(questions.answers.get(element.id, (None, "")))


def _find_field(questions: Questions, asked: Element | None, words: str) -> Element | None:
    """Return the only question, answered or asked, that most of the words name."""
    said = [word for word in content(tokens(words)) if len(word) >= _SHORTEST]
    answered = [each for each in questions.asked if each.id in questions.answers or each is asked]
    known = [each for each in answered if each.kind != "price"]
    scores = [_score(questions, each, said) for each in known]
    best = max(scores, default=0)
    found = [each for each, score in zip(known, scores, strict=True) if best and score == best]
    return found[0] if len(found) == 1 else None


def _score(questions: Questions, element: Element, said: list[str]) -> int:
    label = [word for word in tokens(f"{element.label.pt} {element.label.en}") if len(word) >= _SHORTEST]
    own = set(_OF_DATES if element.kind == "date" else _OF_TEXTS if element is home_of(questions) else ())
    exact = sum(word in label or word in own for word in said)
    return exact + sum(any(is_like(word, each) for each in label) or word in own for word in said)
