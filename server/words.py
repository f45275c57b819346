"""The words of the interface in each language, read once from web/words."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from server import patterns
from server.bidi import strip_overrides
from server.languages import LANGUAGES, LOCALES, Language, known_language, nearest_language

MOST_ACCEPTED = 20
"""Languages of an `Accept-Language` that are looked at."""

FOLDER = Path(__file__).parents[1] / "web" / "words"


class Words:
    """Flat keys to sentences; a key without a sentence is shown as itself, so that a gap is seen and nothing breaks."""

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

        A sentence that counts (`{total}`) may have a singular, under the key with `.one`.
        """
        if values.get("total") in LOCALES[nearest_language(language)].singular and self.has(
            language, f"{key}.one"
        ):
            key = f"{key}.one"
        try:
            return self.say(language, key).format(**_plain(values)) if self.has(language, key) else ""
        except KeyError:
            return ""

    def has(self, language: str, key: str) -> bool:
        """Return whether there is a sentence for this key."""
        return key in self._texts[nearest_language(language)]

    def agent(self, language: str, name: str) -> str:
        """Return what people call an agent; one without words goes by its own name."""
        return self._texts[nearest_language(language)].get(f"agent.{name}") or readable(name)

    def translate(self, language: str, prefix: str, text: str) -> str:
        """Return a sentence in this language that was stored in any; a text that is no sentence stays as it is.

        `prefix` is what the sentence's key begins with. A sentence with values in it is not found.
        """
        for texts in self._texts.values():
            for key, known in texts.items():
                if known == text and key.startswith(prefix):
                    return self.say(language, key)
        return text

    def translations(self, *keys: str) -> list[dict[Language, str]]:
        """Return the sentence of each key in all languages."""
        return [{each: self._texts[each].get(key, key) for each in LANGUAGES} for key in keys]

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


def choose_language(
    remembered: str, accepted: str, otherwise: Language, offered: Sequence[Language] = LANGUAGES
) -> Language:
    """Choose one of the languages on offer.

    It is the one remembered, else the one that the browser accepts most gladly, else another, else the first on offer.
    """
    for each in (remembered, *_by_quality(accepted)):
        if (found := known_language(each)) is not None and found in offered:
            return found
    return otherwise if otherwise in offered else offered[0]


def _by_quality(accepted: str) -> list[str]:
    """Return the languages of an `Accept-Language`, the most wanted first; one of quality 0 is refused."""
    listed = [each.partition(";q=") for each in accepted.replace(" ", "").split(",")[:MOST_ACCEPTED]]
    weighed = [(_quality(quality), code) for code, _, quality in listed if code]
    return [code for quality, code in sorted(weighed, key=lambda each: -each[0]) if quality > 0]


def _quality(text: str) -> float:
    """Return a quality from 0 to 1; one that is none counts as 1, as if it were not there."""
    return float(text) if patterns.fullmatch(r"0(\.\d{0,3})?|1(\.0{0,3})?", text) else 1.0
