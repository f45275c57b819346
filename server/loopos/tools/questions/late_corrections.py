"""Bare values at a text that put right what was answered just before it: `2021 afinal`, `sorry, fair`."""

from datetime import UTC, datetime

from server import patterns
from server.languages import fold
from server.loopos.answers import Element, ProbableAnswer, Refused, Valid, judge
from server.loopos.answers.amounts.dates import ANY_MONTH
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.certainty import content, is_bare, opening, plain_words
from server.loopos.answers.words import is_number, tokens
from server.loopos.tools.drafts.confirmation import ask_back
from server.loopos.tools.questions.item_questions import Questions

_LONGEST = 60
"""A longer message is no bare value."""
_SAYS_ANEW = (
    r"afinal(?: de contas)?|ali[aá]s|na verdade|na realidade|quer dizer|quero dizer|queria dizer|enganei-?me|engano|"
    r"corrijo|corre[cç][aã]o|melhor dizendo|digo|actually|in fact|i mean(?:t)?|correction|my mistake|my bad|"
    r"scratch that|make that|oops|ups"
)
_EXCUSES = r"sorry|desculp[ae](?:[- ]me)?|perd[aã]o|espere?|espera|wait|hang on|hold on"
_NO = r"n[aã]o|no|nope|nah"
_LED = patterns.compile(
    rf"^\W*(?:(?P<anew>{_SAYS_ANEW})|(?P<excuse>{_EXCUSES})|(?P<no>{_NO})(?=\s*[,.;:!–—-]|\s(?:wait|sorry|espere?|espera|"
    r"desculp\w+|afinal|actually)\b)|(?:oh|ah|ai|hm+|well|mas|but|e|and)(?=\W))(?=\W|$)[\s,.;:!–—-]*",
    patterns.IGNORECASE,
)
_BEHIND = patterns.compile(
    rf"[\s,.;(–—-]+(?:(?P<anew>{_SAYS_ANEW}|instead)|(?P<excuse>{_EXCUSES}))[\s.!)]*$", patterns.IGNORECASE
)
_IS = patterns.compile(
    r"^(?:(?:é|eram?|foi|foram|s[aã]o|est[aá]|it['’]?s|it is|it was|is|was|that['’]?s|more like|em|in|de|"
    r"about|uns|umas|cerca de|mais)\s+){1,4}+",
    patterns.IGNORECASE,
)
_NOT_OLD = patterns.compile(
    r"[\s,]+(?:(?:e|and)\s+)?(?:n[aã]o|not)\s+(?:em\s+|in\s+)?[\w.]+$", patterns.IGNORECASE
)
"""The old value behind the right one: `2021, not 2020`."""
_MONTHS = frozenset(ANY_MONTH.split("|"))
_KINDS = frozenset(("date", "number", "select", "boolean"))


def ask_last_answer(questions: Questions, asked: Element | None, message: str) -> Element | None:
    """Ask back the bare value of a message that corrects, as the newest answer that it fits, where a text is open.

    The text stays open. Returns the question of the value; None where the message may be the text.
    """
    element, guess = _find_corrected(questions, asked, message)
    if element is None or guess is None or guess.value == questions.answers[element.id][0]:
        return None
    ask_back(questions.draft, element.id, ProbableAnswer(guess))
    return element


def repeats_last_answer(questions: Questions, asked: Element | None) -> bool:
    """Return whether the newest message at a text says the value that an answer has already: `afinal bom`."""
    element, guess = _find_corrected(questions, asked, next(iter(questions.draft.messages()), ""))
    return element is not None and guess is not None and guess.value == questions.answers[element.id][0]


def _find_corrected(
    questions: Questions, asked: Element | None, message: str
) -> tuple[Element | None, Valid | None]:
    """Return the newest answered question that the bare value of a correcting message fits, and that value."""
    is_text = asked is not None and asked.kind == "text" and asked.pattern is None
    is_typed = not any(part.get("type") == "answer" for part in questions.draft.run.input)
    if not (is_text and is_typed) or asked is None or asked.id in questions.answers:
        return None, None
    value, is_said_anew = read_correction(message)
    known = {each.id: each for each in questions.asked if each.kind in _KINDS}
    for element_id in reversed(questions.answers if value else ()):
        element = known.get(element_id)
        guess = _bare_value(questions, element, value, is_said_anew=is_said_anew) if element else None
        if guess is not None:
            return element, guess
    return None, None


def read_correction(message: str) -> tuple[str, bool]:
    """Return the value that a short message puts in the place of another one, and whether it plainly says so.

    It does by `afinal` or `actually`, and less plainly by an excuse or a no. Empty where it puts nothing right.
    """
    rest, is_led, is_anew = message.strip(), False, False
    if len(rest) > _LONGEST or "?" in rest:
        return "", False
    while found := _LED.match(rest):
        is_anew |= found["anew"] is not None
        is_led |= any(found.groupdict().values())
        rest = rest[found.end() :]
    while found := _BEHIND.search(rest):
        is_anew |= found["anew"] is not None
        is_led, rest = True, rest[: found.start()]
    rest = _IS.sub("", rest.strip(" .,;:!*"))
    bare = _NOT_OLD.sub("", rest)
    return (bare, is_anew) if is_led or bare != rest else ("", False)


def _bare_value(questions: Questions, element: Element, value: str, *, is_said_anew: bool) -> Valid | None:
    """Return the answer that words are for a question where they are nothing else."""
    judged = judge(element, value, questions.draft.language, datetime.now(UTC).date())
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if (
        isinstance(guess, Refused)
        or guess.skipped
        or not _is_bare_for(element, value, questions.draft.language)
    ):
        return None
    return None if element.kind == "boolean" and not is_said_anew else guess


def _is_bare_for(element: Element, value: str, language: str) -> bool:
    """Return whether words are a bare value of this kind: a figure with its unit, a date, an option, a yes or no."""
    words = tokens(value)
    if element.kind == "boolean":
        says, rest = opening(value)
        return is_bare(says, plain_words(rest, language))
    if element.kind == "select":
        labels = [fold(each) for one in element.options for each in (one.label.pt, one.label.en)]
        return fold(value) in labels or any(
            content(words) and content(words) == content(tokens(each)) for each in labels
        )
    own = _MONTHS if element.kind == "date" else unit_words(element.unit) | NUMBER_WORDS | {"mil", "k"}
    has_figure = any(map(str.isdigit, value)) or not own.isdisjoint(words)
    return has_figure and all(is_number(each) or each[:1].isdigit() or each in own for each in content(words))
