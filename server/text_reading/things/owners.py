"""Owners of things that a seller speaks of: the item of a relative is another one than the seller's own."""

from server import patterns
from server.languages import fold

KIN = (
    r"(?:filh[oa]|irm[aã]o?|irmã|m[aã]e|pai|marido|mulher|espos[oa]|av[oóô]|ti[oa]|prim[oa]|namorad[oa]|sobrinh[oa]|"
    r"net[oa]|sogr[oa]|cunhad[oa]|amig[oa]|vizinh[oa]|son|daughter|wife|husband|brother|sister|mum|mom|mother|dad|"
    r"father|gran(?:dad|dma|dpa|ny)?|grandmother|grandfather|uncle|aunt|cousin|boyfriend|girlfriend|partner|nephew|"
    r"niece|friend|neighbour|neighbor)"
)
"""The words for the people around a seller."""
_HAS = patterns.compile(
    rf"\b(?:minha|meu|nossa|nosso|my|our)\s(?P<kin>{KIN})(?:\s(?:tamb[eé]m|ainda|also|still))?"
    r"(?:\s(?:tem|vende|quer vender|has|has got|is selling|sells|wants to sell)|['’]s\s(?:got|selling))"
    r"\s(?:(?:tamb[eé]m|ainda|also)\s)?(?:uma?|outr[oa]|(?<!tem\s)(?<!vende\s)(?<!vender\s)an?|another)\s",
    patterns.IGNORECASE,
)
"""The start of a sentence about a thing of a relative: `a minha mãe tem uma`, not `tem a caixa`."""
_WORD = r"(?:[\w./-]+\s){0,2}[\w./-]+"
_MINE = r"(?:(?:[oa]s?\s)?(?:minha|meu)|mine|my own)"
_RELATIVE = rf"(?:[oa]\sd[oa]\s(?:minha|meu)\s{KIN}|my\s{KIN}['’]?s)"
_LEAD = r"(?P<lead>\s*(?:(?:n[aã]o|no|nope|nah|sorry|desculp\w+|oops|ups)\b[\s,.!]*)*)"
_SIGN = r"\s*[,.;]\s*(?:(?:e|and|mas|but)\s)?"
_OTHERS = [
    patterns.compile(
        rf"{_LEAD}(?:(?:[oa]|the)\s)?{_WORD}\s(?:era|was)\s(?:{other})(?:\s(?:one|bike))?{_SIGN}"
        rf"(?:{own})(?:\s(?:one|bike))?\s(?:[ée]|is|was|era)\s(?P<value>[^,.;?!]+[\s.!]*)",
        patterns.IGNORECASE,
    )
    for other, own in ((_MINE, _RELATIVE), (rf"d[oa]\s(?:minha|meu)\s{KIN}|my\s{KIN}['’]?s", _MINE))
]
"""What was said of the thing of another owner, and what is right of the one that is sold."""


def other_owner(text: str) -> str:
    """Return the word for the relative who has one more thing by a text: `a minha mãe tem uma`; else nothing."""
    found = _HAS.search(text)
    return fold(found["kin"]) if found else ""


def without_other_owner(text: str) -> str:
    """Return a text that takes a value back, since it was of the thing of another owner, as a plain correction.

    `Não, a L era a minha. A da minha mãe é M` says `Não, M`.
    """
    found = next((each for pattern in _OTHERS if (each := pattern.fullmatch(text))), None)
    return f"{found['lead']}{found['value']}" if found else text
