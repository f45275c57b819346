"""Corrections of the side of a thing that was told before: `sorry, it's the left one` to `the right joycon drifts`."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from server import patterns
from server.languages import fold

MOST_LETTERS = 500
"""A longer message is no correction of a side."""
_MOST_WORDS = 14
_BORDERS = patterns.compile(
    r"[,.;:!?\n()]+\s*|(?<!\s)\s+(?:and|e|but|mas)\s+(?!(?:not|n[aã]o)\b)|(?<!\s)\s+-\s+", patterns.IGNORECASE
)
_MARKS = frozenset(
    "sorry actually mistake correction oops meant wrong wrongly typo desculpa desculpe desculpem afinal alias enganei "
    "engano correcao verdade errei queria quero perdao digo ups "
    "looked checked reparei vi".split()
)
"""Words by which a message corrects an older one."""
_STOP = _MARKS | frozenset(
    "oh ah no wait hm hmm it its s is was are the one ones a an that thats which i im mean my made said say saying "
    "side hand on at of in fact not by so is hang espera nao e era sao esta o os as do da dos das de na nos nas lado "
    "que eu dizer disse me peco minha meu foi isso instead vez em yes yeah sim just now again agora melhor so".split()
)
"""Words of a correction that name nothing."""
_OPENING = frozenset("no nao wait espera".split())
"""Words by which a message takes something back where a side follows."""
_DENIES = frozenset(("not", "nao"))
_IS_SIDE = patterns.compile(
    r"\b(?:the|on|at|my|not|sorry|it['’]?s) (?:right|left|front|back|rear|top|bottom)\b|"
    r"\b(?:meant?|wait|its|it['’]s) (?:right|left|front|back|rear|top|bottom)\b|^\W*(?:left|front|rear|bottom)\W*$|"
    r"\b(?:right|left|front|back|rear|top|bottom) (?:one|side|hand|not)\b|[^\W\d_]*(?:esquerd|direit)[oa]s?|"
    r"\b(?:tr[aá]s|atr[aá]s|frente|cima|baixo|superior|inferior|upper|lower)\b",
    patterns.IGNORECASE,
)
"""A side that stands alone, and is no verb or praise: `it's the left`, not `that's right`."""


@dataclass(frozen=True)
class _Side:
    """A side of a thing: its words, and how the words of the other side become these."""

    words: patterns.Pattern
    swaps: tuple[tuple[patterns.Pattern, str], ...]

    def put_into(self, text: str) -> str:
        """Return a text with this side in the place of the other one."""
        for other, own in self.swaps:
            text = other.sub(own, text)
        return text


def _side(words: str, *swaps: tuple[str, str]) -> _Side:
    compiled = tuple((patterns.compile(rf"\b{other}", patterns.IGNORECASE), own) for other, own in swaps)
    return _Side(patterns.compile(rf"\b(?:{words})\b", patterns.IGNORECASE), compiled)


_ENDING = r"(?=[oa]s?\b)"
_SIDES = (
    _side("left", (r"right\b", "left")),
    _side("right", (r"left\b", "right")),
    _side("front", (r"(?:rear|back)\b", "front")),
    _side("rear|back", (r"front\b", "rear")),
    _side("top", (r"bottom\b", "top")),
    _side("bottom", (r"top\b", "bottom")),
    _side("upper", (r"lower\b", "upper")),
    _side("lower", (r"upper\b", "lower")),
    _side("esquerd[oa]s?", (f"direit{_ENDING}", "esquerd")),
    _side("direit[oa]s?", (f"esquerd{_ENDING}", "direit")),
    _side(
        "frente|dianteir[oa]s?",
        (r"de tr[aá]s\b", "da frente"),
        (r"atr[aá]s\b", "à frente"),
        (f"traseir{_ENDING}", "dianteir"),
    ),
    _side(
        "a?tr[aá]s|traseir[oa]s?",
        (r"da frente\b", "de trás"),
        (r"[àa] frente\b", "atrás"),
        (f"dianteir{_ENDING}", "traseir"),
    ),
    _side("cima", (r"baixo\b", "cima")),
    _side("baixo", (r"cima\b", "baixo")),
    _side("superior(?:es)?", (r"inferior(?=(?:es)?\b)", "superior")),
    _side("inferior(?:es)?", (r"superior(?=(?:es)?\b)", "inferior")),
)


@dataclass(frozen=True)
class SideCorrection:
    """What a message puts right: the clause that an older one told, and the rest of the message."""

    told: str
    right: str
    rest: str
    """The message without the words that correct."""
    side: _Side

    def put_right(self, text: str) -> str:
        """Return a text with the right side in those of its clauses that only tell what was told."""
        known, out, last = _content(self.told), list[str](), 0
        for start, end in _parts(text):
            part = text[start:end]
            is_it = _content(part) and _content(part) <= known
            out += [text[last:start], self.side.put_into(part) if is_it else part]
            last = end
        return "".join(out) + text[last:]


@lru_cache(maxsize=512)
def side_correction(message: str, *earlier: str) -> SideCorrection | None:
    """Return what a message corrects of its own beginning or of earlier messages, the newest first; None where nothing.

    It says that it corrects (`sorry`, `not the right one`) and names nothing that the older clause does not name.
    """
    if len(message) > MOST_LETTERS or not any(each.words.search(message) for each in _SIDES):
        return None
    parts = _parts(message)
    words = [_words(message[start:end]) for start, end in parts]
    mere = [_is_mere(each) for each in words]
    for at, (start, end) in enumerate(parts):
        part, said = message[start:end], set(words[at])
        side = None if mere[at] else _named_side(part)
        marked = [each for each in (at - 1, at + 1) if 0 <= each < len(parts) and mere[each]]
        is_marked = bool(marked) or not _MARKS.isdisjoint(said) or words[at][0] in _OPENING
        if side is None or not (is_marked or _is_contrast(side, part)) or len(said) > _MOST_WORDS:
            continue
        told = _told_clause(side, part, (message[:start], *earlier))
        if told is None:
            continue
        first = parts[_first_mere(mere, at)][0]
        last = parts[marked[-1]][1] if marked and marked[-1] > at else end
        left = (message[:first].strip(" ,;:-"), message[last:].strip(" ,.;:!-"))
        rest = " ".join(filter(None, left)) if left[0][-1:] in ".!?\n" else ", ".join(filter(None, left))
        return SideCorrection(told, side.put_into(told), rest.strip(" ,;"), side)
    return None


def with_sides_put_right(messages: Sequence[str]) -> list[str]:
    """Return messages, the newest first, with the sides that newer ones put right, and without the words for that."""
    found, right = list[SideCorrection](), list[str]()
    for at, message in enumerate(messages):
        correction = side_correction(message, *messages[at + 1 :])
        found += [correction] if correction else []
        text = correction.rest if correction else message
        for each in found:
            text = each.put_right(text)
        right.append(text)
    return right


def _parts(text: str) -> list[tuple[int, int]]:
    """Return where each clause of a text begins and ends."""
    found, start = list[tuple[int, int]](), 0
    for border in _BORDERS.finditer(text):
        found.append((start, border.start()))
        start = border.end()
    return [each for each in [*found, (start, len(text))] if text[slice(*each)].strip()]


def _words(text: str) -> list[str]:
    return fold(text).replace("'", "").split()


def _content(text: str) -> set[str]:
    """Return the words of a text that name something, but for its sides."""
    return {e for e in _words(text) if e not in _STOP and not any(side.words.fullmatch(e) for side in _SIDES)}


def _is_mere(words: Sequence[str]) -> bool:
    """Return whether a clause only says that something is put right, or denies a side: `not the right one`."""
    said = {each for each in words if not any(side.words.fullmatch(each) for side in _SIDES)}
    is_denial = len(said) < len(set(words)) and words[0] in _DENIES
    is_mark = len(said) == len(set(words)) and not said.isdisjoint(_MARKS | _OPENING)
    return said <= _STOP and (is_denial or is_mark)


def _first_mere(mere: Sequence[bool], at: int) -> int:
    """Return the first of the clauses right before this one that only say that something is put right."""
    while at and mere[at - 1]:
        at -= 1
    return at


def _named_side(part: str) -> _Side | None:
    """Return the one side that a clause names; of two the one before a denial, or behind `not the right one`."""
    found = [(each.words.search(part), each) for each in _SIDES]
    places = sorted((each.start(), at) for at, (each, _) in enumerate(found) if each)
    if not places or len(places) > 2:  # noqa: PLR2004  # a side and the one that it takes the place of
        return None
    if len(places) == 1:
        return found[places[0][1]][1]
    denial = _DENIAL.search(part)
    if denial is None:
        return None
    is_first = denial.start() > places[0][0]
    return found[places[0 if is_first else 1][1]][1]


_DENIAL = patterns.compile(r"\b(?:not|n[aã]o|instead of|em vez d[eoa])\b", patterns.IGNORECASE)


def _is_contrast(side: _Side, part: str) -> bool:
    """Return whether a clause names a side and denies the other one."""
    return _DENIAL.search(part) is not None and side.put_into(part) != part


def _told_clause(side: _Side, part: str, texts: Sequence[str]) -> str | None:
    """Return the newest clause that tells of the other side of what this clause names."""
    named = _content(part)
    if not (named or _IS_SIDE.search(part)):
        return None
    for text in texts:
        for start, end in reversed(_parts(text)):
            clause = text[start:end]
            if side.put_into(clause) != clause and _content(clause) and named <= _content(clause):
                return clause
    return None
