"""Prices that a message tells while another question is open: they wait to be asked back at the end."""

from server.loopos.answers import PRICE, Element, Refused, tells_other_currency, told_price
from server.loopos.tools.drafts.confirmation import is_asked_in_this_run, pending
from server.loopos.tools.questions.early_price import dealt_amount, early_price, last_amount, tells_amount
from server.loopos.tools.questions.item_questions import Questions


async def noted_price(questions: Questions, shown: Element | None = None) -> dict[str, str]:
    """Return the price that the newest typed message tells while another question is open; it is asked back later.

    Of one in another currency, `price_range` says what prices are in. `shown` is the question that is asked back first.
    """
    draft = questions.draft
    is_put = (draft.run.private.get("put_price") or [""])[0] == draft.run.run_id
    is_clicked = any(part.get("type") == "answer" for part in draft.run.input)
    is_put |= shown is not None and shown.id != PRICE.id and is_asked_in_this_run(draft, PRICE.id)
    is_asked = PRICE.id in (draft.waiting_block(), *questions.answers) or pending(draft, PRICE.id) is not None
    waits = pending(draft, PRICE.id)
    if is_put and waits is not None and not is_clicked and draft.waiting_block() != PRICE.id:
        return {"price_noted": waits.shown}
    if not (is_clicked or is_asked) and tells_other_currency(next(iter(draft.messages()), "")):
        return {"price_range": Refused("other_currency").text_in(draft.language)}
    is_asked |= draft.waiting_block() is None  # Then the price is the one thing that the message may answer.
    if is_clicked or is_asked or not (is_put or keeps_price(questions) or tells_amount(draft.typed_text())):
        return {}
    price = await early_price(draft)
    return {} if price is None else {"price_noted": price.shown}


def keeps_price(questions: Questions) -> bool:
    """Return whether the newest message has a price, or a bare amount that waits to be asked back as the price."""
    message = next(iter(questions.draft.messages()), "")
    if PRICE.id in questions.answers:
        return False
    amount = last_amount(message) or dealt_amount(message)[0]
    kept = questions.draft.run.private.get("passing_price")
    return (bool(amount) and amount == kept) or told_price(message, questions.draft.language) is not None
