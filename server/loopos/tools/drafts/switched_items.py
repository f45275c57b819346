"""The wish to begin another item while a question of this one is open: it waits or begins, and this one is kept."""

from server.loopos.answers import confirms
from server.loopos.answers.words import tokens
from server.loopos.core import Core
from server.loopos.tools.drafts.draft import Draft
from server.loopos.tools.drafts.other_items import (
    BELONGS,
    is_sold_here,
    is_thing,
    keep_item,
    keep_unsold,
    left_for_later,
)
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Choice, Choices
from server.text_reading.wishes.switch_wishes import asked_after, had_besides, is_for_later, wished_first

SWITCH, STAY = "switch", "stay"
"""The name of the block that asks whether the other item begins now, and the value of a no."""
_KEPT = "kept_open"


async def switch_result(draft: Draft, *, is_text: bool = False) -> dict[str, str]:
    """Return what becomes of the item that the message wishes to begin, as `reason`; with `switch` it is asked whether
    that one begins now, in the place of the open question. Where a text is open, what one also has may go with it.
    """
    is_typed = not any(part.get("type") == "answer" for part in draft.run.input)
    typed = draft.typed_text() if is_typed else ""
    wished, asked = wished_first(typed), asked_after(typed)
    is_text = is_text and not is_for_later(typed)
    name = wished or asked
    has = not is_text and not wished and bool(had_besides(typed))
    kept = "" if is_text and not wished and had_besides(typed) else waiting_item(draft, name)
    is_meant = bool(wished) or (has and (is_for_later(typed) or await is_sold_here(draft, name)))
    if not name or not (kept or (is_meant and await _is_other_item(draft, name))):
        return {}
    language = draft.language
    if not (kept or await is_sold_here(draft, name)):
        return {"reason": say("switch.unsold", language, item=name)}
    item = kept or name
    if not kept:
        keep_item(draft, item)
    begin = Choice(item, say("choice.switch.begin", language, item=item))
    stay = Choice(STAY, say("choice.switch.stay", language, item=draft.run.state.get("product")))
    block = Choices(SWITCH, say("block.switch", language, item=item), (begin, stay))
    draft.ask(block, SWITCH, again=True)
    return {"reason": say("switch.waits", language, item=item), "switch": item}


def waiting_item(draft: Draft, name: str) -> str:
    """Return the item left for later that a name means: by its words, or by one that no other of them has."""
    said = {*tokens(name)}
    named = [each for each in left_for_later(draft) if not _words(name).isdisjoint(tokens(each))]
    return next((each for each in named if len(named) == 1 or said <= {*tokens(each)}), "")


def _words(name: str) -> set[str]:
    """Return the words of a name without its numbers, which names of other things have too."""
    return {each for each in tokens(name) if each.isalpha()}


async def _is_other_item(draft: Draft, name: str) -> bool:
    """Return whether a name is of a thing that is neither this item, one of its kind, one that is sold, nor a part."""
    state, core, said = draft.run.state, draft.run.resource(Core), {*tokens(name)}
    own = [f"{state.get('product')} {state.get('brand')}"]
    own += [each["product"] for each in draft.run.private.get("earlier", ())]
    if not is_thing(name) or not said.isdisjoint(BELONGS):
        return False
    if any(said & _words(one) and said <= {*tokens(one)} for one in own):
        return False
    product = await core.product(draft.product_id or 0, language=draft.language)
    kind = await core.category_key(name)
    return kind is None or product is None or kind != await core.category_key(product.category)


def keep_open(draft: Draft) -> None:
    """Keep what is open, where the other item is begun: an unfinished item stays, a product waits for later."""
    if draft.waiting_block() == SWITCH and draft.has_item():
        draft.run.private[_KEPT] = draft.run.state["item_id"]
    elif draft.waiting_block() == SWITCH:
        keep_unsold(draft)


def is_kept_open(draft: Draft) -> bool:
    """Return whether the unfinished item stays, since another one was begun before it."""
    return bool(draft.run.private.get(_KEPT)) and draft.run.private[_KEPT] == draft.run.state.get("item_id")


def answers_switch(draft: Draft) -> bool:
    """Return whether the message only agrees or refuses while it is asked whether the other item begins."""
    if draft.waiting_block() != SWITCH:
        return False
    says, rest = confirms(draft.typed_text(), draft.language)
    return says is not None and not tokens(rest)


def keep_offer(draft: Draft, query: str) -> None:
    """Keep the product that is asked about for later, where the message wishes to begin another one before it."""
    searched, said = str(draft.run.private.get("searched", "")), _words(query)
    is_other = said and said.isdisjoint(tokens(searched)) and draft.waiting_block() == "product"
    if is_other and searched and wished_first(draft.typed_text()):
        keep_item(draft, searched, *draft.earlier_messages())
