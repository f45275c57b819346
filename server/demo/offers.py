"""The products on offer in a conversation, and what a message says about them."""

from typing import Any

from server import patterns
from server.demo.conversation_view import ConversationView, Output
from server.demo.reading import PHRASES, intents
from server.demo.reading.matching import CANON, content, tokens, without_denied
from server.demo.reading.query import query_of
from server.languages import fold
from server.text_reading.things.unsold_kinds import has_settings
from server.text_reading.tool_names import CATALOG
from server.text_reading.wishes.agreements import takes_back
from server.text_reading.words.labels import lacks_figures, model_words, names_all, plain_label

_CONDITION = patterns.compile("|".join(PHRASES["condition"]))
_OTHER, _DENIAL = r"\b(?:é|e) (?:o|a|um|uma)\b|\bit'?s\b", r"\b(?:n[ãa]o|not|never|nunca|nem)\b|n['’]t\b"
_WITH = patterns.compile(r"\b(?:com|with)\b", patterns.IGNORECASE)
_THINGS = patterns.compile(PHRASES["patterns"]["counted_things"], patterns.IGNORECASE)
_NEARLY = patterns.compile(PHRASES["patterns"]["nearly"], patterns.IGNORECASE)
_OF_YEAR, USUAL = patterns.compile(PHRASES["of_year"]), {*tokens(" ".join(PHRASES["usual"]))}
_LONG = _SHORTEST_FACT = 5  # `bateria` is a fact.
_TURNS = frozenset("afinal actually outro other mesmo plus ultra".split())
FINISHED = ("complete", "refused")  # The statuses of an item that waits for no answer.
VARIANTS = frozenset(PHRASES["variants"])  # Words that make another model of one with the same number.

Product = dict[str, Any]


def search(view: ConversationView) -> dict[str, Any]:
    """Return what the last search found."""
    return output.result if (output := view.last(CATALOG)) else {}


def search_offers(view: ConversationView) -> list[Product]:
    """Return all products of the last search, over its pages."""
    products: list[Product] = []
    for output in reversed([each for each in view.outputs if each.name == CATALOG]):
        products = [*output.result.get("products", []), *products]
        if not output.result.get("offset"):
            break
    return products


def hint_line(view: ConversationView, key: str) -> str:
    """Return the line that says where a model or value is seen: of a device that has settings its own."""
    kinds = [str(each["category"]) for each in search_offers(view)] if "unsure" in key else []
    return f"{key}_device" if kinds and all(map(has_settings, kinds)) else key


def offered_before(view: ConversationView) -> str:
    """Return the query whose products were on offer before the newest message, or an empty text."""
    searches = [each for each in view.outputs if each.name == CATALOG and each.at < view.message.at]
    if not searches or moved_here(view, searches[-1]) or not searches[-1].result.get("products"):
        return ""
    return str(searches[-1].result.get("query") or searches[-1].arguments.get("query", ""))


def asked_before(view: ConversationView) -> bool:
    """Return whether a question about products was open before the newest message."""
    return any(each.name == CATALOG and each.at < view.message.at for each in view.outputs)


def asking_whether(view: ConversationView) -> bool:
    """Return whether the open question is "is it this one?" and no answer has refused it."""
    if (output := view.last(CATALOG)) is None or output.result.get("shown") != "confirm":
        return False
    between = [each for each in view.messages if output.at < each.at < view.message.at]
    return not any(each.value == "no" or intents.whole(each.text, "no") for each in between)


def shown_before(view: ConversationView, text: str) -> str:
    """Return the name of the product that the last message refused, where this one takes that back: `I meant yes`."""
    last = view.messages[-2].at if len(view.messages) > 1 and intents.inside(text, "meant_yes") else 0
    shown = [each.result for each in view.outputs if each.name == CATALOG and each.at < last][-1:]
    one = shown[0]["products"][0] if shown and shown[0].get("shown") == "confirm" else None
    waits = asking_whether(view) and one in search(view)["products"]
    return f"{one['brand']} {one['name']}" if one and not (waits or _other_models(text, one)) else ""


def moved_here(view: ConversationView, since: Output | None = None) -> bool:
    """Return whether another agent handed over for this message or since a search, the last one: no offer stands."""
    return any("product_identification" in each.name for each in view.since(since or view.last(CATALOG)))


def fits(wished: str, products: list[Product]) -> bool:
    """Return whether some product has each word that was asked for; if none has, the offer is only similar.

    A single word may be another name of a category; numbers and the words beside known ones may not.
    """
    if products[0].get("exact"):
        return True
    named = [_words(product, "category") for product in products]
    wanted = content(wished)
    known = [any(names_all(words, (word,), CANON) for words in named) for word in wanted]
    figures = [word for word in wanted if any(map(str.isdigit, word))]
    unknown = lacks_figures(figures, named)
    varied = figures and all(VARIANTS.intersection(words).difference(wanted) for words in named)
    return not (unknown or varied) and (all(known) or not any(known))


def _words(product: Product, *more: str) -> list[str]:
    return [word for key in ("name", "brand", *more) for word in tokens(str(product.get(key, "")))]


def named_products(text: str, offered: list[Product]) -> list[Product]:
    """Return the products that have every identifying word of the text; the whole name before parts of it."""
    wanted = content(query_of(intents.after_lead(text))) or _OF_YEAR.findall(fold(text.partition(",")[0]))
    if not wanted or intents.inside(text, "price", "off_topic", "insult"):
        return []
    fitting = [each for each in offered if names_all(_words(each), wanted, CANON)]
    whole = [each for each in fitting if names_all(wanted, content(each["name"]), CANON)]
    fewest = min((len(_words(each)) for each in fitting if any(map(str.isdigit, "".join(wanted)))), default=0)
    plain = [each for each in fitting if len(_words(each)) == fewest]
    return next((each for each in (whole, plain) if len(each) == 1), fitting)


def left_over(said: str, denied: str, offered: list[Product]) -> list[Product]:
    """Return the one product that lacks what the text denies of the others, or is the plain one: `o normal`."""
    words, gone = {*content(query_of(said))}, {*tokens(denied)}
    gone -= USUAL if any(map(str.isdigit, denied)) else set()
    if words - USUAL or not (words or gone):
        return []
    place = plain_label([{*_words(each)} for each in offered], gone, VARIANTS if words else frozenset())
    return [] if place is None else [offered[place]]


def no_other(text: str, product: Product) -> bool:
    """Return whether nothing beside the yes and the whole name of this product could be another product's name.

    What stands behind `with` comes along, and a number with more or fewer digits than those of the name is no model.
    """
    rest = _WITH.split(intents.after_lead(text))[0].casefold()
    if _other_models(rest, product):
        return False
    said = content(query_of(rest))
    left = not {*said} <= {*_words(product)}
    other = patterns.search(_DENIAL, rest) or (left and patterns.search(_OTHER, rest))
    return not other or names_all(said, content(product["name"]), CANON)


def _other_models(text: str, product: Product) -> list[str]:
    """Return the numbers and variants of a text that are not of this product's name, and no size or processor."""
    return model_words(content(query_of(text)), _words(product), VARIANTS)


def renames(rest: str, product: Product) -> bool:
    """Return whether what stands behind a yes takes it back, or is short and numbers another model: `yes, the 13`."""
    clause = next((each for each in patterns.split(r"[,.;!\n]", rest) if each.strip()), "")
    said = _THINGS.sub(" ", without_denied(clause)[0])
    facts = {each for each in tokens(said) if len(each) >= _LONG and each.isalpha()}
    is_short = len(clause.split()) <= _SHORTEST_FACT and facts <= _TURNS.union(_words(product))
    return takes_back(rest) or (is_short and bool(_other_models(said, product)))


def near_miss(text: str, product: Product) -> str:
    """Return the query of another model of the product on offer: `nearly, mine is the 245 Music`; else nothing."""
    *nearly, rest = _NEARLY.split(text.strip())
    said = content(query_of(patterns.split("[,.;!?]", _WITH.split(rest)[0])[0])) if nearly else []
    own, name, has_figure = _words(product), str(product["name"]), any(map(str.isdigit, "".join(said)))
    shares = not {*own}.isdisjoint(said)
    if {*said} <= {*own} or not (shares or has_figure or VARIANTS.intersection(said)):
        return ""
    name = name if shares or not has_figure else patterns.sub(r"\S*\d\S*", "", name)
    return " ".join([str(product["brand"]), *name.split(), *(word for word in said if word not in own)])


def facts_only(view: ConversationView) -> bool:
    """Return whether the message is a colour, a size or the condition while the product is not confirmed yet."""
    text = view.message.text
    said = [word for word in query_of(text).split() if content(word) and not _CONDITION.fullmatch(fold(word))]
    talk = ("unsure", "why", "stop", "back", "thanks", "greet", "more", "yes", "no", "continue")
    return bool(content(text)) and not said and not intents.whole(text, *talk)


def left_for_later(view: ConversationView, text: str) -> str:
    """Return the item which the seller named beside another and means now, or an empty text."""
    left = [name for each in view.outputs if each.name == CATALOG for name in each.result.get("later", ())]
    named = {word for word in content(query_of(text)) if not word.isdigit()} or {""}
    wanted = set[str]() if intents.whole(text, "other") else named
    return next((each for each in left if wanted <= {*tokens(each)}), "")


def lacking(view: ConversationView) -> str:
    """Return the thing in the message that was looked for in vain before, alone or beside another, or nothing."""
    before = [each.result for each in view.outputs if each.name == CATALOG and each.at < view.message.at]
    names = [str(each.get("understood", "")) for each in before if not each.get("products")]
    names += [name for each in before for name in each.get("unknown", ())]
    said = {*tokens(view.message.text)}
    return next((name for name in reversed(names) if name and {*content(name)} <= said), "")


def missed_name(view: ConversationView) -> str:
    """Return the name that the catalog lacks: one in the message that was looked for in vain, or the one just asked."""
    before = [each.result for each in view.outputs if each.name == CATALOG and each.at < view.message.at]
    name, found = (str(before[-1].get("understood", "")), before[-1].get("products")) if before else ("", [])
    return lacking(view) or (name if name and found and not fits(name, found) else "")
