"""The demo model as Identification: it finds the named product, lets the person confirm it and hands off."""

from typing import Any

from server import patterns
from server.demo import asides, offers, own_items
from server.demo.conversation_view import Act, Call, ConversationView, Output, PersonMessage
from server.demo.lines import TOPIC, join_names, line_about, say
from server.demo.reading import PHRASES, intents
from server.demo.reading.matching import COLOURS, content, ordinal, tokens, without_denied
from server.demo.reading.query import SECOND, halves, queries_of, query_of
from server.languages import READ, fold
from server.text_reading.own_questions import asks_what_is
from server.text_reading.things.things_kept_back import is_present, without_not_sold
from server.text_reading.tool_names import CATALOG, CONFIRM
from server.text_reading.wishes.agreements import after_yes, agrees_to_nothing
from server.text_reading.wishes.small_talk import small_talk_of
from server.text_reading.wishes.switch_wishes import asked_after
from server.text_reading.words.labels import sibling_name, tells_size

_SHORTEST, _WORDS, _SENTENCES = 2, 3, 3  # Letters of a name, words quoted whole, sentences looked up.
_FIGURE, _IDS = patterns.compile(r"[0-9]{1,12}"), patterns.compile(r"([0-9]{1,12}):([0-9]{1,12})")
_MORE = frozenset(("else", "mais"))
_WHOLE_TALK = {"unsure": "unsure_product", "where": "unsure_product", "why": "why_product"}


def answer(view: ConversationView) -> list[Act]:
    """Return one step: act on the newest result, else on the person's message."""
    newest = view.newest
    steps = {CONFIRM: _after_confirm, CATALOG: _after_catalog}
    if newest is not None and newest.name in steps:
        return steps[newest.name](view, newest)
    return _on_message(view)


def _after_confirm(view: ConversationView, output: Output) -> list[Act]:
    onward = view.handoff("product_options") or view.handoff("protocol_agent")
    if output.result.get("ok") and onward:
        left = next((each for each in ("withdrawn", "kept") if output.result.get(each)), "")
        told = say(view, f"item_{left}", reference=output.result[left]) if left else []
        return [*told, Call(onward)]
    offered = offers.search_offers(view)
    if output.result.get("code") == "other":
        return [Call(CATALOG, {"query": output.result["other"]})]
    if output.result.get("code") == "confirm":
        ids = output.arguments["product_id"], output.arguments["brand_id"]
        asked = [each["name"] for each in offered if (each["product_id"], each["brand_id"]) == ids]
        key = "yes_or_no" * intents.whole(view.message.text, "yes")  # An `ok` to what was doubted.
        key = line_about(view.message.text) if intents.asks(view.message.text) else key
        return say(view, key, "again_one", product="".join(asked[:1]))
    if offered and not any(each.name == CATALOG for each in view.fresh):
        return [Call(CATALOG, {"query": str(offers.search(view).get("query") or offered[0]["name"])})]
    return say(view, "which")


def _after_catalog(view: ConversationView, output: Output) -> list[Act]:
    """Tell what was found; an empty answer is tried once more with fewer words."""
    result, text = output.result, view.message.text
    queries = [str(each.arguments.get("query", "")) for each in view.fresh if each.name == CATALOG]
    products: list[offers.Product] = result.get("products", [])
    if output.arguments.get("refused"):
        return _not_this(view, result)
    if not (queries[-1] or products):
        return say(view, "ask_product")
    later, unknown, kind = result.get("later", ()), result.get("unknown", ()), asides.kind_asked(text)
    if not products:
        goes_on = later and not queries[1:]
        return [Call(CATALOG, {"query": later[0]})] if goes_on else _try_other_sentence(view, queries)
    if output.arguments.get("again"):
        return asides.beside(view, _topic(view) or _remark(view), result)
    wished = queries[-1] if queries[-1] in queries_of(text) or queries[-1] in text else queries[0]
    is_other = asides.names(text) or result.get("narrowed") or result.get("understood") == wished
    before = "" if is_other else offers.offered_before(view)
    unlike = not (result.get("understood") or asides.may_name(text)) or intents.inside(text, "statement")
    if before and unlike and not offers.fits(wished, products):
        return [Call(CATALOG, {"query": before, "again": True})]
    near, first = wished != queries[-1] or not offers.fits(wished, products), products[0]
    whole = tokens(f"{first['brand']} {first['name']}")
    is_meant = first.get("exact") and (len(queries) > 1 or {*content(wished)} <= {*whole})
    known = result.get("understood", wished)
    known = wished if known and len(wished.split()) <= _WORDS else known
    near = near and not (result.get("narrowed") or result.get("of_kind") or is_meant)
    if result.get("offset"):
        return say(view, "more_products")
    priced = intents.inside(text, "price") and not asides.topics_of(asides.said_and_asked(text)[1])
    if kind and wished not in queries[0]:  # `vendo a cama de viagem, que coisas de bebé aceitam?`
        unknown = unknown or [str(e.result["understood"]) for e in view.fresh if e.name == CATALOG][:1]
    kinds = [*dict.fromkeys(str(each["category"]).lower() for each in products)]
    taken = f"kind{'s' * (len(kinds) > 1)}_taken" if kind and not (near or unknown) else ""
    beside = "no_copies" if intents.inside(text, "copy") else "no_price" if priced else taken
    found, one = "found" if not near else "near" if known else "unlike", result.get("shown") == "confirm"
    stays = result.get("narrowed") and result["query"] == offers.offered_before(view)
    key = f"{'unlike' if stays else found}_one" if one else f"{found}_many"
    told = {"product": first["name"], "brand": first["brand"], "count": result.get("total", len(products))}
    told |= {"query": known, "items": ", ".join(later), "others": ", ".join(unknown)}
    reference = view.corrected_query and view.instruction("Draft").get("reference", "")
    more = "takes_place" if reference else "narrow" if result.get("more") else ""
    more = offers.hint_line(view, "unsure_product") if result.get("either") else more
    told |= {"kinds": join_names(view, kinds, 6, "and"), "reference": reference}
    return say(view, beside, *["later"][: len(later)], *["unknown"][: len(unknown)], key, more, **told)


def _try_other_sentence(view: ConversationView, tried: list[str]) -> list[Act]:
    """Look for the item in what else the message says, where no offer stands that it may speak of."""
    text, left = view.message.text, []
    if len(tried) < _SENTENCES and (asides.says_which(text) or not offers.offered_before(view)):
        known, (rest, denied) = {word for each in tried for word in tokens(each)}, without_denied(text)
        left = [each for each in queries_of(text if denied else rest) if known.isdisjoint(tokens(each))]
    named = [max(tried, key=len), *tried[1:]] if tried[-1] in queries_of(text) else tried
    return [Call(CATALOG, {"query": left[0]})] if left else asides.nothing_found(view, named)


def _on_message(view: ConversationView) -> list[Act]:
    message = view.message
    settled = _on_click(view, message) if message.is_click else _without_offer(view, message.text)
    if settled is not None:
        return settled
    moved, before = offers.moved_here(view), offers.search_offers(view)
    if (beside := asides.beside_offer(message.text)) is not None and (before or not beside) and not moved:
        return _show(view, again=True, **beside) if before else say(view, "ask_product")
    said, asks = asides.said_and_asked(message.text)
    chooses = bool(before and asks) and (offers.asking_whether(view) or not intents.whole(said, "yes"))
    if _topic(view) and not (chooses and _choose(view, message.text, before)):
        return _talk(view, bool(before) and not moved) or []
    if meant := offers.shown_before(view, message.text) or (moved and _meant_before(view, message.text)):
        return [Call(CATALOG, {"query": meant})]
    offered = [] if moved else before
    agrees = intents.starts(message.text, "yes") and asked_after(message.text)
    waits = bool(offered) and offers.asking_whether(view)
    if waits and (near := agrees or offers.near_miss(message.text, offered[0])):
        return [_confirm(offered[0]) if agrees else Call(CATALOG, {"query": near})]
    if offered and not asks_what_is(message.text) and (chosen := _choose(view, message.text, offered)):
        return chosen
    priced = query_of(intents.without_price(message.text)) if intents.inside(message.text, "price") else ""
    if content(priced) and not intents.inside(message.text, "off_topic"):
        return [Call(CATALOG, {"query": priced})]
    unread = view.language not in READ and not any(map(str.isdigit, message.text))
    remarks = intents.inside(message.text, "degree") and not asides.may_name(message.text)
    stays = bool(offered) and (unread or remarks or is_present(message.text, query_of(message.text)))
    again = _show(view, again=True) if stays else own_items.wish_beside(view, message.text)
    return again or _talk(view, bool(offered)) or _look_up(view, intents.without(message.text, "restart"))


def _without_offer(view: ConversationView, text: str) -> list[Act] | None:
    """Return the answer to small talk or a message that leaves, goes back to the item, or names one and asks."""
    if view.corrected_query and offers.moved_here(view):
        return [Call(CATALOG, {"query": view.corrected_query})]
    small = small_talk_of(text) and not intents.whole(text, "greet")
    talks = text == "continue" if view.taken_back else small  # It agrees to nothing.
    back = intents.whole(text, "back") and not view.handoff("protocol_agent")
    if offers.search_offers(view) and (back or (talks and not offers.moved_here(view))):
        return _show(view, again=True)
    kept, reference = view.handoff("protocol_agent"), view.instruction("Draft").get("reference", "")
    before = Call(kept) if kept else _before(view)
    agrees = offers.asking_whether(view) and intents.whole(text, "yes")  # `Yes, that's it.`
    leaves = not (agrees or _topic(view) or asides.beside_offer(text)) and intents.leaves(text, "leaving")
    told = intents.whole(text, "leave") or intents.inside(text, "back_to")
    idle = offers.moved_here(view) or not offers.search_offers(view)
    idle = idle and view.instruction("Draft").get("status") not in offers.FINISHED
    told = told or bool(kept and intents.tells_price(text)) or (idle and intents.whole(text, "continue"))
    if before is not None and (leaves or told):
        return [before]
    if (kept and intents.inside(text, "made")) or (leaves and offers.asked_before(view)):
        return say(view, "stopped" if leaves else "item_waits", reference=reference)
    said, asked = asides.said_and_asked(text)
    if not (asked and content(query_of(said))) or offers.search_offers(view):
        return None
    names = intents.inside(said, "sell", "taken") or any(map(str.isdigit, said)) or asides.says_which(said)
    new = not (offers.asked_before(view) or intents.topic(text) or intents.inside(text, "help", "price"))
    return _look_up(view, said) if names or new else None


def _meant_before(view: ConversationView, text: str) -> str:
    """Return what was on offer or left for later before another agent handed over, if the message means that."""
    named = offers.named_products(text, offers.search_offers(view))
    left = offers.left_for_later(view, text)
    return f"{named[0]['brand']} {named[0]['name']}" if len(named) == 1 and not left else left


def _before(view: ConversationView) -> Call | None:
    """Return to the product that was confirmed before another one was wished for."""
    if (last := view.last(CONFIRM)) is None or not last.result.get("ok"):
        return None
    left = any("product_identification" in each.name for each in view.since(last))
    return Call(CONFIRM, {name: last.result[name] for name in ("product_id", "brand_id")}) if left else None


def _on_click(view: ConversationView, message: PersonMessage) -> list[Act]:
    if message.name == "product" and (ids := _IDS.fullmatch(message.value)):
        return [_confirm({"product_id": ids[1], "brand_id": ids[2]})]
    if message.name == "more":
        return _show(view, offset=int(message.value) if _FIGURE.fullmatch(message.value) else 0)
    if message.name == "confirm":
        return _show(view, refused=True)
    kept = view.handoff("protocol_agent")  # The button stands on the card of an item.
    return [Call(kept)] if kept else say(view, "what_else")


def _confirm(product: offers.Product) -> Call:
    return Call(CONFIRM, {"product_id": int(product["product_id"]), "brand_id": int(product["brand_id"])})


def _show(view: ConversationView, **how: object) -> list[Act]:
    """Show the last search: its next products, those left after the person refused these, or the same again."""
    return [Call(CATALOG, {"query": str(offers.search(view).get("query", "")), **how})]


def _not_this(view: ConversationView, result: dict[str, Any]) -> list[Act]:
    """Return the words of the message after a no."""
    text = view.message.text
    if others := [product["name"] for product in result.get("products", [])]:
        return say(view, "not_this_others", names=join_names(view, others))
    if sum("refused" in e.arguments for e in view.since(view.last(CONFIRM))) > 1 or _denies_again(view, text):
        return say(view, "not_sold_here")
    name, wishes = offers.missed_name(view), intents.topic(text) == "unlisted"
    if name or wishes:
        return say(view, f"{TOPIC}unlisted" if wishes else "not_in_catalog", query=name)
    shown = [e.result.get("shown") for e in view.outputs if e.name == CATALOG and e.at < view.message.at]
    return say(view, "not_this" if shown[-1:] == ["confirm"] else "none_of_these")


def _choose(view: ConversationView, text: str, offered: list[offers.Product]) -> list[Act] | None:
    """Return what the message says about the products on offer; None when it is about something else."""
    whether, (before, behind) = offers.asking_whether(view), asides.said_and_asked(text)
    text = before if behind else text
    last = view.last(CONFIRM, CATALOG)  # What was asked back before a later search does not wait.
    unsure = view.unconfirmed_calls(CONFIRM) if last is not None and last.name == CONFIRM else []
    if unsure and intents.whole(text, "yes"):
        return [*unsure]
    if whether and text.strip() in ("1", "2"):  # The two buttons under "is it this one?".
        return [_confirm(offered[0])] if text.strip() == "1" else _show(view, refused=True)
    said, denied = without_denied(intents.after_lead(text))
    named = offers.named_products(said, offered) or offers.left_over(said, denied, offered)
    named = named or (offers.named_products(said.partition(",")[0], offered) if behind else [])
    other = any(map(str.isdigit, query_of(said))) and not intents.whole(text, "no")
    gone = {*tokens(denied)} - {*tokens(said)}
    denies = named or (denied and not other and offers.named_products(denied, offered))
    named = [each for each in named if not gone.intersection(tokens(each["name"]))]
    refuses = intents.whole(text, "no") or _only_another(text) or _denies_again(view, text)
    if whether and (model := sibling_name(offered[0]["name"], content(query_of(said)), offers.USUAL)):
        return [Call(CATALOG, {"query": model})]
    refuses = refuses or (intents.inside(text.partition(",")[0], "none_of_these") and not other)
    if refuses or (denies and not named):
        return _show(view, refused=True)
    if len(named) == 1:
        wished = {"query": f"{named[0]['brand']} {named[0]['name']}"}
        return [Call(CATALOG, wished) if intents.inside(text, "doubt") else _confirm(named[0])]
    if len(named) > 1 and len(named) < len(offered):
        return [Call(CATALOG, {"query": query_of(intents.after_lead(text))})]
    asked = [each for each in offered if _confirm(each).arguments in [call.arguments for call in unsure]]
    return _agree(text, asked or offered, named) if whether or asked else _pick(view, text, offered)


def _denies_again(view: ConversationView, text: str) -> bool:
    """Return whether the message refuses what is on offer and repeats what was looked for: `no, it's the t480`."""
    first, _, rest = text.partition(",")
    near = not any(each.get("exact") for each in offers.search_offers(view))
    rest = rest if intents.whole(first, "no") else intents.after_lead(text)
    again, asked = tokens(query_of(rest)), tokens(str(offers.search(view).get("query", "")))
    refuses = intents.whole(first, "no") or (near and intents.starts(text, "no") and rest != text)
    return refuses and set(again) <= set(asked) and bool(again or (near and "original" in tokens(rest)))


def _only_another(text: str) -> bool:
    """Return whether the message says that it is another product, and not which."""
    another = intents.inside(text, "restart") or intents.whole(patterns.split("[,.;!?]", text)[0], "no")
    return another and not content(query_of(intents.without(text, "restart")))


def _agree(text: str, offered: list[offers.Product], named: list[offers.Product]) -> list[Act] | None:
    """Accept a yes to "is it this one?", whatever is told behind it, as long as nothing else is named with it."""
    rest = after_yes(without_not_sold(text))
    wrong = () if tells_size(rest or "") or {*tokens(text)} & COLOURS else ("wrong",)
    goes_on = rest is not None and not intents.inside(rest, "sell", *wrong) and not intents.asks(rest)
    if rest is not None and (offers.renames(rest, offered[0]) or intents.whole(rest, "unsure")):
        return None
    asks = intents.asks_what_was_meant(text) or (intents.asks(text) and intents.starts(text, "wondering"))
    asks = asks or agrees_to_nothing(text)
    yes = intents.starts(text, "yes") or not (asks or {*PHRASES["yes"]}.isdisjoint(fold(text).split()))
    agrees = goes_on or intents.whole(text, "yes") or (yes and offers.no_other(text, offered[0]))
    return [_confirm(offered[0])] if agrees and not named and not intents.leaves(text) else None


def _pick(view: ConversationView, text: str, offered: list[offers.Product]) -> list[Act] | None:
    """Read a place in the list, a yes that does not say which, or a wish for more."""
    names = [product["name"] for product in offered]
    if (position := ordinal(text, len(offered))) is not None:
        return [_confirm(offered[position])]
    if intents.whole(text, "yes") or tokens(text) in (["esse"], ["este"], ["that"], ["this"]):
        return say(view, *asides.topics_of(view.message.text), "yes_which", names=join_names(view, names))
    if not intents.whole(text, "more"):
        return None
    if (last := offers.search(view)).get("more"):
        return _show(view, offset=int(last.get("offset", 0)) + len(last.get("products", [])))
    return say(view, "all_shown", names=join_names(view, names, 8))


def _topic(view: ConversationView) -> str | None:
    """Return the line of the common question that the message asks; another agent arranges to be called back."""
    topic = None if view.message.is_click else intents.topic(view.message.text)
    arranged = topic in ("person", "send") and view.handoff("chat_agent")
    return None if topic is None or arranged else TOPIC + topic


def _remark(view: ConversationView) -> str | None:
    """Return the line for a message that does not name a product, when one fits."""
    text = view.message.text
    if view.message.is_click:
        return None
    beside = "difference" * intents.whole(asides.said_and_asked(text)[1], "difference")
    if said := next((e for e in (*_WHOLE_TALK, "difference", "thanks") if intents.whole(text, e)), beside):
        return "no_copies" if intents.inside(text, "copy") else _WHOLE_TALK.get(said, said)
    if intents.asks_what_was_meant(text) and not asides.names(text):
        lacks = "product_missed" if offers.search_offers(view) else "not_in_catalog"
        return lacks if offers.lacking(view) else "meaning_product"
    named = bool(content(query_of(text))) and intents.inside(text, "sell")
    for kind, key in asides.TALK:
        is_meant = kind != "price" or not content(query_of(intents.without_price(text)))
        if intents.inside(text, kind) and not named and is_meant:
            return key
    asked = offers.asked_before(view)
    if intents.inside(text, "doubt") and asked:
        return "unsure_product"
    if intents.inside(text, "help") and not named:
        return "help"
    about = intents.inside(text, "terms", "business") or intents.nearest_topic(text) not in (None, "allowed")
    if intents.asks(text) and about and asked and not named:
        return line_about(text)
    other = _only_another(text) or intents.whole(text, "slip")
    return "confirm_first" if asked and offers.facts_only(view) and not other else None


def _talk(view: ConversationView, offered: bool) -> list[Act] | None:
    """Answer small talk and questions; products on offer are shown again beside the answer."""
    text, chat = view.message.text, view.handoff("chat_agent")
    sells = intents.inside(text, "sell") or _topic(view)
    if chat and not sells and intents.inside(text, *intents.ASSISTANT):
        return [Call(chat)]
    taken = intents.asks(text) and intents.inside(text, "taken") and not content(query_of(text))
    if (taken or intents.inside(text, "sellable")) and _topic(view) in (None, f"{TOPIC}allowed"):
        others = any(intents.inside(e, "sellable") for e in patterns.split(r"\s(?:or|ou)\s", text)[1:])
        named = intents.inside(text, "sellable") and not others and {*content(query_of(text))} - _MORE
        missed = offers.asked_before(view) and not (offered or intents.inside(text, "sellable"))
        told = "not_sold_here" if missed else TOPIC + "allowed"
        return [Call(CATALOG, {"query": query_of(text)})] if named else say(view, told, "ask_product")
    done = intents.whole(text, "thanks") and offers.asked_before(view) and not offered
    if (done or intents.leaves(text)) and not _topic(view):
        return say(view, "stopped")
    remark = _topic(view) or _remark(view)
    if offered and (remark or asks_what_is(text) or intents.whole(text, "continue")):
        return _show(view, again=True)
    if remark:
        more = "" if remark in ("help", "not_in_catalog") else "ask_product"
        return say(view, remark, more, query=offers.lacking(view))
    if intents.whole(text, "greet"):
        return say(view, "greet")
    slip = intents.whole(text, "slip")
    if slip or intents.whole(text, "back", "no", "yes", "more", "continue") or intents.empty(text):
        return say(view, "what_else" if offered or slip else "ask_product")
    return None


def _look_up(view: ConversationView, text: str) -> list[Act]:
    """Search for what the message names; with nothing to search for, say what would help."""
    known = {*tokens(" ".join(queries_of(text)))}  # `the light doesn't work` names nothing.
    query = query_of(without_denied(text)[0])
    query = " ".join(e for e in query.split() if known.issuperset(tokens(e))) or query_of(text)
    if not query and intents.inside(text, "amount") and not offers.asked_before(view):
        return [Call(CATALOG, {"query": ""})]  # What it tells is kept until the item is named.
    if len(query) < _SHORTEST or not (content(query) or any(each.isalnum() for each in query)):
        moved, draft = offers.moved_here(view), view.instruction("Draft")
        key = "ask_product" if moved or not offers.search_offers(view) else "which_else"
        waits = "item_stays" if draft.get("status") in offers.FINISHED else "item_waits"
        key = waits if moved and view.handoff("protocol_agent") else key
        return say(view, key, reference=draft.get("reference", ""))
    if {*fold(query).split()} <= offers.VARIANTS and (offered := offers.search_offers(view)):
        query = f"{offered[0]['name']} {query}"
    parts = (patterns.split(r"\s(?:mas|but)\s", each)[0] for each in SECOND.split(halves(text)[1])[::3])
    also = [each for each in map(query_of, parts) if each]
    return [Call(CATALOG, {"query": query, "also": also} if also else {"query": query})]


def unclear(view: ConversationView) -> list[Act]:
    """Say what every agent says when nothing else fits: one concrete way on."""
    return say(view, "concrete" if view.said_texts else "ask_product")
