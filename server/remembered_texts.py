"""Results that are remembered by their text: bounded by the size of what is kept, since a text may be long."""

import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from threading import Lock
from typing import TypeVar

T = TypeVar("T")


def remember_short(letters: int, most: int) -> Callable[[Callable[..., T]], Callable[..., T]]:
    """Remember the results for the `most` newest texts of up to `letters` characters; a longer one is read anew.

    The text is the first argument; the others are hashable.
    """

    def decorate(function: Callable[..., T]) -> Callable[..., T]:
        kept = lru_cache(maxsize=most)(function)

        @wraps(function)
        def read(text: str, *others: Hashable) -> T:
            return (kept if len(text) <= letters else function)(text, *others)

        return read

    return decorate


class RememberedTexts:
    """Texts that a function made of others: the newest, as many as fit in a number of bytes."""

    def __init__(self, function: Callable[..., str], most_bytes: int) -> None:
        """Remember what `function` returns, with its arguments, up to `most_bytes` in all."""
        self._function, self._most = function, most_bytes
        self._kept: OrderedDict[tuple[Hashable, ...], str] = OrderedDict()
        self._lock = Lock()
        self.bytes = 0
        """The size of the texts that are kept, those they were made of included."""
        self.made = 0
        """How many texts were made."""

    def __call__(self, text: str, *others: Hashable) -> str:
        """Return the text that is made of this one; the other arguments are few and short."""
        found = self.find(text, *others)
        return found if found is not None else self.keep(self._function(text, *others), text, *others)

    def find(self, text: str, *others: Hashable) -> str | None:
        """Return what is remembered of this text; None where it has to be made."""
        key = (text, *others)
        with self._lock:
            if (found := self._kept.get(key)) is not None:
                self._kept.move_to_end(key)
            return found

    def keep(self, made: str, text: str, *others: Hashable) -> str:
        """Remember what was made of a text as the function makes it, and return it."""
        key = (text, *others)
        with self._lock:
            self.made += 1
            if key not in self._kept:
                self.bytes += _size(text, made)
            self._kept[key] = made
            while self.bytes > self._most:
                (oldest, *_), drawn = self._kept.popitem(last=False)
                self.bytes -= _size(str(oldest), drawn)
        return made


def _size(text: str, made: str) -> int:
    return sys.getsizeof(text) + sys.getsizeof(made)
