"""Contradictions between the brand and the product of a request, by the catalog, as sentences."""

from server.demo.requests.parsed_request import ParsedRequest
from server.languages import fold
from server.text_reading.words.markup_removal import without_symbols


def brand_contradiction(given: ParsedRequest, brand: str, name: str) -> str:
    """Return that a product is not of the brand that is given, if the catalog says so; else nothing."""
    product = given.facts.get("product")
    known = product["brand"] if product else given.facts.get("other_brand")
    brand = without_symbols(brand)
    if not known or not brand or fold(known) in fold(brand) or fold(brand) in fold(known):
        return ""
    name = product["name"] if product else without_symbols(name)
    return given.say("warning.brand", name=name[:200], known=known, brand=brand[:200])
