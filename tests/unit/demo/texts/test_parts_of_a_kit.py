"""What comes along is said in words, part by part: exactly these are kept, and one that is not there goes alone."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

SALE = {
    "pt": ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "85", "sim", "2022"),
    "en": ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "85", "yes", "2022"),
}
NOTES = "smartphones.notes"


@pytest.mark.parametrize(
    ("language", "said", "later", "left"),
    [
        ("pt", "tem caixa mas não tem cabo", "afinal não tenho a caixa", "não tem cabo"),
        (
            "pt",
            "tem caixa e carregador mas não tem cabo",
            "afinal não tenho a caixa",
            "tem carregador mas não tem cabo",
        ),
        ("pt", "caixa, cabo e manual", "afinal o manual não tenho", "caixa; cabo"),
        ("pt", "caixa, cabo e manual", "o cabo afinal perdi", "caixa, manual"),
        (
            "en",
            "box and cable, the charger i lost",
            "actually i don't have the box",
            "cable; the charger i lost",
        ),
        ("en", "box, cable and manual", "the manual i actually lost", "box, cable"),
        ("en", "no box, only the charger", "the charger i lost", "no box"),
    ],
)
async def test_a_part_that_is_not_there_goes_alone(
    harness: RunnerHarness, language: str, said: str, later: str, left: str
) -> None:
    visitor = await talk(harness, language, *SALE[language], said)
    assert visitor.state["answers"][NOTES] == said
    await visitor.say(later)
    assert visitor.open_blocks()[0]["name"] == NOTES and left in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"][NOTES] == left
