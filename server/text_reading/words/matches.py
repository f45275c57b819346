"""The labels that a text may name: those that it names whole, and those of which it names a part."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from server import patterns
from server.text_reading.words.typos import SHORT, alike

SURELY_A_SIZE = 16
"""From this figure on a number of gigabytes needs no unit."""


@dataclass(frozen=True)
class Matches:
    """The labels that the text may name: strong names whole labels, weak only parts of them."""

    strong: tuple[int, ...] = ()
    weak: tuple[int, ...] = ()

    @property
    def one(self) -> int | None:
        """Return the only sensible label, if there is one."""
        best = self.strong or self.weak
        return best[0] if len(best) == 1 else None

    @property
    def several(self) -> tuple[int, ...]:
        """Return the labels among which the text does not decide."""
        best = self.strong or self.weak
        return best if len(best) > 1 else ()


def place_of(word: str, count: int, places: Mapping[str, int]) -> int | None:
    """Return the place among so many that a word names by a figure, or as one of `places`, mistyped or not."""
    index = count // 2 if word in ("meio", "middle") and count % 2 else places.get(word)
    figure = word.lstrip("0")  # Thousands of digits make no `int`.
    if index is None and figure.isdecimal() and len(figure) <= len(str(count)) and int(figure) <= count:
        index = int(figure) - 1
    if index is None:
        near = (like for like in places if abs(len(like) - len(word)) <= 1)  # `latest` is not `last`.
        index = next((places[like] for like in near if len(word) > SHORT and alike(like, word)), None)
    return None if index is None or not -count <= index < count else index % count


def states_label(label: Sequence[str], words: Sequence[str], fillers: Container[str]) -> bool:
    """Return whether all words of the label, or its numbers together (18-55), are there; a size alone from 16 on."""
    if all(len(word) == 1 and not word.isdigit() for word in label):
        return any(f" {word} {label[0]} " in f" {' '.join(words)} " for word in ("tamanho", "size"))
    joined, said = f" {' '.join(label)} ", f" {' '.join(words)} "
    if joined in said:
        return True
    if list(label[1:]) == ["gb"] and label[0].isdecimal() and int(label[0]) >= SURELY_A_SIZE:
        return label[0] in words and f" {label[0]} tb " not in said
    numbers = [word for word in label if word.isdigit()]
    if len(numbers) > 1 and f" {' '.join(numbers)} " in said:
        return True
    significant = [word for word in label if word not in fillers]
    return len(significant) > 1 and all(word in words for word in significant)


def deny_lacking(text: str, labels: Iterable[str]) -> str:
    """Return a text that denies what it says an item is without, where no label says that: `sem leitor`."""
    return text if any(_LACKING.search(each) for each in labels) else _LACKING.sub("not", text)


_LACKING = patterns.compile(r"\b(?:sem|without)\b", patterns.IGNORECASE)
