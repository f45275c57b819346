"""An answer to a form as people read it, and the sentence for what is wrong with it."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from server.languages import LOCALES, Language, format_number, nearest_language
from server.protocol.forms import Fault
from server.words import Words, say


def answer_text(value: Any, field: Mapping[str, Any], language: str, words: Words) -> str:
    """Return an answer to one field of an `ask` block: its label, a yes or a no, a day, a number, or the words."""
    short = nearest_language(language)
    for choice in field.get("choices", ()):
        if choice["value"] == value:
            return str(choice["label"])
    if isinstance(value, bool):
        return words.say(short, "choice.yes" if value else "choice.no")
    if isinstance(value, float):
        return str(value).replace(".", LOCALES[short].decimal)
    if field.get("input") == "date":
        return _day(str(value), short)
    return str(value)


def fault_sentence(fault: Fault, language: str) -> str:
    """Return what is wrong with an answer as one sentence, after the name of its field and a colon when it is one's."""
    short = nearest_language(language)
    shown = {
        name: _day(value, short) if isinstance(value, str) else format_number(value, short)
        for name, value in fault.values.items()
    }
    sentence = say(f"ask.error.{fault.key}", short, **shown)
    return f"{fault.name}: {sentence}" if fault.name else sentence


def _day(text: str, language: Language) -> str:
    """Return a day of ISO 8601 as it is written in the language; anything else as it is."""
    try:
        return dt.date.fromisoformat(text).strftime(LOCALES[language].day)
    except ValueError:
        return text
