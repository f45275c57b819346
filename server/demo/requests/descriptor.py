"""The demo model's listing: the seller's words in order, a price of the band, and what its caller has to look at.

Title and description are published as they are: what the rules have to remark stands in the warning alone.
"""

from typing import Any

from server import patterns
from server.demo.requests.clauses import clauses_of, plain_beginning, words_of
from server.demo.requests.condition import GradePhrase, condition_of, harm_in_name, worse_of
from server.demo.requests.contradictions import brand_contradiction
from server.demo.requests.money import HINTS, are_far, contradict, prices, storage_text
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.demo.requests.refused_words import forbidden_word
from server.demo.requests.seller_words import SellerWords, publishable
from server.languages import detect_language, fold
from server.text_reading.words.markup_removal import without_symbols

_LARGE = (
    "sofa", "estante", "comoda", "mesa", "armario", "cama", "bicicleta", "bike", "bicycle", "frigorifico", "roupeiro",
    "maquina de lavar", "bookcase", "chest of drawers", "wardrobe", "bed", "fridge", "washing machine",
    "furniture", "moveis", "colchao", "mattress",
)  # fmt: skip
_LARGE_CATEGORIES = frozenset({"bicycles", "furniture"})
_WEIGHT = patterns.compile(r"(\d{1,4}(?:[.,]\d+)?)\s?(?:kg|quilos?|kilos?)\b", patterns.IGNORECASE)
_LENGTH = patterns.compile(r"(\d{1,4}(?:[.,]\d+)?)\s?(cm|metros?|meters?|metres?|m)\b", patterns.IGNORECASE)
_NOT_ITS_OWN = patterns.compile(
    r"\b(?:cabos?|cables?|alcance|range|dist[aâ]ncia|suporta|at[eé]|m[aá]x\w*|up to|holds|capacidade|carga|load"
    r"|crian[cç]as?|child(?:ren)?)\b[^.;]{0,20}$",
    patterns.IGNORECASE,
)
"""Before a measure that is of a cable, or of what the thing carries."""
_STORAGE = patterns.compile(r"\d\s?(?:gb|tb|go|to)\b", patterns.IGNORECASE)
_SHOUTED = 16
"""Letters of a text in capitals that shouts; a shorter one may be a name, as IKEA BILLY."""
_HEAVY_KG, _LONG_CM = 30, 150
_LONGEST_TITLE, _LONGEST_WORDS = 80, 1_000


def answer(given: ParsedRequest) -> Answer:
    """Write the listing of what is known."""
    known = given.specific
    words = plain_beginning(known.get("user_description"))
    said, hint = condition_of(words), known.get("condition")
    if given.facts.get("product"):
        said = worse_of(said, harm_in_name(plain_beginning(known.get("product_name"))))
    is_assumed = not hint and said is None
    condition = max(hint, said.grade) if hint and said else hint or (said.grade if said else "B")
    told = publishable(words)
    warnings = [
        *_text_warnings(given, words, told),
        *_contradictions(given),
        *_grade_warnings(given, hint, said),
        *([given.say("warning.assumed", condition=condition)] if is_assumed else []),
        *_price_warnings(given, known, condition),
    ]
    low, middle, high = prices(given, condition, known)
    title = _title(given, known, told.text)
    return {
        "value_out_min": low,
        "value_out_average": middle,
        "value_out_max": high,
        "marketplace_posting_title": title,
        "marketplace_posting_description": _description(
            given, title, told.text, "plain" if is_assumed else condition
        ),
        "condition": condition,
        "dimensions_box": "L" if _is_large(given, words) else "S",
        "warning": bool(warnings),
        "warning_message": " ".join(warnings),
    }


def _title(given: ParsedRequest, known: dict[str, Any], told: str) -> str:
    brand, product, category = (
        without_symbols(str(known.get(f"{name}_name") or "")) for name in ("brand", "product", "category")
    )
    named = product if brand and fold(brand) in fold(product) else f"{brand} {product}".strip()
    first = next(iter(clauses_of(without_symbols(told))), "")
    title = _lower_capitals(named or category or first or given.say("listing.item"))
    storage = _storage(given) if named else ""
    if storage and not _STORAGE.search(title):
        title = f"{title} {storage}"
    return _cut_at_word(title, _LONGEST_TITLE)


def _storage(given: ParsedRequest) -> str:
    """Return the storage that moved the price band, as makers write it."""
    moved = (given.facts.get("price_band") or {}).get("adjusted") or ()
    return next((storage_text(each["value"]) for each in moved if each["for"] == "storage_gb"), "")


def _lower_capitals(text: str) -> str:
    """Write a text of several words in capitals as a text is written."""
    return text.capitalize() if text.isupper() and " " in text and len(text) >= _SHOUTED else text


def _cut_at_word(text: str, longest: int) -> str:
    """Return the text up to its last whole word that fits."""
    if len(text) <= longest:
        return text
    return text[: longest + 1].rpartition(" ")[0].rstrip(" ,.;-") or text[:longest]


def _description(given: ParsedRequest, title: str, words: str, state: str) -> str:
    """Write title, condition and the seller's words; a condition that nobody has named is left out."""
    line = given.say(f"listing.{state}", title=title)
    told = _cut_at_word(_lower_capitals(words), _LONGEST_WORDS)
    if not told:
        return line
    return f"{line} {given.say('listing.says', told=told)}" + ("" if told.endswith((".", "!", "?")) else ".")


def _text_warnings(given: ParsedRequest, words: str, told: SellerWords) -> list[str]:
    """Return what of the words may not be published, and what was taken out for it."""
    whole = " ".join(
        str(given.specific.get(f"{name}_name") or "") for name in ("brand", "product", "category")
    )
    whole = f"{plain_beginning(whole)}\n{words}"
    found = []
    if word := forbidden_word(words_of(whole), detect_language(whole)):
        found.append(given.say("warning.forbidden", word=whole[word.start : word.end]))
    if told.had_insults:
        found.append(given.say("warning.insult"))
    if told.had_contacts:
        found.append(given.say("warning.contacts"))
    return found


def _is_large(given: ParsedRequest, words: str) -> bool:
    known = given.specific
    names = " ".join(str(known.get(each) or "") for each in ("category_name", "product_name"))
    text = f" {fold(names)} "
    kilos = [_number(each[1]) for each in _WEIGHT.finditer(words) if _is_its_own(words, each)]
    lengths = [
        _number(each[1]) * (1 if each[2].lower() == "cm" else 100)
        for each in _LENGTH.finditer(words)
        if _is_its_own(words, each)
    ]
    if any(each > _HEAVY_KG for each in kilos) or any(each > _LONG_CM for each in lengths):
        return True
    category = given.facts.get("category")
    if category == "furniture" and lengths:
        return False
    return category in _LARGE_CATEGORIES or any(f" {each} " in text for each in _LARGE)


def _number(text: str) -> float:
    return float(text.replace(",", "."))


def _is_its_own(words: str, measure: patterns.Match[str]) -> bool:
    return _NOT_ITS_OWN.search(words[max(measure.start() - 40, 0) : measure.start()]) is None


def _contradictions(given: ParsedRequest) -> list[str]:
    """Return where brand, product, category and words are not of one thing, by the catalog."""
    known, product = given.specific, given.facts.get("product")
    category = without_symbols(str(known.get("category_name") or ""))
    brand, name = (str(known.get(f"{each}_name") or "") for each in ("brand", "product"))
    found = list(filter(None, [brand_contradiction(given, brand, name)]))
    name = product["name"] if product else without_symbols(name)
    if given.facts.get("category_fits") is False:
        found.append(given.say("warning.category", name=name, category=category))
    if other := given.facts.get("words_about"):
        found.append(given.say("warning.words", other=other))
    return found


def _grade_warnings(given: ParsedRequest, hint: str | None, said: GradePhrase | None) -> list[str]:
    """Warn of words that are worse than the hint by more than a shade, or that tell of a fault."""
    if not hint or not said or said.grade <= hint or (said.grade < "C" and hint == "A"):
        return []
    return [given.say("warning.condition", hint=hint, words=said.words)]


def _price_warnings(given: ParsedRequest, known: dict[str, Any], condition: str) -> list[str]:
    """Warn of hints that do not ascend or are far off, and of prices that are of no product the catalog knows."""
    found = [given.say("warning.prices")] if contradict(known) else []
    if are_far(given, condition, known):
        found.append(given.say("warning.far_prices"))
    band, name = given.facts.get("price_band"), given.facts.get("unknown_product")
    pieces = next(
        (each["value"] for each in (band or {}).get("adjusted") or () if each["for"] == "pieces"), None
    )
    if any(known.get(each) is not None for each in HINTS):
        return found
    if band is None:
        found.append(given.say("warning.unknown_price"))
    elif name:
        found.append(given.say("warning.category_price", name=name))
    if pieces:
        found.append(given.say("money.pieces", value=pieces))
    return found


ANSWERS: Answers = {"DescriptorAnswer": answer}
