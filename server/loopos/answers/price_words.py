"""Words around a price: its terms, those that take it back, and those behind a yes to it that may change it."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import asks, plain_words
from server.loopos.answers.number_words import NUMBER_WORDS
from server.loopos.answers.words import fold, is_number, tokens

PRICE_TERMS = patterns.compile(
    r"\b(?:(?:(?:nao|no|not|non)\b[\s-]*)?(?:negociave(?:l|is)|negotiable|neg)"
    r"|(?:preco )?(?:fix[oa]|final|firm[e]?)|fixed|"
    r"(?:ou|or)\s+(?:(?:a\s+)?(?:melhor|maior|best|nearest|near)\s+)?(?:oferta|offers?)|obo|ono|o\.b\.o\.?|o\.n\.o\.?|"
    r"aceito (?:propostas|ofertas)|(?:open to|taking) offers)(?!\w)"
)
"""Words about the price that leave the amount as it is."""
TAKEN_BACK = patterns.compile(
    r"(?P<before>.*)(?:[,.;!?\n…–—-]+\s*|\s)(?:(?:mas|but|e|oh|ah|hm+)\s+)*"
    r"(?:(?:n[aã]o|no|nope|nah)(?=\s*[,.;!…]|\s+(?:wait|sorry|espere?|espera|afinal|actually|make|ponha|p[oõ]e))|"
    r"wait|espere?|espera|afinal|actually|na verdade|quer(?:o)? dizer|i mean|ou melhor|or rather|"
    r"make (?:it|that)|(?:ponha|p[oõ]e|mete|meta)(?: antes)?|let['’]?s say|digamos)\b[\s,.;:!…]*(?P<last>\S.*)$",
    patterns.IGNORECASE | patterns.DOTALL,
)
"""An amount, words that take it back, and all behind the last of them."""
LEADING = frozenset("nao no nope sim yes ok wait espera espere sorry desculpe hm oh ah".split())
"""Words of a part that says nothing beside a price."""
_AMOUNTS = NUMBER_WORDS - frozenset("um uma one a an e and".split())
_OF_PRICE = frozenset(
    "preco price valor value euro euros caro cara barato barata cheap expensive baixo alto high higher low lower "
    "menos mais less more least under abaixo below about around roughly or ou minimo maximo minimum "
    "baixar descer subir oferta ofertas offer offers isso that wrong errado errada".split()
)
"""Words behind a yes that may change the price."""


def leaves_price(rest: str, language: str) -> bool:
    """Return whether words behind a yes to a price speak of something else, or of its terms (`not negotiable`)."""
    words = plain_words(PRICE_TERMS.sub(" ", fold(rest)), language)
    is_clear = not asks(rest) and _AMOUNTS.isdisjoint(words)
    return is_clear and not any(map(is_number, words)) and _OF_PRICE.isdisjoint(words)


def has_amount(text: str) -> bool:
    """Return whether a text has a number, in digits or in words."""
    words = tokens(text)
    return any(map(is_number, words)) or not _AMOUNTS.isdisjoint(words)
