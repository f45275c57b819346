"""An answer that the seller names by its subject at another question, or behind the yes to the price."""

from datetime import UTC, datetime

from server import patterns
from server.languages import LOCALES
from server.loopos.answers import (
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    damage_of,
    judge,
    named_answer,
)
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.clauses.instructions import without_instruction
from server.loopos.answers.element import language_of
from server.loopos.answers.judges.fault_notes import words_behind_turn
from server.loopos.answers.options.option_choice import pick_place
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.answer_wishes import WRITE
from server.loopos.tools.drafts.confirmation import ask_back
from server.loopos.tools.drafts.words_behind_yes import ONLY
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import words_behind_priced_yes
from server.loopos.tools.questions.texts.remarks import is_noise, is_of_sale
from server.loopos.tools.questions.unrecorded_faults import ask_to_add, condition_of, home_of

_REACH, _STEM = 4, 4
"""So many words behind `the answer about` name it; words of a question are known by so many letters."""


def ask_named(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the answer that a message at another question names by its subject, where it says the right value."""
    words = named_answer(message)
    element = None if words is None else _find_named(questions, words)
    if element is None or element is asked:
        return None
    judged = _judge_named(questions, element, message)
    if isinstance(judged, Refused):
        return None
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if guess.skipped or guess.value == questions.answers[element.id][0]:
        return None
    ask_back(questions.draft, element.id, ProbableAnswer(guess))
    return element


def _judge_named(questions: Questions, element: Element, message: str) -> Judgement:
    """Judge the damage that the message tells, or what stands behind its contrast, its colon or its comma."""
    language, today = questions.draft.language, datetime.now(UTC).date()
    told = damage_of(element, condition_of(questions), message, language, today)
    if told is not None and element.kind == "select":
        return told
    ends = [words_behind_turn(message, language), message.partition(":")[2], message.rpartition(",")[2]]
    judged = (judge(element, each, language, today) for each in ends if each.strip())
    return next((each for each in judged if not isinstance(each, Refused)), Refused("not_said"))


def _find_named(questions: Questions, words: str) -> Element | None:
    """Return the only answered question that has the most of the words by which an answer is named."""
    named = [word for word in content(tokens(words)[:_REACH]) if len(word) >= _STEM]
    answered = [each for each in questions.asked if each.id in questions.answers]
    scores = {each.id: sum(_is_of(word, each) for word in named) for each in answered}
    best = max(scores.values(), default=0)
    found = [each for each in answered if best and scores[each.id] == best]
    return found[0] if len(found) == 1 else None


def _is_of(word: str, element: Element) -> bool:
    label = tokens(f"{element.label.pt} {element.label.en}")
    return any(is_like(word, each) or (len(each) > len(word) and word in each) for each in label)


def ask_behind_price(questions: Questions) -> bool:
    """Ask back to add to the last text what the seller writes behind the yes to the price, or to put it there.

    Returns whether it is asked.
    """
    home, language = home_of(questions), questions.draft.language
    is_clicked = any(part.get("type") == "answer" for part in questions.draft.run.input)
    words = (
        "" if is_clicked else words_behind_priced_yes(next(iter(questions.draft.messages()), ""), language)
    )
    if (
        home is None
        or home.id not in questions.answers
        or is_of_sale(_YEARS.sub(" ", words))
        or is_noise(words)
    ):
        return False
    written, named = without_instruction(home, words), _find_named(questions, words)
    wished = WRITE.match(words)
    if wished is not None and ":" not in words and not ONLY.match(wished["words"]):
        return ask_to_add(questions, home, written)
    if written != words:
        ask_back(questions.draft, home.id, ProbableAnswer(Valid(written, written)))
    elif named is None or not _ask_other_value(questions, named, words):
        return ask_to_add(questions, home, words)
    return True


_YEARS = patterns.compile(
    r"\b(?:in|em|de)\s+(?:19|20)\d\d(?:\s+(?:or|ou)\s+(?:19|20)\d\d)?\b", patterns.IGNORECASE
)
"""Years of purchase, which are no prices."""


def _ask_other_value(questions: Questions, element: Element, words: str) -> bool:
    """Ask back the other choice that words name for an answer; return whether they name one."""
    judged = judge(element, words, questions.draft.language, datetime.now(UTC).date())
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if isinstance(guess, Refused) or guess.skipped or element.kind not in ("boolean", "select"):
        return False
    if guess.value == questions.answers[element.id][0]:
        return False
    ask_back(questions.draft, element.id, ProbableAnswer(guess))
    return True


def note_listed(questions: Questions, element: Element, judged: Refused) -> None:
    """Remember the options among which a refusal lets choose: a place is counted among them then."""
    draft, listed = questions.draft, judged.params.get("options", "")
    quoted = LOCALES[language_of(draft.language)].quotes
    shown = [each for each in element.options if quoted.format(each.label.text_in(draft.language)) in listed]
    draft.run.private["listed"] = [element.id, [each.value for each in shown]]


def pick_listed(questions: Questions, element: Element, text: str) -> str:
    """Return the label of the option that the newest message picks by its place among those that were listed.

    Any other text is returned as it is: `the 2nd 1`, `a segunda`, `the last one` are places.
    """
    draft = questions.draft
    name, values = draft.run.private.get("listed", ("", ()))
    is_newest = text == next(iter(draft.messages()), "")
    if name != element.id or not is_newest or draft.waiting_block() != element.id or "?" in text:
        return text
    options = [each for each in element.options if each.value in values]
    place = pick_place(_ONE.sub(" one", text), [(each.label.pt, each.label.en) for each in options])
    return text if place is None else options[place].label.text_in(draft.language)


_ONE = patterns.compile(r"(?<=nd|st|rd|th)\s1\b", patterns.IGNORECASE)
"""The figure for the word in `the 2nd 1`."""
