"""Prices that are put in the middle of a sale: `make it 140 instead`, `I want 30 for the coffee machine`."""

from server import patterns
from server.loopos.answers import PRICE, Element, ProbableAnswer, told_price
from server.loopos.answers.amounts.put_amounts import put_again, put_amount, sells_soon
from server.loopos.answers.certainty import content, is_like
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.confirmation import ask_back, pending
from server.loopos.tools.drafts.confirmed_product import confirmed_product
from server.loopos.tools.questions.early_price import early_price
from server.loopos.tools.questions.item_questions import Questions, current_item
from server.loopos.tools.questions.price import is_newer_price, prepare_price
from server.loopos.tools.questions.unrecorded_faults import condition_of
from server.text_reading.wishes.agreements import after_yes

_PRICE = ("price", "preco", "valor")
_OF_STATE = frozenset("what condition que estado em".split())
"""Words of the question for the condition beside the name of the thing: `What condition is the phone in?`."""
_YEARS = range(1950, 2101)


async def ask_put_price(questions: Questions, element: Element) -> Element | None:
    """Ask back the price that the typed newest message puts and nothing else, though another question is open; return
    the question for the price.
    """
    draft = questions.draft
    amount = await _put_amount(questions, element)
    price = told_price(f"{amount} €", draft.language) if amount else None
    if price is None or price.value == questions.answers.get(PRICE.id, [None])[0]:
        return None
    if not await prepare_price(questions, await current_item(questions), is_wanted=True):
        return None
    ask_back(draft, PRICE.id, ProbableAnswer(price))
    return next((each for each in questions.asked if each.id == PRICE.id), None)


async def _put_amount(questions: Questions, element: Element) -> str:
    """Return the amount that the message puts as the price.

    At a question for a number or a date it may be its answer, unless the message names the price or the item, gives a
    reason to sell soon, or the question does not take it.
    """
    draft = questions.draft
    message = next(iter(draft.messages()), "")
    is_clicked = any(part.get("type") == "answer" for part in draft.run.input)
    # A yes to what waits is stored first.
    agrees = pending(draft, element.id) is not None and after_yes(message) is not None
    is_free = element.kind != "price" and not (is_clicked or agrees)
    found, again = (put_amount(message), _again(questions, element, message)) if is_free else (None, "")
    again = again if again and is_newer_price(questions, again, await early_price(draft)) else ""
    if found is None or (again and element.id in questions.answers):
        return again
    amount, what = found
    product = await confirmed_product(draft)
    names = f"{product.name} {product.category} {' '.join(each.name for each in product.brands)}"
    labels = [
        f"{each.label.pt} {each.label.en}" for each in questions.asked if each is condition_of(questions)
    ]
    known = [*tokens(names), *content(tokens(" ".join(labels)), _OF_STATE), *_PRICE]
    is_other = not all(any(is_like(word, each) for each in known) for word in what)
    is_figure = element.is_figure and not sells_soon(message)
    is_answer = is_figure and not what and _takes(element, int(amount))
    return "" if is_other or is_answer else amount


def _again(questions: Questions, element: Element, message: str) -> str:
    """Return the amount that a message without a yes puts in place of the told price.

    Where it is to correct the answer to an earlier question, its end counts too: `no charger. 130 instead`.
    """
    if element.id in questions.answers:
        return put_again(message) or put_again(_BORDERS.split(message)[-1])
    is_answer = element.is_figure and (put := put_again(message)) and _takes(element, int(put))
    return "" if is_answer or after_yes(message) is not None else put_again(message)


_BORDERS = patterns.compile(r"[,.;!]\s+")


def _takes(element: Element, amount: int) -> bool:
    """Return whether a number or the year of a date may be this amount."""
    if element.kind == "date":
        return amount in _YEARS
    return not (element.max is not None and amount > element.max)
