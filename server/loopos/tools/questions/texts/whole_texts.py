"""A text that the seller edits as a whole: it stands in the field, and what is sent takes its place."""

from server import patterns
from server.loopos.answers import Element, Judgement, ProbableAnswer, Refused, Valid, asks_to_cut
from server.loopos.answers.clauses.change_requests import added_words, told_addition
from server.loopos.answers.clauses.joined_parts import add_parts, adds_to_text
from server.loopos.answers.clauses.talk import keeps
from server.loopos.tools.drafts.confirmation import forget, pending
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.shown_questions import show_question
from server.loopos.tools.questions.texts.objections import objects_to
from server.loopos.tools.questions.texts.offered_texts import end_offer, offer_text, offered_text
from server.loopos.tools.questions.texts.remarks import note_left
from server.loopos.tools.questions.unrecorded_faults import home_of, note_asked, take_as_asked


def offer_whole_text(questions: Questions, element: Element) -> tuple[str, Refused]:
    """Return the text that waits for a yes or is written, to stand in the field, and what is said beside it.

    What is sent next takes its place. Nothing is asked back any more, so that the field is shown.
    """
    kept = pending(questions.draft, element.id)
    text = kept.shown if kept else offered_text(questions, element) or questions.typed_answer(element)
    forget(questions.draft, element.id)
    is_again = offer_text(questions, element, text)
    return text, Refused("write_whole_text" if is_again else "not_in_text")


def judge_whole_text(
    questions: Questions, element: Element, judged: Judgement, waited: Valid | None
) -> Judgement | None:
    """Return the answer to a text that is offered as a whole: what is sent from its field is the text, what is typed
    is asked back first, with that text where it adds to it.

    None where no text is offered, another one waited for a yes (`waited`), or the message says nothing that can stand
    there.
    """
    draft, text = questions.draft, offered_text(questions, element)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    message = next(iter(draft.messages()), "")
    if waited is not None:
        end_offer(questions)
        return None
    if not text or (isinstance(guess, Refused) and not _is_kept(message, text)):
        return None
    end_offer(questions)
    if isinstance(guess, Refused):
        return Valid(text, text)
    take_as_asked(questions)
    if any(part.get("type") == "answer" for part in draft.run.input):
        return judged
    if guess.skipped:
        return ProbableAnswer(Valid(text, text))
    if adds_to_text(message) or told_addition(message):
        text, left = add_parts(text, added_words(str(guess.value)), element.max_length)
        note_left(draft, left)
        guess = Valid(text, text)
    note_asked(questions, element, str(guess.value))
    return ProbableAnswer(guess)


def offer_unclear(questions: Questions) -> Element | None:
    """Show the last text in its field where the message wants a part of it to go that is not clear."""
    home, message = home_of(questions), next(iter(questions.draft.messages()), "")
    is_clicked = any(part.get("type") == "answer" for part in questions.draft.run.input)
    value, _ = questions.answers.get(home.id, (None, "")) if home else (None, "")
    if home is None or value is None or is_clicked:
        return None
    if not (asks_to_cut(message) or objects_to(questions, home, message)):
        return None
    text, refused = offer_whole_text(questions, home)
    show_question(questions, home, value=text, error=refused.text_in(questions.draft.language))
    return home


def _is_kept(message: str, text: str) -> bool:
    return keeps(message, text) or _YES.fullmatch(message.strip()) is not None


_YES = patterns.compile(r"(?:sim|yes|yeah|yep|ok|okay|est[aá] bem|fine)[\s.!]*", patterns.IGNORECASE)
