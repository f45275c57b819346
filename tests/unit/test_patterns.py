"""Each regular expression of the server ends: its search has a time, and its own words, repeated, do not use it up."""

from __future__ import annotations

import hashlib
import importlib
import pkgutil
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import server
from server import patterns
from server.patterns import Pattern, SearchTooLong
from tests.parts.sampled import is_whole, one_of

TIMES = 24
"""So many words make 16 million ways of a pattern that reads each in two, and no long search of one that does not."""
OWN_FILES = {
    "html/files/bundles.py",
    "html/files/page_files.py",
    "settings.py",
}
"""Modules whose patterns read what stands in the tree, or what the operator writes."""
BYTES = {
    "http/hardened.py",
    "http/request_log.py",
    "images/picture_files.py",
    "mcp/stdio.py",
}
"""Modules with patterns of bytes, each of which reads a byte once."""
SLOW = r"(?:(?:a|aa)b?)*$"
"""It reads letters in two ways, and doubles its time with each."""


def found_in(value: object) -> Iterator[Pattern]:
    """Yield the patterns of a module's variable, also those in its tuples, lists and dictionaries."""
    if isinstance(value, Pattern):
        yield value
    elif isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from found_in(each)


def all_patterns() -> dict[str, Pattern]:
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


def is_endless(pattern: Pattern, unit: str) -> bool:
    """Return whether a search is broken off with this text, or with one that begins with another word."""
    try:
        for before in ("", "sim "):
            text = before + f"{unit} " * TIMES + "zzz"
            pattern.fullmatch(text)
            pattern.search(text)
    except SearchTooLong:
        return True
    return False


def test_a_pattern_is_compiled_by_its_first_search_and_its_fault_is_told_there() -> None:
    with pytest.MonkeyPatch.context() as patch:
        asked: list[str] = []
        patch.setattr(
            patterns.regex, "compile", lambda text, flags: asked.append(text) or re.compile(text, flags)
        )
        pattern = patterns.compile("b+")
        assert asked == []
        assert [pattern.findall("abb ab"), pattern.findall("b")] == [["bb", "b"], ["b"]]
        assert asked == ["b+"]
    with pytest.raises(patterns.error):
        patterns.compile("(").search("a")


def test_the_rest_is_compiled_though_one_is_no_pattern() -> None:
    wrong, right = patterns.compile("("), patterns.compile("a")
    while patterns.compile_next():
        pass
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(patterns.regex, "compile")
        assert right.search("a")
    with pytest.raises(patterns.error):
        wrong.search("a")


@pytest.mark.timeout(0)
def test_no_pattern_searches_its_own_words_without_end() -> None:
    """`make test` searches with each sixth."""
    known = all_patterns()
    assert len(known) > 300
    tried = sorted(known.items())[:: 1 if is_whole() else 6]
    endless = [
        (text[:60], unit) for text, pattern in tried for unit in units_of(text) if is_endless(pattern, unit)
    ]
    assert endless == []


def test_a_pattern_that_reads_words_in_two_ways_is_found() -> None:
    assert is_endless(patterns.compile(r"sim(?: (?:e|sim|e sim))*"), "e sim")
    assert not is_endless(patterns.compile(r"sim(?: (?:e|sim|e sim)\b)*+"), "e sim")


USES: list[Callable[[str], object]] = [
    patterns.compile(SLOW).search,
    patterns.compile(SLOW).match,
    patterns.compile(SLOW).fullmatch,
    patterns.compile(SLOW).findall,
    patterns.compile(SLOW).finditer,
    patterns.compile(SLOW).split,
    lambda text: patterns.compile(SLOW).sub("", text),
    lambda text: patterns.search(SLOW, text),
    lambda text: patterns.match(SLOW, text),
    lambda text: patterns.fullmatch(SLOW, text),
    lambda text: patterns.findall(SLOW, text),
    lambda text: patterns.split(SLOW, text),
    lambda text: patterns.sub(SLOW, "", text),
]


@pytest.mark.parametrize("use", one_of(3, USES))
def test_a_search_that_would_not_end_is_broken_off(use: Callable[[str], object]) -> None:
    with pytest.raises(SearchTooLong) as raised:
        use("a" * 100 + "!")
    assert (raised.value.code, raised.value.pattern) == ("limit", SLOW)
    assert "aaa" not in str(raised.value)


def test_a_search_has_more_time_for_a_longer_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text of a megabyte that is read once is none that does not end."""
    monkeypatch.setattr(patterns, "SEARCH_S", 0.0)
    text = "word " * 200_000
    assert len(patterns.findall(r"\w+", text)) == 200_000
    monkeypatch.setattr(patterns, "LETTER_S", 0.0)
    with pytest.raises(SearchTooLong):
        patterns.findall(r"\w+", text)


def test_a_word_is_searched_without_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "SEARCH_S", 0.0)
    monkeypatch.setattr(patterns, "LETTER_S", 0.0)
    word = "a" * patterns.WORD
    assert patterns.search(SLOW, word[1:] + "!") is not None
    with pytest.raises(SearchTooLong):
        patterns.search(r"(?:(?:a|aa)b?)*!x", word * 100 + "!")


def test_no_time_of_a_reader_counts_as_time_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = patterns.compile(r"\w+").finditer("one two three")
    monkeypatch.setattr(patterns, "SEARCH_S", -1.0)
    assert [each[0] for each in matches] == ["one", "two", "three"]


def test_what_others_write_is_read_by_patterns_that_end() -> None:
    """The `re` of the standard library has no time: only modules that read our own files, or bytes, use it."""
    root = Path(server.__file__).parent
    users = {
        str(path.relative_to(root))
        for path in root.rglob("*.py")
        if re.search(
            r"^(?:import re\b|from re import|import regex|from regex import)", path.read_text(), re.MULTILINE
        )
    }
    assert users == OWN_FILES | BYTES | {"patterns.py"}


def test_what_other_threads_compute_meanwhile_ends_no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """regex counts the computing of the whole process: a picture that is read beside it would end an honest search."""
    reads, stopped = patterns.compile(SLOW), threading.Event()
    text = next(
        each for each in ("a" * count + "!" for count in range(16, 60)) if _computing(reads, each) > 0.05
    )
    # Beside others the same search computes up to three times as long: they share its core and its cache.
    monkeypatch.setattr(patterns, "SEARCH_S", 6 * _computing(reads, text))

    def compute() -> None:
        while not stopped.is_set():
            hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 50_000)  # Other threads compute meanwhile.

    others = [threading.Thread(target=compute) for _ in range(8)]
    for each in others:
        each.start()
    try:
        assert [reads.match(text) for _ in range(2)] == [None] * 2
        with pytest.raises(SearchTooLong):
            reads.match("a" * 100 + "!")
    finally:
        stopped.set()
        for each in others:
            each.join()


def _computing(reads: Pattern, text: str) -> float:
    """Return the seconds that a search computes."""
    began = time.thread_time()
    reads.match(text)
    return time.thread_time() - began
