"""Things that a message names with a price of their own, which is not the price of the item that is sold."""

from server import patterns

_AMOUNT = r"(?:[€£$]\s?\d{1,5}|\d{1,5}\s?(?:€|£|(?:euros?|eur|paus|quid|pounds?|libras?)\b))"
_THING = (
    r"(?P<thing>(?!(?:price|pre[cç]o|valor|asking|total|it|them|this|that|one|item|artigo|isso|lot|whole)\b)"
    r"(?:matching\s|same\s|spare\s)?(?:[^\s,.;!?\d€£$]+\s){0,4}?[^\s,.;!?\d€£$]+)"
)
_ARTICLE = r"(?:an?|the|another|some|uma?s?|[oa]s?|outr[oa]|my|(?:[oa]\s)?(?:meu|minha))"
_ALSO = patterns.compile(
    r"\b(?:(?:i|we)(?:\s?['’]ve)?\s(?:have\s|got\s)?(?:also|still)\s(?:have|got|sell)(?:\sgot)?|"
    r"(?:i|we)\s(?:have|['’]ve got)\salso|(?:i|we)['’]ve\salso\sgot|tamb[eé]m\s(?:tenho|temos|vendo)|"
    rf"(?:tenho|temos|vendo)\s(?:tamb[eé]m|ainda))\s{_ARTICLE}\s{_THING}\s(?:for|at|por|a)\s{_AMOUNT}",
    patterns.IGNORECASE,
)
_APART = patterns.compile(
    rf"\b{_ARTICLE}\s{_THING}\s(?:is|are|would be|costs?|[ée]|s[aã]o|custam?|ficam?|fica a)\s{_AMOUNT}\s"
    r"(?:on (?:its|their) own|separately|apart|extra|by itself|[aà] parte|em separado|sozinh[oa]s?|por si s[oó])",
    patterns.IGNORECASE,
)


def priced_thing(text: str) -> str:
    """Return the thing that a text names with a price of its own: `I also have the table for £20`; else nothing."""
    found = _ALSO.search(text) or _APART.search(text)
    return found["thing"] if found else ""


def without_priced_things(text: str) -> str:
    """Return a text without what it says of a thing with a price of its own."""
    return _APART.sub(" ", _ALSO.sub(" ", text)) if priced_thing(text) else text
