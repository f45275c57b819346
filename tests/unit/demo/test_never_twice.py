"""The demo model never says the same sentence twice in a row, also when a person says little and repeats it."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness
from tests.unit.demo.judging import at

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
WORDS = {
    "pt": "ok|ok|?|...|não sei|não sei|asdf|asdf|quanto me dão?|porquê?|porquê?|olá|olá|acho que sim|talvez|não|não",
    "en": "ok|ok|?|...|i don't know|dunno|asdf|asdf|how much?|why?|why?|hello|hello|i think so|maybe|no|no",
}
"""A stranger who says nothing, does not know, talks nonsense, asks, greets, is hardly sure, and says no."""
PLACES = ("start", "storage", "number", "done", "en:one", "en:select", "en:boolean")


def sentences(text: str) -> set[str]:
    """Return what was said, sentence by sentence, without what leads to it (`In other words: …`); rows of a list are
    data.
    """
    said = [each for each in _ENDS.split(text) if not each.startswith("- ")]
    hearts = [each.rpartition(": ")[2].strip(" *«»“”").casefold() for each in said]
    return {each for each in hearts if each}


def repeated(visitor: HarnessVisitor) -> list[tuple[str, ...]]:
    """Return the sentences of an answer that stood in the answer before it."""
    said = [sentences(reply.text) for reply in visitor.replies]
    return [tuple(sorted(one & two)) for one, two in pairwise(said) if one & two]


@pytest.mark.parametrize("place", PLACES)
async def test_a_stranger_in_a_submission_never_reads_a_sentence_twice_in_a_row(
    harness: RunnerHarness, place: str
) -> None:
    visitor = await at(harness, place)
    for text in WORDS["en" if place.startswith("en:") else "pt"].split("|"):
        assert (await visitor.say(text)).text
    assert repeated(visitor) == []


@pytest.mark.parametrize("language", ["pt", "en"])
async def test_a_stranger_in_the_chat_never_reads_a_sentence_twice_in_a_row(
    harness: RunnerHarness, language: str
) -> None:
    visitor = await harness.visitor(language, service="chat")
    for text in WORDS[language].split("|"):
        assert (await visitor.say(text)).text
    assert repeated(visitor) == []


async def test_the_error_beside_a_question_is_not_the_one_that_stood_there_before(
    harness: RunnerHarness,
) -> None:
    """It is written by the tool, whatever the model says beside it."""
    for place, words in (("boolean", "asdf"), ("number", "asdf"), ("select", "asdf"), ("date", "asdf")):
        visitor, errors = await at(harness, place), []
        for _ in range(4):
            await visitor.say(words)
            (block,) = visitor.open_blocks()
            errors.append(sentences(block["error"]))
        assert not any(one & two for one, two in pairwise(errors)), (place, errors)
