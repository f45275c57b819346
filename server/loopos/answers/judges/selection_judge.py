"""The option that a model selects, held against what the seller wrote: only the seller's own words make it sure."""

from __future__ import annotations

from collections.abc import Container, Sequence
from datetime import date
from itertools import accumulate

from server import patterns
from server.languages import fold
from server.loopos.answers.amounts.deal_words import is_dealing, is_wish, lacks_unit, spell_signs
from server.loopos.answers.certainty import (
    BARE_YES,
    MARKERS,
    NEGATIONS,
    asks,
    content,
    plain_words,
    spell_and,
)
from server.loopos.answers.clauses.asides import named_clauses, own_words, without_looks_of_parts
from server.loopos.answers.clauses.contrasts import mark_contrasts
from server.loopos.answers.clauses.reminders import without_reminders
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.judges.answer_judge import judge
from server.loopos.answers.judges.report_judge import confirms
from server.loopos.answers.options.named_options import OTHER_THINGS, NamedOptions, SideRemark
from server.loopos.answers.options.option_choice import pick_place
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import (
    MOST_LETTERS,
    clauses,
    is_number,
    is_unknown,
    shorten_runs,
    tokens,
)
from server.text_reading.own_questions import settled_guess
from server.text_reading.words.sizes import lone_size, quantity_meant, with_signs

FEWEST_NUMBERS = 2
"""A single number may be a year, a price or a count; so many in a row are taken for those of an option."""

_DENIED_WITHIN = 3
"""A denial behind the numbers of an option is one of it within so many words: `the 18-55 I do not have`."""
MOST_SAID = 8_000
"""Letters of all messages that are read for an option, those of the newest messages first."""

_NOTHING = SideRemark()


def judge_selection(
    element: Element,
    value: str,
    messages: Sequence[str],
    language: str,
    today: date,
    *,
    beside: SideRemark = _NOTHING,
    is_asked: bool = False,
    is_open: bool = False,
) -> Judgement:
    """Judge the option that a model selects; `messages` are the seller's, the newest first.

    `beside` is what says nothing of this option. The newest message that names one of its values decides: the value is
    sure where every word around it is accounted for, otherwise ProbableAnswer. Where none names one, the newest that
    has the numbers of a value in a row makes that value a ProbableAnswer. Any other value is a guess: ProbableAnswer
    where the seller was asked for it (`is_asked`) and said something, otherwise Refused as `not_said`. A yes picks the
    only value that there is.
    `is_open` says that the newest message answers a question about some option of the product. Of messages without end
    the newest are read, MOST_SAID letters of them.
    """
    option = next(each for each in element.options if each.value == value)
    guess = Valid(value, option.label.text_in(language), option.deal_breaker)
    if not messages:
        return Refused("not_said")
    said = accumulate(map(len, messages))
    messages = [
        mark_contrasts(without_reminders(_spell_extremes(_own_words(element, spell_and(each, language)))))
        for place, (each, letters) in enumerate(zip(messages, said, strict=True))
        if place == 0 or letters <= MOST_SAID
    ]
    newest = messages[0] = _spell_letter(
        element, _HEDGE_APART.sub(" ", settled_guess(messages[0])), is_asked=is_asked
    )
    judged = judge(element, newest, language, today)
    if is_asked and len(element.options) == 1 and confirms(newest, language) == (True, ""):
        judged = guess
    if isinstance(judged, Valid) and _is_sure(element, newest, language, is_asked, is_asked or is_open):
        return _judge_selected(guess, judged)
    for place, message in enumerate(messages):
        answers = place == 0 and (is_asked or is_open)
        named = NamedOptions(element, message, beside, language, is_open=answers)
        if named.plain is not None:
            return _judge_selected(guess, Valid(named.plain.value, named.plain.label.text_in(language)))
        is_left = answers and _is_left(element, option, named.denied)
        if is_left or option in named.denied:
            return ProbableAnswer(guess) if is_left else Refused("not_said")
        if named.found:
            return ProbableAnswer(guess) if option in named.found else Refused("not_said")
    if isinstance(judged, ProbableAnswer):
        return ProbableAnswer(guess, "paraphrase")
    if _find_numbered(element, messages) is option or (
        is_asked and _is_meant_by_size(element, option, newest)
    ):
        return ProbableAnswer(guess)
    spoken = [word for word in content(plain_words(newest, language)) if word not in BARE_YES | MARKERS]
    says_something = bool(spoken) and not asks(newest) and not is_unknown(newest)
    return ProbableAnswer(guess, "paraphrase") if is_asked and says_something else Refused("not_said")


def _own_words(element: Element, message: str) -> str:
    own = named_clauses(element, shorten_runs(message)[:MOST_LETTERS])
    return without_looks_of_parts(own_words(element), own)


def _is_meant_by_size(element: Element, option: ElementOption, message: str) -> bool:
    """Return whether a message means the option by its size among the others: `o do meio`."""
    labels, none = [fold(each.label.en) for each in element.options if each.value != "0"], frozenset[str]()
    place = quantity_meant(message, labels, none, none)
    return place is not None and labels[place] == fold(option.label.en)


_HEDGE_APART = patterns.compile(
    r"\s*[,;.–-]+\s*(?=(?:i (?:think|guess|believe|suppose)|(?:acho|penso|creio|julgo)(?: eu)?|maybe|"
    r"probably|talvez|se calhar|provavelmente|not (?:\w+ )?sure|unsure|n[aã]o (?:sei(?: bem)?|tenho a certeza))\W*$)",
    patterns.IGNORECASE,
)
"""The mark before a hedge that ends a message and doubts what stands before it: `black, I think`."""
_EXTREME = patterns.compile(
    r"\b(?:x|extra)[ -]?(?:(?P<large>large|grande)|small|pequen[oa])\b", patterns.IGNORECASE
)


def _spell_extremes(message: str) -> str:
    """Return a message with `XL` for `extra large` and `XS` for `extra small`, and `9 x 8 x 7` for `9 by 8 by 7`."""
    return _EXTREME.sub(lambda found: "XL" if found["large"] else "XS", with_signs(message))


def _spell_letter(element: Element, message: str, *, is_asked: bool) -> str:
    """Return the letter of the size that is asked for and that the message is, beside courtesy: `S please`."""
    letter = lone_size("", fold(message)) if is_asked else ""
    return letter if letter in {each.label.en for each in element.options} else message


def _is_sure(element: Element, message: str, language: str, is_asked: bool, is_open: bool) -> bool:
    """Return whether a message that is one value alone speaks of the option, and not of a place, a price or an
    exchange.
    """
    if not is_asked and _is_a_place(element, message):
        return False
    words = plain_words(spell_signs(message), language)
    if not is_asked and (is_wish(message) or not OTHER_THINGS.isdisjoint(words)):
        return False
    is_bare = lacks_unit(element, words)
    return (is_open or not is_bare) and not is_dealing(words, lacks_unit=is_bare)


def _is_left(element: Element, option: ElementOption, denied: Container[ElementOption]) -> bool:
    """Return whether the option is the only one that is not denied: `without music` where `music` is."""
    left = [each for each in element.options if each not in denied or tokens(each.label.pt)[:1] == ["sem"]]
    return left == [option] and len(left) < len(element.options)


def _is_a_place(element: Element, message: str) -> bool:
    """Return whether the message is only a place in a list, such as `o segundo`."""
    return pick_place(message, [(each.label.pt, each.label.en) for each in element.options]) is not None


def _find_numbered(element: Element, messages: Sequence[str]) -> ElementOption | None:
    """Return the option whose numbers the newest message with such numbers has; None where no message has any."""
    for message in messages:
        for option in element.options:
            if _has_its_numbers(element, option, message):
                return option
    return None


def _has_its_numbers(element: Element, option: ElementOption, message: str) -> bool:
    """Return whether a message has the numbers of this option alone, one after the other, as 18-55 of `XF 18-55 mm`."""
    own = _numbers_of(option)
    if len(own) < FEWEST_NUMBERS:
        return False
    if any(_numbers_of(each) == own for each in element.options if each is not option):
        return False
    places = ((said, at, at + len(own)) for said in clauses(message) for at in range(len(said)))
    return any(
        said[at:end] == own and NEGATIONS.isdisjoint(said[: end + _DENIED_WITHIN]) for said, at, end in places
    )


def _numbers_of(option: ElementOption) -> list[str]:
    return [word for word in tokens(option.label.pt) if is_number(word)]


def _judge_selected(guess: Valid, said: Valid) -> Judgement:
    """Return the selected value, if it is what the seller said."""
    if said.skipped:
        return Refused("not_said")
    return guess if said.value == guess.value else Refused("said_otherwise", {"said": said.shown})
