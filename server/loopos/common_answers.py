"""The answers to questions that people ask beside a sale: the product's own, and those that an app gives instead.

An app replaces or adds answers in its table `answers` ([docs/apps.md](../../docs/apps.md)); a conversation keeps those
of its app from its beginning. The agents read them as one line of their instructions.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from server.agents import RunContext
from server.languages import READ, Language

Answers = Mapping[str, Mapping[str, str]]
"""By topic, then by language."""

PRODUCT_ANSWERS: Answers = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

ANSWERS_LINE = "Common answers: "
"""The beginning of the line in the instructions; JSON follows."""


def common_answers_line(run: RunContext, language: Language) -> str:
    """Return the line of the instructions that holds the answers of this conversation.

    It has the answers in the language that is spoken, in that of the page, and in the two that the demo model reads.
    """
    given: Any = run.session_context.get("common_answers") or {}
    return _line(
        json.dumps(given, ensure_ascii=False, sort_keys=True), frozenset({*READ, run.language, language})
    )


def common_answer(run: RunContext, topic: str, language: str) -> str:
    """Return the answer of this conversation to a topic; empty where it has none.

    An answer that its app gave in other languages only is said in English, or in the first of them.
    """
    given: Any = run.session_context.get("common_answers") or {}
    said: Mapping[str, str] = {**PRODUCT_ANSWERS, **given}.get(topic, {})
    return str(said.get(language) or said.get("en") or next(iter(said.values()), ""))


@lru_cache(maxsize=256)
def _line(given: str, languages: frozenset[str]) -> str:
    """Return the line of a topic; conversations of one app and language share one text."""
    answers: Answers = {**PRODUCT_ANSWERS, **json.loads(given)}
    told = {
        topic: {language: text for language, text in said.items() if language in languages} or said
        for topic, said in answers.items()
    }
    return ANSWERS_LINE + json.dumps(told, ensure_ascii=False)
