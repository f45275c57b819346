"""Amounts beside the price that a seller asks: what they would take under a condition, and what was only an idea."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.amounts.corrected_amounts import (
    NOT_ASKED,
    NOT_IN_NUMBER,
    SPELLED,
    without_corrected,
)
from server.loopos.answers.amounts.number_words import NUMBER_WORDS
from server.loopos.answers.words import MOST_LETTERS

_SMALL = "zero nought nenhum nenhuma none um uma one dois duas two tres three mil thousand".split()
_IN_WORDS = "|".join(sorted(NUMBER_WORDS.difference(_SMALL) | {"três"}, key=len, reverse=True))
_AMOUNT = patterns.compile(rf"\d{{2,}}|\b(?:{_IN_WORDS})\b", patterns.IGNORECASE)
_ASKED = patterns.compile(
    rf"^\W*(?:(?:sim|yes|yeah|yep|ok|no|n[aã]o|well|bem|oh|ah|uns|about|around|s[aã]o|[eé]|it['’]?s|otherwise|sen[aã]o|€)[\s,]*)*(?:\d{{2,}}|\b{SPELLED})"
    rf"\s*(?:€|euros?|eur|e|paus|cash)?\W*"
    r"(?:(?:n[oa]|in the|on the|for|por|please|then|ent[aã]o)\b\D*)?$|"
    rf"(?:\d|\b{SPELLED})\s?(?:€|euros?\b|eur\b|e\b|paus\b)|€\s?\d|"
    r"\b(?:quero|queria|pe[cç]o|pedia|pedir|disse|pre[cç]o|price|ask|asking|said|want|wanted|hoping|looking|after|thinking|"
    r"thought|for|por|vendo|vender|sell|selling|p[oõ]e|mete|ponha|fica|put|make|set|keep|leave|"
    r"actually|afinal)\b(?:\s+(?:for|of|about|around|uns|os|de|it|em|a|at|to|por|que|[eé]|is|receber|pedir|get|the|"
    rf"price|pre[cç]o)\b){{0,3}}\s+€?(?:\d{{2,}}|{SPELLED}\b)",
    patterns.IGNORECASE,
)
"""A clause whose amount is asked: it is all of it, has its currency, or stands behind a word that asks it."""
_BORDERS = patterns.compile(
    rf"((?:(?:(?<!\d)[,.]|[,.](?!\d)|[;!?()\n])\s*+|{NOT_IN_NUMBER}\s(?=(?:mas|but|though|although|embora|e|and|ou|or|sen[aã]o)\b))"
    r"(?:(?:mas|but|though|although|embora|e|and|ou|or|ah|oh|sen[aã]o)\b[\s,]*+)*)",
    patterns.IGNORECASE,
)
_IF = r"(?:if|unless|in case|caso|(?<![\w-])se(?! faz favor\b)(?=\s))"
_OPENS = patterns.compile(rf"\s*{_IF}\b", patterns.IGNORECASE)
_CONDITION = patterns.compile(
    rf"\b(?:{_IF}|(?:for|with) (?:a )?(?:quick|fast|friends?|cash)|quick sale|"
    r"at (?:the )?(?:very )?(?:least|lowest|minimum|worst)|"
    r"minimum|lowest|bottom line|worst case|at a (?:push|pinch)|as low as|"
    r"(?<!knock it )(?<!bring it )(?<!take it )(?<!drop it )down to|"
    r"(?:was|were) (?:just|only)|just an? (?:idea|example|thought)|(?:to|for) (?:haggl|negotiat|bargain)\w*|"
    r"(?:no |o )?m[ií]nimo|no pior dos casos|em último caso|(?:eram?|foi|foram) (?:s[oó]|apenas|uma ideia)|"
    r"(?:no|not|nothing|never|n[aã]o|nunca) (?:\w+ ){0,3}?(?:lower|less|under|below|menos|abaixo)|"
    r"(?:por|foi|era)(?: um)? engano|sem querer|by mistake|(?:was|is) a (?:mistake|typo)|"
    r"(?:s[oó]|apenas) uma ideia|(?:para|pra) (?:negociar|despachar|regatear|amigos?)|venda r[aá]pida|"
    r"(?:baix|desc|desç|desci)\w* at[eé]|at[eé] (?:baix|desc|desç|fa[cçz]|vend|aceit|dou|deixo)\w*)\b",
    patterns.IGNORECASE,
)
"""Words of an amount that is not what the item is to cost, wherever it stands."""
_WOULD = patterns.compile(
    r"\b(?:(?:could|can|might|may|would|'d|will|'ll|happy to|willing to|id) (?:\w+ ){0,2}?"
    r"(?:take|accept|go|do|have|let|drop|come|sell|settle)|settle for|"
    r"aceit(?:o|ava|amos|aria)|(?:posso|podia|pode|podem|podemos|consigo) (?:\w+ ){0,2}?"
    r"(?:fazer|baixar|descer|ir|deixar|ficar|vender|aceitar|levar)|negoci\w+|negotia\w+|haggl\w+)\b",
    patterns.IGNORECASE,
)
"""The same of an amount behind another one."""
_CORRECTS = patterns.compile(
    r"\b(?:n[aã]o|no|nope|afinal|actually|wait|espera|espere|sorry|desculp\w*|said|disse|rather|melhor|instead|now|agora|ok|"
    r"make|mete|p[oõ]e)\b",
    patterns.IGNORECASE,
)
"""Words by which a later amount may take the place of the one before it."""


def only_asked(text: str) -> str:
    """Return a text without the amounts that it takes back and those that are not what it asks.

    Of `250, mas se for preciso aceito 230` the first is what it asks. A text of more than MOST_LETTERS stays as it is.
    """
    return without_corrected(without_side_amounts(_without_foreign(text)))


def _without_foreign(text: str) -> str:
    """Return a text without its amounts in other currencies, where it asks an amount in euro: `£90, so about €105`."""
    if len(text) > MOST_LETTERS or _FOREIGN.search(text) is None:
        return text
    asked = [each for each in _IN_EURO.finditer(text) if not _is_of_shops(text, each)]
    return _FOREIGN.sub(" ", text) if asked else text


def _is_of_shops(text: str, found: patterns.Match[str]) -> bool:
    """Return whether an amount is what was paid, or what a new item costs."""
    before = NOT_ASKED.search(text, max(0, found.start() - _MOST_BEFORE), found.start())
    return before is not None or _OF_SHOPS.match(text, found.end()) is not None


_MOST_BEFORE = 100
_IN_EURO = patterns.compile(r"€\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|(?:euros?|eur)\b)", patterns.IGNORECASE)
_FOREIGN = patterns.compile(
    r"(?:r\$|[$£])\s?\d[\d.,]*+|\d[\d.,]*+\s?(?:[$£]|(?:d[oó]lar(?:es)?|dollars?|usd|bucks?|pounds?|quid|gbp|libras?|"
    r"reais|brl|chf)\b)",
    patterns.IGNORECASE,
)
_OF_SHOPS = patterns.compile(
    r"\s(?:new\b|nov[oa]s?\b|(?:when|quando)\b|(?:in|at|from) (?:the |a )?(?:shops?|stores?)\b|n[ao]s? lojas?\b)",
    patterns.IGNORECASE,
)
"""Words behind an amount that is what a new item costs."""


def without_side_amounts(text: str) -> str:
    """Return a text without its clauses whose amount has a condition, where another one has an amount without any."""
    if len(text) > MOST_LETTERS or len(_AMOUNT.findall(text)) == 1:
        return text
    parts = _BORDERS.split(text)
    said, marks = parts[::2], ["", *parts[1::2]]
    amounts = [at for at, each in enumerate(said) if _AMOUNT.search(each)]
    side = {at for at in amounts if _CONDITION.search(said[at])}
    side |= {_of_condition(said, marks, at) for at, each in enumerate(said) if _OPENS.match(each)}
    side &= {*amounts}
    asked = [at for at in amounts if at not in side and _ASKED.search(said[at])]
    plain = [at for at in asked if not NOT_ASKED.search(said[at])]
    if not plain:
        return text
    begun = plain[0] + 1
    between = (" ".join([*marks[begun : at + 1], *said[begun : at + 1]]) for at in amounts)
    behind = [
        at for at, words in zip(amounts, between, strict=True) if at >= begun and not _CORRECTS.search(words)
    ]
    side |= {at for at in behind if _WOULD.search(said[at])}
    if not side:
        return text
    left = [mark + each for at, (mark, each) in enumerate(zip(marks, said, strict=True)) if at not in side]
    return "".join(left).strip(" ,;()")


def speaks_of_deal(text: str) -> bool:
    """Return whether words bargain (`podem negociar`) or name an amount under a condition."""
    is_amount = _AMOUNT.search(text) is not None
    return _BARGAINS.search(text) is not None or (
        is_amount and any(each.search(text) is not None for each in (_CONDITION, _WOULD))
    )


_BARGAINS = patterns.compile(
    r"\b(?:(?:pode\w*|posso|aberto a|d[aá] (?:para|pra|p)|aceito|can|could|happy to|open to|willing to|"
    r"room (?:to|for)) (?:\w+ ){0,2}?(?:negoci\w+|regate\w+|negotia\w+|haggl\w+|bargain\w*|conversar|baixar|descer|"
    r"(?:go|come) (?:down|lower)|drop|flexible|"
    r"ofertas?|propostas?|offers?)|n[aã]o (?:baixo|des[cç]o|negoceio|aceito)|(?:aceito|open to) (?:trocas?|swaps?)|"
    r"sem ofertas|no offers|"
    r"negoci[aá]ve(?:l|is)|negotiable|make (?:me )?an offer|fa[cç]am (?:uma )?(?:oferta|proposta))\b",
    patterns.IGNORECASE,
)


def _of_condition(said: list[str], marks: list[str], at: int) -> int:
    """Return which clause has the amount of a clause that begins with `if`: the one behind a contrast or at its own
    beginning, else the one before it.
    """
    if _AMOUNT.search(said[at]):
        return at
    following = said[at + 1] if at + 1 < len(said) else ""
    opens = at == 0 or _TURN.search(marks[at]) or _WOULD.search(following)
    return at + 1 if opens and _AMOUNT.search(following) else at - 1


_TURN = patterns.compile(r"\b(?:mas|but|ou|or|sen[aã]o)\b", patterns.IGNORECASE)
