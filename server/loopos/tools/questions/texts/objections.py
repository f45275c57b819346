"""Typed words that object to a part of a text: it is asked back without that part, and never taken as a yes."""

from typing import Any

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid
from server.loopos.answers.certainty import NEGATIONS, content, is_like
from server.loopos.answers.clauses.change_requests import added_words
from server.loopos.answers.clauses.cut_texts import asks_to_cut, denies_thing, without_thing
from server.loopos.answers.clauses.instructions import without_instruction
from server.loopos.answers.clauses.joined_parts import join_parts, tells_anew
from server.loopos.answers.wishes.things_taken_back import tells_why_gone
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.price import says_price
from server.loopos.tools.questions.texts.remarks import is_remark
from server.loopos.tools.questions.unrecorded_faults import faults_in, settle_faults, take_as_asked

_KEY = "objected"
"""The text that was asked back for an objection, and the run of that."""


def ask_denied(questions: Questions, element: Element | None, message: str) -> Element | None:
    """Ask back the text of this question, without the part to which the message objects; None where that is not clear.

    Behind `the dock is not missing` the facts that it tells beside that are added.
    """
    text = _read_standing_text(questions, element)
    kept: dict[str, Any] = questions.draft.run.private.setdefault("addition", {})
    if element is not None and kept.get(_KEY) == [element.id, questions.draft.run.run_id]:
        return element  # It was asked back in this run, maybe by another call.
    if element is None or not text or without_instruction(element, message) != message:
        return None
    left = _left_of(questions, element, text, message)
    if not left:
        return None
    ask_back(questions.draft, element.id, ProbableAnswer(Valid(left, left)))
    kept[_KEY] = [element.id, questions.draft.run.run_id]
    settle_faults(questions, faults_in(message))
    take_as_asked(questions)
    return element


def objects_to(questions: Questions, element: Element, message: str) -> bool:
    """Return whether the message objects to a part of the text of this question, as it waits or is written."""
    text = _read_standing_text(questions, element)
    if not text or without_instruction(element, message) != message:
        return False
    if objected_thing(text, message) != "" or without_denied_parts(text, message) is not None:
        return True
    waits = pending(questions.draft, element.id) is not None
    return (waits or questions.draft.waiting_block() != element.id) and is_opposed(text, message)


def is_opposed(text: str, message: str) -> bool:
    """Return whether a message tells of a thing that the text denies: `I found the charger` beside `no charger`."""
    if max(len(text), len(message)) > MOST_LETTERS or tells_anew(message, text) or asks_to_cut(message):
        return False
    told = [tokens(each) for each in _CLAUSES.split(message)]
    plain = [each for each in told if not denies_thing(each)]
    denied = [content(tokens(each), NEGATIONS) for each in _THINGS.split(text) if denies_thing(tokens(each))]
    return any(
        own and all(any(is_like(word, one) for one in each) for word in own)
        for own in denied
        for each in plain
    )


def _left_of(questions: Questions, element: Element, text: str, message: str) -> str | None:
    if thing := objected_thing(text, message):
        return without_objected(text, thing)
    if (denied := without_denied_parts(text, message)) is None:
        return None
    left, others = denied
    told = [added_words(each) for each in others if is_remark(each) and not says_price(questions, each)]
    told = [each for each in told if not tells_why_gone(each)]
    text, _ = join_parts(told, element.max_length, first=left)
    return text


def _read_standing_text(questions: Questions, element: Element | None) -> str:
    """Return the free text of this question that waits for a yes, else the one that is written."""
    if element is None or element.kind != "text" or element.pattern is not None:
        return ""
    kept = pending(questions.draft, element.id)
    if kept is not None:
        return "" if is_asked_in_this_run(questions.draft, element.id) else kept.shown
    value, shown = questions.answers.get(element.id, (None, ""))
    return "" if value is None else str(shown)


_OBJECTS = patterns.compile(
    r"\s*(?P<thing>[^.!?\n]{1,60})(?:\?+\s*(?:no|n[aã]o|nope|nah)\b|[.!]+\s*(?:no|n[aã]o|nope|nah),)\s*\S",
    patterns.IGNORECASE,
)
"""A first sentence, and a no to it behind that."""
_CLAUSES = patterns.compile(
    r"(?<!\d)[,.;:!?\n]+|[,.;:!?\n]+(?!\d)|\s(?:and|but|mas)\s|^\s*(?:and|e|but|mas|no|n[aã]o)\s+(?=(?:the|it|its|o|a|os|as|é)\b)",
    patterns.IGNORECASE,
)
_PARTS = patterns.compile(r"\s*(?:;|\.(?=\s|$)|,(?!\d))\s*")
_THINGS = patterns.compile(r"\s*(?:;|\.(?=\s|$)|,(?!\d)|\s(?:e|and|mas|but)\s)\s*")
_MERELY = frozenset("only just so apenas somente merely".split())
_AGREES = frozenset("yes sim ok right certo correct exactly all tudo isso".split())


def objected_thing(text: str, message: str) -> str:
    """Return the first sentence of a message that names a word of the text and is denied behind; else nothing."""
    found = _OBJECTS.match(message) if len(message) <= MOST_LETTERS else None
    said = tokens(found["thing"]) if found else []
    own = content(said)
    is_named = any(is_like(word, each) for word in own for each in tokens(text))
    return found["thing"] if found and is_named and _AGREES.isdisjoint(said) else ""


def without_denied_parts(text: str, message: str) -> tuple[str, list[str]] | None:
    """Return a text without the parts that clauses of a message deny by the words of these parts, and the other
    clauses; None where it denies none, or is the text typed anew.
    """
    if max(len(text), len(message)) > MOST_LETTERS:
        return None
    parts, others, gone = [each for each in _PARTS.split(text) if each], list[str](), dict[str, str]()
    for clause in filter(None, map(str.strip, _CLAUSES.split(message))):
        denied = [each for each in parts if _denies(clause, each)]
        thing = " ".join(content(tokens(clause), NEGATIONS))
        gone |= {
            each: without_thing(each, thing) or "" for each in denied
        }  # Of `box and cable` one may stay.
        others += [] if denied else [clause]
    if not gone or tells_anew("; ".join(others), text):
        return None
    return "; ".join(filter(None, (gone.get(each, each) for each in parts))), others


def without_objected(text: str, thing: str) -> str | None:
    """Return a text without the only part that an objection names; None where it is not clear, or all of it."""
    return without_thing(text, thing) or None


def _denies(clause: str, part: str) -> bool:
    """Return whether a clause denies a part: all that it says stands there, and it says no to it."""
    said, there = tokens(clause), tokens(part)
    own = content(said, NEGATIONS)
    if not own or not denies_thing(said) or denies_thing(there) or not _MERELY.isdisjoint(said):
        return False
    return all(any(is_like(word, each) for each in there) for word in own)
