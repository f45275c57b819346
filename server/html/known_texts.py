"""Texts that blocks show, each in all its languages: a reader sees a stored block in the language of the page."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from server.languages import Language

Known = Mapping[Language, str]
"""One text in each language that has it; `{name}` in it stands for a value."""

_HEADINGS = ("legend", "tag", "message", "title")
"""The members that say what a block is about; the first that a block has decides whether the block is known."""
_SHOWN = frozenset({*_HEADINGS, "hint", "error", "label", "note", "text", "next_steps", "suggestions"})
"""The members that people read."""
_VALUE = re.compile(r"\{\w+\}")
MOST_CACHED = 4096
_SHORTEST_FRAME = 4
"""A text with values is recognised by at least so many characters beside them."""


class KnownTexts:
    """Finds a stored text in any language and returns it in the language of the reader."""

    def __init__(self, texts: Iterable[Known] = ()) -> None:
        self._whole: dict[str, list[Known]] = {}
        self._framed: list[tuple[Known, dict[Language, re.Pattern[str]]]] = []
        for each in texts:
            if any(_VALUE.search(text) for text in each.values()):
                self._add_frame(each)
                continue
            for text in set(each.values()):
                self._whole.setdefault(text, []).append(each)
        self._cached = lru_cache(maxsize=MOST_CACHED)(self._find)

    def _add_frame(self, known: Known) -> None:
        if all(len(_VALUE.sub("", text)) >= _SHORTEST_FRAME for text in known.values()):
            self._framed.append((known, {language: _pattern(text) for language, text in known.items()}))

    def translate(self, text: str, language: Language) -> str:
        """Return a known text in this language; any other text as it is."""
        return self._cached(text, language) or text

    def block_in(self, block: Mapping[str, Any], language: Language) -> Mapping[str, Any]:
        """Return the content of a block with its known texts in this language; values of buttons stay as they are.

        A block whose heading is not known stays as it is, and so does what a person typed into a form.
        """
        heading = next((str(block[name]) for name in _HEADINGS if block.get(name)), "")
        if self._cached(heading, language) is None:
            return block
        typed = {"answer": block["answer"]} if block.get("kind") == "form" and "answer" in block else {}
        return {**self._part_in(block, language, _SHOWN), **typed}

    def _part_in(self, part: Mapping[str, Any], language: Language, shown: frozenset[str]) -> dict[str, Any]:
        return {name: self._member_in(name, value, language, shown) for name, value in part.items()}

    def _member_in(self, name: str, value: Any, language: Language, shown: frozenset[str]) -> Any:
        if isinstance(value, str):
            return self.translate(value, language) if name in shown else value
        if isinstance(value, Mapping):
            return self._part_in(value, language, shown)
        if isinstance(value, list | tuple):
            within = shown | {"value"} if name == "pairs" else shown
            return [self._member_in(name, each, language, within) for each in value]
        return value

    def _find(self, text: str, language: Language) -> str | None:
        """Return a known text in this language; None where the text is not known."""
        known = self._whole.get(text)
        if known is not None:
            return text if any(each.get(language) == text for each in known) else known[0].get(language, text)
        for each, patterns in self._framed:
            for pattern in patterns.values():
                values = pattern.fullmatch(text)
                if values is not None and language in each:
                    said = {
                        name: self.translate(value, language) for name, value in values.groupdict().items()
                    }
                    return each[language].format(**said)
        return None


def _pattern(text: str) -> re.Pattern[str]:
    """Return the expression that finds the values in a text that has them."""
    parts = re.split(r"\{(\w+)\}", text)
    groups = (re.escape(part) if place % 2 == 0 else f"(?P<{part}>.+?)" for place, part in enumerate(parts))
    return re.compile("".join(groups), re.DOTALL)
