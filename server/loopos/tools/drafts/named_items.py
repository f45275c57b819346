"""The items of this conversation that a message names: by reference, by product, or by what such things are called."""

from collections.abc import Sequence

from server import patterns
from server.errors import NotFound
from server.languages import Language, fold
from server.loopos.answers.words import tokens
from server.loopos.core import Core, Item
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.earlier_items import name_in
from server.text_reading.wishes.ways_back import goes_back, reference_in

_MOST_NOUNS = 6
"""So many words of a message may be what an item is called."""
_LED = r"\b(?:[oa]s?|[dnp]?[oa]s?|aos?|pel[oa]s?|meus?|minhas?|the|my|this|that|ess[ea]|est[ea])"
_NOUN = patterns.compile(rf"(?={_LED}\s(?P<noun>[^\W\d]{{3,}}(?:\s(?:de\s)?[^\W\d]{{3,}})?))")
_ONE_OF_MANY = r"\b(?:um|uma|an?|another|outr[oa]|some|other)\s(?:\w+\s){0,2}?"


async def own_items(draft: Draft) -> list[Item]:
    """Return the items of this conversation that stand, the newest first; that of the open sale is one of them."""
    run = draft.run
    kept = [str(each["item_id"]) for each in run.private.get("earlier", ()) if each.get("item_id")]
    found = list[Item]()
    for item_id in dict.fromkeys(filter(None, [run.state.get("item_id"), *reversed(kept)])):
        try:
            item = await run.resource(Core).item(item_id, run.principal, language=draft.language)
        except NotFound:
            continue
        if item.status != "withdrawn":
            found.append(item)
    return found


async def items_named(draft: Draft, said: str, items: Sequence[Item]) -> list[Item]:
    """Return the items that the words name. Words of the product that is open or on offer name it, and no other."""
    if number := reference_in(said):
        return [each for each in items if each.reference.endswith(f"-{number}")]
    text, now = patterns.sub(r"['’]s\b", "", fold(said)), [] if goes_back(said) else _names_on_offer(draft)
    if draft.product_id is not None and not draft.has_item() and not goes_back(said):
        now += tokens(f"{draft.run.state.get('product')} {draft.run.state.get('brand')}")
    named = [
        each for each in items if _is_meant(text, name_in(text, tokens(f"{each.product} {each.brand}"), now))
    ]
    return _fewest(text, named) or await _of_kind(draft, text, items)


def _names_on_offer(draft: Draft) -> list[str]:
    """Return the words of the products that are offered now."""
    if draft.waiting_block() != "product":
        return []
    offered = draft.run.private.get("offered", {})
    return [word for key in draft.run.private.get("asked", ()) for word in tokens(offered[key]["name"])]


def _is_meant(text: str, word: str) -> bool:
    """Return whether a word names the one thing, and not one of many: `a bike` is another one."""
    return bool(word) and not patterns.search(rf"{_ONE_OF_MANY}{word}\b", text)


def _fewest(text: str, named: Sequence[Item]) -> list[Item]:
    """Return those of the items whose names share most words with the text."""
    said = {*tokens(text)}
    shared = [len(said & {*tokens(f"{each.product} {each.brand}")}) for each in named]
    return [each for each, count in zip(named, shared, strict=True) if count == max(shared)]


async def _of_kind(draft: Draft, text: str, items: Sequence[Item]) -> list[Item]:
    """Return the items of the kind that a noun of the text names: `the bike`, `o portátil`."""
    core = draft.run.resource(Core)
    nouns = list(dict.fromkeys(each["noun"] for each in _NOUN.finditer(text)))[:_MOST_NOUNS]
    words = dict.fromkeys(part for noun in nouns for part in (noun, noun.split()[0]))
    wanted = {key for word in words if (key := await core.category_key(word)) is not None}
    if not wanted:
        return []
    kinds = [await core.category_key(await _category(draft, each.product_id)) for each in items]
    return [each for each, kind in zip(items, kinds, strict=True) if kind in wanted]


async def _category(draft: Draft, product_id: int) -> str:
    product = await draft.run.resource(Core).product(product_id, language=draft.language)
    return product.category if product is not None else ""


def item_price(item: Item, language: Language) -> str:
    """Return the price that the seller asks for an item, or nothing."""
    return item.asking_price.text_in(language) if item.asking_price is not None else ""


def item_note(item: Item, language: Language) -> str:
    """Return what stands beside the name of an item: its price, where it has one, and its reference."""
    return " · ".join(filter(None, (item_price(item, language), item.reference)))
