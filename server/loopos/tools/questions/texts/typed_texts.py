"""A free text as a seller types or sends it: what is sent from the field is the text, what is typed is asked back."""

from datetime import UTC, datetime

from server import patterns
from server.languages import split_question
from server.loopos.answers import (
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    judge,
    without_price,
)
from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.clauses.joined_parts import add_parts
from server.loopos.answers.clauses.talk import without_talk
from server.loopos.answers.clauses.text_replies import approves_text, ends_text, without_asides
from server.loopos.answers.clauses.whole_text_wishes import read_whole_text
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.denied_texts import denied_text, end_denial
from server.loopos.tools.questions.texts.offered_texts import end_offer, offered_text
from server.loopos.tools.questions.texts.remarks import drop_remarks, note_left
from server.loopos.tools.questions.texts.told_clauses import ADD
from server.loopos.tools.questions.texts.whole_texts import judge_whole_text
from server.loopos.tools.questions.unrecorded_faults import (
    home_of,
    judge_addition,
    note_asked,
    take_as_asked,
)


def standing_text(questions: Questions, element: Element | None) -> str:
    """Return the free text of this question that stands in its field, waits for a yes or is written; else nothing."""
    if element is None or element.kind != "text" or element.pattern is not None:
        return ""
    kept = pending(questions.draft, element.id)
    value, shown = questions.answers.get(element.id, (None, ""))
    offered = offered_text(questions, element) or denied_text(questions, element)
    return kept.shown if kept else offered or (str(shown) if value is not None else "")


def take_sent_text(questions: Questions, element: Element, judged: Judgement, stood: str) -> Valid | None:
    """Return the text that was sent from its field, in which one stood, as it was sent: nothing more is asked of it.

    None for any other answer.
    """
    if not stood or not isinstance(judged, Valid) or judged.skipped or not _is_sent(questions):
        return None
    end_offer(questions)
    end_denial(questions)
    take_as_asked(questions)
    drop_remarks(questions.draft)
    return judged


def ask_clicked_clause(questions: Questions) -> Element | None:
    """Ask back the last text with the clause that was clicked beside its field; return its question, None for any other
    message.
    """
    words, home = questions.draft.clicked_value(ADD), home_of(questions)
    if words is None or home is None:
        return None
    text, left = add_parts(standing_text(questions, home), words, home.max_length, whole=True)
    note_left(questions.draft, left)
    note_asked(questions, home, text)
    ask_back(questions.draft, home.id, ProbableAnswer(Valid(text, text)))
    return home


def judge_typed(questions: Questions, element: Element, judged: Judgement, waited: Valid | None) -> Judgement:
    """Return the answer to a text, with what is typed beside one that waits for a yes (`waited`) or is written.

    It is asked back first, unless it is one of these.
    """
    value = questions.answers.get(element.id, (None, ""))[0]
    if _is_free(element) and waited is None and not standing_text(questions, element):
        judged = _without_end(questions, element, judged)
    if waited and _is_free(element) and _agrees(questions):
        judged = waited
    judged = judge_whole_text(questions, element, judged, waited) or judge_addition(
        questions, element, judged, waited
    )
    if not _is_free(element) or not isinstance(judged, Valid) or judged.skipped or _is_sent(questions):
        return judged
    known = [each for each in (waited.value if waited else None, value) if each is not None]
    if not known or judged.value in known:
        return judged
    note_asked(questions, element, str(judged.value))
    return ProbableAnswer(judged)


def ask_whole_text(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back all that the message says that a text shall be: the open one, or the last one that is written."""
    is_text = asked is not None and asked.kind == "text" and asked.pattern is None
    element = asked if is_text else home_of(questions)
    text = standing_text(questions, element)
    is_other = asked is not None and asked is not element and asked.id not in questions.answers
    if element is None or not text or (is_other and asked is not None and asked.kind != "price"):
        return None
    draft, kept = questions.draft, pending(questions.draft, element.id)
    if kept is not None and is_asked_in_this_run(draft, element.id):
        return None
    waits = draft.waiting_block() == element.id
    said = without_price(split_question(message)[0], draft.language)
    written = read_whole_text(said, is_refusable=waits or not is_other, is_waiting=waits)
    if not written or (is_other and asked is not None and not _is_refused(questions, asked, written)):
        return None
    if len(written) > element.max_length or _is_refused(questions, element, written):
        return None
    ask_back(draft, element.id, ProbableAnswer(Valid(written, written)))
    note_asked(questions, element, written)
    take_as_asked(questions)
    end_offer(questions)
    drop_remarks(draft)
    return element


def _agrees(questions: Questions) -> bool:
    """Return whether the message says that the text is right, alone or beside a price that was taken out of it."""
    message = next(iter(questions.draft.messages()), "")
    rest = take_price(message, questions.draft.language, None).rest
    bare = _BUT.sub(" ", " ".join(each for each in without_asides(rest).split(",") if without_talk(each)))
    return approves_text(message) or ends_text(message) or (rest != message and approves_text(bare))


_BUT = patterns.compile(r"\b(?:but|mas|and|s[aã]o)\b", patterns.IGNORECASE)


def _without_end(questions: Questions, element: Element, judged: Judgement) -> Judgement:
    """Return the answer to a text that is empty: a no where the message says that there is no more to say."""
    message, language = next(iter(questions.draft.messages()), ""), questions.draft.language
    if _is_sent(questions) or not ends_text(message):
        return judged
    return judge(element, "no" if language == "en" else "não", language, datetime.now(UTC).date())


def _is_free(element: Element) -> bool:
    return element.kind == "text" and element.pattern is None


def _is_refused(questions: Questions, element: Element, words: str) -> bool:
    judged = judge(element, words, questions.draft.language, datetime.now(UTC).date())
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return isinstance(guess, Refused) or guess.skipped


def _is_sent(questions: Questions) -> bool:
    return any(part.get("type") == "answer" for part in questions.draft.run.input)
