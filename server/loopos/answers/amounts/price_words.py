"""Words around a price: its terms, and those behind a yes to it that may change it."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.certainty import asks, plain_words
from server.loopos.answers.words import fold, is_number

PRICE_TERMS = patterns.compile(
    r"\b(?:(?:(?:nao|no|not|non)\b[\s-]*)?(?:negociave(?:l|is)|negotiable|neg)"
    r"|(?:preco )?(?:fix[oa]s?|final|firm[e]?)|fixed|"
    r"(?:ou|or)\s+(?:(?:a\s+)?(?:melhor|maior|best|nearest|near)\s+)?(?:oferta|offers?)|obo|ono|o\.b\.o\.?|o\.n\.o\.?|"
    r"aceito (?:propostas|ofertas)|(?:open to|taking) offers)(?!\w)"
)
"""Words about the price that leave the amount as it is."""
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
