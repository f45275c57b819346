"""A text that the seller edits as a whole: it stands in its field when it is not clear what is to change."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = "cameras.accessories"
SALE = {
    "en": "GoPro HERO9 Black with two batteries, the cable and a 32GB card|yes|good|yes|I don't know|yes|2021".split(
        "|"
    ),
    "pt": "GoPro HERO9 preta com duas baterias, o cabo e um cartão de 32GB|sim|bom|sim|não sei|sim|2021".split(
        "|"
    ),
}
KNOWN = {
    "en": "the cable and a 32GB card; two batteries",
    "pt": "duas baterias, o cabo e um cartão de 32GB",
}
UNCLEAR = {"en": "remove the tripod", "pt": "tira a parte do tripé"}
YES = {"en": "yes", "pt": "sim"}


async def _offered(harness: RunnerHarness, language: str, *before: str) -> HarnessVisitor:
    visitor = await talk(harness, language, *SALE[language], *before, UNCLEAR[language])
    (asked,) = [each for each in visitor.open_blocks() if each["kind"] == "form"]
    assert asked["name"] == TEXT and asked["value"] == KNOWN[language] and asked["error"]
    return visitor


def _kept(visitor: HarnessVisitor) -> str:
    return str(visitor.state["answers"].get(TEXT, ""))


@pytest.mark.parametrize("language", ["en", "pt"])
@pytest.mark.parametrize("is_written", [False, True])
async def test_what_is_sent_from_the_field_is_the_whole_text(
    harness: RunnerHarness, language: str, is_written: bool
) -> None:
    visitor = await _offered(harness, language, *([YES[language]] if is_written else []))
    await visitor.click(TEXT, "a box, 10 cables")
    assert _kept(visitor) == "a box, 10 cables" and visitor.state["status"] == "complete"


@pytest.mark.parametrize(("language", "said"), [("en", "a case and one cable"), ("pt", "uma capa e um cabo")])
@pytest.mark.parametrize("is_written", [False, True])
async def test_what_is_typed_then_is_the_whole_text_and_asked_back(
    harness: RunnerHarness, language: str, said: str, is_written: bool
) -> None:
    visitor = await _offered(harness, language, *([YES[language]] if is_written else []))
    before = _kept(visitor)
    await visitor.say(said)
    assert f": {said}. " in legend(visitor) and _kept(visitor) == before
    await visitor.say(YES[language])
    assert _kept(visitor) == said


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("en", "and a head strap", "the cable and a 32GB card; two batteries; a head strap"),
        ("en", "remove the batteries", "the cable and a 32GB card"),
        ("pt", "e também o saco", "duas baterias, o cabo e um cartão de 32GB; o saco"),
        ("pt", "tira o cabo", "duas baterias e um cartão de 32GB"),
    ],
)
async def test_an_addition_or_a_clear_edit_is_of_the_offered_text(
    harness: RunnerHarness, language: str, said: str, left: str
) -> None:
    visitor = await _offered(harness, language)
    await visitor.say(said)
    (asked,) = [each for each in visitor.open_blocks() if each["kind"] == "form"]
    assert left.replace(" e ", ", ") in asked["legend"].replace(" e ", ", ") and not _kept(visitor)


async def test_a_second_unclear_wish_is_said_otherwise_and_stores_nothing(harness: RunnerHarness) -> None:
    visitor = await _offered(harness, "en")
    reply = await visitor.say("take out the bit about my sister")
    assert "Write the whole text" in reply.text and not _kept(visitor)
    await visitor.say("yes")
    assert _kept(visitor) == KNOWN["en"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "two batteries, the cable and a 64GB card plus the box"),
        ("pt", "duas baterias, o cabo, um cartão de 64GB e a caixa"),
    ],
)
async def test_a_text_typed_anew_is_proposed_alone(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *SALE[language], said)
    assert f": {said}. " in legend(visitor) and not _kept(visitor)
