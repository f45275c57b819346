"""Answers that wait for the seller's yes: they were not sure, or would end the sale.

Each option and question has its own. One of them is shown at a time, and a yes or no is about the one that was shown.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any

from server import patterns
from server.agents import RunContext
from server.languages import split_question
from server.loopos.answers import (
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    adds_nothing,
    asks,
    confirms,
    denies,
    goes_with_yes,
    is_hedged_yes,
    judge,
    without_price,
)
from server.loopos.answers.amounts.dates import lacks_year
from server.loopos.answers.amounts.price_words import leaves_price
from server.loopos.answers.clauses.asides import named_clauses
from server.loopos.answers.clauses.change_requests import added_words
from server.loopos.answers.clauses.faults import denies_faults, fault_clauses
from server.loopos.answers.clauses.joined_parts import add_parts
from server.loopos.answers.clauses.talk import without_talk
from server.loopos.answers.clauses.text_replies import spell_agreed
from server.loopos.answers.judges.fault_notes import only_works
from server.loopos.answers.judges.figure_judge import tells_feast
from server.loopos.answers.judges.other_parts import without_other_parts
from server.loopos.answers.judges.values_behind_yes import judge_other
from server.loopos.answers.options.option_sides import leads
from server.loopos.tools.drafts.answer_wishes import WRITE, find_wished
from server.loopos.tools.drafts.date_parts import put_date_right
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.proposal_choices import (
    ALONE,
    BUTTONS,
    NO,
    YES,
    button_of,
    is_sent_as_it_was,
    without_words,
)
from server.loopos.tools.drafts.words_behind_yes import (
    ASIDE,
    BESIDE,
    ONLY,
    SUBJECT,
    add_remark,
    as_written,
    denies_more,
    is_no,
    judge_foreign,
    keeps_price,
    may_change_price,
    names_label,
    names_other,
    noted_beside,
    repeats,
    say_beside_yes,
    says_again,
    tells_why,
    with_words,
    without_value_before,
    words_to_note,
)

_KEY, _DENIED = "unsure", "denied"


@dataclass(frozen=True)
class Correction:
    """A no, and the words after it that correct the answer."""

    words: str


def ask_back(draft: Draft, element_id: str, judged: ProbableAnswer) -> None:
    """Keep what was understood of this option or question until the seller confirms it."""
    guess = judged.guess
    draft.run.private.setdefault(_KEY, {})[element_id] = {
        "value": guess.value,
        "shown": guess.shown,
        "deal_breaker": guess.deal_breaker,
        "run": draft.run.run_id,
    }


def pending(draft: Draft, element_id: str) -> Valid | None:
    """Return the answer that waits for a yes at this question."""
    kept: dict[str, Any] | None = draft.run.private.get(_KEY, {}).get(element_id)
    return None if kept is None else Valid(kept["value"], kept["shown"], kept["deal_breaker"])


def waiting_for_yes(run: RunContext) -> list[str]:
    """Return the options and questions whose answer waits for a yes."""
    return list(run.private.get(_KEY, {}))


def to_settle(draft: Draft, names: Sequence[str]) -> str | None:
    """Return the question to show first: one that was denied in this run, else one that waits for a yes.

    The order of `names` decides, and not the order in which calls end that work at once.
    """
    denied = [name for name in names if _is_denied(draft, name)]
    return next(iter(denied), None) or next((name for name in names if pending(draft, name)), None)


def is_asked_in_this_run(draft: Draft, element_id: str) -> bool:
    """Return whether the waiting answer was understood in this very run, so that the seller has not answered yet."""
    kept: dict[str, Any] = draft.run.private.get(_KEY, {}).get(element_id, {})
    return kept.get("run") == draft.run.run_id


def is_shown(draft: Draft, element_id: str) -> bool:
    """Return whether this waited for an answer when the seller wrote. Only then a yes or no is about it."""
    return draft.waiting_block() == element_id


def forget(draft: Draft, element_id: str) -> None:
    """Forget the answer to this option or question that waits for a yes."""
    draft.run.private.get(_KEY, {}).pop(element_id, None)


def undo_denial(draft: Draft) -> None:
    """Take the plain no of this run as an answer, so that nothing is asked again because of it."""
    draft.run.private.pop(_DENIED, None)


def words_about(draft: Draft, element_id: str) -> list[str]:
    """Return the seller's messages that may be about this option or question, the newest first.

    A click, and a plain yes or no, answer what was shown then and nothing else. Of the newest message what is left
    stands first, even if it is nothing. Equal messages are one.
    """
    newest, *earlier = draft.messages() or [""]
    if draft.waiting_block() not in (None, element_id):
        clicked = any(part.get("type") == "answer" for part in draft.run.input)
        says, rest = confirms(newest, draft.language)
        newest = "" if clicked else newest if says is None else rest
    heard = [newest, *(each for each in earlier if not _is_plain(each, draft.language))]
    return list(dict.fromkeys(heard))


_YEAR, _PLAIN = 4, ((True, ""), (False, ""))
"""A date begins with the letters of its year."""
_LONGEST_PLAIN = 200
"""A longer message is more than a yes or no."""


@lru_cache(maxsize=512)
def _is_plain(message: str, language: str) -> bool:
    """Return whether a message is a plain yes or no; each is asked it again in each later run."""
    return len(message) <= _LONGEST_PLAIN and confirms(message, language) in _PLAIN


def _is_denied(draft: Draft, element_id: str) -> bool:
    return bool(draft.run.private.get(_DENIED) == [element_id, draft.run.run_id])


def settle(draft: Draft, element: Element, today: date) -> Judgement | Correction | None:
    """Return what the newest message says to the answer that waits for a yes.

    Valid: it is confirmed. ProbableAnswer: it was asked back in this run and still waits. Refused: it is wrong, or the
    seller pressed a button that no longer applies. None: nothing waits, it was not shown yet, or the message says
    something else.
    """
    kept = pending(draft, element.id)
    if _is_denied(draft, element.id):
        return Refused("not_confirmed")
    if kept is not None and is_asked_in_this_run(draft, element.id):
        return ProbableAnswer(kept)
    pressed = _pressed_button(draft, element, kept)
    if draft.clicked_value(element.id) in BUTTONS and (kept is None or not _is_clicked_now(draft)):
        return Refused("nothing_to_confirm")
    if kept is None or not is_shown(draft, element.id):
        return None
    forget(draft, element.id)
    if pressed not in (None, YES, NO):
        return _take_choice(element, kept, pressed)
    messages = draft.messages()[:1]
    if (
        element.kind == "price"
        and not pressed
        and (foreign := judge_foreign("".join(messages), draft.language))
    ):
        return foreign
    if messages and not kept.deal_breaker and not asks(messages[0]):
        messages = [split_question(messages[0])[0]]
    newest = "" if pressed or not messages else spell_agreed(element, messages[0])
    newest = without_value_before(newest, kept)
    newest = named_clauses(element, newest) if element.id.startswith("option:") else newest
    agrees, rest = confirms(newest, draft.language) if newest else (pressed == YES, "")
    other = None
    if newest and agrees is not False:
        other = judge_other(element, rest, kept, draft.language, today, agrees=agrees is True)
    if (agrees is False and not rest) or isinstance(other, Refused):
        # The same no must not be read again as the answer to the question itself.
        draft.run.private[_DENIED] = [element.id, draft.run.run_id]
        return Refused("not_confirmed")
    return other or _take_words(draft, element, kept, newest, (agrees, rest), today)


def _take_choice(element: Element, kept: Valid, pressed: str) -> Valid | None:
    """Return what a choice takes of the answer that waits; None where it is another answer to the question."""
    if pressed == ALONE:
        return without_words(element, kept)
    return kept if is_sent_as_it_was(element, kept, pressed) else None


def _take_words(
    draft: Draft, element: Element, kept: Valid, newest: str, said: tuple[bool | None, str], today: date
) -> Judgement | Correction | None:
    """Return what a yes and the words behind it say, or else what is to be written instead."""
    agrees, rest = said
    if agrees:
        written = as_written(newest, rest)
        noted = add_remark(element, kept, written, draft.language, today)
        noted = noted or say_beside_yes(element, kept, written, draft.language, today)
        return noted or _take_yes(element, newest, rest, kept, draft.language, today)
    written = newest if agrees is None else as_written(newest, rest)
    if says_again(element, kept, newest, draft.language, today, agrees=agrees):
        return kept
    return _take_other(element, kept, written, draft.language, today, denied=agrees is False)


def _take_other(
    element: Element, kept: Valid, written: str, language: str, today: date, *, denied: bool
) -> ProbableAnswer | Correction | None:
    """Return what words say that are no yes: what is to be written instead or beside the answer, or a correction."""
    if other := find_wished(element, kept, written, language, today):
        return Correction(other)
    if not denied and (dated := put_date_right(element, kept, written, language, today)):
        return dated
    noted = _note_beside(element, kept, written) or _told_faults(element, kept, written, language, today)
    return noted or (Correction(written) if denied else None)


def _note_beside(element: Element, kept: Valid, words: str) -> ProbableAnswer | None:
    """Return the answer that waits with the words beside it that the seller wants to be written there."""
    found = WRITE.match(words) if _takes_note(element) else None
    return None if found is None or ONLY.match(found["words"]) else with_words(kept, found["words"])


def _takes_note(element: Element) -> bool:
    """Return whether words may stand beside the answer: beside none of which variant of a product it is."""
    return element.kind in ("select", "boolean") and not element.id.startswith("option:")


def _told_faults(
    element: Element, kept: Valid, words: str, language: str, today: date
) -> ProbableAnswer | None:
    """Return the answer that waits with the faults that the words tell beside it, where they name no other option."""
    told = fault_clauses(words)
    if element.kind != "select" or not told or not BESIDE.search(kept.shown):
        return None
    if not isinstance(judge(element, words, language, today), Refused):
        return None
    return with_words(kept, "; ".join(told))


def _take_yes(
    element: Element, message: str, rest: str, kept: Valid, language: str, today: date
) -> Judgement | Correction | None:
    """Return what a yes and the words after it say: the answer that waits, it once more, or a correction of it.

    The yes is about the sentence that was shown. Behind a text the words after it are added.
    """
    is_price = element.kind == "price"
    is_same = keeps_price(rest, kept, language) if is_price else repeats(element, kept, rest)
    if is_same or _says_same(element, rest, kept, language, today):
        hedged = kept.deal_breaker and is_hedged_yes(message)
        return ProbableAnswer(kept, "refuses") if hedged else kept
    if element.kind == "text" or is_no(rest):
        again = ProbableAnswer(kept, "refuses" if kept.deal_breaker else "unsure")
        return again if is_no(rest) else _add(element, kept, as_written(message, rest), language)
    if asks(rest) and not kept.deal_breaker:
        return kept
    written = as_written(message, rest)
    if element.kind == "date" and (lacks_year(rest) or tells_feast(rest)):
        return Correction(f"{written} {str(kept.value)[:_YEAR]}")
    if not kept.deal_breaker and (noted := _note_beside(element, kept, written)) is not None:
        return noted.guess
    judged = judge(element, rest, language, today)
    works = element.kind == "select" and only_works(element, rest)
    is_named = element.kind == "select" and names_label(element, kept, rest)
    praises = not isinstance(judged, Refused) and not is_named and _praises_beside(kept, judged, rest)
    is_other = not (works or isinstance(judged, Refused) or praises)
    if is_other and (
        kept.deal_breaker or isinstance(judged, Refused) or names_other(element, kept, judged, rest)
    ):
        return Correction(written)
    turned = words_to_note(element, written, language) if _takes_note(element) else ""
    turned = _ALSO.sub("", written).strip(" .,;!") if works else without_other_parts(element, turned)
    if not turned and _takes_note(element) and denies(rest, language) and SUBJECT.search(rest):
        turned = _MERELY.sub("", written)
    is_left = ASIDE.search(written) or (_CORRECTS.search(turned) and not fault_clauses(turned))
    is_aside = ASIDE.search(written) is not None or (not is_left and tells_why(element, turned))
    turned = "" if is_left else noted_beside(element, turned)
    if turned and not kept.deal_breaker and (noted := with_words(kept, turned)) is not None:
        return noted.guess if works or tells_why(element, turned) else noted
    may_change = may_change_price(rest) if is_price else denies_more(element, kept, rest, language)
    may_change &= not (is_aside or denies_faults(rest))
    return ProbableAnswer(kept) if kept.deal_breaker or may_change else kept


def _praises_beside(kept: Valid, judged: Judgement, rest: str) -> bool:
    """Return whether words behind the yes to an answer with a note, in the seller's own words, only say what is well:
    `sim, mas o café sai bem`.
    """
    is_guess = isinstance(judged, ProbableAnswer) and BESIDE.search(kept.shown) is not None
    return is_guess and not (_CORRECTS.search(rest) or _ALL.search(rest) or fault_clauses(rest))


_ALL = patterns.compile(
    r"\b(?:tud[oa]|everything|all|nad[ao]|nothing)\b(?! o resto| else| the rest)", patterns.IGNORECASE
)
_MERELY = patterns.compile(r"^(?:mesmo|right|correct|certo|it)\b[\s,.]*", patterns.IGNORECASE)
_CORRECTS = patterns.compile(r"\b(?:afinal|actually)\b", patterns.IGNORECASE)
"""Words that put something else right, and are no note beside the answer."""


def _add(element: Element, kept: Valid, words: str, language: str) -> Judgement | None:
    """Return a text with more words behind it, without a price and a question; None where it would be too long.

    It is asked back.
    """
    more = added_words(without_price(split_question(without_talk(words))[0], language))
    if not more or adds_nothing(more, language):
        return kept
    text, left = add_parts(kept.shown, more, element.max_length, whole=True)
    return None if left else ProbableAnswer(Valid(text, text))


_ALSO = patterns.compile(
    r"^(?:(?:e|and|mas|but|tamb[eé]m|tb|also|plus|ainda|isso|it|that'?s it)\b[\s,.:]*)+",
    patterns.IGNORECASE,
)


def keep_waiting(draft: Draft, element_id: str, kept: Valid | None, judged: Judgement) -> Judgement:
    """Keep what was asked back (`kept`) waiting where the newest message says nothing understandable about it."""
    if kept is None or not isinstance(judged, Refused):
        return judged
    is_about = is_shown(draft, element_id) and judged.code in _ABOUT_KEPT
    return judged if is_about else ProbableAnswer(kept, "unread")


_ABOUT_KEPT = frozenset({"not_confirmed", "nothing_to_confirm", "required"})
"""Refusals because of the answer that was asked back, or because the seller does not know."""


def _is_clicked_now(draft: Draft) -> bool:
    """Return whether the click was in the block that waited, and not in one that was shown before it."""
    blocks = [part.get("block_id") for part in draft.run.input if part.get("type") == "answer"]
    return draft.open_before().get("id") in blocks


def _pressed_button(draft: Draft, element: Element, kept: Valid | None) -> str | None:
    """Return the button that was pressed, or whose label was typed; another choice of the question is none."""
    clicked = draft.clicked_value(element.id)
    said = draft.typed_text()[: _LONGEST_PLAIN + 1]
    return button_of(said, element, kept, draft.language) if clicked is None else clicked


def _says_same(element: Element, rest: str, kept: Valid, language: str, today: date) -> bool:
    """Return whether the words after a yes say nothing else than the answer that waits for it."""
    if not rest or adds_nothing(rest, language):
        return True
    if element.kind == "text":
        return False
    if is_no(rest):
        named = [each for each in element.options if each.value == kept.value]
        return kept.value is False or any(leads(each) is False for each in named)
    judged = judge(element, rest, language, today)
    if isinstance(judged, Refused):
        if element.kind == "price":
            return leaves_price(rest, language)
        return element.kind in ("select", "boolean") and goes_with_yes(rest, language)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return guess.value == kept.value or _agrees_with(element, rest, kept, language, today)


def _agrees_with(element: Element, rest: str, kept: Valid, language: str, today: date) -> bool:
    """Return whether a yes to the question itself, with these words behind it, is the answer that waits."""
    judged = judge(element, f"sim, {rest}", language, today)
    is_agreed = any(leads(each) for each in element.options if each.value == kept.value)
    return is_agreed and kept == (judged.guess if isinstance(judged, ProbableAnswer) else judged)
