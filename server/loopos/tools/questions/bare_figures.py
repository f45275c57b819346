"""Figures without a name: a bare number surely answers the question that was shown alone, and no price far below
the one that is known.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime

from server import patterns
from server.loopos.answers import (
    PRICE,
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    judge,
    speaks_of,
    told_price,
)
from server.loopos.answers.amounts.dates import lacks_year
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.certainty import content, opening
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.clauses.unmeant_figures import without_replaced_figures
from server.loopos.answers.judges.figure_judge import tells_feast
from server.loopos.answers.judges.guesses.doubted_years import judge_doubted
from server.loopos.answers.judges.guesses.only_limits import is_only_limit
from server.loopos.answers.words import is_number, tokens
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.drafts.earlier_items import bought_with_earlier
from server.loopos.tools.questions.early_price import dealt_amount, last_amount
from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.listed_things import without_other_things
from server.loopos.tools.questions.texts.remarks import keep_terms
from server.loopos.tools.questions.texts.wishes.wished_edits import without_wishes
from server.loopos.tools.questions.unrecorded_faults import home_of

_FAR_BELOW = 10
"""A price this many times below the one that is known may be the number of something else."""
_MOST_BETWEEN, _LONGEST_MONTH = 3, 60
"""A month is looked for in so many of the newest messages, each of at most so many characters."""
_FIGURES = frozenset(("number", "date", "price"))


def doubt_bare_figure(questions: Questions, element: Element, words: str, judged: Judgement) -> Judgement:
    """Return a number or price, to be asked back where another question for a figure was shown and the words name
    neither this one nor its unit. Where another value of this question waits for a yes, that one goes on waiting. A
    number that is only a limit is none.
    """
    draft = questions.draft
    is_read = not isinstance(judged, Refused) or judged.code == "number_only"
    if element.kind == "number" and is_read and is_only_limit(words):
        return Refused("only_a_limit")
    shown = next((each for each in questions.asked if each.id == draft.waiting_block()), element)
    is_figure = element.kind in ("number", "price") and shown.kind in _FIGURES
    if shown is element or not is_figure or isinstance(judged, Refused):
        return judged
    if _names(element, words, draft.language):
        return judged
    kept = pending(draft, element.id)
    if kept is not None:
        return ProbableAnswer(kept)
    return ProbableAnswer(judged) if isinstance(judged, Valid) and not judged.skipped else judged


def note_passing_price(questions: Questions, judged: Judgement, waited: Valid | None) -> None:
    """Keep a bare amount at the end of a message that does not answer with it, to be asked back as the price.

    At a question for a number it may be that number, and behind an answer the number that another open question counts.
    """
    draft = questions.draft
    shown = next((each for each in questions.asked if each.id == draft.waiting_block()), None)
    if shown is None or shown.kind in ("number", "price"):
        return
    message = next(iter(draft.messages()), "")
    amount, terms = (last, "") if (last := last_amount(message)) else dealt_amount(message)
    is_answer = not isinstance(judged, Refused) and waited is None
    is_counted = is_answer and (
        shown.kind == "text" or any(each.kind == "number" for each in questions.open())
    )
    is_alone = shown.kind in _FIGURES and amount == message.strip(" .!")
    if amount and not is_counted and not is_alone:
        draft.run.private["passing_price"] = amount
        keep_terms(draft, home_of(questions), terms)


def words_to_judge(questions: Questions, element: Element, text: str) -> str:
    """Return the words by which an answer is judged: without a price in passing, things that others ask for, and
    wishes about another answer.
    """
    text = without_wishes(questions, element, text)
    if element.kind != "text" or element.pattern is not None:
        text = _BRACKETS.sub(r", \g<words>", text)
    told = _TOLD_SIDE.search(text) if element.kind == "boolean" else None
    own = told["side"] if told else without_other_things(element, questions.asked, text)
    return _without_passing_price(questions, element, _without_other_figures(questions, element, own))


_BRACKETS = patterns.compile(r"(?<!\s)\s*+\((?P<words>[^()]{2,200})\)")
"""Words in brackets behind an answer: `no (lost it)`. Those of a free text stay."""
_TOLD_SIDE = patterns.compile(
    r"\b(?:p[oõ]e|ponham?|met[ae]m?|put|say|mark|write|escrev[ae]m?)\s(?:(?:que|l[aá]|a[ií]|it|as|that)\s){0,2}"
    r"(?P<side>sim|n[aã]o|yes|no)(?=\s*(?:$|[.,;!]))",
    patterns.IGNORECASE,
)
"""A yes or no that the seller says to write: `já não sei onde anda, ponha que não`."""


def _without_other_figures(questions: Questions, element: Element, text: str) -> str:
    """Return an answer to a choice without its clauses which give a figure to another question that they name, and tell
    no fault: `olha, a bateria é 82%` says nothing of accounts. One that is nothing else stays for the judge where it
    names the choice.
    """
    if element.kind not in ("boolean", "select") or len(text) > _LONGEST_MESSAGE:
        return text
    counted = [each for each in questions.asked if each.kind == "number" and each is not element]
    parts = [part for part in _CLAUSES.split(text) if part.strip()]
    kept = [
        part
        for part in parts
        if not any(map(str.isdigit, part))
        or tells_fault(part)
        or speaks_of(element, part)
        or not any(counts(each, part) for each in counted)
    ]
    said = [part.strip() for part in kept if content(tokens(part)) or opening(part)[0] is not None]
    return text if len(kept) == len(parts) else ", ".join(said)


def _without_passing_price(questions: Questions, element: Element, text: str) -> str:
    """Return an answer to a choice without the bare amount at its end, which is asked back as the price: `no box. 180`.

    Where another open question counts a number, or a choice has one, the amount may be that.
    """
    amount = last_amount(text)
    chosen = "".join(f"{each.label.pt}{each.label.en}" for each in element.options)
    is_choice = element.kind in ("boolean", "select") and not any(map(str.isdigit, chosen))
    if not amount or not is_choice or amount == text.strip(" .!") or _counts_later(questions):
        return text
    return text[: text.rindex(amount)].rstrip(" ,.;:-")


def _counts_later(questions: Questions) -> bool:
    return any(each.kind == "number" for each in questions.open())


def ask_figures_beside(
    questions: Questions, asked: Element, judged: Judgement, waited: Valid | None
) -> tuple[Element | None, Judgement]:
    """Ask back each number that a clause of the typed message gives to another answered question, which it names.

    One that was left out takes any such number, one with a value only a number that is told to be put there, or one
    that is all of the message but for a no. Returns the first question, and how the answer to the asked one is judged:
    its figure is none of those, nor is it that no, unless it is the one that `waited` for a yes.
    """
    draft, first, rest = questions.draft, None, ""
    message = without_replaced_figures(_IS.sub(" é ", next(iter(draft.messages()), "")))
    if len(message) > _LONGEST_MESSAGE or any(part.get("type") == "answer" for part in draft.run.input):
        return None, judged
    known = [each for each in questions.asked if each.kind == "number" and each.id in questions.answers]
    said = [each for each in _CLAUSES.split(message) if not _says_only_no(each)]
    named = [each for each in known if len(said) == 1 and _restates(each, asked, said[0])]
    for clause in _CLAUSES.split(message):
        is_figure = any(map(str.isdigit, clause)) and "?" not in clause
        found = [
            each
            for each in known
            if each is not asked and is_figure and _asks_figure(questions, each, clause, is_put=each in named)
        ]
        first = first or next(iter(found), None)
        rest += "" if found else clause
    is_used = first is not None and asked.kind in _FIGURES and not any(map(str.isdigit, rest))
    if waited is not None or not (is_used or named):
        return first, judged
    again = Refused("question_again", {"question": asked.label.text_in(draft.language)})
    return first, again if named else Refused("not_an_answer")


_IS = patterns.compile(r"(?<=[^\W\d]) e (?=\d{1,4}\s?%?[\s.!]*$)", patterns.IGNORECASE)
"""The Portuguese `is` without its accent, before the number that ends a message."""


def _says_only_no(clause: str) -> bool:
    """Return whether a clause is a no, or nothing."""
    says, rest = opening(clause)
    return not (content(tokens(clause)) or says) or (says is False and not content(tokens(rest)))


def _restates(element: Element, asked: Element, clause: str) -> bool:
    """Return whether a clause says the number of an answered question, and nothing that the open one may be about."""
    said = opening(clause)[1] or clause if opening(clause)[0] is False else clause
    own = [
        word for word in content(tokens(said)) if not (is_number(word) or word in unit_words(element.unit))
    ]
    is_told = any(map(str.isdigit, said)) and "?" not in said and "€" not in said
    label = {*tokens(f"{element.label.pt} {element.label.en}"), *_STATING}
    is_other = element is asked or (asked.kind in _FIGURES and counts(asked, said))
    return is_told and bool(own) and label.issuperset(own) and counts(element, said) and not is_other


_STATING = frozenset("level nivel capacity capacidade maximum maxima now agora so only just apenas".split())
"""Words beside those of a question that say its number."""


def _asks_figure(questions: Questions, element: Element, clause: str, *, is_put: bool) -> bool:
    """Ask back the number that a clause gives to a question; return whether it gives one."""
    told = _figure_told(questions, element, clause, is_put=is_put)
    if told is None or pending(questions.draft, element.id) is not None:
        return False
    ask_back(questions.draft, element.id, ProbableAnswer(told))
    return True


def _figure_told(questions: Questions, element: Element, clause: str, *, is_put: bool) -> Valid | None:
    kept = questions.answers[element.id][0]
    is_put = is_put or kept is None or _PUT.search(clause) is not None
    if (
        not (is_put and counts(element, clause))
        or "€" in clause
        or told_price(clause, questions.draft.language)
    ):
        return None
    if is_put:  # `no the battery is at 82%` denies the open question or an answer, not this figure.
        clause = opening(clause)[1] or clause if opening(clause)[0] is False else clause
    judged = judge(element, clause, questions.draft.language, datetime.now(UTC).date())
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    return guess if isinstance(guess, Valid) and not guess.skipped and guess.value != kept else None


_CLAUSES = patterns.compile(
    r"(?<!\d)[,.]|[,.](?!\d)|[;!\n]|(?<=\?)|\b(?:e|and|mas|but)\b", patterns.IGNORECASE
)
_LONGEST_MESSAGE = 500
_ASKING = frozenset("quantos quantas quanto qual how many much what which about mais ou menos".split())
_PUT = patterns.compile(
    r"\b(?:p[oõ]e|ponham?|met[ae]m?|coloc[ae]|escrev[ae]|mud[ae]|corrig\w+|afinal|put|set|make|change|write|actually)\b",
    patterns.IGNORECASE,
)
"""Words that tell to put a value in place of another one."""


def doubt_far_below(known: float | None, words: str, judged: Judgement, language: str) -> Judgement:
    """Return a price, to be asked back where it is far below the known one and its words name no money."""
    if known is None or not isinstance(judged, Valid) or judged.skipped or _names(PRICE, words, language):
        return judged
    return ProbableAnswer(judged) if float(judged.value or 0) * _FAR_BELOW < known else judged


def add_named_month(
    questions: Questions,
    element: Element,
    messages: Sequence[str],
    judged: Judgement,
    today: date,
    kept: Valid | None,
) -> Judgement:
    """Return a bare year with the month that the seller wrote before, where only its year was asked for, or with that
    of the date `kept` that waits, and of two years, of which the seller does not know which, the earlier one.
    """
    draft = questions.draft
    judged = judge_doubted(element, judged, messages, draft.language, today)
    judged = _keep_month(element, kept, judged, draft.language, today)
    judged = keep_year(element, kept, judged, next(iter(messages), ""), draft.language, today)
    bought = bought_with_earlier(draft.run, draft.typed_text()) if isinstance(judged, Refused) else ""
    if bought and element.kind == "date" and element.id.endswith(".purchase_date"):
        same = judge(element, bought, draft.language, today)
        return ProbableAnswer(same) if isinstance(same, Valid) and not same.skipped else judged
    is_asked = draft.run.private.get("refused", [])[:2] == [element.id, "year_missing"]
    if not is_asked or draft.waiting_block() != element.id:
        return judged
    year = str(judged.value) if isinstance(judged, Valid) else ""
    month = next((each for each in messages[1:_MOST_BETWEEN] if lacks_year(each)), None)
    if month is None or not (year.isdecimal() and len(month) <= _LONGEST_MONTH):
        return judged
    whole = judge(element, f"{month} {year}", draft.language, today)
    return judged if isinstance(whole, Refused) else whole


def _keep_month(
    element: Element, kept: Valid | None, judged: Judgement, language: str, today: date
) -> Judgement:
    """Return a bare year with the month of the date that waits, to be asked back: `afinal foi 2019`."""
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    waits = str(kept.value) if kept is not None else ""
    year = str(guess.value) if isinstance(guess, Valid) else ""
    if element.kind != "date" or not year.isdecimal() or year == waits[:_YEAR] or len(waits) <= _YEAR:
        return judged
    whole = judge(element, f"{waits[_YEAR + 1 : _YEAR + 3]}/{year}", language, today)
    return ProbableAnswer(whole) if isinstance(whole, Valid) else judged


def keep_year(
    element: Element, kept: Valid | None, judged: Judgement, words: str, language: str, today: date
) -> Judgement:
    """Return a bare month with the year of the date that waits, to be asked back: `no wait, it was december`."""
    year = str(kept.value)[:_YEAR] if kept is not None and element.kind == "date" else ""
    lacks = isinstance(judged, Refused) and judged.code in ("year_missing", "not_a_date")
    lacks = lacks and (lacks_year(words) or tells_feast(words))
    if not (lacks and year.isdecimal()) or len(words) > _LONGEST_MONTH:
        return judged
    found = month_in_year(element, words, year, language, today)
    return judged if found is None else ProbableAnswer(found)


def month_in_year(element: Element, words: str, year: str, language: str, today: date) -> Valid | None:
    """Return the only month of a year that the clauses of words name: `no, december, xmas present`."""
    parts = (_WAITS.sub("", each) for each in _PARTS.split(words))
    judgements = (judge(element, f"{each} {year}", language, today) for each in parts)
    guesses = (each.guess if isinstance(each, ProbableAnswer) else each for each in judgements)
    found = {each.value: each for each in guesses if isinstance(each, Valid) and len(str(each.value)) > _YEAR}
    return next(iter(found.values())) if len(found) == 1 else None


_WAITS = patterns.compile(
    r"^\s*(?:(?:no|n[aã]o|wait|espere?|espera|hang on|hold on|oh|ah|ai|sorry|desculp[ae]|afinal|actually)\b[\s,.;!]*)+",
    patterns.IGNORECASE,
)
"""Words before a month that put another one right."""


_PARTS = patterns.compile(r"[,.;!]\s")
_YEAR = 4
"""A date begins with the digits of its year."""


def _names(element: Element, words: str, language: str) -> bool:
    """Return whether words say the question, its unit, or an amount of money as the price."""
    if element.kind == "price" and ("€" in words or told_price(words, language) is not None):
        return True
    return names_figure(element, words)


def counts(element: Element, words: str) -> bool:
    """Return whether a number in the words stands by the unit of a figure, or they name its question by more than that:
    `coffee machine is 150` counts no coffees.
    """
    said, units = tokens(_OWNS.sub(" ", words)), unit_words(element.unit)
    named = {*content(tokens(f"{element.label.pt} {element.label.en}"), _ASKING)}.difference(units)
    by_unit = (
        said[at + 1 : at + 3] + said[max(at - 1, 0) : at] for at, each in enumerate(said) if each in units
    )
    return not named.isdisjoint(said) or any(_has_number(near) for near in by_unit)


_OWNS = patterns.compile(r"['’]s\b")
"""The end of `battery's`."""


def _has_number(words: Sequence[str]) -> bool:
    return any(is_number(each) or each in NUMBER_WORDS - _ONE for each in words)


_ONE = frozenset("um uma one".split())


def names_figure(element: Element, words: str) -> bool:
    """Return whether words say the question of a figure or its unit."""
    said = tokens(words)
    own = [word for word in content(said) if not is_number(word)]
    return not unit_words(element.unit).isdisjoint(said) or (bool(own) and speaks_of(element, " ".join(own)))
