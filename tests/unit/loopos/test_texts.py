"""The texts of LoopOS in further languages: each that people read has its own, with the same values in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from server.loopos.answers import Text
from server.loopos.answers.amounts.asking_price import NO_PRICE, PRICE
from server.loopos.answers.clauses.included_things import INCLUDES
from server.loopos.answers.judges.validation import NO_SHOWN, SKIPPED, YES_SHOWN
from server.loopos.answers.refusals import REFUSALS
from server.loopos.common_answers import PRODUCT_ANSWERS
from server.loopos.requests.sources import NO_SOURCES
from server.loopos.requests.words import _SENTENCES
from server.loopos.texts import TRANSLATIONS

SEED = Path(__file__).parents[3] / "server" / "loopos" / "seed"
PLACEHOLDER = re.compile(r"\{\w+\}")
SIZES_AND_NAMES = re.compile(
    r"[\d.,+× /-]*\s?(?:GB|TB|mm|cm)?|[XSML/]+|Wi-Fi|GPS|.*\d mm.*(?:\d|EZ|SE)?|[A-Z]+ \d+.*"
)
"""Values of options that are written in the same way everywhere."""


def seeded(value: Any, key: str = "") -> Iterator[str]:
    """Yield the English texts of the catalog that people read; a description is for the model alone."""
    if isinstance(value, dict) and isinstance(value.get("en"), str):
        if key != "description":
            yield value["en"]
        return
    for name, each in value.items() if isinstance(value, dict) else ():
        yield from seeded(each, name)
    for each in value if isinstance(value, list) else ():
        yield from seeded(each, key)


def english() -> set[str]:
    """Return all texts that have to be translated."""
    catalog = {text for file in SEED.rglob("*.json") for text in seeded(json.loads(file.read_text()))}
    said = [*REFUSALS.values(), NO_PRICE, PRICE.label, SKIPPED, YES_SHOWN, NO_SHOWN, INCLUDES]
    return {text for text in catalog if not SIZES_AND_NAMES.fullmatch(text)} | {each.en for each in said}


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_each_text_has_a_translation_and_no_translation_is_left_over(language: str) -> None:
    assert set(TRANSLATIONS[language]) == english()


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_translation_names_the_same_values(language: str) -> None:
    for text, other in TRANSLATIONS[language].items():
        assert set(PLACEHOLDER.findall(other)) == set(PLACEHOLDER.findall(text)), text
        assert other.strip()


def test_a_text_without_a_translation_is_said_in_english() -> None:
    text = Text("Cabide de torneira", "Tap hanger")
    assert [text.text_in(each) for each in ("pt-PT", "en-GB", "de-DE", "fr", "ES-ES", "xx")] == [
        "Cabide de torneira",
        *["Tap hanger"] * 5,
    ]


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_sentences_beside_the_catalog_are_in_each_language(language: str) -> None:
    for said in (*PRODUCT_ANSWERS.values(), NO_SOURCES, *_SENTENCES.values()):
        assert said[language] not in ("", said["en"])
