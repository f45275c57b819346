"""The words of the interface in each language, read once from web/words."""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from server.bidi import strip_overrides
from server.languages import LANGUAGES, Language, nearest_language

FOLDER = Path(__file__).parents[1] / "web" / "words"


class Words:
    """Flat keys to sentences; a key nobody wrote is shown as itself, so that a gap is seen and nothing breaks."""

    def __init__(self, folder: Path) -> None:
        self._texts: dict[str, Mapping[str, str]] = {
            language: json.loads((folder / f"{language}.json").read_text(encoding="utf-8"))
            for language in LANGUAGES
        }

    def say(self, language: str, key: str, **values: object) -> str:
        """Return the sentence of a key; `{name}` in it is replaced by the value of that name."""
        text = self._texts[nearest_language(language)].get(key)
        if text is None:
            return key
        return text.format(**_plain(values)) if values else text

    def fill(self, language: str, key: str, values: Mapping[str, object]) -> str:
        """Return the sentence when it exists and every value it names is there, else nothing.

        A sentence that counts (`{total}`) may have a form of its own for one, under the key with `.one`.
        """
        if values.get("total") == 1 and self.has(language, f"{key}.one"):
            return self.say(language, f"{key}.one")
        try:
            return self.say(language, key).format(**_plain(values)) if self.has(language, key) else ""
        except KeyError:
            return ""

    def has(self, language: str, key: str) -> bool:
        """Whether there is a sentence for this key."""
        return key in self._texts[nearest_language(language)]

    def agent(self, language: str, name: str) -> str:
        """Return what people call an agent; one that nobody found words for goes by its own name."""
        return self._texts[nearest_language(language)].get(f"agent.{name}") or readable(name)

    def all(self, language: str, *prefixes: str) -> dict[str, str]:
        """Return the sentences whose keys begin with one of the prefixes, for the page's scripts."""
        texts = self._texts[nearest_language(language)]
        return {key: text for key, text in texts.items() if key.startswith(prefixes)}


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    """Return the values without what turns the words after them around."""
    return {
        name: strip_overrides(value) if isinstance(value, str) else value for name, value in values.items()
    }


@lru_cache(maxsize=1)
def _load_shipped() -> Words:
    return Words(FOLDER)


def readable(name: str) -> str:
    """Return the name of an agent or a tool as it stands in a sentence: `estimate_repair` is *Estimate repair*."""
    return name.replace("_", " ").capitalize()


def say(key: str, language: str, **values: object) -> str:
    """Return a sentence of the shipped words, for what is written on the server and stored in its language."""
    return _load_shipped().say(language, key, **values)


def failure_sentence(code: str | None, language: str) -> str:
    """Return the sentence that people read for a run that failed with this code."""
    key = f"run.failed.{code}"
    return say(key if _load_shipped().has(language, key) else "run.failed", language)


def ended_sentence(code: str, language: str) -> str | None:
    """Return the sentence for an answer that this code ended though its run goes on; None where there is none."""
    key = f"answer.ended.{code}"
    return say(key, language) if _load_shipped().has(language, key) else None


def chat_refusal(code: str, language: str) -> str | None:
    """Return the sentence by which a chat says why a message was refused; None where the code has none."""
    key = f"chat.refused.{code}"
    return say(key, language) if _load_shipped().has(language, key) else None


def choose_language(remembered: str, accepted: str, otherwise: Language) -> Language:
    """Choose a language: the one remembered, else the first that the browser accepts and we have, else another."""
    for each in (remembered, *accepted.split(",")):
        short = each.strip()[:2].lower()
        if (found := next((known for known in LANGUAGES if known == short), None)) is not None:
            return found
    return otherwise
