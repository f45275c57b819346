"""The asking price of an item: when it is asked, beside which range of prices, and how it is kept."""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from server import patterns
from server.agents import RunContext
from server.errors import LoopwireError
from server.languages import Language, split_question
from server.loopos.answers import (
    NO_PRICE,
    PRICE,
    Element,
    Judgement,
    ProbableAnswer,
    Refused,
    Valid,
    adds_nothing,
    bare_price,
    confirms,
    denies,
    judge,
    set_price,
    show_price,
    tells_other_currency,
    told_price,
    without_corrected,
)
from server.loopos.answers.amounts.corrected_amounts import NOT_IN_NUMBER
from server.loopos.answers.amounts.price_questions import worth_asked
from server.loopos.answers.amounts.price_words import removes_price
from server.loopos.answers.amounts.prices_in_notes import changed_price, take_price
from server.loopos.answers.amounts.put_amounts import put_behind
from server.loopos.answers.amounts.side_amounts import speaks_of_deal, without_side_amounts
from server.loopos.answers.certainty import NEGATIONS, content
from server.loopos.answers.clauses.change_requests import added_words
from server.loopos.answers.clauses.talk import without_talk
from server.loopos.answers.options.question_words import tell_asked_option
from server.loopos.answers.words import tokens
from server.loopos.core import AskingPrice, Core, Item
from server.loopos.requests.prices import price_facts
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.drafts.words_behind_yes import as_written
from server.loopos.tools.questions.early_price import early_price, foreign_price, last_amount
from server.loopos.tools.questions.item_questions import Questions, current_item
from server.loopos.tools.questions.noted_prices import noted_price
from server.loopos.tools.tool_words import say
from server.text_reading.wishes.wished_additions import read_wishes

log = logging.getLogger(__name__)

_MOST_OF_NOTHING = 2
"""So few words before a price, such as `none.`, stand without the full stop."""
_LETTERS = ["A", "B", "C", "D"]
_BORDERS = patterns.compile(
    rf"(?:[,;!\n]\s*(?!\d)|(?<=\?)\s|\.\s|{NOT_IN_NUMBER}\s(?=(?:e|and|mas|but)\s))(?:(?:e|and|mas|but)\s)?",
    patterns.IGNORECASE,
)
_LONGEST_BESIDE = 500
_JOINTS = patterns.compile(r"^(?:(?:e|and|mas|but|ah|oh)\b[\s,]*)+", patterns.IGNORECASE)


async def prepare_price(questions: Questions, item: Item, *, is_wanted: bool = False) -> bool:
    """Ask for the price behind the other questions, where the seller wants to say it or has said it early.

    Returns whether it is among the questions. A Core that keeps no price is given none, nor is an item without a deal.
    """
    if item.asking_price is None or item.status in ("refused", "withdrawn"):
        return False
    draft, said = questions.draft, None
    if not (is_wanted or questions.asks_price):
        said = await early_price(draft)
        if said is None and not await foreign_price(draft):
            return False
    following = questions.next()
    if is_wanted or following is None or following.kind == "price":
        range_of_prices = await _range_sentence(questions, item)
        figure = "" if said or await early_price(draft) else await foreign_price(draft)
        told = say("price.told", draft.language, figure=figure) if figure else ""
        in_euro = Refused("other_currency").text_in(draft.language) if figure else ""
        questions.ask_price(" ".join(filter(None, (told, in_euro, range_of_prices))))
    else:
        questions.ask_price()
    return questions.asks_price


async def ask_told_price(
    questions: Questions, item: Item, *, takes_bare: bool = False, beside_figure: bool = False
) -> None:
    """Ask back the price that the newest message sets beside another correction of an item that was complete.

    `takes_bare` takes a message that is nothing but an amount too; `beside_figure` takes only an amount that is said
    as a price, since another question has the figure.
    """
    draft = questions.draft
    newest = read_wishes(next(iter(draft.messages()), "")).rest
    alone = _priced_part(newest, draft.language)
    alone = "" if beside_figure and told_price(alone, draft.language) is None else alone
    said = _changed_price(questions, newest)
    said = said or set_price(newest, draft.language) or _price_put(newest, draft.language)
    said = said or _judge_part(alone, draft.language)
    said = said or told_price(newest, draft.language)
    if removes_price(newest):
        said = Valid(None, NO_PRICE.text_in(draft.language))
    if said is None and takes_bare:
        said = bare_price(newest, draft.language) or _price_instead(questions, newest)
    if said is None or said.value == questions.answers.get(PRICE.id, [None])[0]:
        return
    if pending(draft, PRICE.id) is None and await prepare_price(questions, item, is_wanted=True):
        ask_back(draft, PRICE.id, ProbableAnswer(said))


def _changed_price(questions: Questions, text: str) -> Valid | None:
    """Return the price behind a change by an amount that a part of a text says."""
    known, language = known_price(questions, None), questions.draft.language
    found = (changed_price(each, known, language) for each in (text, *_parts(text)))
    return next((each for each in found if each is not None), None)


def says_price(questions: Questions, text: str) -> bool:
    """Return whether a part of a message says what the price is to be, or by how much it changes."""
    language = questions.draft.language
    said = told_price(text, language) or set_price(text, language) or _price_put(text, language)
    return bool(said or _changed_price(questions, text) or bare_price(text, language))


def _price_put(text: str, language: str) -> Valid | None:
    """Return the amount that a message says to put, whatever else it says: `only 1 controller, and make it 290`."""
    found = None if tells_other_currency(text) else _PUT.search(text)
    return told_price(f"{found['amount']} €", language) if found else None


_PUT = patterns.compile(
    r"(?:\b(?:make it|(?:drop|lower|knock|bring|take)(?: it)?(?: down)? to|"
    r"p[oõ]e|ponham?|mete|metam|baix\w+ (?:para|pra|pa))|,\s*(?:so|ent[aã]o))\s+"
    r"(?:(?:a|os|at|to|em)\s+)?€?(?P<amount>\d{2,5})(?![\d.,]\d|\s?(?:%|gb|km|kms|cm|mm|anos|years|months|meses)\b)",
    patterns.IGNORECASE,
)


async def note_put_price(questions: Questions, words: str) -> str:
    """Keep the price that words beside another answer put in place of the one that was told, for its question.

    Returns the words without their sentences about it.
    """
    known = known_price(questions, await early_price(questions.draft))
    found = put_instead(words, known)
    price = told_price(f"{found} €", questions.draft.language) if found else None
    if price is None or questions.answers.get(PRICE.id) or pending(questions.draft, PRICE.id):
        return words
    questions.draft.run.private["put_price"] = [questions.draft.run.run_id, found]
    parts = [each for each in _SENTENCES.split(words) if not (found in each or _OF_PRICES.search(each))]
    return " ".join(parts)


def put_instead(words: str, known: float | None) -> str:
    """Return the amount that words say to put, or to take instead of the known price; none without a known price."""
    put, instead = _PUT.search(words), _INSTEAD_OF.search(words) or _FROM_TO.search(words)
    old = float(instead["old"]) if instead else known
    found = instead or put
    is_year = found is not None and _FIRST_YEAR <= int(found["amount"]) <= _LAST_YEAR
    return "" if found is None or known is None or old != known or is_year else found["amount"]


_FIRST_YEAR, _LAST_YEAR = 1950, 2100
_INSTEAD_OF = patterns.compile(
    r"€?(?P<amount>\d{2,5})\s?(?:€|euros?\b)?,?\s(?:(?:and |e )?(?:not|n[aã]o)|instead of|em vez de)\s(?:os |the )?"
    r"€?(?P<old>\d{2,5})\b",
    patterns.IGNORECASE,
)
_FROM_TO = patterns.compile(
    r"\b(?:change|drop|lower|raise|mud\w+|alter\w+|baix\w+|pass\w+|troc\w+)\s(?:(?:the|it|os|o|de|dos|do|from|pre[cç]o|price)\s)*"
    r"€?(?P<old>\d{2,5})\s?(?:€|euros?\b)?\s?(?:to|para|pra|pa)\s(?:(?:os|o)\s)?€?(?P<amount>\d{2,5})\b",
    patterns.IGNORECASE,
)
_SENTENCES = patterns.compile(
    r"(?<=[.!;?])\s+|\n|,\s+(?=(?:and |e )?(?:actually|afinal)\b)", patterns.IGNORECASE
)
_OF_PRICES = patterns.compile(
    r"\b(?:(?:go|going|sell|selling|sold) for|worth|prices?|pre[cç]os?|valem?|vendem|andam a|custam)\b",
    patterns.IGNORECASE,
)
"""Words of a sentence about what such items cost."""


def _price_instead(questions: Questions, text: str) -> Valid | None:
    """Return the amount that a text says instead of the price that is kept, or for the item: `so 270 not 280`."""
    found = _INSTEAD.fullmatch(text.strip())
    kept = questions.answers.get(PRICE.id, (None, ""))[0]
    if found is None or (found["old"] and (kept is None or float(found["old"]) != float(kept))):
        return None
    return told_price(f"{found['new']} €", questions.draft.language)


_INSTEAD = patterns.compile(
    r"(?:(?:so|ok|no|n[aã]o|then|ent[aã]o|afinal|actually|it['’]?s|is|[eé]|s[aã]o|fica)[\s,]+)*€?(?P<new>\d{2,5})\s?(?:€|euros?\b)?[\s,]+"
    r"(?:(?:and |e )?(?:not|n[aã]o|instead of|em vez de)\s+(?:os |the )?€?(?P<old>\d{2,5})\s?(?:€|euros?)?"
    r"|(?:for|pel[oa]|por)\s+(?:the|my|this|[oa]|est[ea]|ess[ea])?\s*[^\W\d]+(?:\s[^\W\d]+)?)[\s.!]*",
    patterns.IGNORECASE,
)
"""All of a text that sets a price: an amount and the one before it, or an amount for the item."""


def words_beside_price(text: str, language: str) -> str:
    """Return what a text tells besides a price, in its words: nothing of it is kept or judged with the price.

    A question, courtesy and a long text leave nothing.
    """
    parts, priced = _parts(text), _priced_part(text, language)
    others = [each for each in parts if each != priced]
    told = [each for each in others if not (each.endswith("?") or adds_nothing(each, language))]
    beside = ", ".join(each.strip(" .!") for each in told)
    return beside if len(others) < len(parts) and len(content(tokens(beside))) > 1 else ""


def words_behind_yes(text: str, language: str) -> str:
    """Return what a text tells behind the yes to a price, as it was written; a question and courtesy leave nothing."""
    said = split_question(text)[0]
    agrees, rest = confirms(said, language)
    names_price = told_price(rest, language) is not None and not speaks_of_deal(rest)
    if not agrees or not rest or adds_nothing(rest, language) or names_price:
        return ""
    beside = _JOINTS.sub("", without_talk(as_written(said, rest))).strip(" .!")
    return "" if NEGATIONS.issuperset(content(tokens(beside))) else beside


def words_behind_priced_yes(text: str, language: str) -> str:
    """Return what a text tells behind the yes to a price, without that amount once more: `sim, 420`."""
    beside = words_behind_yes(text, language)
    first = next(iter(_parts(beside)), "")
    plain = _AMOUNT.sub(" ", first)
    is_price = bare_price(first, language) is not None or (plain != first and adds_nothing(plain, language))
    if not first or not beside.startswith(first) or not is_price:
        return beside
    return _JOINTS.sub("", beside[len(first) :].strip(" ,.;!"))


_AMOUNT = patterns.compile(r"€?\s?\d[\d.,]*\s?(?:€|euros?\b|eur\b)?", patterns.IGNORECASE)


def judge_beside(questions: Questions, text: str, judged: Judgement) -> Judgement:
    """Return the price behind a change, none where the text removes it, or what one part of a refused text says alone:
    all to be asked back.
    """
    language = questions.draft.language
    if isinstance(judged, Refused) and removes_price(text):
        return ProbableAnswer(Valid(None, NO_PRICE.text_in(language)))
    if (changed := _changed_price(questions, text)) is not None:
        return ProbableAnswer(changed)
    priced = _priced_part(text, language) if isinstance(judged, Refused) else ""
    found = _judge_part(priced, language)
    return judged if found is None else ProbableAnswer(found)


def _judge_part(priced: str, language: str) -> Valid | None:
    found = judge(PRICE, priced, language, datetime.now(UTC).date()) if priced else None
    return found if isinstance(found, Valid) and not found.skipped else None


def _parts(text: str) -> list[str]:
    text = without_corrected(text)
    return [] if len(text) > _LONGEST_BESIDE else [each.strip() for each in _BORDERS.split(text)]


def _priced_part(text: str, language: str) -> str:
    """Return the only part of a text that says a price; one that is a bare amount is one where it comes first."""
    parts = _parts(without_side_amounts(text))
    priced = [each for each in parts if told_price(each, language) or set_price(each, language)]
    bare = parts[:1] if len(parts) > 1 and _judge_part(parts[0], language) else []
    return priced[0] if len(priced) == 1 else "".join(bare if not priced else ())


async def keep_text_without_price(questions: Questions, element: Element, judged: Judgement) -> Judgement:
    """Return a text without the words that only ask the price, which is asked back in a question of its own.

    A text that says nothing else is refused. A Core that keeps no price leaves them in the text.
    """
    draft, language = questions.draft, questions.draft.language
    guess = judged.guess if isinstance(judged, ProbableAnswer) else judged
    if element.kind != "text" or element.pattern is not None or isinstance(guess, Refused) or guess.skipped:
        return judged
    put = put_behind(guess.shown)
    noted = take_price(
        f"{put[0]}, {put[1]} €" if put else guess.shown, language, known_price(questions, None)
    )
    rest = "" if last_amount(guess.shown) == guess.shown.strip(" .!") else noted.rest
    if rest == guess.shown or (rest and _is_told_number(questions, noted.price)):
        return judged
    rest = rest.rstrip(" .") if len(rest.split()) <= _MOST_OF_NOTHING else rest
    item = await draft.run.resource(Core).item(
        draft.run.state["item_id"], draft.run.principal, language=language
    )
    if item.asking_price is None:
        return judged
    price = None if pending(draft, PRICE.id) else noted.price
    if price is not None and await prepare_price(questions, item, is_wanted=True):
        ask_back(draft, PRICE.id, ProbableAnswer(price))
    if not content(tokens(added_words(rest))) and not denies(rest, language):
        return Refused("other_currency" if tells_other_currency(guess.shown) else "empty")
    left = judge(element, rest, language, datetime.now(UTC).date())
    is_guess = isinstance(judged, ProbableAnswer) and isinstance(left, Valid)
    return ProbableAnswer(left) if is_guess and isinstance(left, Valid) else left


def _is_told_number(questions: Questions, price: Valid | None) -> bool:
    """Return whether an amount of a text is the number that answered a question: the `87` of a battery at 87 %."""
    numbers = [
        questions.answers[each.id][0]
        for each in questions.asked
        if each.kind == "number" and each.id in questions.answers
    ]
    return price is not None and price.value in numbers


def known_price(questions: Questions, told: Valid | None) -> float | None:
    """Return the price that waits for a yes, else the one that is kept, else the one that messages told."""
    waits, (kept, _) = pending(questions.draft, PRICE.id), questions.answers.get(PRICE.id, (None, ""))
    value = waits.value if waits else kept if kept is not None else told.value if told else None
    return None if value is None else float(value)


def is_newer_price(questions: Questions, amount: str, told: Valid | None) -> bool:
    """Return whether a bare amount puts the known price right, and none of the numbers that were answered."""
    known, value = known_price(questions, told), float(amount)
    numbers = [questions.answers.get(each.id, [None])[0] for each in questions.asked if each.kind == "number"]
    return known is not None and all(
        abs(value - float(each)) > abs(value - known) for each in numbers if isinstance(each, int | float)
    )


async def keep_price(run: RunContext, judged: Valid, language: Language) -> Item:
    """Keep a price that was judged, or take it back where the seller names none."""
    cents = None if judged.value is None else round(float(judged.value) * 100)
    core = run.resource(Core)
    item = await core.ask_price(run.state["item_id"], run.principal, cents, language=language)
    asked = item.asking_price or AskingPrice()
    run.set_state(price=asked.text_in(language) or None)
    return item


async def keep_answer(run: RunContext, element: Element, judged: Valid, language: Language) -> Item:
    """Keep an answer at the item."""
    if element.kind == "price":
        return await keep_price(run, judged, language)
    return await run.resource(Core).answer(
        run.state["item_id"], run.principal, element.id, judged.value, judged.shown, language=language
    )


async def tell_range(questions: Questions) -> dict[str, Any]:
    """Return what such items sell for, where the newest typed message asks what the item is worth, and as
    `price_noted` the price that it tells before the price is asked.

    The name of an option of the open question is that one: `so fair?`.
    """
    draft, noted = questions.draft, await noted_price(questions)
    asked = next((each for each in questions.asked if each.id == draft.waiting_block()), None)
    said = draft.typed_text() if asked is None else tell_asked_option(asked, draft.typed_text())
    if not worth_asked(said):
        return noted
    item = await current_item(questions)
    is_known = item.asking_price is not None and item.status not in ("refused", "withdrawn")
    yours = say("price.yours", draft.language)
    return {"price_range": f"{await _range_sentence(questions, item)} {yours}"} if is_known else noted


async def _range_sentence(questions: Questions, item: Item) -> str:
    """Return what such items sell for by the rules of the estimation, or that they know no price of them."""
    draft, language = questions.draft, questions.draft.language
    condition = _condition(questions.asked, questions.answers)
    options = ", ".join(item.options.values())
    try:
        product = await draft.run.resource(Core).product(item.product_id, language=language)
        category = "" if product is None else product.category
        facts = await price_facts(
            draft.run,
            product=item.product,
            brand=item.brand,
            category=category,
            condition=condition,
            text=options,
        )
    except LoopwireError as error:
        log.warning("no range of prices beside the question: %s", error.code)
        facts = {}
    band = facts.get("price_band")
    if band is None:
        return say("price.no_range", language)
    low, high = (show_price(float(round(band[end])), language) for end in ("min", "max"))
    return say("price.range" if condition else "price.range.unknown", language, low=low, high=high)


def _condition(asked: Sequence[Element], answers: Mapping[str, Sequence[Any]]) -> str | None:
    """Return the letter of the condition that was answered, of the question whose choices are these letters."""
    graded = [each.id for each in asked if [option.value for option in each.options] == _LETTERS]
    return next((str(answers[each][0]) for each in graded if answers.get(each, [None])[0]), None)
