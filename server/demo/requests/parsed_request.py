"""A request as the demo model reads it, and the sentences of its answers in each language."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.languages import Language, nearest_language

SENTENCES: dict[str, dict[Language, str]] = json.loads(
    Path(__file__).with_name("sentences.json").read_bytes()
)
"""The sentences by key and language."""

Answer = dict[str, Any]
"""What the demo model answers: an object of the type that was asked for."""


@dataclass(frozen=True)
class ParsedRequest:
    """The request, the facts that are known besides, and the number of its pictures."""

    request: dict[str, Any]
    facts: dict[str, Any]
    pictures: int
    sources: tuple[str, ...] = ()
    """Addresses that a search has found."""

    @property
    def language(self) -> Language:
        """Return the language of the answer."""
        return nearest_language(self.request.get("language"))

    @property
    def specific(self) -> dict[str, Any]:
        """Return the fields of the service."""
        found = self.request.get("agent_specific")
        return found if isinstance(found, dict) else {}

    def say(self, key: str, **values: object) -> str:
        """Return a sentence in the language of the answer."""
        texts = SENTENCES[key]
        return texts.get(self.language, texts["en"]).format(**values)

    @property
    def label(self) -> str:
        """Return the sentence that says who answers."""
        return self.say("label")


Rule = Callable[[ParsedRequest], Answer]
Answers = Mapping[str, Rule]
"""The rules of one module, by the type of the answer that each gives."""
