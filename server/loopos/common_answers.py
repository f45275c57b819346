"""The answers to questions that people ask beside a sale: the product's own, and those that an app gives instead.

An app replaces or adds answers in its table `answers` ([docs/apps.md](../../docs/apps.md)); a conversation keeps those
of its app from its beginning. The agents read them as one line of their instructions.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from server.agents import RunContext, TextReaders
from server.languages import READ, Language

Answers = Mapping[str, Mapping[str, str]]
"""By topic, then by language."""

PRODUCT_ANSWERS: Answers = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

_READERS: Answers = json.loads(Path(__file__).with_name("text_readers.json").read_text(encoding="utf-8"))
"""The sentences of the answer to `data` where a service outside of the installation gets what is written."""

ANSWERS_LINE = "Common answers: "
"""The beginning of the line in the instructions; JSON follows."""


def common_answers_line(run: RunContext, language: Language) -> str:
    """Return the line of the instructions that holds the answers of this conversation.

    It has the answers in the language that is spoken, in that of the page, and in the two that the demo model reads.
    """
    given: Any = run.session_context.get("common_answers") or {}
    return _line(
        json.dumps(given, ensure_ascii=False, sort_keys=True),
        frozenset({*READ, run.language, language}),
        _readers_of(run),
    )


def common_answer(run: RunContext, topic: str, language: str) -> str:
    """Return the answer of this conversation to a topic; empty where it has none.

    An answer that its app gave in other languages only is said in English, or in the first of them.
    """
    given: Any = run.session_context.get("common_answers") or {}
    said: Mapping[str, str] = {**_product_answers(_readers_of(run)), **given}.get(topic, {})
    return str(said.get(language) or said.get("en") or next(iter(said.values()), ""))


def _readers_of(run: RunContext) -> TextReaders:
    found: TextReaders | None = run.resources.get(TextReaders)
    return found or TextReaders()


@lru_cache(maxsize=4)
def _product_answers(readers: TextReaders) -> Answers:
    """Return the product's answers; that to `data` names who gets what is written."""
    others = [name for name in ("model", "traces") if getattr(readers, name)]
    if not others:
        return PRODUCT_ANSWERS
    parts = [_READERS[name] for name in ("stored", "seen", *others)]
    data = {language: " ".join(part[language] for part in parts) for language in PRODUCT_ANSWERS["data"]}
    return {**PRODUCT_ANSWERS, "data": data}


@lru_cache(maxsize=256)
def _line(given: str, languages: frozenset[str], readers: TextReaders) -> str:
    """Return the line of a topic; conversations of one app and language share one text."""
    answers: Answers = {**_product_answers(readers), **json.loads(given)}
    told = {
        topic: {language: text for language, text in said.items() if language in languages} or said
        for topic, said in answers.items()
    }
    return ANSWERS_LINE + json.dumps(told, ensure_ascii=False)
