"""The texts of LoopOS in the languages beside Portuguese and English, by their English text.

A file is a language. A text that is not in it is shown in English: a catalog may have texts without a translation.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from server.languages import LANGUAGES, READ, Language

TRANSLATIONS: dict[str, dict[str, str]] = {
    each.stem: json.loads(each.read_text(encoding="utf-8")) for each in Path(__file__).parent.glob("*.json")
}


def translation_of(english: str, language: Language) -> str:
    """Return an English text in another language; where it has no translation, the text itself."""
    return TRANSLATIONS.get(language, {}).get(english, english)


def in_all_languages(pt: str, en: str) -> dict[Language, str]:
    """Return a text of the catalog in each language."""
    return {"pt": pt, "en": en, **{each: translation_of(en, each) for each in LANGUAGES if each not in READ}}


def texts_within(data: Any) -> Iterator[dict[Language, str]]:
    """Yield the texts in what a data file holds, each in all languages: objects of `pt` and `en`, and maybe others."""
    if isinstance(data, dict) and {"pt", "en"} <= data.keys() <= set(LANGUAGES):
        yield {**in_all_languages(data["pt"], data["en"]), **data}
        return
    within = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    for each in within:
        yield from texts_within(each)
