"""A part of the last text that is called no accessory: it goes from the text, and changes no other answer."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "85", "sim", "2022")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "85", "yes", "2022")
SCREEN, NOTES = "smartphones.screen", "smartphones.notes"
SAID_PT = [
    "o ecrã não é um acessório, fica só capa azul",
    "o ecrã estalado não é acessório. só a capa azul",
    "não, o ecrã não é acessório, é só a capa azul",
    "ecra nao e um acessorio so capa azul",
]
SAID_EN = [
    "the screen isn't an accessory, just the blue case",
    "the cracked screen is not an accessory. only the blue case",
    "no, the screen isn't an accessory, it's just the blue case",
    "screen isnt an accessory, just blue case",
]
BOTH = [*(("pt", each) for each in SAID_PT), *(("en", each) for each in SAID_EN)]


@pytest.mark.parametrize(("language", "said"), BOTH)
async def test_it_goes_from_the_text_of_a_finished_card(
    harness: RunnerHarness, language: str, said: str
) -> None:
    texts = {
        "pt": ("uma capa azul; ecrã estalado no canto", "capa azul"),
        "en": ("blue case; cracked screen", "blue case"),
    }
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), texts[language][0])
    screen = visitor.state["answers"][SCREEN]
    await visitor.say(said)
    assert visitor.open_blocks()[0]["name"] == NOTES
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"][NOTES].removeprefix("uma ") == texts[language][1]
    assert visitor.state["answers"][SCREEN] == screen


@pytest.mark.parametrize(("language", "said"), BOTH)
async def test_at_the_open_question_only_the_rest_is_asked_back(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN), said)
    assert visitor.open_blocks()[0]["name"] == NOTES and NOTES not in visitor.state["answers"]
    asked = legend(visitor)
    assert ("capa azul" in asked or "blue case" in asked) and "ecr" not in asked and "screen" not in asked


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt", "o ecrã não é um acessório"), ("en", "the screen isn't an accessory")],
)
async def test_without_more_nothing_is_stored(harness: RunnerHarness, language: str, said: str) -> None:
    start = PT if language == "pt" else EN
    visitor = await talk(harness, language, *start, said)
    assert NOTES not in visitor.state["answers"] and visitor.open_blocks()[0]["name"] == NOTES
    await visitor.say("caixa" if language == "pt" else "box")
    before = dict(visitor.state["answers"])
    await visitor.say(said)
    assert visitor.state["answers"] == before
