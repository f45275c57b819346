"""Numbers of an answer that are none to its question: an article, a height, and what was said before."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.amounts.amounts_not_asked import COUNTED
from server.loopos.answers.amounts.dates import find_months
from server.loopos.answers.amounts.numbers import unit_words
from server.loopos.answers.amounts.times.other_events import BUYING, MAKING, SENTENCES, YEAR, other_event
from server.loopos.answers.certainty import content
from server.loopos.answers.clauses.asides import is_ignorant, own_words
from server.loopos.answers.element import Element
from server.loopos.answers.words import FILLERS, clauses, fold, is_number, tokens

_MANY = frozenset("coffees shots km".split())
"""The units of which an item has many: `um café ótimo` speaks of each of them, and counts none."""
_AN_ARTICLE = patterns.compile(
    r"(?<!so )(?<!só )(?<!apenas )(?<!only )(?<!just )\b(?:um|uma|an?)\s"
    r"(?:(?:great|good|nice|perfect|lovely|bom|[oó]timo)\s)?"
    r"(?=(?P<what>[^\W\d]+))",
    patterns.IGNORECASE,
)
_HEIGHT = patterns.compile(
    r"\b(?:(?:eu|i)\s)?(?:tenho|me[cç]o|altura (?:é )?(?:de )?|height is|i['’]?m|i am|am)\s*"
    r"1[.,]\d\d(?:\s?m(?:etros?)?)?"
    r"(?![\w%]|[.,]\d|\s?(?:km|kms|k|mil|quil[oó]metros?|kilomet\w+)\b)",
    patterns.IGNORECASE,
)
"""How tall the seller is, which decides whether a bicycle fits."""
_FIGURE = r"\d[\d.,]*+(?:\s?(?:k|mil|thousand)\b)?"
_TURN = r"[\s,.;]+(?:but|mas|por[eé]m|however)\b"
_BEFORE = (
    r"(?:earlier|before|at first|previously|antes|ao in[ií]cio|no in[ií]cio|atr[aá]s|"
    r"h[aá] (?:pouco|bocado|bocadinho))"
)
_SAID_BEFORE = patterns.compile(
    r"\b(?:(?:i|eu)\s)?(?:(?:had )?(?:said|told you|put|wrote)|(?:tinha )?(?:dito|disse|posto|escrito|escrevi|pus))\s"
    rf"(?:(?:it was|about|around|roughly|some|like|que|eram?|uns|umas|cerca de|os)\s)*"
    rf"{_FIGURE}(?:\s[^\W\d]+){{0,3}}?{_TURN}"
    rf"|(?<![\w.,]){_FIGURE}(?:\s[^\W\d]+)??\s{_BEFORE}{_TURN}"
    rf"|(?<![\w.,]){_FIGURE}(?:\s[^\W\d]+)??{_TURN}\s(?=(?:afinal|actually|(?:i['’]?ve |i have |i )?(?:just |now )*"
    r"(?:looked|checked|had a look)|fui ver|fui confirmar|vi agora|confirmei)\b)",
    patterns.IGNORECASE,
)
"""A figure that was said before another one, up to what turns away from it."""
_NEAR = patterns.compile(
    r"\b(?:more like|near(?:er)?(?: to)?|close[rd]?(?: to)?|mais (?:perto|pr[oó]ximos?) d[eo]s?|"
    r"mais (?:para|pra|tipo)(?: os)?|"
    r"mais como)\s(?=\d)",
    patterns.IGNORECASE,
)
"""Words before a rough figure."""
_UNKNOWN = patterns.compile(
    r"\b(?:nao sei|n sei|nsei|sei la|nao faco ideia|nem ideia|nao tenho (?:ideia|nocao)|nao me lembro|"
    r"(?:dont|do not) (?:really )?know|dunno|idk|(?:no|not a) (?:idea|clue)|(?:cant|dont) remember|not sure)\b"
)
_OF_FIGURES = frozenset(
    "pois bem olha ah oh well sorry desculpe desculpa sinceramente honestly isso agora ja mesmo ao certo exato exatos "
    "exata exatamente exact exactly number numero figure percentagem percentage valor value real so e o a os as de da "
    "do quantos quantas quanto qual how many much what about actual".split()
)
"""Words beside not knowing that name only the figure that is asked for."""
_OF_DATES = frozenset(
    "data date ano year mes month day dia quando when fabrico manufacture foi was it".split()
)
"""Words beside not knowing that name only the date that is asked for."""

_UNIT = rf"(?:\s(?:por cento|per ?cent)\b|\s?(?:{COUNTED})(?!\w))"
_WORD = (
    r"\b(?:one|two|three|four|five|six|seven|eight|nine|ten|"
    r"um|uma|dois|duas|tr[eê]s|quatro|cinco|seis|sete|oito|nove|dez)\b"
)
_ANY = rf"(?:{_FIGURE}|{_WORD})"
_WITH_UNIT = rf"{_FIGURE}{_UNIT}?"
_SIGH = r"\b(?:ah|ai|eh|oh|uh|ui)\b"
_TAKES_BACK = (
    rf"(?:{_SIGH}[\s,.;!]++)*+(?:\b(?:no|n[aã]o|nope|wait|espere?|espera|afinal|actually|digo|i mean|"
    r"quero dizer|sorry|desculp[ae]|ali[aá]s|whoops|o+ps|ups|enganei-me|vi mal|misread(?: it)?|my mistake|hang on|"
    rf"hm+)\b[\s,.;!]++(?:{_SIGH}[\s,.;!]++)*+)++"
    r"(?:(?:it was|it['’]?s|foi|[eé]|s[aã]o|in|em|era|make it)\s)*"
)
"""Words that take a figure back, before the one that is meant: `oops no`, or a pause: `hmm`."""
_REPLACED = patterns.compile(
    rf"(?P<meant>{_WITH_UNIT})[\s,.;(]*\b(?:(?:and|e|mas|but)\s)?(?:not|n[aã]o|em vez de|instead of)\s"
    rf"(?:(?:os|the|em|in)\s)?{_WITH_UNIT}\)?(?!\w)"
    rf"|{_ANY}(?P<unit>{_UNIT})?[\s,.;!–-]*+{_TAKES_BACK}(?P<meant>{_ANY}(?P<other>{_UNIT})?)(?!\w)"
    rf"|\b(?:not|n[aã]o)\s(?:(?:é|s[aã]o|os|the)\s)?{_WITH_UNIT}[\s,.;]+"
    rf"(?:(?:but|mas|é|s[aã]o|it['’]?s)\s)*(?P<meant>{_WITH_UNIT})(?!\w)",
    patterns.IGNORECASE,
)
"""A figure that takes the place of another one, and that one."""


def without_replaced_figures(text: str) -> str:
    """Return a text with the figure that is meant in the place of each one that it takes back: `87. oh no 82`."""
    return _REPLACED.sub(_meant, text)


def _meant(found: patterns.Match[str]) -> str:
    """Return the figure that is meant; one of another unit replaces none."""
    units = [fold(each).strip() for each in (found["unit"], found["other"]) if each]
    return found[0] if len(set(units)) > 1 else found["meant"]


def without_unmeant(element: Element, answer: str) -> str:
    """Return an answer to a question for a number without the numbers that are none of its own.

    These are an article before what is counted in hundreds, how tall the seller is, and a figure that they said
    before the one which is meant now; what says that a figure is near becomes `about`.
    """
    if element.kind != "number":
        return answer
    left = _COUNTED_REST.sub(lambda found: _rest_of_own(element, found), answer)
    left = _NEAR.sub("about ", _HEIGHT.sub(" ", left))
    if patterns.search(r"\d", _SAID_BEFORE.sub(" ", left)):
        left = _SAID_BEFORE.sub(" ", left)
    if element.unit is None or element.unit.en not in _MANY:
        return left
    units = unit_words(element.unit)
    return _AN_ARTICLE.sub(lambda found: "" if units.issuperset(tokens(found["what"])) else found[0], left)


def _rest_of_own(element: Element, found: patterns.Match[str]) -> str:
    """Return a clause on what is missing, with the number of the rest where the question counts these things."""
    missing = {*content(tokens(found["missing"]))} - _MISSING
    own = {*content(tokens(f"{element.label.pt} {element.label.en}"))} | unit_words(element.unit)
    is_other = any(not is_number(word) for word in missing) and own.isdisjoint(missing)
    return found["missing"] if is_other else found[0]


_MISSING = frozenset("falta faltam missing lost perdeu perdi perderam one uma um there is are".split())
_COUNTED_REST = patterns.compile(
    r"(?P<missing>\b(?:falta|faltam|missing|lost|perd(?:eu|i|eram))\b[^,.;!?\n]{0,60}"
    r"|(?<![^,.;!?\n])[^,.;!?\n]{1,60}\b(?:is|are|went) (?:missing|lost))"
    r"[,;]\s*(?:(?:e|and|so|agora|now|it|s[oó]|only|just|j[aá]|por isso|ent[aã]o)\s)*"
    r"(?:tem|traz|has|have|fic(?:a|am|aram)|rest(?:a|am|aram)|there are)\s(?:(?:s[oó]|only|just|apenas)\s)*"
    rf"{_ANY}(?:\sleft)?(?=\s*(?:$|[.,;!\n]))",
    patterns.IGNORECASE,
)
"""A thing that is missing, and the number of those that are left: `falta uma gaveta, só tem cinco`."""


def tells_unknown(element: Element, answer: str) -> bool:
    """Return whether a clause says that the seller does not know the figure which a question asks for: `km nao sei`."""
    own = own_words(element) | unit_words(element.unit) | _OF_FIGURES | FILLERS
    own |= _OF_DATES if element.kind == "date" else frozenset()
    said = [fold(" ".join(clause)) for clause in clauses(answer)]
    found = [(each, _UNKNOWN.search(each)) for each in said]
    return any(hit and own.issuperset(tokens(_UNKNOWN.sub(" ", each))) for each, hit in found)


def no_date(element: Element, answer: str) -> bool | None:
    """Return whether an answer that only dates the purchase of what was made says that the seller does not know when
    that was: `2020 is when I bought it, the date of manufacture I don't know`. None for any other answer.
    """
    parts = SENTENCES.split(answer) if element.kind == "date" else []
    told = [each for each in parts if any(map(str.isdigit, each)) or find_months(each)]
    said = [(each, tokens(each)) for each in told] if other_event(element) is BUYING else []
    is_bought = all(any(word.startswith(BUYING) for word in words) for _, words in said)
    is_made = any(word.startswith(MAKING) for _, words in said for word in words)
    if not said or is_made or not is_bought or any(len(YEAR.findall(each)) > 1 for each in told):
        return None
    return is_ignorant(answer) or tells_unknown(element, answer)
