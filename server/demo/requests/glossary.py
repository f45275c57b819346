"""The glossary of catalog words in the languages of the demo model."""

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

from server.demo.requests.clauses import stem
from server.languages import fold

_FILE = Path(__file__).with_name("glossary.json")


@cache
def entries() -> list[dict[str, str]]:
    """Return the entries: by language, in small letters except where a language writes a capital."""
    found: list[dict[str, str]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def entries_from(source: str, target: str) -> dict[str, str]:
    """Return what each folded text of a language is in another one; the first entry of a text holds."""
    return _entries_from(source, target) if {source, target} <= _languages() else {}


@cache
def _languages() -> frozenset[str]:
    return frozenset(language for each in entries() for language in each)


@cache
def _entries_from(source: str, target: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in entries():
        if source in each and target in each:
            found.setdefault(fold(each[source]), each[target])
    return found


def forms_of(text: str) -> set[str]:
    """Return a text with its forms in the other languages, where it is an entry."""
    return {text} | _forms().get(stem(fold(text)), set())


@cache
def _forms() -> dict[str, set[str]]:
    """Return the words of the entries, by the stem of each of them."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for each in entries():
        for word in each.values():
            found[stem(fold(word))] |= set(each.values())
    return dict(found)
