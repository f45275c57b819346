"""The demo model's listing: the seller's words in order, a price of the band, and what contradicts."""

from typing import Any

from server.demo.requests.condition import condition_of
from server.demo.requests.given import GivenRequest
from server.demo.requests.money import prices
from server.languages import fold

_LARGE = (
    "sofa", "estante", "comoda", "mesa", "armario", "cama", "bicicleta", "bike", "bicycle", "frigorifico",
    "maquina de lavar", "bookcase", "chest of drawers", "wardrobe", "bed", "fridge", "washing machine",
    "furniture", "moveis",
)  # fmt: skip
_CONDITIONS = {
    "A": ("em excelente estado", "in excellent condition"),
    "B": ("em bom estado", "in good condition"),
    "C": ("em estado razoável, com marcas de uso", "in fair condition, with marks of use"),
    "D": ("com defeitos ou muito gasto", "faulty or heavily worn"),
}


def answer(given: GivenRequest) -> dict[str, Any]:
    """Write the listing of what is known."""
    known = given.specific
    words = str(known.get("user_description") or "").strip()
    found = condition_of(words)
    said = found.grade if found else None
    hint = known.get("condition")
    condition = said if hint and said and _worse(said, hint) else hint or said or "B"
    warnings = [*_contradictions(given, words), *_graded(given, hint, said)]
    low, middle, high = prices(given, known)
    return {
        "value_out_min": low,
        "value_out_average": middle,
        "value_out_max": high,
        "marketplace_posting_title": _title(given, known),
        "marketplace_posting_description": _description(given, known, words, condition),
        "condition": condition,
        "dimensions_box": "L" if _is_large(known, words) else "S",
        "warning": bool(warnings),
        "warning_message": " ".join(warnings),
    }


def _worse(one: str, other: str) -> bool:
    return one > other


def _title(given: GivenRequest, known: dict[str, Any]) -> str:
    brand, product = str(known.get("brand_name") or "").strip(), str(known.get("product_name") or "").strip()
    named = product if brand and fold(brand) in fold(product) else f"{brand} {product}".strip()
    return (named or str(known.get("category_name") or "") or given.say("Artigo usado", "Used item"))[:80]


def _description(given: GivenRequest, known: dict[str, Any], words: str, condition: str) -> str:
    pt, en = _CONDITIONS[condition]
    title = _title(given, known)
    lines = [given.say(f"{title}, {pt}.", f"{title}, {en}.")]
    if words:
        lines.append(given.say(f"O vendedor diz: {words}", f"The seller says: {words}"))
        lines[-1] += "" if lines[-1].endswith((".", "!", "?")) else "."
    if given.pictures:
        lines.append(
            given.say(
                f"O anúncio tem {given.pictures} fotografia(s).",
                f"The listing has {given.pictures} picture(s).",
            )
        )
    lines.append(given.label)
    return " ".join(lines)


def _is_large(known: dict[str, Any], words: str) -> bool:
    text = fold(f"{known.get('category_name') or ''} {known.get('product_name') or ''} {words}")
    return any(f" {each} " in f" {text} " for each in _LARGE)


def _contradictions(given: GivenRequest, words: str) -> list[str]:
    """Say where the seller names another brand than the one that was chosen, or the catalog knows the product's."""
    known, product = given.specific, given.facts.get("product")
    brand = str(known.get("brand_name") or "")
    found = []
    if (
        product
        and brand
        and fold(product["brand"]) not in fold(brand)
        and fold(brand) not in fold(product["brand"])
    ):
        found.append(
            given.say(
                f"«{product['name']}» é de {product['brand']}, e não de {brand}: corrija a marca ou o produto.",
                f"“{product['name']}” is by {product['brand']}, not by {brand}: correct the brand or the product.",
            )
        )
    return found


def _graded(given: GivenRequest, hint: str | None, said: str | None) -> list[str]:
    if not hint or not said or not _worse(said, hint) or hint > "B":
        return []
    return [
        given.say(
            f"O estado indicado é {hint}, mas a descrição diz pior: confirme o estado.",
            f"The condition given is {hint}, but the description says worse: confirm the condition.",
        )
    ]
