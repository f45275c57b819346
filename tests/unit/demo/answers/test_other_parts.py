"""A fault of another part than the one that is asked about: it is no answer there, and it is asked to be added."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

READER = {
    "pt": ("Kindle Paperwhite 11 8 GB", "sim"),
    "en": ("Kindle Paperwhite 11th gen 8 GB", "yes"),
}
CRACK = {
    "pt": "sim, é isso. já agora tem uma racha pequena num canto da parte de trás, mas o ecrã está impecável",
    "en": "Yes that's right. I ought to mention there's a small crack on one corner of the back, "
    "but the screen is perfectly fine.",
}
YES = {"pt": "sim", "en": "yes"}


@pytest.mark.parametrize(
    ("language", "good", "clean"), [("pt", "bom", "Sem marcas"), ("en", "good", "No marks")]
)
async def test_a_crack_on_the_back_is_no_broken_screen(
    harness: RunnerHarness, language: str, good: str, clean: str
) -> None:
    visitor = await talk(harness, language, *READER[language], CRACK[language])
    assert visitor.open_blocks()[0]["name"] == "tablets.condition"
    for text in (good, YES[language]):
        await visitor.say(text)
    assert clean in legend(visitor) and "(" not in legend(visitor)
    for text in (YES[language], "n", "2022", "capa" if language == "pt" else "case"):
        await visitor.say(text)
    assert visitor.open_blocks()[0]["name"] == "tablets.notes"
    assert ("racha" if language == "pt" else "crack on one corner") in legend(visitor)


@pytest.mark.parametrize(
    ("language", "good", "said"),
    [
        ("en", "good", "No no, the screen is fine. The crack is on the back."),
        ("en", "good", "no, the screen is fine, it's the back that is cracked"),
        ("pt", "bom", "não não, o ecrã está bom. a racha é na parte de trás"),
        ("pt", "bom", "não, o ecrã está bem, a traseira é que está rachada"),
    ],
)
async def test_a_denial_of_a_broken_screen_is_believed(
    harness: RunnerHarness, language: str, good: str, said: str
) -> None:
    yes, broken = YES[language], "partido" if language == "pt" else "cracked"
    visitor = await talk(harness, language, *READER[language], yes, good, yes, broken, said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "tablets.screen" and ("Sem marcas" in legend(visitor)) is (language == "pt")
    assert "(" not in legend(visitor) and "cracked" not in legend(visitor).lower()
