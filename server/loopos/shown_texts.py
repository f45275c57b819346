"""All texts that LoopOS puts into blocks, in each language: of the embedded catalog, the judge and the price."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from server.languages import Language
from server.loopos import seed
from server.loopos.answers import NO_PRICE, PRICE
from server.loopos.answers.judges.validation import NO_SHOWN, SKIPPED, YES_SHOWN
from server.loopos.answers.refusals import REFUSALS
from server.loopos.common_answers import PRODUCT_ANSWERS
from server.loopos.texts import in_all_languages, texts_within


@cache
def shown_texts() -> tuple[tuple[list[str], list[dict[Language, str]]], ...]:
    """Return them in groups that appear together, each after the names of its questions: once read in a process.

    `{name}` in a text stands for a value.
    """
    return tuple(_read_texts())


def _read_texts() -> Iterator[tuple[list[str], list[dict[Language, str]]]]:
    judged = (*REFUSALS.values(), NO_PRICE, PRICE.label, NO_SHOWN, SKIPPED, YES_SHOWN)
    yield [], [in_all_languages(text.pt, text.en) for text in judged]
    yield [], list(texts_within(PRODUCT_ANSWERS))
    for file in sorted(Path(seed.__file__).parent.rglob("*.json")):
        yield from _groups_within(json.loads(file.read_text(encoding="utf-8")))


def _groups_within(data: Any) -> Iterator[tuple[list[str], list[dict[Language, str]]]]:
    """Yield the texts of each option type, category and protocol in what a data file holds."""
    if isinstance(data, dict) and not data.keys().isdisjoint(("id", "category_id")):
        yield [each["id"] for each in data.get("protocol", ())], list(texts_within(data))
        return
    for each in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from _groups_within(each)
