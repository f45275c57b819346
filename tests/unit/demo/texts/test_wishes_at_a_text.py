"""Wishes at the question for the accessories: the price is set, the step is taken, nothing is stored as the text."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = "smartphones.notes"
EN = ("iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "march 2022")
PT = ("iphone 12 preto de 128", "sim", "sim", "bom", "sim ta livre", "87", "sim", "março 2022")


async def _asked(harness: RunnerHarness, language: str) -> HarnessVisitor:
    visitor = await harness.visitor(language)
    for text in EN if language == "en" else PT:
        await visitor.say(text)
    assert [each["name"] for each in visitor.open_blocks()] == [NOTES]
    return visitor


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "muda o preço para 180"),
        ("pt", "ponha o preço a 180"),
        ("en", "set the price to 180"),
        ("en", "change the price to 180"),
    ],
)
async def test_a_price_is_set_and_the_text_is_still_asked(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await _asked(harness, language)
    await visitor.say(said)
    assert NOTES not in visitor.state["answers"]
    if "asking_price" not in visitor.state["answers"]:
        assert "180" in str(visitor.open_blocks())
        await visitor.say("sim" if language == "pt" else "yes")
    assert "180" in visitor.state["answers"]["asking_price"]
    assert NOTES not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "can i go back to the last question"),
        ("pt", "quero voltar à pergunta anterior"),
    ],
)
async def test_a_step_back_is_no_text(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await _asked(harness, language)
    await visitor.say(said)
    assert NOTES not in visitor.state["answers"]
    assert visitor.open_blocks()[0]["name"] != NOTES


@pytest.mark.parametrize(
    ("language", "said", "colour"),
    [("en", "hold on, its blue not black", "Blue"), ("pt", "espera, é azul e não preto", "Azul")],
)
async def test_an_option_is_corrected(harness: RunnerHarness, language: str, said: str, colour: str) -> None:
    visitor = await _asked(harness, language)
    await visitor.say(said)
    if NOTES in visitor.state["answers"] or colour not in visitor.state["options"].values():
        await visitor.say("yes" if language == "en" else "sim")
    assert NOTES not in visitor.state["answers"]
    assert colour in visitor.state["options"].values()
