"""Several wishes of one message about what is written: parts that go, of a text or beside an option, and what comes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid, adds_nothing, confirms, judge
from server.loopos.answers.amounts.prices_in_notes import take_price
from server.loopos.answers.certainty import content
from server.loopos.answers.clauses.cut_texts import without_thing
from server.loopos.answers.clauses.joined_parts import add_parts, without_shorter_parts, without_told_parts
from server.loopos.answers.clauses.reminders import without_address
from server.loopos.answers.clauses.text_replies import is_aside
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.wishes.edited_texts import edit_text, names_several, names_whole
from server.loopos.answers.wishes.text_wishes import TextWish, read_text_wishes, read_wished_additions
from server.loopos.answers.wishes.things_taken_back import withdrawn_things
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.drafts.words_behind_yes import BESIDE
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import says_price, words_beside_price
from server.loopos.tools.questions.texts.offered_texts import end_offer
from server.loopos.tools.questions.texts.remarks import is_remark, note_left
from server.loopos.tools.questions.texts.typed_texts import standing_text
from server.loopos.tools.questions.unrecorded_faults import (
    ask_to_add,
    faults_in,
    home_of,
    note_asked,
    settle_faults,
    take_as_asked,
)

_KEY = "wished"
"""The answer that was asked back for the wishes of a message, and the run of that."""
_FEWEST = 3


def ask_wished_edits(
    questions: Questions, asked: Element | None, message: str, *, several: bool
) -> Element | None:
    """Ask back each answer that the wishes of a message change, the text with what they add; return the first.

    What they name that is not clear is told. None where `several` are wanted and there is one, where no text has what
    is to go and nothing is to be added, or where the message also answers a question.
    """
    kept: dict[str, Any] = questions.draft.run.private.setdefault("addition", {})
    element_id, run_id = kept.get(_KEY, ("", ""))
    if run_id == questions.draft.run.run_id:
        return next((each for each in questions.asked if each.id == element_id), None)
    wishes = read_text_wishes(message)
    is_free = asked is not None and asked.kind == "text" and asked.pattern is None
    home = asked if is_free else home_of(questions)
    wishes = _with_withdrawn(wishes, standing_text(questions, home), withdrawn_things(message)[0])
    is_one = len(wishes) == 1 and not names_several(wishes[0].words)
    if not wishes or (several and is_one) or _answers(questions, asked, wishes):
        return None
    cuts = [each for each in wishes if each.kind in ("gone", "instead")]
    changed, left = _edit_answers(questions, home, cuts)
    text = changed.get(home.id, standing_text(questions, home)) if home else ""
    if home is not None and (whole := next((each for each in left if _goes_whole(text, each)), None)):
        text, left = "", [each for each in left if each is not whole]
    added, unused = _words_to_add(questions, wishes, left)
    if not (
        changed
        or (added and any(each.is_plain for each in cuts))
        or any(each.kind == "once" for each in wishes)
    ):
        return None
    if any(each.kind == "gone" for each in wishes) and any(
        without_told_parts(text, each) != text for each in added
    ):
        return None  # It may be all that the text is to have.
    if home is not None and text and added:
        text = changed[home.id] = _with_added(questions, home, text, added)
    if not changed or (home is not None and len(text) > home.max_length):
        return None
    note_left(questions.draft, [*(each.words for each in left if each.is_plain), *unused])
    first = _ask_back_all(questions, home, changed)
    settle_faults(questions, faults_in(message))
    kept[_KEY] = [first.id, questions.draft.run.run_id]
    return first


def _with_withdrawn(wishes: Sequence[TextWish], text: str, gone: Sequence[str]) -> list[TextWish]:
    """Return wishes of which a verb says that a part is to go, with what `sem os jogos` beside it names in the text.

    `gone` is what the whole message withdraws: beside `drop the charger`, `keep the box` withdraws nothing.
    """
    if not any(each.kind == "gone" and each.is_plain for each in wishes):
        return list(wishes)
    found = list[TextWish]()
    for each in wishes:
        things, others = withdrawn_things(each.words) if each.kind == "told" else ([], [])
        is_gone = len(things) == 1 and not others and things[0] in gone
        is_there = is_gone and bool(without_thing(text, things[0]))
        found.append(replace(each, kind="gone", words=things[0]) if is_there else each)
    return found


def ask_wished_additions(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the last text, which is written, with what a message says to write: `mete também que tem bolsa`.

    A bare `put ...` without more words than two may be the answer to something else.
    """
    home = home_of(questions)
    is_free = asked is None or asked.kind == "price" or asked.id in questions.answers
    if home is None or not is_free or home.id not in questions.answers or says_price(questions, message):
        return None
    if _SAYS_ALL.search(message):
        return None
    added = [without_address(each) for each in read_wished_additions(message)]
    is_sure = [
        is_remark(each) and (len(content(tokens(each))) >= _FEWEST or _THAT.search(message)) for each in added
    ]
    kept = pending(questions.draft, home.id)
    if not added or not all(is_sure) or (kept is not None and is_asked_in_this_run(questions.draft, home.id)):
        return home if kept is not None and added and all(is_sure) else None
    text = standing_text(questions, home)
    if kept is None and all(without_told_parts(text, each) == text for each in added):
        return home if ask_to_add(questions, home, *added) else None
    text = _with_added(questions, home, text, added)
    _ask_back_all(questions, home, {home.id: text})
    settle_faults(questions, faults_in(message))
    return home


_SAYS_ALL = patterns.compile(
    r"\b(?:just|only|s[oó]|apenas|somente|instead|antes|em vez)\b", patterns.IGNORECASE
)
"""A word by which a message may say all that a text is to be."""
_THAT = patterns.compile(r"\b(?:that|que|q|add|acrescent\w+|adicion\w+|junt\w+)\b|:", patterns.IGNORECASE)


def note_to_cut(questions: Questions, element: Element, message: str) -> Valid | None:
    """Return the option that is chosen without the part of the words beside it that a message says to take out."""
    text = noted_beside(questions, element)
    cuts = [each for each in read_text_wishes(message) if each.kind == "gone"] if text else []
    edited = edit_text(text, cuts, words_of(element)) if cuts else None
    is_cut = (
        edited is not None and len(edited.left) < len(cuts) and edited.text.startswith(_option(element, text))
    )
    return valid_with_note(questions, element, edited.text) if edited is not None and is_cut else None


def answers_beside_wishes(questions: Questions, asked: Element | None, message: str) -> bool:
    """Return whether the first sentence of a message answers the open question, which is no text, and wishes follow."""
    is_open = asked is not None and asked.id not in questions.answers and asked.kind not in ("text", "price")
    if asked is None or not is_open or pending(questions.draft, asked.id) is not None:
        return False
    first, *rest = _SENTENCES.split(message, maxsplit=1)
    if not rest or read_text_wishes(first) or not read_text_wishes(rest[0]):
        return False
    judged = judge(asked, first, questions.draft.language, datetime.now(UTC).date())
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return isinstance(guess, Valid) and not guess.skipped


def without_wishes(questions: Questions, element: Element, text: str) -> str:
    """Return an answer to an open question without its sentences that wish something about another answer."""
    if not answers_beside_wishes(questions, element, text):
        return text
    return " ".join(each for each in _SENTENCES.split(text) if not read_text_wishes(each))


_SENTENCES = patterns.compile(r"(?<=[.!;])\s+")


def _answers(questions: Questions, asked: Element | None, wishes: Sequence[TextWish]) -> bool:
    """Return whether the message also answers the open question, in which nothing stands yet."""
    if asked is None or asked.id in questions.answers or asked.kind == "price":
        return False
    is_waiting = pending(questions.draft, asked.id) is not None or standing_text(questions, asked) != ""
    return not is_waiting and any(each.kind in ("told", "added") for each in wishes)


def _edit_answers(
    questions: Questions, home: Element | None, cuts: Sequence[TextWish]
) -> tuple[dict[str, str], Sequence[TextWish]]:
    """Return how each answer is shown that the cuts change, the text first, and the cuts that change none."""
    changed, left = dict[str, str](), cuts
    for element in sorted(questions.asked, key=lambda each: each is not home):
        text = (
            standing_text(questions, element) if element.kind == "text" else noted_beside(questions, element)
        )
        names = words_of(element)
        edited = edit_text(text, left, names) if text and left else None
        if (
            edited is not None
            and len(edited.left) < len(left)
            and edited.text.startswith(_option(element, text))
        ):
            changed[element.id], left = edited.text, edited.left
    return changed, left


def has_all_to_cut(questions: Questions, words: str) -> bool:
    """Return whether words only say of parts that they are to go, and the answers have each of them."""
    wishes = read_text_wishes(words)
    is_cut = bool(wishes) and all(each.kind == "gone" for each in wishes)
    return is_cut and not _edit_answers(questions, home_of(questions), wishes)[1]


def _goes_whole(text: str, wish: TextWish) -> bool:
    """Return whether all of a text of one part is what a verb says is to go."""
    return wish.kind == "gone" and wish.is_plain and names_whole(text, wish.words)


def _option(element: Element, text: str) -> str:
    """Return the option before the words beside it, which stays."""
    return "" if element.kind == "text" else text.partition(";")[0]


def words_of(element: Element) -> list[str]:
    """Return the words by which a message may name a question."""
    name = element.title or element.label
    return tokens(f"{element.label.pt} {element.label.en} {name.pt} {name.en}")


def noted_beside(questions: Questions, element: Element) -> str:
    """Return an option and the words beside it as one text, as it waits for a yes or is stored; else nothing."""
    kept = pending(questions.draft, element.id)
    shown = kept.shown if kept else str(questions.answers.get(element.id, (None, ""))[1])
    noted = BESIDE.search(shown) if element.kind in ("select", "boolean") else None
    return f"{shown[: noted.start()]}; {noted[1]}" if noted else ""


def _words_to_add(
    questions: Questions, wishes: Sequence[TextWish], left: Sequence[TextWish]
) -> tuple[list[str], list[str]]:
    """Return what the message adds: what it says to add, and the facts beside its wishes; and words of no use."""
    told = [each.words for each in wishes if each.kind == "added"]
    others = [
        each.words for each in (*wishes, *left) if each.kind == "told" or (each in left and not each.is_plain)
    ]
    others = [each for each in others if not says_price(questions, each) and not _names_gone(each, wishes)]
    facts = [each for each in others if is_remark(each) and not is_aside(each)]
    unused = [
        each
        for each in others
        if each not in facts
        and not is_aside(each)
        and not adds_nothing(each, questions.draft.language)
        and confirms(each, questions.draft.language) not in ((True, ""), (False, ""))
    ]
    order = {each.words: at for at, each in enumerate(wishes)}
    added = [without_address(each) for each in sorted({*told, *facts}, key=lambda each: order[each])]
    bare = (words_beside_price(each, questions.draft.language) or each for each in added)
    without = (take_price(each, questions.draft.language, None).rest for each in bare)
    return [each for each in without if each], unused


def _names_gone(words: str, wishes: Sequence[TextWish]) -> bool:
    """Return whether words speak of a part that is to go: they say why, or where it stands."""
    said = tokens(words)
    gone = [content(tokens(each.words)) for each in wishes if each.kind in ("gone", "once")]
    return _SAYS_WHERE.search(words) is not None or any(each and set(each) <= set(said) for each in gone)


_SAYS_WHERE = patterns.compile(
    r"\b(?:(?:it|you|that) (?:says?|put|wrote)|(?:diz|puseste|escreveste|est[aá] escrito|t[aá] escrito))\b",
    patterns.IGNORECASE,
)


def _with_added(questions: Questions, home: Element, text: str, added: Sequence[str]) -> str:
    for words in added:
        left = without_told_parts(text, words)
        if left != text:
            text = f"{left}; {words}".lstrip("; ")
            continue
        text, unfit = add_parts(text, words, home.max_length)
        note_left(questions.draft, unfit)
    return without_shorter_parts(text)


def _ask_back_all(questions: Questions, home: Element | None, changed: dict[str, str]) -> Element:
    """Ask back each changed answer; return the first, the text before the others."""
    elements = [each for each in questions.asked if each.id in changed]
    elements.sort(key=lambda each: each is not home)
    for element in elements:
        if element.kind == "text":
            guess = Valid(changed[element.id], changed[element.id])
            note_asked(questions, element, guess.shown)
        else:
            guess = valid_with_note(questions, element, changed[element.id])
        ask_back(questions.draft, element.id, ProbableAnswer(guess))
    take_as_asked(questions)
    end_offer(questions)
    return elements[0]


def valid_with_note(questions: Questions, element: Element, text: str) -> Valid:
    """Return the option that is chosen or waits, with the words that stand beside it in this text."""
    kept = pending(questions.draft, element.id)
    value = kept.value if kept else questions.answers[element.id][0]
    option, _, note = text.partition(";")
    return Valid(value, option + (beside(note.strip()) if note.strip() else ""))
