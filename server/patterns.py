"""This module compiles the patterns that read what people and models write: each search ends in bounded time.

`re` of the standard library has no limit: a pattern that divides a text in two ways doubles its time with each word,
and the process does nothing else meanwhile. The package regex breaks a search off. Its patterns are written the same
way, and the functions here are called as those of `re`.

A pattern is compiled when it is first searched with: the thousand of the modules take more than a second, and most
commands need few of them. A server compiles the rest beside its work (`compile_next`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from time import thread_time
from typing import Any, TypeVar
from weakref import WeakSet

import regex
from regex import ASCII, DOTALL, IGNORECASE, MULTILINE, VERBOSE, Match, error, escape

from server.errors import Limit

__all__ = [
    "ASCII",
    "DOTALL",
    "IGNORECASE",
    "MULTILINE",
    "SEARCH_S",
    "VERBOSE",
    "Match",
    "Pattern",
    "SearchTooLong",
    "compile",
    "compile_next",
    "error",
    "escape",
    "findall",
    "fullmatch",
    "match",
    "search",
    "split",
    "sub",
]

SEARCH_S = 0.1
"""Seconds after which a search of a short text is broken off; the slowest of the longest message takes 0.02."""
LETTER_S = 5e-6
"""Seconds more that a search has for each letter: a pattern that reads a text once takes less."""
WORD = 12
"""Letters up to which a text is searched without a time: it cannot take long, and the clock costs more than that."""
MOST_COMPILED = 512
"""Patterns given as texts that are kept compiled."""
_MOST_LOGGED = 60
"""Characters of a pattern that an error keeps for the log."""
_OWN_PART = 0.9
"""The part of the time that a search has computed itself when it is broken off; the clocks differ by a few percent."""


Found = TypeVar("Found")


class SearchTooLong(Limit):
    """A pattern has not ended on a text in its time; what read the text has no result."""

    def __init__(self, pattern: str) -> None:
        """Keep the beginning of the `pattern` for the log, and nothing of the text."""
        super().__init__()
        self.pattern = pattern[:_MOST_LOGGED]


class Pattern:
    """A pattern: its functions are those of `re.Pattern`, and raise `SearchTooLong`, or `error` where it is none."""

    __slots__ = ("__weakref__", "_compiled", "flags", "pattern")

    def __init__(self, pattern: str, flags: int = 0) -> None:
        """Keep `pattern` with flags of this module; it is compiled when it is first needed."""
        self.pattern = pattern
        self.flags = flags
        self._compiled: regex.Pattern[str] | None = None
        _uncompiled.add(self)

    def check(self) -> None:
        """Compile the pattern now; raises `error` where the text is none."""
        _ = self.regex

    @property
    def regex(self) -> regex.Pattern[str]:
        """Return the pattern of the package; raises `error` where the text is none."""
        if self._compiled is None:
            self._compiled = regex.compile(self.pattern, self.flags)
            _uncompiled.discard(self)
        return self._compiled

    @property
    def groups(self) -> int:
        """Count the groups of the pattern."""
        return self.regex.groups

    def search(self, text: str, start: int | None = None, end: int | None = None) -> Match[str] | None:
        """Return the first match in a text, from `start` and up to `end`."""
        return self._run(self.regex.search, text, text, start, end)

    def match(self, text: str, start: int | None = None, end: int | None = None) -> Match[str] | None:
        """Return the match that begins where the text does, or at `start`."""
        return self._run(self.regex.match, text, text, start, end)

    def fullmatch(self, text: str, start: int | None = None, end: int | None = None) -> Match[str] | None:
        """Return the match that is the whole text."""
        return self._run(self.regex.fullmatch, text, text, start, end)

    def sub(self, new: str | Callable[[Match[str]], str], text: str, count: int = 0) -> str:
        """Return a text with each match, or the first `count`, replaced."""
        return self._run(self.regex.sub, text, new, text, count)

    def split(self, text: str, maxsplit: int = 0) -> list[str]:
        """Return the parts of a text between the matches, or between the first `maxsplit`."""
        return self._run(self.regex.split, text, text, maxsplit)

    def findall(self, text: str) -> list[Any]:
        """Return all matches as `re.findall` does: the texts, or their groups."""
        return self._run(self.regex.findall, text, text)

    def finditer(self, text: str, start: int | None = None, end: int | None = None) -> Iterator[Match[str]]:
        """Return all matches: they are found before the first is given, so that no reader's time counts."""

        def find_all(timeout: float | None = None) -> list[Match[str]]:
            return [*self.regex.finditer(text, start, end, timeout=timeout)]

        return iter(self._run(find_all, text))

    def _run(self, find: Callable[..., Found], text: str, *arguments: object) -> Found:
        """Return what is found in the text's time.

        regex counts what all threads of the process compute meanwhile. Where others have used the time up, the search
        begins again with twice of it: it is broken off once this thread has computed for its time.
        """
        if len(text) <= WORD:
            return find(*arguments)
        own = timeout = SEARCH_S + LETTER_S * len(text)
        while True:
            began = thread_time()
            try:
                return find(*arguments, timeout=timeout)
            except TimeoutError:
                if thread_time() - began >= own * _OWN_PART:
                    raise SearchTooLong(self.pattern) from None
                timeout *= 2


compile = Pattern
_uncompiled: WeakSet[Pattern] = WeakSet()


def compile_next() -> bool:
    """Compile one pattern that no search has needed yet, in at most 0.03 s; return whether there was one.

    A text that is no pattern is left out: its own search raises the error.
    """
    try:
        pattern = _uncompiled.pop()
    except KeyError:
        return False
    with suppress(error):
        pattern.check()
    return True


_keep = lru_cache(MOST_COMPILED)(Pattern)


def search(pattern: str, text: str, flags: int = 0) -> Match[str] | None:
    """Return the first match of a pattern in a text."""
    return _keep(pattern, flags).search(text)


def match(pattern: str, text: str, flags: int = 0) -> Match[str] | None:
    """Return the match with which a text begins."""
    return _keep(pattern, flags).match(text)


def fullmatch(pattern: str, text: str, flags: int = 0) -> Match[str] | None:
    """Return the match that is the whole text."""
    return _keep(pattern, flags).fullmatch(text)


def sub(pattern: str, new: str | Callable[[Match[str]], str], text: str, flags: int = 0) -> str:
    """Return a text with each match replaced."""
    return _keep(pattern, flags).sub(new, text)


def split(pattern: str, text: str, maxsplit: int = 0) -> list[str]:
    """Return the parts of a text between the matches, or between the first `maxsplit`."""
    return _keep(pattern).split(text, maxsplit)


def findall(pattern: str, text: str) -> list[Any]:
    """Return all matches as `re.findall` does: the texts, or their groups."""
    return _keep(pattern).findall(text)
