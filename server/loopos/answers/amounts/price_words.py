"""Words around a price: its terms, those behind a yes to it, and wishes that name no amount: it goes, it is firm."""

from __future__ import annotations

from server import patterns
from server.languages import fold as fold_text
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.amounts.side_amounts import speaks_of_deal
from server.loopos.answers.certainty import asks, plain_words
from server.loopos.answers.words import MOST_LETTERS, fold, is_number

PRICE_TERMS = patterns.compile(
    r"\b(?:(?:(?:nao|no|not|non)\b[\s-]*)?(?:negociave(?:l|is)|negotiable|neg)"
    r"|(?:preco (?!\w+:? (?:(?:e|de|sao) )?(?:euros )?\d))?(?:fix[oa]s?|final|firm[e]?)|fixed|"
    r"(?:ou|or)\s+(?:(?:a\s+)?(?:melhor|maior|best|nearest|near)\s+)?(?:oferta|offers?)|obo|ono|o\.b\.o\.?|o\.n\.o\.?|"
    r"aceito (?:propostas|ofertas)|(?:open to|taking) offers)(?!\w)"
)
"""Words about the price that leave the amount as it is."""
PRICE_LABEL = patterns.compile(
    r"(?<!\w )(?<!\w)(?:(?:asking |the |my |o |meu ){0,3}(?:price|preco|valor)(?: pedido)?|asking)\s?[:=–—-]{1,2}\s?"
    r"(?=(?:eur(?:os?)? {1,2})?\d++(?!\s?[-–—/]| (?:a|ate|to|ou|or)\s))"
)
"""The label of a price before its one amount, `price - 110`; behind another word it is of another price."""
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


_LEAD = (
    r"(?:(?:(?:can|could|would) (?:yo)?u|podes?|podem|pode|please|pls|por favor|pf|e|and|mas|but|ok|oh|ah|then|entao|"
    r"afinal|actually|sorry|desculp[ae]|quero|queria|i(?: would|'d)? (?:want|like|need)(?: you)? to|just|also|tambem|"
    r"so|wait|espera|say|diz|note|nota|que|that|put|add|poe|poem|ponha|ponham|mete|metam|acrescent[ae]m?|adicion[ae]m?|"
    r"junt[ae]m?)\b ?)*"
)
_END = (
    r"(?: (?:please|pls|por favor|pf|then|entao|afinal|actually|now|agora|after all|from (?:it|the (?:card|ad|listing|"
    r"item))|d[oe] (?:cartao|anuncio|artigo)|at all|for now|por agora|btw|by the way|ja agora|thanks|obrigad[oa]))*"
)
_PRICE = r"(?:(?:o|the|my|meu|its|that|esse|este|asking) )*(?:preco|price|valor)(?: pedido)?"
_GOES = patterns.compile(
    rf"{_LEAD}(?:(?:tir[ae]r?|retir[ae]r?|remov[ae]r?|remove|apag[ae]r?|elimin[ae]r?|delete|drop|clear|erase|cut|"
    rf"(?:take|leave) (?:out|off|away)|get rid of) {_PRICE}(?: (?:out|off|away))?|(?:take|"
    rf"leave) {_PRICE} (?:out|off|away)|"
    rf"(?:sem|without|no|(?:i )?(?:don'?t|do not) want (?:a|any|the)|nao quero(?: (?:por|dizer|indicar))?"
    rf"(?: nenhum| um)?|(?:fica|deixa|leave it|put it) (?:sem|without(?: a)?|with no)) {_PRICE}){_END}"
)
_IS = r"(?: (?:e|is|esta|fica|stays|nao e|is not|isn't))?"
_IT = rf"(?:{_PRICE}{_IS}|(?:it|this|isto|isso){_IS}|it'?s|price'?s|nao e|e|is|estou|sou|i'?m|i am|we'?re|i|eu) ?"
_NEGOTIABLE = (
    r"(?:(?:(?:not|non|nao|um pouco|ligeiramente|slightly|a bit|totally|fully|very) )*"
    r"(?:negociave(?:l|is)|negotiable|nonnegotiable)|(?:open to|aberto a|aceito|take|accept|no|sem) "
    r"(?:negotiation|negociacao|negociar|ofertas|offers|propostas))"
)
_FIRM = r"(?:firme?|fix[oa]|fixed|final|inegociavel)"
_TERMS = patterns.compile(
    rf"{_LEAD}(?P<terms>(?:{_IT})?{_NEGOTIABLE}|{_PRICE}{_IS} {_FIRM}|{_FIRM} {_PRICE}){_END}"
)
"""All of a text that says whether the price is negotiable; what is firm or fixed alone may be the item."""
_OPENS_IT = patterns.compile(
    r"^(?:it'?s|it is|this is|is|isto e|isso e|e|i'?m|i am|we'?re|i|eu|estou|sou)\s+"
)
_NAMES_IT = patterns.compile(r"\b(?:preco|price|valor)\b")


def removes_price(text: str) -> bool:
    """Return whether a message says to take the price away, and else only what stays: `remove the price`, `sem preço`,
    `keep the box and drop the price`.
    """
    clauses = [fold_text(each) for each in _BORDERS.split(text)] if len(text) <= MOST_LETTERS else []
    left = [each for each in clauses if each and not _STAYS.match(each)]
    return bool(left) and all(_GOES.fullmatch(each) for each in left)


def names_terms(text: str) -> bool:
    """Return whether a text has words of whether a price is negotiable."""
    return patterns.search(rf"\b(?:{_NEGOTIABLE}|{_FIRM})\b", fold_text(text)) is not None


_BORDERS = patterns.compile(r"[,.;!\n]+(?!\d)|\s(?:e|and|mas|but)\s", patterns.IGNORECASE)
_STAYS = patterns.compile(
    r"(?:(?:e|and|but|mas|please|por favor|just|so) )*(?:keep|leave|mant[ae]\w*|deix[ae]) (?!it (?:with|no))"
)


def price_terms(text: str, language: str) -> str:
    """Return as a note what a message says that tells only whether the price is negotiable: `price negotiable`."""
    if len(text) > MOST_LETTERS or "?" in text or (found := _TERMS.fullmatch(fold_text(text))) is None:
        return ""
    if _NAMES_IT.search(found["terms"]):
        return _OPENS.sub("", _COPULA.sub(" ", _find_written(text, found["terms"]).replace("isn't", "not")))
    terms = _find_written(text, _OPENS_IT.sub("", found["terms"]).strip())
    return f"{'preço' if language == 'pt' else 'price'} {terms}"


def terms_beside_price(text: str, language: str) -> str:
    """Return as a note the terms right behind an amount of a message: `price negotiable` of `250 negotiable`."""
    text = text[:MOST_LETTERS]
    if found := _BEHIND_AMOUNT.search(fold_text(text)):
        return f"{'preço' if language == 'pt' else 'price'} {_find_written(text, found['terms'])}"
    if (condition := _IF_BEHIND.search(text)) and "?" not in text:
        return condition["terms"].strip()
    bargains = _BARGAINS_BEHIND.search(text)
    terms = bargains["terms"].strip() if bargains else ""
    return terms if speaks_of_deal(terms) and "?" not in text else ""


_IF_BEHIND = patterns.compile(
    r"(?P<terms>(?<![\d.,])\d{1,5}\s?(?:€|euros?|eur|quid|pounds|paus)?\s+(?:if|se|for (?:whoever|anyone)|para quem)\s"
    r"[^\d.;!?\n]{0,40}\b(?:pick\w*|collect\w*|com(?:es?|ing)|levant\w+|busc\w+|recolh\w+|vier\w*)\b[^.;!?\n]{0,40})",
    patterns.IGNORECASE,
)
"""An amount with its condition: `130 if they pick it up in Lisbon`."""
_BARGAINS_BEHIND = patterns.compile(
    r"\d\s?(?:€|euros?|eur)?,?\s+(?:tho|though|but|mas|e|and)\s+(?P<terms>[^\d.,;!?\n]{3,60})[.!]*$",
    patterns.IGNORECASE,
)


_BEHIND_AMOUNT = patterns.compile(
    r"\d(?: ?(?:euros?|eur|paus|quid|pounds|libras))? (?:mas |but )?"
    rf"(?P<terms>(?:(?:um pouco|ligeiramente|slightly|a bit) )?{PRICE_TERMS.pattern})"
)


_COPULA = patterns.compile(r"\s(?:is|é|e|está|esta|fica|stays)\s", patterns.IGNORECASE)
_OPENS = patterns.compile(r"^(?:(?:o|the|my|its|this|that|esse|este)\s)+", patterns.IGNORECASE)


def _find_written(text: str, words: str) -> str:
    """Return folded words as the text has them, which folds to words of the same number."""
    written, folded, said = patterns.findall(r"[\w'’]+", text), fold_text(text).split(), words.split()
    at = next(n for n in range(len(folded)) if folded[n : n + len(said)] == said)
    found = " ".join(written[at : at + len(said)]) if len(written) == len(folded) else words
    return _PLURAL.sub("negociável", found)


_PLURAL = patterns.compile(r"\bnegoci[aá]veis\b", patterns.IGNORECASE)
"""The terms of several euros, `230€ negociáveis`: those of the price are singular."""
