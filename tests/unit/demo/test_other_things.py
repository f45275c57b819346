"""What a message tells of other things than its question: it is kept for where it fits, and the question stays open."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

VACUUM = {
    "en": ("selling my Dyson V11 vacuum", "yes", "good"),
    "pt": ("vendo aspirador Dyson V11", "sim", "bom"),
}
PHONE = {
    "en": ("selling iPhone 13 128GB black, battery 87%", "yes", "yes", "good"),
    "pt": ("vendo iPhone 13 128GB preto, bateria 87%", "sim", "sim", "bom"),
}
REST = {"en": ("yes it works", "40 min", "yes", "2021"), "pt": ("sim", "40 min", "sim", "2021")}
LATER = {"en": "later question", "pt": "outra pergunta mais à frente"}


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        (
            "en",
            "the bin is fine, all heads there except the crevice tool",
            "all heads there except the crevice tool",
        ),
        ("en", "the brush head is missing", "brush head is missing"),
        ("pt", "tem tudo menos o bocal das frinchas", "tem tudo menos o bocal das frinchas"),
        ("pt", "falta o suporte de parede", "falta o suporte de parede"),
    ],
)
async def test_a_missing_thing_is_kept_for_the_last_text(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "vacuums.works" and len(asked["choices"]) == 3
    assert LATER[language] in visitor.replies[-1].text
    for text in (*REST[language], "no" if language == "en" else "mais nada"):
        await visitor.say(text)
    assert kept in legend(visitor)
