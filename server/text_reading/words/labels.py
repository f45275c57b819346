"""The words of a label beside those of a text: which it has, and which another label has too."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from server import patterns
from server.text_reading.words.typos import SHORT, alike

UNITS = frozenset({"gb", "tb"})
"""Units that a text may leave out."""
_SIZES = frozenset({"16", "32", "64", "128", "256", "512"})
"""Numbers that are the size of a memory rather than a model."""
_PROCESSOR = patterns.compile("i[3579]")


def has_word(words: Iterable[str], word: str) -> bool:
    """Return whether one of the words is like another."""
    return any(alike(each, word) for each in words)


def covers(wanted: Sequence[str], words: Sequence[str]) -> bool:
    """Return whether the label has every wanted word. A unit may be left out."""
    needed = [word for word in wanted if word not in UNITS] or list(wanted)
    units = UNITS.intersection(wanted)
    other = UNITS & set(words) - units if units else set()
    return not other and all(has_word(words, word) for word in needed)


def lies_within(inner: Sequence[str], outer: Sequence[str]) -> bool:
    """Return whether a longer label has all words of this one."""
    return len(inner) < len(outer) and all(has_word(outer, word) for word in inner)


def weakly_named(
    words: Sequence[str], likely: Sequence[str], named: Sequence[list[str]], near: Iterable[frozenset[str]]
) -> list[int]:
    """Return the labels that have all the words of the text, else its numbers, else something near them."""
    found = [i for i, label in enumerate(named) if covers(words, label)]
    if not found:
        numbers = [word for word in words if word[0].isdigit()]
        found = [i for i, label in enumerate(named) if numbers and set(numbers) <= set(label)]
    if not found:
        known = [word for word in likely if any(has_word(label, word) for label in named)]
        found = [i for i, label in enumerate(named) if known and covers(known, label)]
    if not found:
        groups = [group for group in near if group & set(words)]
        found = [i for i, label in enumerate(named) if any(group & set(label) for group in groups)]
    return found


def names_all(words: Sequence[str], wanted: Iterable[str], same: Mapping[str, str]) -> bool:
    """Return whether the words have each wanted one, or one that means the `same`; a long one may be written apart."""
    return all(
        (len(word) >= SHORT and word in "".join(words))
        or any(alike(each, same.get(word, word)) or each == word for each in words)
        for word in wanted
    )


def lacks_figures(figures: Sequence[str], named: Sequence[Sequence[str]]) -> bool:
    """Return whether no label has one of these words with a figure, or each label has only longer ones: `a52s`."""
    if any(not any(word in "".join(words) for words in named) for word in figures):
        return True
    return all(
        any(each.startswith(word) and each.removeprefix(word).isalpha() for each in words for word in figures)
        for words in named
    )


def model_words(said: Iterable[str], own: Sequence[str], variants: frozenset[str]) -> list[str]:
    """Return the numbers and variants that are not among a name's `own` words, and that are no size or processor."""
    digits = {1, *map(len, patterns.findall(r"\d+", " ".join(own)))}
    left = [each for each in said if each not in own and not _PROCESSOR.fullmatch(each)]
    left = [each for each in left if len(each) < SHORT - 1 or not any(one.endswith(each) for one in own)]
    left = [each for each in left if not each.isdecimal() or (len(each) in digits and each not in _SIZES)]
    return [each for each in left if each in variants or any(map(str.isdigit, each))]


_VARIANTS = frozenset("pro max mini plus lite ultra fe air slim oled".split())
"""Words of a name that make another model; `max` alone adds to one."""


def sibling_name(name: str, said: Sequence[str], usual: Collection[str]) -> str:
    """Return the name of another model of a product's family, where words say its variant alone, or nothing.

    Of an iPhone 12 mini `pro` says `iPhone 12 pro`, and `12 normal` says `iPhone 12`.
    """
    kept = [each for each in name.split() if each.casefold() not in _VARIANTS]
    more = [each for each in said if each in _VARIANTS]
    is_alone = all(each in usual or each in _VARIANTS or each in kept for each in said)
    says = (
        is_alone
        and more != ["max"]
        and len(kept) < len(name.split())
        and (more or not {*said}.isdisjoint(usual))
    )
    other = " ".join([*kept, *more])
    return other if says and other.casefold() != name.casefold() else ""


_IN_UNIT = patterns.compile(
    r"\b\d{1,4} ?(?:gb|tb|gigas?|gigs|mm|cm|inch(?:es)?|polegadas)\b", patterns.IGNORECASE
)


def tells_size(text: str) -> bool:
    """Return whether a text tells a size in its unit, which is no name of a product: `é o de 16 GB`."""
    return _IN_UNIT.search(text) is not None


def plain_label(named: Sequence[set[str]], denied: set[str], variants: frozenset[str]) -> int | None:
    """Return the place of the one label that lacks the denied words and the variants; None where there is no one.

    The denied words have to be words of the labels. Of several that are left, one has only words that all have.
    """
    if not denied <= set[str]().union(*named):
        return None
    left = [place for place, own in enumerate(named) if not denied & own and not own & variants]
    plain = [place for place in left if all(named[place] <= named[other] for other in left)]
    return plain[0] if len(plain) == 1 < len(named) else None


def label_with_most(words: Sequence[str], labels: Sequence[Sequence[str]]) -> int | None:
    """Return the place of the one label that has more of the words than each other; None where there is no one."""
    scores = [sum(has_word(label, word) for word in words) for label in labels]
    best = [place for place, score in enumerate(scores) if score == max(scores) > 0]
    return best[0] if len(best) == 1 else None


def join_listed(names: Sequence[str], word: str) -> str:
    """Join names in a sentence: "A, B ou C" with the word "ou"."""
    *first, last = names or ("",)
    return f"{', '.join(first)} {word} {last}" if first else last
