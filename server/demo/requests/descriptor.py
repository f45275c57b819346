"""The demo model's listing: the seller's words in order, a price of the band, and contradictions."""

from typing import Any

from server import patterns
from server.demo.requests.clauses import clauses_of, plain_beginning
from server.demo.requests.condition import GradePhrase, condition_of
from server.demo.requests.moderation import without_contacts
from server.demo.requests.money import adjustment_sentences, contradict, prices
from server.demo.requests.parsed_request import Answer, Answers, ParsedRequest
from server.languages import fold
from server.markup_removal import without_symbols

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
_SHOUTED = 16
"""Letters of a text in capitals that shouts; a shorter one may be a name, as IKEA BILLY."""
_HEAVY_KG, _LONG_CM = 30, 150
_LONGEST_TITLE, _LONGEST_WORDS = 80, 1_000
_CONDITIONS = {
    "A": ("em excelente estado", "in excellent condition"),
    "B": ("em bom estado", "in good condition"),
    "C": ("em estado razoável, com marcas de uso", "in fair condition, with marks of use"),
    "D": ("com defeitos ou muito gasto", "faulty or heavily worn"),
}


def answer(given: ParsedRequest) -> Answer:
    """Write the listing of what is known."""
    known = given.specific
    words = plain_beginning(known.get("user_description"))
    said, hint = condition_of(words), known.get("condition")
    condition = max(hint, said.grade) if hint and said else hint or (said.grade if said else "B")
    warnings = [*_contradictions(given), *_grade_warnings(given, hint, said), *_price_warnings(given, known)]
    low, middle, high = prices(given, condition, known)
    title = _title(given, known)
    return {
        "value_out_min": low,
        "value_out_average": middle,
        "value_out_max": high,
        "marketplace_posting_title": title,
        "marketplace_posting_description": _description(given, title, words, condition),
        "condition": condition,
        "dimensions_box": "L" if _is_large(given, words) else "S",
        "warning": bool(warnings),
        "warning_message": " ".join(warnings),
    }


def _title(given: ParsedRequest, known: dict[str, Any]) -> str:
    brand, product, category = (
        without_symbols(str(known.get(f"{name}_name") or "")) for name in ("brand", "product", "category")
    )
    named = product if brand and fold(brand) in fold(product) else f"{brand} {product}".strip()
    title = named or category or _first_words(known) or given.say("Artigo usado", "Used item")
    return _cut_at_word(_lower_capitals(title), _LONGEST_TITLE)


def _first_words(known: dict[str, Any]) -> str:
    words = without_contacts(without_symbols(plain_beginning(known.get("user_description"))))
    return next(iter(clauses_of(words)), "")


def _lower_capitals(text: str) -> str:
    """Write a text of several words in capitals as a text is written."""
    return text.capitalize() if text.isupper() and " " in text and len(text) >= _SHOUTED else text


def _cut_at_word(text: str, longest: int) -> str:
    """Return the text up to its last whole word that fits."""
    if len(text) <= longest:
        return text
    return text[: longest + 1].rpartition(" ")[0].rstrip(" ,.;-") or text[:longest]


def _description(given: ParsedRequest, title: str, words: str, condition: str) -> str:
    pt, en = _CONDITIONS[condition]
    lines = [given.say(f"{title}, {pt}.", f"{title}, {en}.")]
    told = _cut_at_word(_lower_capitals(without_contacts(words)), _LONGEST_WORDS)
    if told:
        lines.append(given.say(f"O vendedor diz: {told}", f"The seller says: {told}"))
        lines[-1] += "" if lines[-1].endswith((".", "!", "?")) else "."
    if given.pictures:
        lines.append(
            given.say(
                f"O anúncio tem {given.pictures} fotografia(s).",
                f"The listing has {given.pictures} picture(s).",
            )
        )
    if not given.facts.get("price_band"):
        lines.append(
            given.say(
                "O preço é uma faixa geral: esta instalação não conhece preços deste tipo de artigo.",
                "The price is a general range: this installation knows no prices of such things.",
            )
        )
    return " ".join([*lines, *filter(None, [adjustment_sentences(given)]), given.label])


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
    brand, category = (
        without_symbols(str(known.get(f"{name}_name") or "")) for name in ("brand", "category")
    )
    name = product["name"] if product else without_symbols(str(known.get("product_name") or ""))
    found = []
    if product and brand and not _is_part(fold(product["brand"]), fold(brand)):
        found.append(
            given.say(
                f"«{name}» é de {product['brand']}, e não de {brand}: corrija a marca ou o produto.",
                f"“{name}” is by {product['brand']}, not by {brand}: correct the brand or the product.",
            )
        )
    if given.facts.get("category_fits") is False:
        found.append(
            given.say(
                f"«{name}» não pertence à categoria «{category}»: corrija a categoria ou o produto.",
                f"“{name}” does not belong to the category “{category}”: correct the category or the product.",
            )
        )
    if other := given.facts.get("words_about"):
        found.append(
            given.say(
                f"A descrição parece ser de outro artigo ({other}): corrija a descrição ou o produto.",
                f"The description seems to be of another thing ({other}): correct the description or the product.",
            )
        )
    return found


def _is_part(one: str, other: str) -> bool:
    return one in other or other in one


def _grade_warnings(given: ParsedRequest, hint: str | None, said: GradePhrase | None) -> list[str]:
    """Warn of words that are worse than the hint by more than a shade, or that tell of a fault."""
    if not hint or not said or said.grade <= hint or (said.grade < "C" and hint == "A"):
        return []
    return [
        given.say(
            f"O estado indicado é {hint}, mas a descrição diz «{said.words}»: confirme o estado.",
            f"The condition given is {hint}, but the description says “{said.words}”: confirm the condition.",
        )
    ]


def _price_warnings(given: ParsedRequest, known: dict[str, Any]) -> list[str]:
    if not contradict(known):
        return []
    return [
        given.say(
            "Os preços indicados não estão por ordem (mínimo, médio, máximo): confirme os preços.",
            "The price hints do not ascend (minimum, average, maximum): confirm the prices.",
        )
    ]


ANSWERS: Answers = {"DescriptorAnswer": answer}
