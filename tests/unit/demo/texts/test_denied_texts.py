"""A proposed text that the seller says no to: it stands in its field then, to be edited."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

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
NO = {"en": "No, something else", "pt": "Não, é outra coisa"}
CUT = {
    "en": ("yes", "remove the batteries", "the cable and a 32GB card"),
    "pt": ("sim", "tira o cabo", "duas baterias, um cartão de 32GB"),
}


async def _deny(visitor: HarnessVisitor, language: str, *, is_click: bool) -> str:
    """Say no to the proposed text; return what stands in its field then."""
    if is_click:
        await visitor.click(TEXT, "answer:wrong", NO[language])
    else:
        await visitor.say("no" if language == "en" else "não")
    (asked,) = [each for each in visitor.open_blocks() if each["kind"] == "form" and each["name"] == TEXT]
    return str(asked["value"])


@pytest.mark.parametrize("language", ["en", "pt"])
@pytest.mark.parametrize("is_click", [True, False])
async def test_a_denied_text_stands_in_its_field(
    harness: RunnerHarness, language: str, is_click: bool
) -> None:
    visitor = await talk(harness, language, *SALE[language])
    assert await _deny(visitor, language, is_click=is_click) == KNOWN[language]
    await visitor.click(TEXT, f"{KNOWN[language]}; x")
    assert visitor.state["answers"][TEXT] == f"{KNOWN[language]}; x"


@pytest.mark.parametrize("language", ["en", "pt"])
async def test_a_denied_edit_of_a_written_text_stands_in_its_field(
    harness: RunnerHarness, language: str
) -> None:
    yes, wish, left = CUT[language]
    visitor = await talk(harness, language, *SALE[language], yes, wish)
    assert await _deny(visitor, language, is_click=True) == left
    assert visitor.state["answers"][TEXT] == KNOWN[language]
