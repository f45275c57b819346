"""The options that a message names beside other things, and the one that it says plainly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from server import patterns
from server.loopos.answers.amounts.deal_words import SIZE_UNITS, is_dealing, is_wish, picks, spell_signs
from server.loopos.answers.amounts.numbers import MOST_DIGITS
from server.loopos.answers.certainty import (
    BARE_YES,
    MARKERS,
    NEGATIONS,
    SMALL,
    asks,
    is_like,
    plain_words,
    spell_is,
)
from server.loopos.answers.element import Element, ElementOption
from server.loopos.answers.options.synonyms import phrases
from server.loopos.answers.words import is_number, tokens
from server.text_reading.words.sizes import SIZE_NAMES, SIZES

_CLAUSE = patterns.compile(
    r"(?<!\d)[,.](?!\d)|(?<=\D)[,.]|[,.](?=\s|$)|[;:!\n—–()]|(?=\b(?:sem|without)\b)|(?<=\?)"
)
_AND, _WITH = frozenset("e and".split()), frozenset("com with".split())
_JOINTS = _AND | {"que", "that", "which"}
_OTHER_UNITS = frozenset(
    "euro euros eur paus dollars pounds mm cm m pol polegadas inch inches ano anos mes meses dia dias year years month "
    "percent months day days vezes times mil mah mp hz kg w v tb ram".split()
)
_GIGA_WORDS = frozenset("giga gigas gig gigs gigabyte gigabytes".split())
_SURELY_A_SIZE = 16
"""From this number on `de 128` is a storage and no count."""
_OPENING = frozenset(
    "vender vendo venda vende sell selling sale get got rid of desfazer me pra vou ir estou ando am going trying try "
    "looking to usado usada novo nova new old velho velha antigo antiga desbloqueado unlocked "
    "espera espere wait ups ah oh fui ver errei digo actually como like bom boa muito good very great excelente "
    "excellent impecavel perfeito perfect estado condition works working funciona".split()
)
_PARTS = {"memory": frozenset({"ram"}), "storage": frozenset("ssd hdd nvme disk disco".split())}
"""Words that say, behind a size, of which option it is, by the English words of its label."""
_PROCESSOR = patterns.compile(
    r"\b(?:intel\s+)?(?:core\s+)?i[3579](?:-\d{4,5}\w{0,2})?\b|\bryzen(?:\s[3579])?\b", patterns.IGNORECASE
)
"""The processor of a computer, which says nothing of its other parts."""
OTHER_THINGS = frozenset("he she they seu sua on".split())
"""Beside these a value is of the things of others, or of what is on the item."""
_ACCOUNTED = (SMALL | BARE_YES | _OPENING) - OTHER_THINGS
_KNOWN = _ACCOUNTED | MARKERS
_BRIDGE = frozenset("de of d com with e and".split())
"""Words that may stand between the name of the product and a number that belongs to it, as in `iPhone 12 de 128`."""
_BEFORE_LETTER = frozenset(
    "e is its ser s be sou to para um uma o a an the not nao but mas sim actually afinal really".split()
)
"""Words before a letter that is a size, in a message that says what it is about."""
_WRONG = frozenset(
    "wrong incorrect mal errado errada enganei mistake mude muda mudar altere corrija troque".split()
)
"""Words that call a value wrong; beside none they say nothing of one."""
_PRODUCT = "="
"""The placeholder for the words of the product's name."""


@dataclass(frozen=True, slots=True)
class SideRemark:
    """Words of a seller beside the value of one option that say nothing of it."""

    product: str = ""
    """Its name and its brand."""
    others: tuple[str, ...] = ()
    """Its category, and the names and values of its other option types."""


@dataclass(slots=True)
class _Place:
    """An option that a clause names: its words, where they stand, and whether a number lacks its unit."""

    option: ElementOption
    own: list[str]
    start: int
    lacks_unit: bool

    @property
    def end(self) -> int:
        return self.start + len(self.own)


@dataclass(slots=True)
class _Part:
    """The words between two joints of a clause, and the joint before them."""

    joint: str
    words: list[str] = field(default_factory=list)
    named: list[_Place] = field(default_factory=list)
    is_accounted: bool = False
    is_plain: bool = False


class NamedOptions:
    """The options that a message names.

    The value is plain where every word of its part is accounted for, and every word before it, unless its part says
    the product's name. A number without its unit is one where an option's question is open (`is_open`), behind the
    product's name or another value, or beside the name of the option.
    """

    def __init__(
        self, element: Element, message: str, beside: SideRemark, language: str, *, is_open: bool = False
    ) -> None:
        self._element, self._is_open = element, is_open
        self._labels = set(tokens(f"{element.label.pt} {element.label.en}"))
        own = {name for name in _PARTS if name in self._labels}
        self._labels.update(*(_PARTS[name] for name in own))
        self._elsewhere = frozenset[str]().union(*(_PARTS[name] for name in _PARTS.keys() - own))
        self._product = set(tokens(beside.product)) - SMALL
        self._others = [tokens(each) for each in beside.others]
        values = [tokens(each) for option in element.options for each in phrases(element, option)]
        said = {word for words in (*self._others, *values) for word in words}
        is_computer = not said.isdisjoint(_PARTS) or bool(own)
        self._said = said | self._labels | SIZE_UNITS
        self._said |= self._elsewhere if is_computer else set()
        self._values = self._said - SMALL
        self._known: dict[str, bool] = {}
        self.found: list[ElementOption] = []
        self.denied: list[ElementOption] = []
        self._plain: list[ElementOption] = []
        self._doubtful = is_wish(message) and not (is_open and picks(message))
        self._has_letters = any(len(option.label.en) == 1 for option in element.options)
        self._names_size = not SIZE_NAMES.isdisjoint(self._labels & set(tokens(message)))
        is_clear = True
        for clause in filter(None, _CLAUSE.split(_PROCESSOR.sub(" ", spell_signs(message)))):
            is_clear = self._read(clause, language, is_clear)
        is_single = not self._doubtful and len({each.value for each in self._plain}) == 1
        self.plain = self._plain[0] if is_single and self._plain[0] not in self.denied else None
        """The option that the message says plainly, and no other."""

    def _read(self, clause: str, language: str, is_clear: bool) -> bool:
        """Add the options of a clause; return whether everything up to its end is accounted for."""
        said = plain_words(spell_is(clause), language)
        words = [_PRODUCT if word in self._product else word for word in said]
        words = [SIZES.get(word, word) for word in words] if self._has_letters else _with_units(words)
        is_size = self._names_size and all(
            len(word) == 1 or word in _WRONG or self._accounts_for(word) for word in words
        )
        places = _places(self._element, words, is_size=is_size)
        places = [each for each in places if self._elsewhere.isdisjoint(words[each.end : each.end + 1])]
        parts = _split(words, places)
        for part in parts:
            part.is_accounted = all(
                self._accounts_for(word) or (word in _WRONG and not part.named) for word in part.words
            )
            is_clear = part.is_accounted and (is_clear or _PRODUCT in part.words)
            part.is_plain = is_clear
        contrast = _contrast(words, places)
        for at, part in enumerate(parts):
            following = parts[at + 1] if at + 1 < len(parts) else None
            for place in part.named:
                around = words if contrast is None or place.start > contrast else words[:contrast]
                markers = [word for word in around if word in MARKERS and word not in place.own]
                self.found.append(place.option)
                if NEGATIONS.intersection(markers) and not _is_of_what_follows(around, place):
                    self.denied.append(place.option)
                elif markers or asks(clause):
                    self._doubtful = True
                elif part.is_plain and not _may_continue(following) and self._is_sure(place, part, words):
                    self._plain.append(place.option)
        return is_clear

    def _accounts_for(self, word: str) -> bool:
        return word == _PRODUCT or word in _KNOWN or word in self._said or self._is_value(word)

    def _is_sure(self, place: _Place, part: _Part, words: list[str]) -> bool:
        """Return whether the words can only be the value: no price, no exchange and no other option's value."""
        if is_dealing(part.words, lacks_unit=place.lacks_unit):
            return False
        if part.joint == "with" and part.words[0] in ("a", "an") and not is_number(place.own[0]):
            return False
        if not self._labels.isdisjoint(part.words):
            return True
        if any(len(each) == len(place.own) and all(map(is_like, place.own, each)) for each in self._others):
            return False
        return not place.lacks_unit or self._is_open or self._follows_the_name(words, place.start)

    def _follows_the_name(self, words: list[str], start: int) -> bool:
        """Return whether only joints stand between the number and the product's name or another value before it."""
        before = reversed(words[:start])
        last = next((word for word in before if word not in _BRIDGE), "")
        return last == _PRODUCT or self._is_value(last)

    def _is_value(self, word: str) -> bool:
        """Return whether the word is of a value or an option type, and is no number."""
        if word not in self._known:
            is_word = bool(word) and not is_number(word)
            self._known[word] = is_word and any(is_like(word, each) for each in self._values)
        return self._known[word]


def _is_of_what_follows(words: list[str], place: _Place) -> bool:
    """Return whether all denials stand behind the value and behind a joint: `a black one that I never use`."""
    denials = [at for at, word in enumerate(words) if word in NEGATIONS and word not in place.own]
    first = min(denials, default=place.end)
    return first >= place.end and not _JOINTS.isdisjoint(words[place.end : first])


def _contrast(words: list[str], places: list[_Place]) -> int | None:
    """Return the place of the only denial of a clause, if it denies what follows at once and not the value before it.

    `256 e não 128` and `256 not 128` say the first and deny the second.
    """
    denials = [at for at, word in enumerate(words) if word in NEGATIONS]
    if len(denials) != 1:
        return None
    at = denials[0]
    after = at + 1 + (words[at + 1 : at + 2] in (["o"], ["a"], ["de"], ["the"], ["ser"]))
    is_contrast = any(place.start == after for place in places) and any(place.end <= at for place in places)
    return at if is_contrast else None


def _may_continue(following: _Part | None) -> bool:
    """Return whether the value may belong to a thing that is named behind the joint, as in `black and white case`."""
    return following is not None and following.joint == "and" and not following.is_accounted


def _split(words: list[str], places: list[_Place]) -> list[_Part]:
    """Return the parts of a clause between `e`, `and`, `com` and `with`, which split no value that has one of them."""
    inside = {at for place in places for at in range(place.start, place.end)}
    parts = [_Part("")]
    for at, word in enumerate(words):
        if at not in inside and word in _AND | _WITH:
            parts.append(_Part(word))
        else:
            parts[-1].words.append(word)
            parts[-1].named += [place for place in places if place.start == at]
    return parts


def _places(element: Element, words: list[str], *, is_size: bool) -> list[_Place]:
    """Return the options whose words the clause says one after the other, without those within a longer one.

    `is_size` says that a letter of the clause can only be a size.
    """
    said, begun = set(words), {word[0] for word in words}
    found = [
        place
        for option in element.options
        for wanted in _wanted_of(phrases(element, option))
        if wanted and wanted[0][0] in begun  # Words that are alike begin with the same letter.
        for place in _place(option, words, said, wanted, is_size)
    ]
    return [
        each
        for each in found
        if not any(
            other.option is not each.option
            and other.start <= each.start
            and each.end <= other.end
            and len(other.own) > len(each.own)
            for other in found
        )
    ]


@lru_cache(maxsize=2_048)
def _wanted_of(said: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the words of each phrase, once each."""
    return tuple(dict.fromkeys(tuple(tokens(each)) for each in said))


def _place(
    option: ElementOption, words: list[str], said: set[str], wanted: Sequence[str], is_size: bool
) -> list[_Place]:
    """Return the place of these words in the clause. A size may lack its unit, where the words are surely a size."""
    if len(option.label.en) == 1:
        letters = _places_of_letter(words, wanted[0], is_size) if len(wanted[0]) == 1 else []
        return [_Place(option, list(wanted), at, False) for at in letters]
    starts = range(len(words) - len(wanted) + 1)
    firsts = {word for word in said if is_like(word, wanted[0])}
    whole = [
        at
        for at in starts
        if words[at] in firsts and all(map(is_like, words[at + 1 : at + len(wanted)], wanted[1:]))
    ]
    if whole:
        return [_Place(option, words[at : at + len(wanted)], at, False) for at in whole]
    if len(wanted) != 2 or wanted[1] not in SIZE_UNITS or not is_number(wanted[0]):  # noqa: PLR2004
        return []
    sizes = [at for at, word in enumerate(words) if word == wanted[0]]
    if int(wanted[0].partition(".")[0][:MOST_DIGITS]) < _SURELY_A_SIZE:
        of_memory = [at for at in sizes if "ram" in words[at + 1 : at + 3]]
        return [_Place(option, [words[at]], at, False) for at in of_memory]
    lone = [
        at
        for at in sizes
        if not _OTHER_UNITS.intersection([*words[at + 1 : at + 2], *{*words[at - 1 : at]} - {"ram"}])
    ]
    return [_Place(option, [words[at]], at, True) for at in lone]


def _with_units(words: list[str]) -> list[str]:
    """Return words with the unit of a storage for what is said for it behind a number: `8 gigas`, and no `4 g`."""
    pairs = list(zip(["", *words], words, strict=False))
    return ["gb" if before and _says_giga(before, word) else word for before, word in pairs]


def _says_giga(number: str, word: str) -> bool:
    figures = number.partition(".")[0][:MOST_DIGITS]
    is_size = figures.isdecimal() and (word in _GIGA_WORDS or int(figures) >= _SURELY_A_SIZE)
    return is_size and word in _GIGA_WORDS | {"g"}


def _places_of_letter(words: list[str], letter: str, is_size: bool) -> list[int]:
    """Return the places where a letter such as `M` is a size: behind the word for it, before it or where it must be."""
    found = [at for at, word in enumerate(words) if word == letter]
    beside = [at for at in found if (at and words[at - 1] in SIZE_NAMES) or words[at + 1 : at + 2] in _NEXT]
    sure = [at for at in found if at == 0 or words[at - 1] in _BEFORE_LETTER]
    return beside or (sure if is_size else [])


_NEXT = [[name] for name in ("size", "frame")]
