"""The price that a seller tells before it is asked for, and a bare amount that may be one."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from server import patterns
from server.languages import fold
from server.loopos.answers import Valid, told_price
from server.loopos.answers.amounts.asking_price import other_price
from server.loopos.answers.amounts.corrected_amounts import NOT_IN_NUMBER
from server.loopos.answers.amounts.price_words import PRICE_TERMS
from server.loopos.answers.amounts.put_amounts import changed_amount, put_amount, wished_amount
from server.loopos.answers.amounts.side_amounts import speaks_of_deal, without_side_amounts
from server.loopos.answers.words import tokens
from server.loopos.tools.drafts.draft import Draft, tidy_words
from server.loopos.tools.drafts.earlier_items import of_earlier
from server.loopos.tools.loop_turns import LoopTurns
from server.text_reading.things.priced_things import priced_thing, without_priced_things

_LONGEST = 200
"""A longer message is not searched for amounts beside other words."""
_JOINED = patterns.compile(rf"{NOT_IN_NUMBER}\s(?:e|and|mas|but)\s", patterns.IGNORECASE)
_DIGITS = patterns.compile(r"\d+")
_DASHES = " -–—:"
_LAST_AMOUNT = patterns.compile(
    r"(?:(?:[;!\n]|(?<!\d)[.,]|[.,](?=\s))\s*|^\s*(?:(?:yes|yea|yeah|yep|yup|ya|yh|ye|sim|claro|ok)\s+)?)(?:(?:like|about|around|maybe|say|uns|umas|tipo|"
    r"cerca de)\s+)*((?!19\d\d|20\d\d)[1-9]\d{1,4})(?:\s?ish)?[\s.!]*$",
    patterns.IGNORECASE,
)
"""A number that is the last clause of a message: `a red vacuum. 55`, `with box, no charger, 320`."""
_FACTS = 2
"""So many commas make a message a list of facts."""
_SIZES = frozenset("16 32 64 128 256 512 1024 2048".split())


async def early_price(draft: Draft) -> Valid | None:
    """Return the amount that the newest message with one asks for the item; the seller may have changed it.

    The loop has turns between the messages, as in `foreign_price`.
    """
    turns, put = LoopTurns(), draft.run.private.get("put_price")
    messages, passing = draft.messages(), str(draft.run.private.get("passing_price", ""))
    changed: list[str] = []
    names = [str(draft.run.state.get("product") or ""), str(draft.run.private.get("searched") or "")]
    newer = messages if put is None else _newer(draft, put[0])
    for message in _own_first(newer):
        own = _without_names(message, names)
        bare = _said_amount(own) or wished_amount(own)
        told = _price_in(own, draft.language) or told_price(f"{bare} €", draft.language)
        if told is None and passing and passing in (last_amount(message), dealt_amount(message)[0]):
            told = told_price(f"{passing} €", draft.language)
        if told is not None:
            return _find_changed(draft, changed) or told
        changed += [found] if (found := changed_amount(message)) else []
        await turns.give()
    if put is not None:
        return told_price(f"{put[1]} €", draft.language)
    amount = passing or last_amount(messages[-1] if messages else "") or _amount_beside_product(draft)
    return told_price(f"{amount} €", draft.language) if amount else None


def _own_first(messages: Sequence[str]) -> list[str]:
    """Return messages without the prices of other things, and behind all of them those that have such a price: it is
    asked back where the item has none.
    """
    return [*map(without_priced_things, messages), *filter(priced_thing, messages)]


def _find_changed(draft: Draft, amounts: Sequence[str]) -> Valid | None:
    """Return the newest of the amounts that were put over a told price, but for figures that answers have."""
    answers = " ".join(map(str, (draft.run.state.get("answers") or {}).values()))
    known = _DIGITS.findall(answers)
    amount = next((each for each in amounts if each not in known), "")
    return told_price(f"{amount} €", draft.language) if amount else None


def _without_names(message: str, names: Sequence[str]) -> str:
    """Return a message with a border for each name in it that ends in a figure: `iPhone 12 250 €` is no 12,250 €."""
    for name in (each for each in names if each[-1:].isdigit()):
        start = message.casefold().find(name.casefold())
        if start >= 0 and message[start + len(name) :][:1].isspace():
            message = f"{message[:start]}; {message[start + len(name) :].lstrip(_DASHES)}"
    return message


def _said_amount(message: str) -> str:
    """Return the bare amount before the terms of a price, at the end behind `a`, alone in brackets, or that is wanted
    at least: `250 ono`, `vendo a 300`, `headphones (120)`, `i want at least 200`.
    """
    found = _WITH_TERMS.search(fold(message[:_LONGEST])) or _FINAL.fullmatch(fold(message[:_LONGEST]))
    found = found or _AT_LEAST.search(fold(message[:_LONGEST]))
    found = found or _AT_END.search(message[-_LONGEST:])
    found = found or _IN_BRACKETS.search(message[:_LONGEST]) or _BARGAINED.search(fold(message[:_LONGEST]))
    return found["amount"] if found and found["amount"] not in _SIZES else ""


def tells_amount(message: str) -> bool:
    """Return whether a message tells a bare amount before the terms of a price, or as one that is wanted at least."""
    return _said_amount(message) != ""


_WITH_TERMS = patterns.compile(
    r"\b(?P<amount>(?!19\d\d|20\d\d)[1-9]\d{1,4})\s(?:(?:tudo|mas|e|all|but|and)\s)?"
    rf"(?:no min\b|(?:no )?min(?:imo|imum)\b|or (?:near|nearest|best)\b|{PRICE_TERMS.pattern})"
)
_AT_LEAST = patterns.compile(
    r"\b(?:wants?|ask|asking|price|quero|queria|peco|vendo|por|preco)\s(?:\w+\s)?"
    r"(?P<amount>(?!19\d\d|20\d\d)[1-9]\d{1,4})\smin\b(?! of\b)"
)
"""An amount before `min` that is asked; without a verb of asking it counts minutes: `the battery lasts 20 min`."""
_AT_END = patterns.compile(
    r"[\w;]\s(?:a|at|@)\s(?P<amount>(?!19\d\d|20\d\d|100\b)[1-9]\d{2,4})[\s.!]*$", patterns.IGNORECASE
)
_IN_BRACKETS = patterns.compile(r"\w\s?\((?P<amount>(?!19\d\d|20\d\d)[1-9]\d{1,4})\)")

_BARGAINED = patterns.compile(
    r"\b(?:want|wants|need|ask|asking|take|looking for|quero|queria|peco|preciso de|aceito) (?:for it )?(?:at least|"
    r"no less than|not less than|a minimum of|minimum|pelo menos|no minimo|nao menos de|nunca menos de) "
    r"(?P<amount>(?!19\d\d|20\d\d)[1-9]\d{1,4})\b(?! ?(?:km|h|gb|days?|hours?|dias?|horas?)\b)"
)
_FINAL = patterns.compile(
    r"(?:(?:ok|so|right|entao) )*(?P<amount>(?!19\d\d|20\d\d)[1-9]\d{1,4}) (?:then |entao )?(?:(?:is|e) )?"
    r"(?:(?:my|the|a|o|minha|meu) )?(?:(?:final|last|best|ultima) (?:offer|price|oferta|proposta)|"
    r"(?:ultimo|preco) (?:preco|final))"
)
"""An amount that is called the last one, with or without a question mark: `180 then, final offer?`."""


def _newer(draft: Draft, run_id: str) -> list[str]:
    """Return the messages behind the one of that run, the newest first."""
    own = draft.messages()[:1] if draft.run.run_id != run_id else []
    return [*own, *draft.earlier_messages(run_id)] if own else []


def _amount_beside_product(draft: Draft) -> str:
    """Return the bare amount that ends the newest list of facts before the product was confirmed; a figure of the
    product's name is none.
    """
    named = _DIGITS.findall(str(draft.run.state.get("product") or ""))
    lists = (each for each in draft.messages_before_product() if each.count(",") >= _FACTS)
    found = (last_amount(each) or _listed_amount(each) for each in lists)
    return next((amount for amount in found if amount and amount not in named), "")


def _listed_amount(message: str) -> str:
    """Return the only amount that is a part of a list, alone or with what is given for it: `350 with raincover`."""
    parts = (_ONE_AMOUNT.fullmatch(each.strip()) for each in _LISTED.split(message[:_LONGEST]))
    found = [each[1] for each in parts if each and each[1] not in _SIZES]
    return found[0] if len(found) == 1 else ""


_LISTED = patterns.compile(r"[,;\n]\s|\.\s")
_ONE_AMOUNT = patterns.compile(
    r"(?:(?:now|agora|only|just|s[oó]|e|and|mas|but)\s+)*+((?!19\d\d|20\d\d)[1-9]\d{1,4})(?:\s+(?:with|com)\s\D.*)?[\s.!]*",
    patterns.IGNORECASE,
)


def note_early_amount(draft: Draft, product: Any) -> bool:
    """Keep the bare amount that the newest message ends with while the product's options are open, to be asked back
    as the price; return whether that message tells a price.

    A figure of the product's name or of a value is none, nor one that is the whole message where values are figures.
    Beside the price of an earlier item there is none.
    """
    if of_earlier(draft.run) is not None:
        return False
    message = tidy_words(draft.typed_text()[:_LONGEST])
    flat = fold(message)
    if told_price(message, draft.language) is not None or _BARGAINED.search(flat) or _FINAL.fullmatch(flat):
        return True
    if _note_put(draft, message, f"{product.name} {product.category}"):
        return True
    amount = last_amount(message)
    values = " ".join(value.name for kind in product.option_types for value in kind.values)
    is_alone = amount == message.strip(" .!") and any(map(str.isdigit, values))
    if not amount or is_alone or amount in _DIGITS.findall(f"{product.name} {values}"):
        return False
    draft.run.private["passing_price"] = amount
    return True


def _note_put(draft: Draft, message: str, names: str) -> bool:
    """Keep the amount that a message puts as the price of the item of these names, over one told before."""
    put = put_amount(message)
    if put is None or not put[1] <= {*tokens(names), "price", "preco", "valor"}:
        return False
    draft.run.private["put_price"] = [draft.run.run_id, put[0]]
    return True


def last_amount(message: str) -> str:
    """Return the bare amount that ends a message after a mark, or is all of it; empty where it may be a size."""
    found = _LAST_AMOUNT.search(message[-_LONGEST:])
    return "" if found is None or found[1] in _SIZES else found[1]


def dealt_amount(message: str) -> tuple[str, str]:
    """Return the bare amount that begins a message, or its last part, and the words behind it, where they only bargain:
    `170 mas da pra negociar`, `march 2021, 320 but can go down`; empty where the message is none.
    """
    found = _DEALT_AMOUNT.search(message.strip()[:_LONGEST])
    terms = found["terms"].strip(" .!") if found else ""
    is_deal = speaks_of_deal(terms) or PRICE_TERMS.fullmatch(fold(terms)) is not None
    return (found["amount"], terms) if found and is_deal and "?" not in terms else ("", "")


_DEALT_AMOUNT = patterns.compile(
    r"(?:^|(?<=[^\d\s]{2})[.;!,\n]\s*|(?<=\d)[.;!,\n]\s+|(?<=[.;!])\s+)(?:(?:like|about|"
    r"around|maybe|say|uns|umas|tipo|cerca de|por|for)\s+)*(?P<amount>(?!19\d\d|20\d\d)[1-9]\d{1,4})"
    r"[\s,.;(–-]+(?:(?:mas|but|e|and)\s+)?(?P<terms>\D{3,60})$",
    patterns.IGNORECASE,
)


async def foreign_price(draft: Draft) -> str:
    """Return the newest price in another currency that the seller asked, in its words; empty where they asked none.

    The price in euro is to be asked then.
    """
    turns = LoopTurns()
    for message in _own_first(draft.messages()):
        if found := _foreign_in(message):
            return found
        await turns.give()
    return ""


@lru_cache(maxsize=512)
def _foreign_in(message: str) -> str:
    """Return the amount in another currency that a message tells, or a part that `and` joins to when it was bought.

    It is asked again at each answer; kept messages have 500 characters at most.
    """
    parts = _JOINED.split(message) if len(message) <= _LONGEST else []
    return next((found.strip(" .,") for each in (message, *parts) if (found := other_price(each))), "")


@lru_cache(maxsize=512)
def _price_in(message: str, language: str) -> Valid | None:
    """Return the price that a message tells, also where `and` joins it to what was paid or when it was bought.

    Of prices in several parts none is sure to be that of the item: `the phone for 250 and a case for 10`.
    """
    message = without_side_amounts(message)
    parts = _JOINED.split(message) if len(message) <= _LONGEST else []
    found = [told for part in parts if (told := told_price(part, language)) is not None]
    return told_price(message, language) or (found[0] if len(found) == 1 else None)
