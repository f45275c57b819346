"""A message at a text that says of a part that it is not to stand there, and tells more of the item: both are done."""

from __future__ import annotations

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid, asks_to_cut, cut_text
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.clauses.change_requests import added_words
from server.loopos.answers.clauses.cut_texts import named_part, without_thing
from server.loopos.answers.clauses.item_facts import is_item_fact
from server.loopos.answers.clauses.joined_parts import add_parts
from server.loopos.answers.clauses.talk import keeps
from server.loopos.answers.wishes.things_taken_back import withdrawn_things
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import says_price
from server.loopos.tools.questions.texts.objections import is_opposed
from server.loopos.tools.questions.texts.remarks import is_remark, note_left
from server.loopos.tools.questions.texts.typed_texts import standing_text
from server.loopos.tools.questions.unrecorded_faults import home_of, note_asked, take_as_asked

_SENTENCES = patterns.compile(r"(?<=[.;!\n])\s+")
_SPOKEN = patterns.compile(
    r"^(?:(?:yes|yeah|yep|sim|ok(?:ay)?|and|e|mas|but|also|tamb[eé]m|(?:no|n[aã]o)(?=[,.;!]))\b[\s,.;!]*)+",
    patterns.IGNORECASE,
)
_INSTRUCTS = patterns.compile(r"[:\"«“]")
_SAYS_ALL = patterns.compile(r"(?:only|just|s[oó]|apenas|somente)\b", patterns.IGNORECASE)
"""The start of a sentence that may be all that the text is to have."""
_OF_REST = patterns.compile(
    r"(?:(?:please|por favor)\s+)?(?:leave|keep|deix[ae]|mant[eé]m|mantenha|(?:o|the) (?:resto|rest))\b",
    patterns.IGNORECASE,
)
"""The start of a sentence about what stays in the text."""


def ask_mixed_wishes(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back a text without the parts that sentences of a message take out, with what its other sentences tell.

    None where the message does not do both, or it is not clear which part is to go.
    """
    is_text = asked is not None and asked.kind == "text" and asked.pattern is None
    element = asked if is_text else home_of(questions)
    if element is None or len(message) > MOST_LETTERS or _INSTRUCTS.search(message):
        return None
    if asked is not None and not is_text and not (asked.kind == "price" or asked.id in questions.answers):
        return None
    kept, text = pending(questions.draft, element.id), standing_text(questions, element)
    if not (text or is_text):
        return None
    sentences = [said for each in _SENTENCES.split(message) if (said := _SPOKEN.sub("", each).strip())]
    cuts = [each for each in sentences if asks_to_cut(each)]
    if any(_SAYS_ALL.match(each) for each in sentences):
        return None
    told = [words for each in sentences if each not in cuts and (words := _told_fact(questions, text, each))]
    left = _text_without(element, text, cuts) if cuts and told else None
    if left is None:
        return None
    if kept is not None and is_asked_in_this_run(questions.draft, element.id):
        return element
    text, unfit = add_parts(left, ". ".join(told), element.max_length, whole=True)
    note_left(questions.draft, unfit)
    ask_back(questions.draft, element.id, ProbableAnswer(Valid(text, text)))
    note_asked(questions, element, text)
    take_as_asked(questions)
    return element


def _told_fact(questions: Questions, text: str, sentence: str) -> str:
    """Return what a sentence tells of the item for the text; nothing of a price or of what stays."""
    words = added_words(sentence).strip(" .;,")
    is_other = (
        keeps(sentence, text)
        or _OF_REST.match(sentence) is not None
        or any(without_thing(text, each) is not None for each in withdrawn_things(sentence)[0])
        or is_opposed(text, sentence)
        or says_price(questions, sentence)
    )
    return words if words and not is_other and (is_item_fact(words) or is_remark(words)) else ""


def _text_without(element: Element, text: str, cuts: list[str]) -> str | None:
    """Return a text without the parts that are to go; None where one may stand there and is not clear.

    A part of which no word stands there is not there.
    """
    for each in cuts:
        wanted = content(tokens(named_part(each) or ""))
        there = [any(is_like(word, one) for one in tokens(text)) for word in wanted]
        left = cut_text(text, each, tokens(f"{element.label.pt} {element.label.en}")) if text else None
        if left is None and wanted and all(there) and not _SEVERAL.search(text):
            left = ""
        elif left is None and (not wanted or any(there)):
            return None
        text = text if left is None else left
    return text


_SEVERAL = patterns.compile(r"[;,\n]|\s(?:e|and|mas|but)\s", patterns.IGNORECASE)
"""A border in a text that has more than one part."""
