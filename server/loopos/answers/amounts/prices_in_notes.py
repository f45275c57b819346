"""Amounts in a text that lists things: what a seller asks for the item is taken out of it, without debris.

A text may also say by how much the price that is kept changes: `10 euros more`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from server import patterns
from server.loopos.answers.amounts.amounts_not_asked import MEASURED, OF_ANOTHER, PAID, WEIGHED, Clauses
from server.loopos.answers.amounts.asking_price import (
    judge_price,
    show_price,
    tells_other_currency,
    told_price,
    without_price,
)
from server.loopos.answers.amounts.corrected_amounts import without_forgotten
from server.loopos.answers.amounts.numbers import read_number
from server.loopos.answers.refusals import Refused, Valid
from server.loopos.answers.words import MOST_LETTERS, fold, tokens, without_debris

_EURO = r"(?:€|e(?:ur(?:os?|itos?)?)?(?!\w)|paus\b|cash\b)"
_OTHER = r"(?:[$£]|quid|pounds?|gbp|d[oó]lar(?:es)?|dollars?|bucks|usd|libras?|reais|brl|chf|francos?|francs?)(?!\w)"
_UNIT = rf"\s?(?:{_EURO}|{_OTHER})"
_FIGURE = r"(?:r\$|[€£$])?\s?(?:\d{1,3}[. ]\d{3}|\d{2,6})(?:[.,]\d{2})?(?!\d)(?:\s?k\b|\s?mil\b)?"
_AMOUNT = patterns.compile(
    rf"(?<![\w.,:/x-])(?<!\d )(?P<amount>{_FIGURE}(?P<unit>{_UNIT})?"
    rf"(?:\s?(?:-|–|/|\bou\b|\bor\b|\ba\b|\bto\b)\s?{_FIGURE}(?P<second>{_UNIT})?)?)"
    r"(?P<terms>(?:[\s,(]+(?:(?:n[aã]o |not |non-?)?negoci[aá]ve(?:l|is)|(?:not |non-?)?negotiable|neg|ono|obo|o\.n\.o|"
    r"fix[oa]s?|fixed|firme?|final|aceito (?:propostas|ofertas)|(?:open to|taking) offers|"
    r"(?:ou|or) (?:(?:a )?melhor|best|nearest)? ?(?:oferta|offers?)|"
    r"(?:por|for) (?:ele|ela|isso|tudo|it|all|everything|the lot)|please|pls|pf|por favor|"
    r"no m[ií]nimo|m[ií]nimo|minimum|at least|ish|now|agora|afinal|actually|instead|then|ent[aã]o)\b\)?)*)"
    r"(?P<behind>\s*(?:$|[)\]]|[,.;!?\n]+(?=\s|$|\))|(?=\s(?:e|and|com|with|mas|but)\b)))",
    patterns.IGNORECASE,
)
"""An amount, its terms, and the border behind it."""
_PRICE = (
    r"(?:\b(?:make|put|set|change|have|drop|lower|p[oõ]e|ponha|p[oô]r|met[ae]r?|mud[ae]r?|fa[cç]a|alter[ae]r?|"
    r"baix[ae]r?) )?"
    r"(?:o |the |my |o meu )?(?:final |fixed |asking )?\b(?:pre[cç]o|price|valor)"
    r"(?: final| fixo| pedido)?(?: down)?(?: [eé]| is| de| of| to| para| a| em| at)?"
)
_WISH_PT = (
    r"\b(?:eu )?(?:pe[cç]o|pedia|quero|queria|k(?:uero|ero|eria)|"
    r"gosta(?:va|ria) de|aceito|aceitava|fa[cç]o|deixo|vendo|vai|ficam?|levo|dou(?:-[oa])?|"
    r"pode (?:ser|ficar)|(?:es)?(?:tava|tou) a pensar|ando a pensar|pens(?:o|ei|ava)|espero|esperava)"
    r"(?: (?:pedir|receber))?"
)
_WISH_EN = (
    r"(?:\bi )?(?:\b(?:want(?:ed)?|ask|take|make it)|(?:'?\bm |\bam |\bwas )?\b(?:asking|looking for|after|selling|"
    r"hoping(?: for| to get)?|thinking(?: of| about)?)|"
    r"(?:\bi'd|\bid|\bi'll|\bill|\bwould|\bwill) (?:like|take|want|accept|go for|do))"
)
_LED = patterns.compile(
    r"(?P<joint>(?:\b(?:e|and|mas|but|so|que|that(?: it is)?|then|ent[aã]o|por isso|hence|ok|now|"
    r"(?:it|that)['’]?s)\s+)*)"
    rf"(?P<asks>(?:{_PRICE}|{_WISH_PT}|(?:\bi'?m )?{_WISH_EN})\b:?\s*)?"
    r"(?P<rough>(?:\b(?:por|for|at|a|em|nuns|uns|umas|about|around|cerca de|roughly|like|only|just|s[oó]|apenas|"
    r"yes|sim)\b\s*|[=:-]\s+)*)$",
    patterns.IGNORECASE,
)
"""The words before an amount that belong to it."""
_STARTS_PART = patterns.compile(r"(?:^|[,.;!?\n(+/–-])\s*$")
_OF_IT = patterns.compile(
    r"\b(?:d[eao]s?|(?<!glad )of|com|with|worth|sobre|cada|each|n[ao]s?|in|on|em|desde|since|[aà]s?|type|tipo|"
    r"serie|series|model|modelo|vers[aã]o|gen|size|tamanho|number|n[uú]mero)\s*$"
    r"|\bn[º°]\s*$",
    patterns.IGNORECASE,
)
"""Words behind which an amount tells of the thing before it: `a fatura de 250 euros`, `size 42`."""
_SIZES = frozenset("16 32 64 128 256 512 1024 2048".split())
_LEAST, _LEAST_BESIDE, _STEP = 20, 30, 5
"""A bare number counts from here on, and right behind a word as a price in steps of five."""
_FIRST_YEAR, _LAST_YEAR = 1950, 2100
_MOST_BEFORE = 60


@dataclass(frozen=True)
class NotedPrice:
    """What is left of a text, and the price that was taken out of it; None where it is known, or in no euro."""

    rest: str
    price: Valid | None


def take_price(text: str, language: str, known: float | None) -> NotedPrice:
    """Return a text without the price that it asks, and that price where no other reader finds it.

    A bare number is one at the border of a part; not beside another price that is `known`.
    """
    if len(text) > MOST_LETTERS:
        return NotedPrice(text, None)
    if (left := without_forgotten(text, known is not None)) != text:
        noted = take_price(left, language, known)
        return noted if noted.rest != left or known is not None else NotedPrice(text, None)
    if named := _IS_PRICE.search(text):
        left = without_debris(f"{text[: named.start()]} {text[named.end() :]}")
        return NotedPrice(left, None if known == _value_of(named) else _price_of(named, language))
    found, rest, guess = list(_amounts(text, known)), text, None
    if len({each["amount"] for each, _ in found}) == 1:
        guess = None if told_price(text, language) else _price_of(found[0][0], language)
        for each, begin in reversed(found):
            begin = _start_of_wish(rest, begin)  # noqa: PLW2901  # `I should be glad of £140` goes as a whole
            gap = each["behind"].strip() if each["behind"].strip() in (")", "]") else ","
            rest = f"{rest[:begin]} {gap} {rest[each.end() :].lstrip(' ,;.!')}"
    rest = without_price(rest, language)
    return NotedPrice(text if rest == text else without_debris(_THOUGHTS.sub("", rest)), guess)


_THOUGHTS = patterns.compile(
    r"(?:^|(?<=[,.;!\n]))\s*(?:(?:mas|but|ah|oh|e|and|hm+|ok|no|n[aã]o)\b[\s,]*)*"
    r"(?:pensando (?:bem|melhor)|pensei melhor|vendo bem|(?:eu )?mudei de ideias|(?:on|having) (?:a )?second thoughts?|"
    r"(?:come to )?think(?:ing)? (?:about|of) it|(?:i(?:['’]?ve)? )?(?:thought|changed my mind)(?: about it)?|"
    r"or best offer|ou melhor oferta)[\s,.:;!]*(?=$|[,.;!\n])",
    patterns.IGNORECASE,
)
"""A clause that only leads to another price, or stands behind one."""


def _start_of_wish(text: str, begin: int) -> int:
    """Return where the sentence before an amount begins, if it only wishes for that amount; else where it stood."""
    start = max(0, *(text.rfind(mark, 0, begin) + 1 for mark in (". ", "; ", "! ", "? ", "\n")))
    said = tokens(text[start:begin])
    return start if said and _WISHING.issuperset(said) else begin


_WISHING = frozenset(
    "i we am m d now still only just asking ask want would should be glad happy of like to get receive have for hoping "
    "looking ideally my the price is and but so e mas eu agora o preco gostaria gostava queria quero keria kero de "
    "receber pedir peco por uns cerca ficava ficaria contente feliz com".split()
)
"""Words of a sentence that wishes for a price."""


def _value_of(found: patterns.Match[str]) -> float | None:
    return read_number(patterns.sub(r"\D", "", found["amount"]))


_IS_PRICE = patterns.compile(
    rf"(?:^|(?<=[,.;:!]))\s*(?:(?:no|n[aã]o|and|e|mas|but)\b[\s,.:;]*)*(?:"
    rf"(?:(?:the|os?|that|those|esses?)\s+)*(?P<amount>{_FIGURE}{_UNIT}?)\s+(?:is|was|are|é|s[aã]o|era)\s+"
    rf"(?:(?:the|my|o|meu)\s+)*(?:asking\s+)?(?:price|pre[cç]o|valor)"
    rf"|(?:the|o)\s+(?:price|pre[cç]o)\s+(?:is|s[aã]o|é)\s+(?:the|os?)\s+(?P<amount>{_FIGURE}{_UNIT}?))\s*(?:$|[,.;!]+\s*)",
    patterns.IGNORECASE,
)
"""A clause that only says which figure is the price: `no, the 145 is the price`."""


def changed_price(text: str, known: float | None, language: str) -> Valid | None:
    """Return the price behind a change by an amount, where the text says nothing else: `10 euros more`, `baixa 20`."""
    if known is None or len(text) > _LONGEST_CHANGE:
        return None
    said = " ".join(fold(text.replace("€", " euros ").replace("-", " menos ")).strip(" .!").split())
    raised, lowered = _RAISED.fullmatch(said), _LOWERED.fullmatch(said)
    found = raised or lowered
    if found is None:
        return None
    amount = float(next(each for each in found.groups() if each))
    value = known + amount if raised else known - amount
    return (
        Valid(int(value) if value == int(value) else value, show_price(value, language))
        if value > 0
        else None
    )


_LONGEST_CHANGE = 80
_BY = r"(\d{1,5})(?: ?(?:euros?|eur|paus|e)\b)?"
_IT = (
    r"(?: (?:it|that|this|isso|isto|o preco|the price|a price|me|up|down|by|em|mais|uns|mas|ai|la|just|so))*"
)
_BEFORE_CHANGE = (
    r"(?:(?:ok|so|e|and|mas|but|no|nao|(?:can|could) (?:yo)?u|podes?|please|por favor|actually|afinal|entao|then|"
    r"quero|queria|i want|i(?:d| would) like|to|look|olha|lets|vamos|make it|faz|fica) )*"
)
_BEHIND_CHANGE = (
    r"(?: (?:please|pls|por favor|pf|then|entao|afinal|[adn]o preco|(?:to|on|off) the price|to it|to that))*"
)
_RAISED = patterns.compile(
    rf"{_BEFORE_CHANGE}(?:(?:\+ ?|mais |plus |another ){_BY}|{_BY} (?:a )?(?:mais|more|extra|on top)|"
    rf"(?:sob[ae]|suba|subir|aument[ae]r?|raise|increase|bump|put){_IT} {_BY}|"
    rf"(?:add|acrescent[ae]|poe|mete) (?:mais )?{_BY}(?= (?:more|mais|ao|to))(?: (?:more|mais))?){_BEHIND_CHANGE}"
)
_LOWERED = patterns.compile(
    rf"{_BEFORE_CHANGE}(?:(?:menos|minus|less) {_BY}|{_BY} (?:a )?(?:menos|less|off|cheaper|de desconto|discount)|"
    rf"(?:baix[ae]r?|desc[ae]r?|desconta|cort[ae]|lower|drop|reduce|knock){_IT} {_BY}(?: (?:off|menos|less))*|"
    rf"(?:take|cut) {_BY} off|tir[ae] {_BY}){_BEHIND_CHANGE}(?: (?:it|the price))*"
)
"""All of a text that says by how much the price rises or falls."""


def _price_of(found: patterns.Match[str], language: str) -> Valid | None:
    said = patterns.sub(r"(?<=\d)\s?(?:euritos?|paus)", " euros", found["amount"], flags=patterns.IGNORECASE)
    judged = None if tells_other_currency(said) else judge_price(said, language)
    if judged is None or isinstance(judged, Refused):
        return None
    guess = judged if isinstance(judged, Valid) else judged.guess
    return None if guess.skipped else guess


def _amounts(text: str, known: float | None) -> Iterator[tuple[patterns.Match[str], int]]:
    """Yield each amount that is asked, and where the words that lead to it begin."""
    clauses = Clauses(fold(text)) if len(fold(text)) == len(text) else Clauses(text.casefold())
    for found in _AMOUNT.finditer(text):
        led = _LED.search(text, max(0, found.start() - _MOST_BEFORE), found.start())
        begin = led.start() if led else found.start()
        is_other = any(clauses.have(words, found) for words in (PAID, MEASURED, WEIGHED))
        if (led and led["asks"]) or (not is_other and _may_be_price(text, found, led, known)):
            yield found, begin


def _is_code(found: patterns.Match[str]) -> bool:
    """Return whether a figure without a currency has a hyphenated tail that ends no range: `268731-01`."""
    if found["unit"] or found["second"] or not found["amount"][0].isdigit():
        return False
    ends = [read_number(each) or 0 for each in _TAIL.split(found["amount"])]
    return len(ends) > 1 and ends[-1] <= ends[0]


_TAIL = patterns.compile(r"(?<=\d)[-–](?=\d)")


def _may_be_price(
    text: str, found: patterns.Match[str], led: patterns.Match[str] | None, known: float | None
) -> bool:
    """Return whether an amount without a word that asks it is a price by its currency or by its place."""
    if _is_code(found):
        return False
    start, ends = found.start(), not text[found.end() :].strip(" .!?)]")
    before = text[max(0, start - _MOST_BEFORE) : start]
    if _OF_IT.search(before) or OF_ANOTHER.search(fold(before)):
        return False
    opening = text[: led.start() if led else start]
    is_part = _STARTS_PART.search(opening) is not None
    if found["unit"] or found["second"] or not found["amount"][0].isdigit():
        return is_part or ends or bool(led and led["rough"])
    value = read_number(patterns.sub(r"\D.*$", "", found["amount"])) or 0
    if value < _LEAST or _FIRST_YEAR <= value <= _LAST_YEAR or found["amount"] in _SIZES:
        return False
    if (known is not None and value != known) or patterns.search(r"\d[\s,.;&/+-]+$", opening):
        return False
    return is_part or (ends and value >= _LEAST_BESIDE and value % _STEP == 0)
