"""The texts of LoopOS in the languages beside Portuguese and English, by their English text.

A file is a language. A text that is not in it is shown in English: a catalog may have texts without a translation.
"""

import json
from pathlib import Path

from server.languages import Language

TRANSLATIONS: dict[str, dict[str, str]] = {
    each.stem: json.loads(each.read_text(encoding="utf-8")) for each in Path(__file__).parent.glob("*.json")
}


def translation_of(english: str, language: Language) -> str:
    """Return an English text in another language; where it has no translation, the text itself."""
    return TRANSLATIONS.get(language, {}).get(english, english)
