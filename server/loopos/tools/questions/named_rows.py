"""A row of the item that a message names as the page does: `In Works it should say: ...`, `No estado: ...`."""

from datetime import UTC, datetime

from server import patterns
from server.loopos.answers import Element, ProbableAnswer, Valid, judge
from server.loopos.answers.certainty import content
from server.loopos.answers.clauses.change_requests import tells_several
from server.loopos.answers.judges.fault_notes import beside
from server.loopos.answers.options.option_sides import valid_option
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, is_asked_in_this_run, pending
from server.loopos.tools.drafts.words_behind_yes import BESIDE
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.unrecorded_faults import take_as_asked
from server.loopos.tools.tool_words import say

_LEAD = (
    r"^\W*(?:(?:e|and|ah|oh|ok|no|n[aã]o|sorry|desculp[ae]|afinal|actually|please|por favor|mud[ae]m?|"
    r"alter[ae]m?|change|corrig\w+|correct|can you|podes?)\b[\s,]*){0,4}"
    r"(?:(?:in|n[oa]s?|em|on|under|the|os?|as?)\s+){0,2}"
)
_STATES = patterns.compile(
    _LEAD + r"(?P<row>[^\W\d_][\w\s/-]{1,40}?)\s*"
    r"(?P<says>(?:it\s+)?(?:should|must|has to)\s+(?:say|be|read)\s*:?|dev(?:e|ia)\s+(?:ser|estar|dizer)\s*:?|"
    r"(?:to|para)(?:\s*:|(?=\s))|"
    r":(?:\s*(?:(?:it|they)\s+)?(?:should|must|has to|have to)\s+(?:say|be|read)\b\s*:?|"
    r"\s*dev(?:e|ia)m?\s+(?:ser|estar|dizer)\b\s*:?)?|(?:is|are|é|est[aá])(?=\s))\s*(?P<value>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
_GOES = patterns.compile(
    r"\b(?:tir[ae]m?|retir[ae]m?|remov[ae]m?|apag[ae]m?|remove|delete|take out)\s"
    r"(?:l[aá]\s|a[ií]\s)?(?:(?:the|os?|as?)\s)?(?P<row>[^\W\d_][\w\s/-]{1,40}?)\s*(?:$|[,.;!])",
    patterns.IGNORECASE,
)
_SENTENCE = patterns.compile(r"(?<=[\w)])[.!]\s+(?=[A-ZÀ-Ý])")
_ADDS = patterns.compile(
    r"\W*(?:(?:e|and|also|tamb[eé]m)\s)?(?:n[oa]s?|in|to)\s(?:(?:the|my)\s)?[^\W\d]\w*\s*:"
)
"""The name of a text before a colon that does not say that anything is to go from it: `in the notes: ...`."""
_WRONG = patterns.compile(r"\W*(?:errad[oa]s?|wrong|incorret[oa]s?|incorrect)\W*", patterns.IGNORECASE)
"""What calls an answer wrong, and is no note beside it."""
_LONGEST = 500


def ask_named_row(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the answer whose row a message names, with the value or the note that it says; return its question."""
    if len(message) > _LONGEST or "?" in message or tells_several(message):
        return None
    if (found := _STATES.match(message)) is not None:
        element = _row_of(questions, found["row"]) or _row_to_change(questions, found["row"], message)
        is_text_open = asked is not None and asked.kind == "text" and asked.id not in questions.answers
        is_open = element is asked and asked is not None and asked.id not in questions.answers
        if element is None or is_open or (is_text_open and found["says"] == ":"):
            return None
        told = _value_for(questions, element, _SENTENCE.split(found["value"])[0].strip(), found["says"])
    elif (gone := _GOES.search(message)) is not None:
        element = _row_of(questions, gone["row"])
        may_go = element is not None and element.kind in ("number", "date") and not element.required
        told = Valid(None, say("choice.unsure", questions.draft.language)) if may_go else None
    else:
        return None
    if found is not None and element is not None and element.kind == "text" and _ADDS.match(message):
        return None  # It is added to what is written there.
    if element is None or told is None or [told.value, told.shown] == questions.answers[element.id]:
        return None
    if pending(questions.draft, element.id) is None or not is_asked_in_this_run(questions.draft, element.id):
        ask_back(questions.draft, element.id, ProbableAnswer(told))
        take_as_asked(questions)
    return element


def _row_of(questions: Questions, words: str) -> Element | None:
    """Return the only answered question whose row has just this name."""
    said = set(content(tokens(words)))
    found = [
        each
        for each in questions.asked
        if each.id in questions.answers and each.kind != "price" and said and _is_called(each, said)
    ]
    return found[0] if len(found) == 1 else None


def _row_to_change(questions: Questions, words: str, message: str) -> Element | None:
    """Return the only row whose name has these words, where the message begins with a wish to change it."""
    said = set(content(tokens(words))) if _CHANGE.match(message) else set[str]()
    known = [e for e in questions.asked if e.id in questions.answers and e.kind in ("select", "boolean")]
    names = [(each, {*tokens(f"{each.heading.pt} {each.heading.en}")}) for each in known]
    found = [each for each, name in names if said and said <= name]
    return found[0] if len(found) == 1 else None


_CHANGE = patterns.compile(
    r"\W*(?:(?:please|por favor|can you|could you|podes?|podia)\s+)?(?:change|mud[ae]r?|alter[ae]r?)\b",
    patterns.IGNORECASE,
)


def _is_called(element: Element, said: set[str]) -> bool:
    """Return whether words are the name of a row; of a text one of its names is enough: `Acessórios e notas`."""
    names = [set(content(tokens(each))) for each in (element.heading.pt, element.heading.en)]
    return said in names or (element.kind == "text" and any(said <= each for each in names))


def _value_for(questions: Questions, element: Element, words: str, says: str) -> Valid | None:
    """Return the answer that the words say, else the present one with these words beside it."""
    language, today = questions.draft.language, datetime.now(UTC).date()
    value, shown = questions.answers[element.id]
    if element.kind == "text":
        text = words.strip(' "“”«».')
        return Valid(text, text) if ":" in says or "should" in says else None
    for option in element.options:
        for name in (option.label.pt, option.label.en):
            if words.casefold().startswith(name.casefold()):
                note = words[len(name) :].strip(" ()[].,;:–-")
                plain = valid_option(option, language)
                return Valid(plain.value, plain.shown + (beside(note) if note else ""))
    judged = judge(element, words, language, today)
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if isinstance(guess, Valid) and not guess.skipped:
        return guess
    if (
        element.kind not in ("select", "boolean")
        or isinstance(value, type(None))
        or _WRONG.fullmatch(words)
        or says.strip() in ("is", "are", "é")
    ):
        return None
    return Valid(value, BESIDE.sub("", str(shown)) + beside(words.strip(" .")))
