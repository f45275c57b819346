"""Several facts in one clause without commas, as people type them: `iphone 12 64gb battery 90% with box asking 250`."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from server import patterns
from server.loopos.answers.amounts.dates import LONG_MONTHS
from server.loopos.answers.clauses.item_facts import names_thing
from server.loopos.answers.words import MOST_LETTERS

_CLAUSES = patterns.compile(r"(?<!\d)[,.]|[,.](?!\d)|[;:!?\n()]|\s[-–—]\s")
"""The borders of clauses, between which no fact reaches."""
_SHORTEST = 2
"""A clause of so many words tells one fact."""
_COUNT = r"(?:\d{1,2}|uma?|dois|duas|tres|one|two|three)"
_GRADE = (
    r"(?:good|great|excellent|mint|fair|poor|bad|perfect|lovely|nice|bom|boa|otim[oa]|optim[oa]|perfeit[oa]|excelente|"
    r"impecavel|razoavel|mau)"
)
_VERY = r"(?:(?:in|em|muito|very|really|super|mesmo|quite) )*"
_MARKS = (
    r"(?:riscos?|marcas?|mossas?|danos?|defeitos?|rachas?|arranhoes|uso|problemas?|(?:de)?faltas?|scratch(?:es)?|marks?|"
    r"dents?|cracks?|damage|scuffs?|chips?|issues?|faults?|wear|dead pixels?)\b"
)
_ASKS = r"(?:pec[oa]-?(?:se)?|asking|looking for|quero|want|preco|price|por|for)"
_MONEY = r"(?:[€£] ?\d{1,3}(?:[ .]?\d{3})*|\d{1,3}(?:[ .]?\d{3})*|\d{2,5})"
_CURRENCY = r" ?(?:€|eur(?:os?)?\b|paus\b)"
_NEW = r"(?:nov[oa]s?|new|gast[oa]s?|worn)\b"
_STRONG = patterns.compile(
    r"(?:"
    # Sizes and figures that say what they count.
    r"\d{1,4} ?[gt]b\b|"
    r"(?:(?:saude|vida) da )?(?:bateria|battery)(?: (?:health|life|saude|capacity|capacidade|max(?:ima)?))?"
    r"(?: (?:is|at|a|esta|nos|com|de|em|on|around|about))*:? ?\d{2,3}(?: ?%|(?=\s|$)(?! ?(?:h|min|mah|wh|km)))|"
    r"\d{2,3} ?% (?:de |da |of )?(?:bateria|battery)(?: health)?|"
    r"(?:\d{1,3}(?:[. ]\d{3})+|\d{1,6})k? ?(?:disparos|shots|shutter|actuations|clicks)\b|"
    # When and where it was bought, and its condition.
    r"(?:(?:que|that|which) )?(?:i )?(?:bought|purchased|comprei|comprad[oa]s?)(?! (?:it|them|a|o)\b)\b|"
    rf"{_VERY}{_GRADE} (?:estado|condition|shape|nick|order)\b|(?:em )?(?:bom|otimo|optimo|mau) estado\b|"
    rf"estado (?:geral )?(?:{_GRADE}|como nov[oa])|(?:como|quase) nov[oa]s?\b|(?:like|as|nearly|almost) new\b|"
    # What comes with it, and what it does not have.
    rf"(?:com|with|c/) (?=(?:(?:a|o|as|os|the|its|original|{_COUNT}) )*(?P<with>[a-z-]+))|"
    rf"(?:sem|without|no|zero) (?:any |nenhuns |quaisquer |visible )?{_MARKS}|"
    r"(?:sem|without) (?=(?:(?:a|o|as|os|the|its|original) )*(?P<lacked>[a-z-]+))|"
    rf"(?P<new>[a-z]{{4,}}) {_NEW}|"
    # How it is locked, and what is asked for it.
    r"(?:desbloquead[oa]|unlocked|sim free|(?:todo )?livre de (?:operador|contas))\b|"
    rf"{_ASKS} {_MONEY}(?:{_CURRENCY})?(?=\s*$|\s+(?:ono|obo|neg\w*)\b)|{_MONEY}{_CURRENCY}"
    r")"
)
"""The start of what is a fact of its own in folded text."""
_WEAK = patterns.compile(
    r"(?:"
    rf"{_COUNT} (?P<counted>[a-z-]{{4,}})|"
    r"(?:(?:riscad|rachad|partid|estalad|amolgad)[oa]|scratched|cracked|chipped|dented) (?:on|n[oa]s?|at|em)\b|"
    r"(?:ecra|screen|vidro) (?=sem|com|with|riscad|rachad|partid|impec|perfeit|cracked|scratched|perfect|ok)|"
    r"(?:com |with )?(?:fatura|recibo|garantia|receipt|invoice|warranty|boxed)\b|"
    r"(?P<amount>[1-9]\d{1,3})(?=\s*$)|"
    r"(?P<thing>[a-z]{4,})(?= (?:e|and) [a-z]{4,})"
    r")"
)
"""The start of what is one behind another fact."""
_LEADS_ON = frozenset(
    "e and or ou nem nor com with c/ c w/ sem without de do da dos das of in em no na nos nas on at um uma uns umas a "
    "an the o as os my meu minha its it is was are foi esta sao ta muito very so only just mais more plus slightly bit "
    "pouco ligeiramente not nao never nunca tem has have had got tenho vem comes come goes includes inclui traz leva "
    "original originais new novo nova novos novas old small big cracked broken scratched for por para que that which i "
    "was when quando if se eu foi does do did lasts dura faz already spare extra about cerca around mas but".split()
)
"""Words behind which a clause goes on: what follows them is part of the same fact."""
_FOR_THEM = frozenset("it them me you us him her ele ela eles elas isso this that".split())
_NO_AMOUNTS = frozenset("16 32 64 128 256 512".split())
_YEARS = range(1990, 2040)
_OF_DATES = frozenset((*LONG_MONTHS, "in", "em", "de", "desde", "since"))


@lru_cache(maxsize=256)
def divide_facts(text: str, least: int = 1) -> str:
    """Return a text with a comma before each fact in a clause that has at least `least` of them behind its start.

    A clause of one fact stays as it is, and so does a long text.
    """
    if len(text) > MOST_LETTERS:
        return text
    divided, start = list[str](), 0
    for border in [*_CLAUSES.finditer(text), None]:
        end = border.start() if border else len(text)
        divided.append(_divide_clause(text[start:end], least))
        divided.append(border[0] if border else "")
        start = border.end() if border else end
    return "".join(divided)


def _divide_clause(clause: str, least: int) -> str:
    folded = "".join(map(_plain_letter, clause))
    if len(folded) != len(clause) or len(clause.split()) <= _SHORTEST:
        return clause
    starts = _starts_in(folded)
    is_size = len(starts) == 1 and _SIZE.match(folded, starts[0])  # It stands behind the name as it is.
    if len(starts) < least or is_size or len(_PRICES.findall(folded)) > 1:
        return clause
    for at in reversed(starts):
        clause = f"{clause[:at].rstrip()}, {clause[at:]}"
    return clause


_SIZE = patterns.compile(r"\d{1,4} ?[gt]b\b")
_PRICES = patterns.compile(rf"\b(?:{_ASKS}|a) {_MONEY}(?!\w)|{_MONEY}{_CURRENCY}")
"""An amount that is asked: where a clause has two, it tells of two items."""


def _plain_letter(letter: str) -> str:
    """Return a letter in lower case and without its accent, so that each keeps its place in the text."""
    return unicodedata.normalize("NFD", letter)[0].lower()


def _starts_in(folded: str) -> list[int]:
    """Return the places in a folded clause where another fact begins; a weak one counts only behind a strong one."""
    starts, at, is_behind, before = list[int](), 0, False, ""
    while at < len(folded):
        found = _STRONG.match(folded, at)
        found = found if found and _is_fact(found, before) else None
        is_behind |= found is not None
        if found is None and is_behind:
            found = _WEAK.match(folded, at)
            found = found if found and _is_weak_fact(found, before) else None
        if (
            found
            and not _is_paid(found, folded[starts[-1] if starts else 0 : at])
            and folded[:at].strip()
            and (before not in _LEADS_ON or found[0].startswith(("com ", "with ", "sem ")))
        ):
            starts.append(at)
        ends = folded.find(" ", max(at, found.end() - 1) if found else at)
        if ends < 0:
            break
        words = folded[at:ends].split()
        # What is `as new` is told whole: a fact may follow it.
        before = words[-1] if words and not (found and words[-1].startswith(("nov", "new"))) else ""
        at = ends + 1
    return starts


def _is_fact(found: patterns.Match[str], before: str) -> bool:
    """Return whether the strong start of a fact is one behind this word: what comes with an item is a thing."""
    thing = found["with"] or found["lacked"]
    if thing is None:
        return found["new"] is None or names_thing(found["new"])
    return (
        thing not in _FOR_THEM and names_thing(thing) and before not in ("comes", "goes", "vem", "e", "and")
    )


def _is_paid(found: patterns.Match[str], told: str) -> bool:
    """Return whether an amount belongs to what the fact before it tells of buying: `comprado por 1.149 €`."""
    return _SUM.match(found[0]) is not None and _PAYS.search(told) is not None


_SUM = patterns.compile(r"(?:por |for )?[€£]? ?\d")
_PAYS = patterns.compile(
    r"\b(?:bought|purchased|paid|cost|spent|(?:got|had) (?:it|them|this|mine)|comprei\w*|comprad[oa]s?|pagu?ei|"
    r"pag[oa]s?|custou|custaram|gastei|dei)\b"
)
"""Words of a fact whose amount was paid."""


def _is_weak_fact(found: patterns.Match[str], before: str) -> bool:
    """Return whether the weak start of a fact is one: a count or list of things, or an amount that is no year."""
    if before in _LEADS_ON:
        return False
    if amount := found["amount"]:
        return amount not in _NO_AMOUNTS and int(amount) not in _YEARS and before not in _OF_DATES
    named = found["counted"] or found["thing"]
    return named is None or names_thing(named)
