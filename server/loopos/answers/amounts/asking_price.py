"""The asking price: what a seller's words say that their item is to cost, in euro.

It is sure only where every word beside the one amount is accounted for; a bound, a range or a doubt is asked back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from server import patterns
from server.languages import LANGUAGES, LOCALES, format_euro
from server.loopos.answers.amounts.amounts_not_asked import (
    COUNTED,
    FOCAL_LENGTHS,
    MEASURED,
    OF_ANOTHER,
    OTHER_CURRENCY,
    OTHER_PRICE,
    PAID,
    WEIGHED,
    Clauses,
    is_dated,
    is_denied,
)
from server.loopos.answers.amounts.corrected_amounts import SPELLED, without_corrected
from server.loopos.answers.amounts.number_words import split_number
from server.loopos.answers.amounts.numbers import read_number
from server.loopos.answers.amounts.price_words import PRICE_LABEL, PRICE_TERMS
from server.loopos.answers.amounts.side_amounts import only_asked
from server.loopos.answers.certainty import POLITE, asks, doubts, has_bounds, plain_words, without_lead
from server.loopos.answers.element import Element, Text, language_of
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.words import FILLERS, MOST_LETTERS, fold, is_unknown, shorten_runs, tokens

MOST_EURO = 1_000_000
PRICE = Element(
    id="asking_price", kind="price", label=Text("Preço pedido", "Asking price"), unit=Text("€", "€")
)
"""The question that every item has beside those of its protocol; it can be left out."""

NO_PRICE = Text("Sem preço", "No price")
_NO_PRICE_LABELS = frozenset(" ".join(tokens(NO_PRICE.text_in(each))) for each in LANGUAGES)
"""A button may have been shown before the page was switched to another language."""

_SPELLED = patterns.compile(rf"\b(?P<words>{SPELLED})(?:\s++(?P<unit>euros?)\b)?")
"""An amount in words, and its currency where that follows."""
_FREE = patterns.compile(
    r"\b(?:gratis|gratuit[oa]|de graca|dado|dou|ofereco|free|for nothing|giv(?:e|ing) (?:it )?away)\b"
)
_NONE = frozenset(
    "no price for now|no price yet|sem preco por agora|sem preco para ja|por agora nao|para ja nao|"
    "nao|no|nenhum|none|sem preco|no price|nao quero|nao quero dizer|depois|mais tarde|later|not now|agora nao".split(
        "|"
    )
)
"""The whole answer of a seller who names no price."""
_RANGE = patterns.compile(
    r"(?<=\d)(?<!(?<!\d)(?:0?[1-9]|1[0-2])(?=/(?:20)?\d\d(?!\d|\s?eur)))(\s*eur(?:os?)?)?\s*[-–—/]\s*(?=(?:euros? )?\d)"
)
_CENTS = patterns.compile(r"(\d)\s*(?:euros?|eur)\s+(?:e\s+|and\s+)?(\d\d?)\s*(?:centimos?|cents?)\b")
_AMOUNT = patterns.compile(
    r"(?<![\w.,])-?\s?(?P<figure>(?:\d{1,3}(?:[ ']\d{3})+|\d{1,3}(?:\.\d{3})+|\d{1,3}(?:,\d{3})+|\d+)(?:[.,]\d+)?)"
    r"(?:\s?(?P<times>k|mil|thousand|hundred|centenas)\b)?"
    r"(?P<after>\s*(?:euros?|eur|(?:in )?cash|(?:em )?(?:dinheiro|numerario)|"
    r"for (?:it|them|both|all|everything|the lot)|por (?:el[ea]s?|tudo)|btw|by the way|ja agora)\b)?"
    rf"(?P<unit>\s*(?:{COUNTED})(?!\w))?"
    r"(?![\w])"
)
_TIMES = {"k": 1000, "mil": 1000, "thousand": 1000, "hundred": 100, "centenas": 100}
_BEFORE = patterns.compile(
    r"(?:\beur(?:os?)?\s*|\b(?:por|peco|pedir|pedia|pede|quero|queria|preco|valor|for|ask|asking|price|want|wanted|"
    r"(?:i'?d|i would|we'?d) like|(?:i'?d|i'?ll|i would|i will) (?:take|accept|do)|aceit(?:o|ava)|faco|"
    r"thinking|hoping|looking|(?:i'?m|we'?re) after|a pensar|pens(?:o|ei|ava)|esper(?:o|ava)|"
    r"(?:be )?happy with|could do|cont(?:o|ava) (?:fazer|com)|(?:vend(?:o|er|ia)|sell(?:ing)?)(?: it| ela)? (?:a|at)|"
    r"(?:baix[ae]r?|desc[ae]r?|lower|drop|reduce|knock|bring)(?: (?:o preco|the price|isso|it|that|down)){0,2} "
    r"(?:para|pra|p|to)|gostava de|gostaria de)\s+(?:(?:pedir|receber|to get|to have)\s+)?"
    r"(?:(?:de|e|is|of|uns|umas|nuns|em|cerca de|[ap] volta de|about|around|like|maybe|por|for)\s+)*)$"
)
"""The words before an amount that is asked."""
_PAUS = patterns.compile(
    rf"(?P<before>{_BEFORE.pattern.removesuffix('$')}|(?:^|[,.;!?\n]\s*))(?P<figure>\d[\d.]*)\s*paus\b"
    r"(?!\s+(?:de|para)\b)"
)
"""An amount in the colloquial word for the euro, which also means sticks: asked, or at the start of a clause."""
_ASKED = patterns.compile(
    r"\b(?:peco|pedir|pedia|pede|quero|queria|preco|ask|asking|price|want|wanted)\s+(?:(?:de|e|is|of|about|around|uns)\s+)*$"
)
"""The words before an amount that is asked and not what was paid, though `for` stands before both."""
_WANTED = patterns.compile(
    r"\b(?:peco|pedia|quero|queria|aceito|faco|ask|asking|want|wanted|selling|list it|(?<!they )sell|vendo|vender|"
    r"pode[ms]? por)\s+(?:(?:por|for|about|around|uns|cerca de)\s+)*$"
)
"""The verbs before an amount that is asked though its clause tells what was bought: `comprei em 2020 quero 150`."""
_PARTS = patterns.compile(r"((?:(?<!\d)[,.]|[,.](?!\d)|[;!?\n])\s*+)(?!mas\b|but\b|ou\b|or\b)")
_REPLACED = patterns.compile(
    r"(?:[,.;]\s*+)?\b(?:(?:e|and|mas|but)\s++)?(?:n[aã]o|not|em vez de|instead of)\s++(?:(?:os|the)\s++)?"
    r"[€£$]?\d++(?:[.,]\d++)*+(?:\s?(?:€|e(?:ur(?:os?)?)?(?!\w)))?(?=\s*(?:[,.;!?\n]|$))",
    patterns.IGNORECASE,
)
"""An amount that is not asked any more, at the end of a part."""
_BETWEEN = patterns.compile(r"\s*+(?:a|e|ate|to|and|ou|or)\s*+(?:(?:uns|os|euros?)\s*+)?")
_PRICE_WORDS = frozenset(
    "euro euros eur preco price peco pedir pedia pede pedido ask asking valor vendo vende vender venda sell selling "
    "sale por pelo custa sim yes s y yep yeah digamos say lets so apenas only just k mil thousand hundred ser seria "
    "fica ponha poe coloca mete put make set final cash dinheiro numerario ill will get call faco pronto "
    "lot everything tudo lote nope then levo vai ficam let go goes".split()
)
_WISHES = frozenset(
    "i id we want wanted would like get for it am now should be glad happy of hoping "
    "quero queria gostava gostaria receber and e".split()
)
"""Words beside an amount in another currency that a seller wants."""
_MOST_DECIMALS = 0.005
_MOST_BEFORE = 200
"""So many letters before an amount are read to see whether it is asked."""


@dataclass(frozen=True)
class _Figure:
    """An amount in a text, and what tells whether it is the price."""

    value: float
    start: int
    end: int
    is_priced: bool
    is_other: bool
    """Whether the number is a quantity of something else, or the price that was paid."""


def judge_price(answer: str, language: str) -> Judgement:
    """Judge the words of a seller who was asked for a price; of a range the guess is the higher end."""
    if (meant := only_asked(answer)) != answer:
        judged = judge_price(meant, language) if meant else Refused("price_only")
        return ProbableAnswer(judged) if isinstance(judged, Valid) else judged
    text = _plain(without_lead(answer) or answer)
    if not text:
        return Refused("empty")
    said = " ".join(tokens(answer))
    if is_unknown(answer) or said in _NONE or said in _NO_PRICE_LABELS:
        return Valid(None, NO_PRICE.text_in(language))
    if OTHER_CURRENCY.search(text):
        return Refused("other_currency")
    text = PRICE_TERMS.sub(" ", text)
    figures = list(_figures(text))
    if not figures:
        return Refused("price_zero") if _FREE.search(text) else _judge_spelled(answer, text, language)
    return _judge_figures(answer, text, figures, language)


def told_price(text: str, language: str) -> Valid | None:
    """Return the one amount that a message asks for its item, said as a price; None where it says none, or several."""
    plain = _plain(only_asked(text))
    if OTHER_CURRENCY.search(plain):
        return None
    plain = PRICE_TERMS.sub(" ", _PAUS.sub(r"\g<before>\g<figure> euros", plain))
    found = {each.value for each in _figures(plain) if each.is_priced and not each.is_other}
    found = found or set(_spelled_amounts(plain))
    judged = _answer_of(found.pop(), language) if len(found) == 1 else None
    return judged if isinstance(judged, Valid) else None


def without_price(text: str, language: str) -> str:
    """Return a text without the sentences and parts of lists that say the asking price and nothing else, in whatever
    currency; beside a price, an amount that it replaces goes too (`380, not 400`).

    A text of more than MOST_LETTERS stays as it is: the time that this takes is the square of its length.
    """
    if len(text) > MOST_LETTERS:
        return text
    meant = _REPLACED.sub("", without_corrected(text))
    rest = _without_priced_parts(meant, language)
    return rest if rest != meant.strip(" ,;\n") else _without_priced_parts(text, language)


def _without_priced_parts(text: str, language: str) -> str:
    parts = _PARTS.split(text)
    kept = [
        part + border
        for part, border in zip(parts[::2], [*parts[1::2], ""], strict=True)
        if not _is_only_foreign(part) and not _is_only_price(part, language)
    ]
    return "".join(kept).strip(" ,;\n")


def _is_only_price(part: str, language: str) -> bool:
    """Return whether a part says the asking price and nothing else but that it is rough: `I'd want about 350`."""
    if told_price(part, language) is None:
        return False
    return bare_price(part, language) is not None


def bare_price(text: str, language: str) -> Valid | None:
    """Return the amount where a text says nothing else, but that it is rough: `I was thinking seventy five`."""
    text = only_asked(text)
    judged = (judge_price(each, language) for each in (text, _ROUGHLY.sub(" ", text)))
    return next((each for each in judged if isinstance(each, Valid) and not each.skipped), None)


_ROUGHLY = patterns.compile(
    r"^\s*n(?:[aã]o|o|ope)\b[\s,.!]*|\b(?:about|around|roughly|approximately|something like|maybe|perhaps|i think|"
    r"i guess|i'?d say|uns|umas|cerca de|(?:i (?:was|am) |i'?m )?thinking(?: of| about)?|(?:i )?thought(?: of|"
    r" about)?|(?:(?:as |like |but )?(?:i|we) (?:already )?(?:said|told you|wrote|asked)|(?:como |eu |j[aá] )*"
    r"(?:disse|tinha dito|escrevi|pedi))(?: that)?|(?:at|in) the (?:start|beginning)|"
    r"(?:logo )?no (?:in[ií]cio|come[cç]o|princ[ií]pio)|(?:estava|estou|ando) a pensar(?: em| nuns)?|"
    r"pens(?:ava|ei|o)(?: em| nuns)?|(?:à|a) volta de|por volta de|talvez|acho|tipo|mais ou menos)\b",
    patterns.IGNORECASE,
)


def _is_only_foreign(part: str) -> bool:
    """Return whether a part says an amount in another currency and nothing else: `want 180 quid for it`."""
    plain = PRICE_TERMS.sub(" ", _plain(part))
    if not tells_other_currency(plain):
        return False
    rest = tokens(OTHER_CURRENCY.sub(" ", _AMOUNT.sub(" ", plain)))
    return all(word in _PRICE_WORDS or word in _WISHES or word in FILLERS or word in POLITE for word in rest)


def tells_other_currency(text: str) -> bool:
    """Return whether a message says an amount in another currency, such as `120 quid`, that may be what it asks."""
    return other_price(text) != ""


def other_price(text: str) -> str:
    """Return the first amount in another currency of a message that may be what it asks, in folded words; else nothing.

    An amount that was paid is none, and neither is a weight in pounds.
    """
    clauses = Clauses(_plain(only_asked(text)))
    amounts = (each for each in OTHER_PRICE.finditer(clauses.text) if each["bare"] is None)
    return next((found[0] for found in amounts if _may_ask(clauses, found)), "")


def _may_ask(clauses: Clauses, found: patterns.Match[str]) -> bool:
    if clauses.have(WEIGHED, found):
        return False
    return _stands_before(found, _ASKED) or not clauses.have(PAID, found)


def _stands_before(found: patterns.Match[str], words: patterns.Pattern) -> bool:
    """Return whether words stand right before an amount."""
    start = found.start()
    return words.search(found.string, max(0, start - _MOST_BEFORE), start) is not None


def show_price(value: float, language: str) -> str:
    """Return an amount in euro as the language writes it: `280 €`, `€280`."""
    return format_euro(value, language_of(language))


_PERCENT = patterns.compile(r"\s?\b(?:por cento|per ?cent)\b")


def _plain(text: str) -> str:
    """Return the folded text with one word for the euro, one for a range, cents behind a comma, `%`, and no zooms."""
    apart = patterns.sub(r"(?<=\d) (?=[€£$]\d)", "; ", shorten_runs(text))  # `iPhone 12 €250`
    flat = patterns.sub(r"(?<=\d)€(?=\d\d\b)", ",", apart)
    flat = _PERCENT.sub("%", fold(flat.replace("€", " euros ").replace("\u2212", "-")).strip())
    flat = patterns.sub(r"(?<=\d)e\b", " euros", patterns.sub(r"(?<=\d)\s?ish\b", " about", flat))
    flat = _RANGE.sub(
        r"\1 a ", FOCAL_LENGTHS.sub(" ", patterns.sub(r"\ba (?=hundred\b|thousand\b)", "", flat))
    )
    return _CENTS.sub(lambda found: f"{found[1]},{found[2]:0>2} euros", PRICE_LABEL.sub("price ", flat))


def _spelled_amounts(text: str) -> Iterator[float]:
    """Yield the amounts in words before their currency, without those that were paid or are for another thing."""
    clauses = Clauses(text)
    for found in _SPELLED.finditer(text):
        value = _split_spelled(tokens(found["words"]))[0]
        is_asked = _stands_before(found, _BEFORE) and _ENDS.match(text, found.end()) is not None
        is_priced = found["unit"] or (is_asked and (value or 0) >= _LEAST_SPELLED)
        if value and is_priced and (not clauses.have(PAID, found) or _stands_before(found, _WANTED)):
            yield value


_ENDS = patterns.compile(
    r"\s*(?:[,.;!?\n]|$|(?:for (?:it|this|that|both|all|them|everything|the lot)|por (?:ele|ela|isso|tudo)|please|"
    r"por favor)\b)"
)
_LEAST_SPELLED = 10
"""A smaller number without its currency counts things: `I want two`, `used by 2 children`."""


def _figures(text: str) -> Iterator[_Figure]:
    """Yield the amounts in digits, in their order."""
    clauses = Clauses(text)
    for found in _AMOUNT.finditer(text):
        value = read_number(found["figure"])
        if value is None:
            continue
        value *= _TIMES.get(found["times"] or "", 1)
        if found[0].startswith("-"):
            value = -value
        is_asked, is_said = _stands_before(found, _ASKED), bool(found["after"])
        is_other = bool(found["unit"]) or is_dated(found) or is_denied(found)
        is_other |= clauses.have(PAID, found) and not _stands_before(found, _WANTED)
        is_other |= not (is_asked or is_said) and (
            _stands_before(found, OF_ANOTHER) or clauses.have(MEASURED, found)
        )
        is_priced = is_said or (value >= _LEAST_SPELLED and _stands_before(found, _BEFORE))
        yield _Figure(value, found.start(), found.end(), is_priced, is_other)


def _judge_figures(answer: str, text: str, figures: list[_Figure], language: str) -> Judgement:
    meant = [each for each in figures if not each.is_other]
    if not meant:
        return _judge_only_spelled(text, language)
    between = text[meant[0].end : meant[-1].start]
    is_range = len(meant) == 2 and _BETWEEN.fullmatch(between) is not None  # noqa: PLR2004  # both its ends
    values = {each.value for each in meant}
    if len(values) > 1 and not is_range:
        priced = {each.value for each in meant if each.is_priced}
        if len(priced) != 1:
            return Refused("one_price")
        values = priced
    rest = "".join(text[each.end : after.start] for each, after in pairwise(figures))
    rest = f"{text[: figures[0].start]} {rest} {text[figures[-1].end :]}"
    extra, words = (
        split_number(tokens(rest)) if _ends_in_thousands(text, figures[-1]) else (None, tokens(rest))
    )
    checked = _answer_of(max(values) + (extra or 0), language)
    if isinstance(checked, Refused):
        return checked
    is_sure = (
        len(figures) == 1
        and not _may_be_decimal(text, language)
        and _says_nothing_else(answer, rest, words, language)
    )
    return checked if is_sure else ProbableAnswer(checked)


def _may_be_decimal(text: str, language: str) -> bool:
    """Return whether a figure groups thousands with the mark that this language writes before decimals."""
    mark = patterns.escape(LOCALES[language_of(language)].decimal)
    return patterns.search(rf"(?<![\d.,])\d{{1,3}}{mark}\d{{3}}(?![\d.,])", text) is not None


def _ends_in_thousands(text: str, figure: _Figure) -> bool:
    """Return whether the words behind the figure may continue it, as in `2 mil e quinhentos`."""
    return patterns.search(r"(?:mil|thousand|hundred)$", text[figure.start : figure.end]) is not None


def _judge_spelled(answer: str, text: str, language: str) -> Judgement:
    """Return a price in words: sure or asked back where nothing else is said, or as an amount of money."""
    value, words = _split_spelled(tokens(text))
    known = _PRICE_WORDS | FILLERS | POLITE
    if (
        value is None
        or (value == 1 and "euro" not in tokens(text))
        or not known.issuperset(_plain_only(words))
    ):
        return _judge_only_spelled(text, language)
    checked = _answer_of(value, language)
    is_sure = _says_nothing_else(answer, text, words, language)
    return checked if is_sure or isinstance(checked, Refused) else ProbableAnswer(checked)


def _judge_only_spelled(text: str, language: str) -> Judgement:
    """Return the only amount of money that other words say in words, to be asked back."""
    found = set(_spelled_amounts(text))
    checked = _answer_of(found.pop(), language) if len(found) == 1 else Refused("price_only")
    return checked if isinstance(checked, Refused) else ProbableAnswer(checked)


def _plain_only(words: list[str]) -> list[str]:
    """Return the words that neither soften nor compare."""
    return [word for word in words if not doubts([word]) and not has_bounds("", [word])]


def _split_spelled(words: list[str]) -> tuple[float | None, list[str]]:
    """Return the number that words say, thousands too, and the other words."""
    place = next((at for at, word in enumerate(words) if word in ("mil", "thousand")), None)
    if place is None:
        return split_number(words)
    times, before = split_number(words[:place])
    more, after = split_number(words[place + 1 :])
    return 1000 * (times or 1) + (more or 0), before + after


def _says_nothing_else(answer: str, rest: str, words: list[str], language: str) -> bool:
    """Return whether the words beside the amount are only those that a price is said with."""
    plain = plain_words(rest, language)
    if asks(answer) or has_bounds(answer, plain) or doubts(plain):
        return False
    return all(word in _PRICE_WORDS or word in FILLERS or word in POLITE for word in words)


def _answer_of(value: float, language: str) -> Valid | Refused:
    """Return the amount as an answer, if it can be a price."""
    if value <= 0:
        return Refused("price_zero")
    if value > MOST_EURO:
        return Refused("price_too_large", {"max": show_price(MOST_EURO, language)})
    cents = round(value * 100)
    if abs(value - cents / 100) > _MOST_DECIMALS / 100 or cents == 0:
        return Refused("price_only")
    return Valid(int(value) if value == int(value) else cents / 100, show_price(value, language))
