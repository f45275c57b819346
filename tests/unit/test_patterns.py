"""Each regular expression of the server ends on its own words, however often they are repeated.

A pattern that divides a text in two ways doubles its time with each repetition: what does not end here never would.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
import signal
from collections.abc import Iterator
from types import FrameType

import pytest

import server

ENDLESS_S = 5.0
"""Seconds after which a search has no end; the slowest takes a few milliseconds."""
TIMES = 30


class Endless(Exception):
    """A search has not ended."""


def found_in(value: object) -> Iterator[re.Pattern[str]]:
    """Yield the patterns of a module's variable, also those in its tuples, lists and dictionaries."""
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from found_in(each)


def patterns() -> dict[str, re.Pattern[str]]:
    """Return all of them by their texts."""
    named = [each.name for each in pkgutil.walk_packages(server.__path__, "server.")]
    modules = [
        importlib.import_module(each) for each in named if "migrations" not in each and "__main__" not in each
    ]
    values = [value for module in modules for value in vars(module).values()]
    return {each.pattern: each for value in values for each in found_in(value)}


def units_of(pattern: str) -> list[str]:
    """Return the words of a pattern, and the groups of words that stand in it as they are."""
    plain = re.sub(r"\\.|\(\?[:!=<]+", "|", pattern)
    return sorted({*re.findall(r"[a-z]+(?: [a-z]+)+", plain), *re.findall(r"[a-z]+", plain)})


def stop_searching(number: int, frame: FrameType | None) -> None:
    raise Endless


def is_endless(pattern: re.Pattern[str], unit: str) -> bool:
    """Return whether the pattern does not come to an end with this text, or with others that begin with a word."""
    signal.setitimer(signal.ITIMER_REAL, ENDLESS_S)
    try:
        for before in ("", f"{unit} ", "sim "):
            text = before + f"{unit} " * TIMES + "zzz"
            pattern.fullmatch(text)
            pattern.search(text)
    except Endless:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return False


@pytest.fixture
def _alarm() -> Iterator[None]:
    """Let an alarm interrupt a search."""
    before = signal.signal(signal.SIGALRM, stop_searching)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.mark.usefixtures("_alarm")
@pytest.mark.timeout(0)
def test_no_pattern_searches_its_own_words_without_end() -> None:
    known = patterns()
    assert len(known) > 300
    endless = [
        (text[:60], unit)
        for text, pattern in known.items()
        for unit in units_of(text)
        if is_endless(pattern, unit)
    ]
    assert endless == []


@pytest.mark.usefixtures("_alarm")
@pytest.mark.timeout(0)
def test_a_pattern_that_reads_words_in_two_ways_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.unit.test_patterns.ENDLESS_S", 0.3)
    twofold = re.compile(r"sim(?: (?:e|sim|e sim))*")
    assert "e sim" in units_of(twofold.pattern)
    assert is_endless(twofold, "e sim")
    assert not is_endless(re.compile(r"sim(?: (?:e|sim|e sim)\b)*+"), "e sim")
