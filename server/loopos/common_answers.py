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

Answers = Mapping[str, Mapping[str, str]]
"""By topic, then by language."""

PRODUCT_ANSWERS: Answers = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))

ANSWERS_LINE = "Common answers: "
"""How the line of the instructions begins; JSON follows."""


def common_answers_line(run: RunContext) -> str:
    """Return the line of the instructions that holds the answers of this conversation."""
    given: Any = run.session_context.get("common_answers") or {}
    return _line(json.dumps(given, ensure_ascii=False, sort_keys=True))


def common_answer(run: RunContext, topic: str, language: str) -> str:
    """Return the answer of this conversation to a topic; empty where it has none."""
    given: Any = run.session_context.get("common_answers") or {}
    return str({**PRODUCT_ANSWERS, **given}.get(topic, {}).get(language, ""))


@lru_cache(maxsize=256)
def _line(given: str) -> str:
    """Conversations of one app share one text."""
    return ANSWERS_LINE + json.dumps({**PRODUCT_ANSWERS, **json.loads(given)}, ensure_ascii=False)
