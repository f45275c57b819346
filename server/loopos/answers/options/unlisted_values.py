"""Values of an option that the catalog does not have: a size of its kind, what a message calls the item, `none`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import log

from server import patterns
from server.languages import fold
from server.loopos.answers.certainty import BARE_YES, NEGATIONS, asks, content
from server.loopos.answers.words import is_unknown, tokens
from server.text_reading.words.sizes import lone_size

_LONGEST = 200
"""So many characters of a message say that it is none of the values, or another one."""
_OF = (
    r"(?: (?:of (?:the )?)?(?:these|those|them|above|options|values|colou?rs|sizes)| (?:d?[ao]s? )?"
    r"(?:d?est[ea]s|d?ess[ea]s|d?aquel[ea]s|del[ea]s|opcoes|cores|tamanhos|valores|de estos|de estas|de esos|de esas|"
    r"de ellos|de ellas|de ces \w+|d entre eux|d entre elles|davon|von diesen|von denen))"
)
_NONE = patterns.compile(
    rf"\b(?:none|neither|not any|nenhum[a]?|ningun[oa]?|aucune?|kein(?:e[rs]?|s)?){_OF}\b|"
    r"\b(?:(?:it|mine|that)(?: i)?s? )?not (?:listed|(?:in|on) (?:the|this|your) list|one of (?:these|those|them))\b|"
    r"\bnem (?:uma?|ess[ea]|est[ea]) nem (?:[oa] )?outr[oa]\b|\bneither one nor the other\b|"
    r"\bnot (?:the )?one (?:n?or|and not) the other\b|"
    r"\b(?:isn t|is not|aren t) (?:any|either|one)(?: of (?:these|those|them))\b|"
    r"\bnao e nada d(?:isso|isto|esses|estes|essas|estas)\b|"
    r"\b(?:nao (?:esta|aparece|vem)|no esta|no aparece) (?:ai |aqui )?(?:na lista|nas opcoes|en la lista)\b|"
    r"\b(?:(?:don ?['’]?t|do not|can ?['’]?t|cannot) (?:see|find)|nao (?:a |o )?(?:vejo|encontro))(?: \w+){0,3}? "
    r"(?:(?:on|in) (?:the|this|your) (?:list|options)|na lista|nas opcoes)\b"
)
"""What says that it is none of several values, in folded text."""
_NONE_ALONE = patterns.compile(
    r"(?:(?:no|nope|nah|nop|na|nao|oh|hmm|well|sorry|desculpe|it is|its|it s|e|es|is|ist|c est|sim|yes|mas|but) )*+"
    r"(?:none|neither|nenhuma?|ningun[oa]|aucune?|keine[rs]?)(?: (?:sorry|desculpe|really|mesmo))?"
)
_LEADS = r"(?:(?:e|is|it['’]?s|its|em|in|na)\s(?:an?\s|uma?\s|de\s)?|(?:^|[,.;:!]\s*)(?:an?\s|uma?\s)?)"
_COLOURED = patterns.compile(
    rf"{_LEADS}(?:cor de (?!(?:origem|fabrica|sempre|serie|que|quem)\b)(?P<said>[^\W\d]+(?: (?:clar|escur)\w+)?)"
    r"|(?!(?:same|different|other|what|which)\b)(?P<said>(?:(?:light|dark|pale) )?[^\W\d]+)[ -]colou?red)\b"
)
"""A colour that is named after a thing, in folded text: `cor de mel clarinho`, `oatmeal coloured`."""
_IS_SO = patterns.compile(
    r"(?:(?:the|my|o|a|meu|minha) )?(?:\w+ )?(?:it is|it ?['’]?s|its|is|are|e|sao)(?: (?:an?|um|uma|em|in))?"
    r" (?P<value>[^\W\d]\w*(?: \w+)?)"
)
"""A clause that says what a thing is, in folded text: `the cover is oatmeal`."""
_ENDS = patterns.compile(r"[,.;:!\n]+(?=\s|$)|\s(?:but|mas|and)\s")
_LED = patterns.compile(
    r"(?:(?:no|nao|nope|well|actually|afinal|sorry|desculpe|but|mas) )*+"
    r"(?:it is|it s|its|is|mine is|mine s|mines|this (?:one )?is|e|(?:o meu|a minha) e|o meu|a minha|sao)"
    r"(?: (?:an?|the|um|uma|o|a|de|da|do|com|with|in|em))*+ (?P<value>[^\W_]\w*(?: \w+){0,2})"
)
"""What leads to a value that is the whole message, in folded text."""
_BLANKS = frozenset("one ones cor colour color version edition versao edicao kind model modelo".split())
_MOST_WORDS = 2
_QUANTITY = patterns.compile(
    r"(?<![\w.,])(?P<number>\d{1,5}(?:[.,]\d)?)\s?(?P<unit>gb|tb|gigas?|gigabytes?|gigs?|teras?|terabytes?)\b",
    patterns.IGNORECASE,
)
_BARE = patterns.compile(r"(?<![\w.,€$£/-])(?P<number>32|64|128|256|512)(?![\w.,€%/-]|\s*[€%x])")
_VALUE = patterns.compile(r"(?P<number>\d+(?:[.,]\d+)?) ?(?P<unit>gb|tb)(?: \w+)?", patterns.IGNORECASE)
_OF_PRICE = patterns.compile(
    r"\b(?:for|por|at|a|asking|quero|want|peco|preco|price|paguei|paid|cost|custou|only|so)\s+$",
    patterns.IGNORECASE,
)
_BEHIND = patterns.compile(
    r"\s*(?:eur|euros?|paus|quid|pounds|dollars|mah|mm|cm|kg|meses|months|anos|years|ciclos|cycles|cards?|ram)\b",
    patterns.IGNORECASE,
)
_CARD = frozenset("card cards cartao cartoes microsd sd pen usb pendrive disco externo".split())
_BETWEEN = patterns.compile(r"[,;:!?\n]+|\.(?=\s|$)|\b(?:with|com|and|e|plus|mais)\b", patterns.IGNORECASE)


def says_none(message: str) -> bool:
    """Return whether a message says that it is none of the values that were shown."""
    said = fold(message[:_LONGEST])
    return bool(_NONE.search(said) or _NONE_ALONE.fullmatch(said))


def named_colour(message: str) -> str:
    """Return the colour that a message names after a thing, in folded words: `cor de mel clarinho`."""
    found = _COLOURED.search(message[: 10 * _LONGEST].casefold().translate(_FLAT))
    return found["said"] if found else ""


_FLAT = str.maketrans("áàâãéêíóôõúç", "aaaaeeiooouc")


def value_beside_none(message: str) -> str:
    """Return what a message calls the item that also says that it is none of the values, in folded words."""
    if not says_none(message):
        return ""
    for clause in _ENDS.split(message[:_LONGEST]):
        found = None if says_none(clause) else _IS_SO.fullmatch(fold(clause))
        said = content(tokens(found["value"])) if found else []
        if found and said and NEGATIONS.isdisjoint(said):
            return found["value"]
    return ""


def named_value(message: str) -> str:
    """Return what a short message that is asked for a value calls the item, in folded words: `mine is lilac`."""
    found = _LED.fullmatch(fold(message[:_LONGEST])) if len(message) <= _LONGEST else None
    if found is None or asks(message) or is_unknown(message) or says_none(message):
        return ""
    said = [each for each in content(tokens(found["value"])) if each not in _BLANKS | BARE_YES]
    return found["value"] if said and len(said) <= _MOST_WORDS and NEGATIONS.isdisjoint(said) else ""


def unlisted_size(
    values: Sequence[str],
    others: Iterable[Sequence[str]],
    names: frozenset[str],
    message: str,
    *,
    is_asked: bool,
) -> str:
    """Return the storage of a message, as written, that is none of the values of an option; empty without one.

    `others` are the values of the other options, one of which may be meant, and `names` the words of the product. A
    number alone is one where the option is asked, or where it is a power of two that no price and no unit is beside.
    """
    own = _gigabytes(values)
    if not own:
        return _whole_size(values, message) if is_asked else ""
    groups = [group for each in others if (group := _gigabytes(each))]
    said = list(_sizes_in(message, names, is_asked=is_asked))
    if any(size in group for _, size in said for group in (own, *groups)):
        said = [each for each in said if not any(each[1] in group for group in (own, *groups))]
        if any(size in own for _, size in _sizes_in(message, names, is_asked=is_asked)):
            return ""
    found = (
        text
        for text, size in said
        if is_asked or all(_distance(own, size) < _distance(each, size) for each in groups)
    )
    return next(found, "")


def _distance(group: set[float], size: float) -> float:
    """Return how far a storage is from the nearest of a group, as the logarithm of their ratio."""
    return min(abs(log(size / each)) for each in group)


def _gigabytes(values: Sequence[str]) -> set[float]:
    """Return the storages that all the values of an option are; nothing where one is something else."""
    found = [_VALUE.fullmatch(each.strip()) for each in values]
    return {_in_gigabytes(each["number"], each["unit"]) for each in found if each} if all(found) else set()


def _in_gigabytes(number: str, unit: str) -> float:
    return float(number.replace(",", ".")) * (1024 if unit.casefold().startswith("t") else 1)


def _sizes_in(message: str, names: frozenset[str], *, is_asked: bool) -> Iterator[tuple[str, float]]:
    """Yield the storages of a message as written, with their gigabytes, without those of a card that comes along."""
    for part in _BETWEEN.split(message[: 10 * _LONGEST]):
        if not is_asked and not _CARD.isdisjoint(tokens(part)):
            continue
        for found in _QUANTITY.finditer(part):
            if (size := _in_gigabytes(found["number"], found["unit"])) > 0 and not _BEHIND.match(
                part[found.end() :]
            ):
                yield found[0], size
        for found in _BARE.finditer(part):
            before, behind = part[: found.start()], part[found.end() :]
            is_size = not (
                _QUANTITY.match(found[0] + behind) or _BEHIND.match(behind) or _OF_PRICE.search(before)
            )
            if is_size and found["number"] not in names:
                yield found[0], float(found["number"])
    if is_asked and (number := _lone_number(message)):
        yield number, float(number)


def _lone_number(message: str) -> str:
    """Return the number that is all that a message says."""
    said = [each for each in content(tokens(message[:_LONGEST])) if each not in _BLANKS | BARE_YES]
    is_one = len(said) == 1 and said[0].isdecimal() and len(said[0]) <= 5 and int(said[0]) > 0  # noqa: PLR2004
    return said[0] if is_one else ""


def _whole_size(values: Sequence[str], message: str) -> str:
    """Return the letter or the number that is all of a message, where the values have such ones and not this."""
    words = {word for each in values for word in tokens(each)}
    letter = lone_size("", fold(message[:_LONGEST]))
    if letter and letter.casefold() not in words and not words.isdisjoint(("s", "m", "l")):
        return letter
    number = _lone_number(message)
    has_numbers = any(each.isdecimal() for each in words) and len(values) > 1
    return number if number and has_numbers and number not in words and int(number) > len(values) else ""
