"""The demo model's translation: a glossary of catalog words; what it does not know stays and is said to."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from server.demo.requests.given import GivenRequest
from server.languages import fold

_FILE = Path(__file__).with_name("glossary.json")


@cache
def _glossary() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def answer(given: GivenRequest) -> dict[str, Any]:
    """Translate each text into each language by the glossary."""
    source = _short(given.request["source_locale"])
    texts = [
        {"locale": locale, "key": key, "text": translate(text, source, _short(locale))}
        for locale in given.request["target_locales"]
        for key, text in given.request["data"].items()
    ]
    return {"texts": texts}


def _short(locale: str) -> str:
    return re.split("[-_]", locale.lower())[0]


def translate(text: str, source: str, target: str) -> str:
    """Return the whole text's entry, else the words that have one, else the text as it is."""
    if source == target:
        return text
    known = {fold(each[source]): each[target] for each in _glossary() if source in each and target in each}
    whole = known.get(fold(text))
    if whole is not None:
        return _cased(whole, text)

    def word(found: re.Match[str]) -> str:
        entry = known.get(fold(found[0]))
        return found[0] if entry is None else _cased(entry, found[0])

    return re.sub(r"[^\W\d_]{2,}", word, text)


def _cased(entry: str, like: str) -> str:
    """Write an entry with a capital where the text has one."""
    return entry[:1].upper() + entry[1:] if like[:1].isupper() else entry
