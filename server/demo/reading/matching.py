"""The match of a text with offered names: typos, other genders and languages, ordinals, numbers, negations."""

from collections.abc import Sequence
from itertools import chain

from server import patterns
from server.demo.reading import MOST_LETTERS, PHRASES
from server.languages import fold
from server.remembered_texts import remember_short
from server.text_reading.words import matches
from server.text_reading.words.labels import UNITS, covers, lies_within, weakly_named
from server.text_reading.words.matches import Matches
from server.text_reading.words.sale_days import without_sale_days
from server.text_reading.words.sizes import figures_of, join_letters, quantity_meant, size_in, whole_size
from server.text_reading.words.typos import mend, near

CANON = {word: group.split()[0] for group in PHRASES["same"] for word in group.split()}
"""Words that mean the same, in all genders and both languages, to the first of them."""
COLOURS = frozenset(PHRASES["colours"])
_NEAR = [frozenset(group) for group in PHRASES["near"]]
_FILLERS, _SMALL = frozenset(PHRASES["fillers"]), frozenset(PHRASES["small"])
_ORDINAL = {word: int(place) for place, group in PHRASES["ordinals"].items() for word in group.split()}
_MOST, _LEAST = frozenset(PHRASES["most"]), frozenset(PHRASES["least"])
_READ = ("denied", "own_guess", "hedged", "denied_behind")
_NOT, _OWN_GUESS, _HEDGED, _NOT_BEHIND = (patterns.compile(PHRASES["patterns"][each]) for each in _READ)
_OF_A_COUNT = patterns.compile(PHRASES["patterns"]["of_a_count"], patterns.IGNORECASE)
"""A stretch of time or a thing of one's own, as in `a second` and `o meu primeiro`: no place in a list."""


@remember_short(80, 2_048)
@remember_short(MOST_LETTERS, 64)
def tidy(text: str) -> str:
    """Return the text in small letters, without accents, numbers apart from their units, decimals whole."""
    joined = patterns.sub(r"(\d)[.,](\d)", r"\1_\2", join_letters(text))
    for words, figure in PHRASES["spelled"].items():
        if words in joined.casefold():
            joined = joined.casefold().replace(words, figure)
    return patterns.sub(r"(\d)(gb|tb|mm|cm|kg|l)\b", r"\1 \2", fold(joined).replace("wi fi", "wifi"))


def tokens(text: str) -> list[str]:
    """Return the words of a text, each as the first of those that mean the same."""
    return [CANON.get(word, word) for word in tidy(text).replace("meia noite", "meia-noite").split()]


def content(text: str) -> list[str]:
    """Return the words that may name something."""
    return [word for word in tokens(text) if word not in _FILLERS]


def without_denied(text: str) -> tuple[str, str]:
    """Return the text without what it denies ("nao e preto, e azul"), and what that was."""
    first, *others = patterns.split(r"[,.;!](?!\d)", text := _HEDGED.sub(" ", text))
    if others and tidy(first) in {"nao", "no", "nope"}:
        is_guess = _OWN_GUESS.match(" , ".join(map(tidy, others)))  # `no, that's a vacuum. Mine is …`
        return ",".join(others[1:] if is_guess else others), ""
    folded = " , ".join(_NOT_BEHIND.sub(r"nao \g<what>", tidy(each)) for each in (first, *others))
    denied = [match["what"] for match in _NOT.finditer(folded) if match["what"] not in _FILLERS]
    rest = patterns.sub(r"(?<=\d)_(?=\d)", ".", _NOT.sub(" ", folded))
    return (rest if denied else text), " ".join(denied)


@remember_short(40, 4_096)
def _mend_colour(word: str) -> str:
    """Return a mistyped colour as the colour it is: same first letter, nearly the same others."""
    known = word in CANON or word in _SMALL
    return word if known else CANON.get(mend(word, CANON), word)


def _spell_size(text: str, labels: Sequence[str], *, alone: bool) -> str:
    """Return what a text says as a size in words, where labels are such as `M`: beside "size", or `alone`."""
    said = without_denied(text)[0] if "M" in labels else ""
    letter = size_in(fold(said)) or (whole_size(" ".join(content(said))) if alone else "")
    return f"{'' if alone else 'tamanho '}{letter}" if letter else text


def match(text: str, labels: Sequence[str]) -> Matches:
    """Compare the words of the text with those of each label."""
    said, _ = without_denied(text := _spell_size(text, labels, alone=True))
    size, whole = figures_of(said), (tidy(text), tidy(said))
    if exact := [i for i, e in enumerate(labels) if tidy(e) in whole or (size and size <= figures_of(e))]:
        return Matches(tuple(exact))
    if not (words := [_mend_colour(word) for word in dict.fromkeys(content(said))]):
        return Matches()
    named = [content(label) or tokens(label) for label in labels]
    likely = [*near(words, chain(*named)), *UNITS.intersection(words)]
    strong = [i for i, label in enumerate(named) if covers(label, likely)]
    strong = [i for i in strong if not any(lies_within(named[i], named[j]) for j in strong if j != i)]
    weak = [] if strong else weakly_named(words, likely, named, _NEAR)
    return Matches(tuple(strong), tuple(weak))


def ordinal(text: str, count: int) -> int | None:
    """Return the position that the text names ("o segundo", "the last one", "2"), if there is such a one."""
    rest = [word for word in tidy(text).split() if word not in _FILLERS]
    if len(rest) != 1 or _OF_A_COUNT.search(text):
        return None
    return matches.place_of(rest[0], count, _ORDINAL)


def pick(text: str, labels: Sequence[str]) -> Matches:
    """Pick by name first, so that "128" is a size and not a position; then as the largest or smallest, or by place."""
    found = match(text, labels)
    if found.one is not None and (found.strong or not tidy(text).isdigit()):
        return found
    place = quantity_meant(text, [*map(tidy, labels)], _MOST, _LEAST)
    position = ordinal(text, len(labels)) if place is None else place
    return Matches((position,)) if position is not None and not found.strong and found.one is None else found


def fact(text: str, labels: Sequence[str], ignore: str = "") -> int | None:
    """Return the one label that the text surely states; `ignore` is the product's name, whose numbers say nothing."""
    ignored, named = set(tokens(ignore)), [tokens(label) for label in labels]
    said, denied = without_denied(_spell_size(without_sale_days(text), labels, alone=False))
    words = [word for word in tokens(said) if word not in ignored]
    gone = set(tokens(denied))
    kept = [(i, label) for i, label in enumerate(named) if not gone.intersection(label)]
    found = [i for i, label in kept if matches.states_label(label, words, _FILLERS)]
    found = [i for i in found if not any(lies_within(named[i], named[j]) for j in found if j != i)]
    return found[0] if len(found) == 1 else None
