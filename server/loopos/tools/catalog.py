"""The catalog finds a product and the seller confirms it: nothing outside the catalog can be confirmed."""

from collections.abc import Sequence
from typing import Any

from server.agents import RunContext, ToolContext, tool
from server.languages import split_question
from server.loopos.answers import asks, confirms, pick
from server.loopos.answers.certainty import NEGATIONS, content, plain_words
from server.loopos.answers.clauses.first_faults import tells_only_facts
from server.loopos.answers.words import MOST_LETTERS, tokens
from server.loopos.catalog.certainty import KIND_ALONE
from server.loopos.core import Core
from server.loopos.rows import Found, Match, Product
from server.loopos.tools.drafts.corrected_products import (
    carry_facts,
    leave_behind,
    note_correction,
    take_facts,
)
from server.loopos.tools.drafts.draft import Draft, was_sent_twice
from server.loopos.tools.drafts.named_beside import keep_beside
from server.loopos.tools.drafts.named_products import note_named
from server.loopos.tools.drafts.narrowed_offers import product_key
from server.loopos.tools.drafts.other_items import begin_later, drop_taken_back
from server.loopos.tools.drafts.product_agreement import (
    agrees_to,
    is_doubted,
    lacks_variant,
    other_named,
    plainest_model,
    without_sizes,
)
from server.loopos.tools.drafts.product_searches import (
    forget_model,
    leave_words_of_another_owner,
    note_looked_for,
    quotation_of,
    understood_of,
    written_name,
)
from server.loopos.tools.drafts.product_traits import told_traits
from server.loopos.tools.drafts.refused_products import denies_product, forget_refusals, left_out
from server.loopos.tools.drafts.search_meaning import meaning_of
from server.loopos.tools.questions.texts.first_words import note_first_words
from server.loopos.tools.questions.texts.remarks import keep_traits
from server.loopos.tools.tool_words import say
from server.protocol.blocks import Choice, Choices
from server.text_reading.wishes.agreements import agrees_to_nothing

PAGE = 24
FIRST = 5


def _public_query(arguments: dict[str, Any]) -> dict[str, Any]:
    """Show the browser what was looked for."""
    return {name: arguments[name] for name in ("query", "brand", "category") if arguments.get(name)}


def _public_found(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser how many there were; the block shows which."""
    return {"total": result["total"]} if "total" in result else {}


@tool(effect="read", args=_public_query, result=_public_found, icon="search", scopes=("catalog:read",))
async def get_catalog(
    ctx: ToolContext[RunContext],
    query: str,
    category: str | None = None,
    brand: str | None = None,
    offset: int = 0,
    refused: bool = False,
    again: bool = False,
    also: list[str] | None = None,
) -> dict[str, Any]:
    """Search the catalog. The matches are shown to the seller as buttons at once.

    `either`: the seller hesitates between these, say how to tell them apart. `kept_early`: the message names no product
    and tells what later questions ask, which is kept.

    Args:
        query: What the seller called the product, without colour, storage or condition; may be "" with a brand.
        category: Only this category.
        brand: Only this brand.
        offset: Start of the next page, when the seller asks for more.
        refused: The seller said that it is none of what is shown now: that is left out.
        again: The seller said something else: what the same query offers is shown once more, below your answer.
        also: Other items that this message of the seller names to be sold too, in its words: they are offered when
            this one is done, and named as `unknown` where the catalog does not have them.
    """
    draft = Draft(ctx.context)
    draft.hear()
    query, offset, corrects = query.strip()[:200], max(0, offset), note_correction(draft)
    is_new = not (offset or refused or again or category or brand)
    narrower = {"category": category, "brand": brand, "limit": offset + PAGE}
    meant = await meaning_of(draft, query, also or (), narrower, is_new=is_new)
    query, found = meant.query, meant.found
    is_early = is_new and not (found.matches or meant.part) and tells_only_facts(draft.typed_text())
    unfound = "" if is_early else note_looked_for(draft, query, found.matches, again=again, corrects=corrects)
    out = left_out(draft, found, refused=refused, again=again)
    page = [each for each in found.matches[offset:] if product_key(each) not in out]
    exact = [match for match in page if match.exact] if not (offset or meant.is_either) else []
    _note_offer(draft, query, page, out)
    shown = _show(
        draft, found, page, exact, offset=offset, without=len(out), unfound=unfound, stays=meant.stays
    )
    understood = quotation_of(query) if meant.is_of_brand else understood_of(query, page)
    named = understood if page else meant.part or quotation_of(written_name(draft.typed_text(), query))
    beside = await keep_beside(draft, [*meant.several[1:], *(also or [])], query, "" if page else named)
    beside.unknown[:0] = [meant.alone] if meant.alone and page else []
    is_kind = bool(page) and not exact and page[0].score in KIND_ALONE
    marks = {**meant.marks, "kept_early": is_early, "of_kind": is_kind}
    return {
        "query": query,
        "understood": named,
        "total": found.total,
        "offset": offset,
        "products": [_describe(match, understood) for match in exact + [e for e in page if e not in exact]],
        "more": len(found.matches) < found.total,
        "shown": shown,
        **beside.as_result(),
        **{name: True for name, holds in marks.items() if holds},
    }


def _note_offer(draft: Draft, query: str, page: Sequence[Match], out: set[str]) -> None:
    """Remember the products of a page. A search without a result keeps the earlier offer and its exclusions."""
    if page or out:
        draft.run.private["left_out"] = sorted(out)
    if page:
        draft.leave_card()
        draft.run.private["searched"] = query[:100]
    for match in page:
        draft.offer(product_key(match), match.name)


def _show(
    draft: Draft,
    found: Found,
    page: list[Match],
    exact: list[Match],
    *,
    offset: int,
    without: int,
    unfound: str,
    stays: bool,
) -> str:
    """Ask which of the page it is, or whether it is the only one; return what is shown.

    Where the message says words that are `unfound`, the question stands where it stood, with an error. One that `stays`
    stands there too.
    """
    if not page:
        draft.fold(None)
        return "none"
    error = say("choice.product.missed", draft.language, said=unfound) if unfound else ""
    if not offset and (len(exact) == 1 or len(page) == 1):
        (one,) = exact or page
        _ask_whether(draft, product_key(one), one.name, one.brand, error=error, stays=stays)
        return "confirm"
    matches = [*found.matches[:offset], *page]
    _ask_which(draft, matches, found.total - without, is_further=offset > 0 or stays, error=error)
    return "choices"


def _describe(match: Match, understood: str) -> dict[str, Any]:
    """Return what the model reads of a match; where all that is understood is of its whole name, it is exact too."""
    said, named = set(tokens(understood)), set(tokens(f"{match.brand} {match.name}"))
    is_all_said = named - set(tokens(match.brand)) <= said <= named
    return {
        "product_id": match.product_id,
        "name": match.name,
        "brand_id": match.brand_id,
        "brand": match.brand,
        "category": match.category,
        "exact": match.exact or is_all_said,
    }


def _change(language: str) -> Choice:
    """Return the quiet button beside the confirmed product."""
    return Choice("product", say("choice.change.product", language), name="change")


def _ask_whether(
    draft: Draft, key: str, product: str, brand: str, *, error: str = "", stays: bool = False
) -> None:
    """Ask whether the item is this one product."""
    language = draft.language
    yes = Choice(key, say("choice.product.yes", language, product=product), brand, name="product")
    no = Choice("no", say("choice.product.no", language))
    legend = say("block.product", language)
    block = Choices("confirm", legend, (yes, no), error=error, change=_change(language))
    draft.run.private["asked"] = [key]
    note_named(draft, key, product, brand)
    draft.ask(block, "product", again=True, in_place=stays or bool(error))


def _ask_which(draft: Draft, matches: list[Any], total: int, *, is_further: bool, error: str) -> None:
    """Ask which of several matches it is. The catalog's order is by likeness; a further page has the first ones too."""
    language = draft.language
    choices = tuple(Choice(product_key(match), match.name, match.brand) for match in matches)
    dashed, left = None, total - len(matches)
    if left > 0:
        note = say("choice.more.products" if left > 1 else "choice.more.product", language, count=left)
        dashed = Choice(str(len(matches)), say("choice.more", language), note, name="more")
    first = FIRST if len(choices) > FIRST + 1 and not is_further else None
    draft.run.private["asked"] = [product_key(match) for match in matches]
    block = Choices(
        "product",
        say("block.product", language),
        choices,
        error=error,
        first=first,
        more=dashed,
        change=_change(language),
        unsure=None if dashed else Choice("no", say("choice.none", language), name="confirm"),
    )
    draft.ask(block, "product", again=True, in_place=is_further or bool(error))


def _public_product(result: dict[str, Any]) -> dict[str, Any]:
    """Show the browser what was confirmed, or that it is asked back."""
    return {name: result[name] for name in ("product", "brand", "code") if name in result}


@tool(effect="idempotent", result=_public_product, icon="check", scopes=("catalog:read",))
async def confirm_product(
    ctx: ToolContext[RunContext], product_id: int, brand_id: int, one_more: bool = False
) -> dict[str, Any]:
    """Keep the product and brand that the seller confirmed, in words or by a click.

    Another product than that of the item that exists is another item: the existing one is withdrawn. A finished one
    stays, unless the seller says that it was the wrong product. `told`: this one takes the place of a wrong one, whose
    option values these are; what else was told of it is asked back later.

    Args:
        product_id: From an earlier get_catalog of this conversation.
        brand_id: The brand of that product.
        one_more: The seller sells this besides the finished item, not instead of it.
    """
    run, draft = ctx.context, Draft(ctx.context)
    draft.hear()
    drop_taken_back(draft)
    reason = _why_unconfirmed(draft, product_id, brand_id)
    if reason:
        return {"ok": False, "reason": reason}
    product = await run.resource(Core).product(product_id, language=draft.language)
    brand = next((each for each in product.brands if each.id == brand_id), None) if product else None
    if product is None or brand is None:
        return {"ok": False, "reason": "This product and brand are not together in the catalog."}
    if not _is_said(draft, f"{product_id}:{brand_id}"):
        _ask_whether(draft, f"{product_id}:{brand_id}", product.name, brand.name)
        reason = "The seller did not say that it is this one: they are asked now, end your turn."
        return {"ok": False, "code": "confirm", "reason": reason}
    if draft.clicked_value("product") is None and (other := await other_named(draft, product)):
        reason = f"The seller agrees and names {other}: call get_catalog with that, and ask which one it is."
        return {"ok": False, "code": "other", "other": other, "reason": reason}
    facts = take_facts(draft, product.id)
    withdrawn, kept = await leave_behind(draft, product.id, one_more=one_more, corrects=facts is not None)
    await begin_later(draft, product.id, f"{brand.name} {product.name}")
    forget_refusals(draft)
    leave_words_of_another_owner(draft)
    draft.take(product.id, product.name, brand.id, brand.name)
    draft.run.private["kind"] = product.category
    if facts is not None:
        carry_facts(draft, facts, product.name)
    note_first_words(draft, product, brand.name)
    forget_model(draft, product.name)
    traits = told_traits(product, brand.name, draft.messages())
    keep_traits(draft, [each for each in traits if not await _names_product(draft, each, product)])
    answer = {"value": f"{product.id}:{brand.id}", "label": product.name}
    draft.fold_question(
        Choices("product", say("block.product", draft.language), (), change=_change(draft.language)),
        "product",
        answer,
    )
    return {
        "ok": True,
        "product_id": product.id,
        "product": product.name,
        "brand_id": brand.id,
        "brand": brand.name,
        "withdrawn": withdrawn,
        "kept": kept,
        **({"told": facts["values"]} if facts is not None else {}),
    }


async def _names_product(draft: Draft, words: str, product: Product) -> bool:
    """Return whether words with a number are a name by which the catalog knows the product: `mini 6` of an iPad."""
    family = [each for each in tokens(product.name) if each.isalpha() and each not in tokens(words)]
    if not any(map(str.isdigit, words)):
        return False
    query = " ".join([*family, words])
    found = await draft.run.resource(Core).search(query, limit=1, language=draft.language)
    return any(each.exact and each.product_id == product.id for each in found.matches)


def _is_said(draft: Draft, key: str) -> bool:
    """Return whether the seller clicked this product, named it, agreed to it alone, or had confirmed it before.

    The same message once more, unless it is a yes, is no answer to whether it is this one.

    Of a longer message than MOST_LETTERS the beginning is read, which only has to agree.
    """
    private, words = draft.run.private, draft.typed_text()
    confirmed = (draft.product_id, private.get("aside", {}).get("product_id"))
    if draft.clicked_value("product") == key or any(key.startswith(f"{each}:") for each in confirmed):
        return True
    offered: dict[str, dict[str, str]] = private.get("offered", {})
    shown: list[str] = private.get("asked", [])
    if shown == [key] and is_doubted(draft):
        return False
    if shown == [key] and was_sent_twice(draft) and confirms(words, draft.language)[0] is not True:
        return False  # A client has repeated a request: the seller has not read the question.
    if len(words) > MOST_LETTERS:
        return shown == [key] and agrees_to(words, offered[key]["name"])
    for keys in (shown, [each for each in offered if each not in shown]):
        names = [offered[each]["name"] for each in keys if each in offered]
        picked = plainest_model(
            pick(without_sizes(words, [each["name"] for each in offered.values()]), names), names, words
        )
        if picked is not None:
            is_this = isinstance(picked, int) and keys[picked] == key
            return is_this and not lacks_variant(words, offered[key]["name"])
    if shown == [key] and agrees_to(words, offered[key]["name"]):
        return True
    said, asked = split_question(words)
    says, rest = confirms(said, draft.language)
    if shown == [key] and asked and says and not content(tokens(rest)):
        return not set(tokens(asked)) & set(tokens(offered[key]["name"]))
    says_nothing = asks(words) or agrees_to_nothing(words)
    return shown == [key] and not says_nothing and NEGATIONS.isdisjoint(plain_words(words, draft.language))


def _why_unconfirmed(draft: Draft, product_id: int, brand_id: int) -> str:
    """Return why the seller cannot have confirmed this product, or nothing."""
    key = f"{product_id}:{brand_id}"
    before = draft.was_offered_before(key)
    if before is None:
        return "Not offered: call get_catalog first and let the seller choose."
    if not before:
        return "The seller has not answered yet: ask whether it is this product and end your turn."
    if draft.refuses():
        return "The seller said no: ask what it is instead."
    clicked = draft.clicked_value("product")
    if clicked is None and denies_product(draft.typed_text(), draft.run.private["offered"][key]["name"]):
        return "The seller said that it is not this one: call get_catalog with `refused`."
    if clicked is not None and clicked != key:
        return f"The seller clicked another product: {clicked}."
    return ""
