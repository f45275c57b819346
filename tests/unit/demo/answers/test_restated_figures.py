"""A figure that a message states of an answered question corrects that one, and answers no other question."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

PT = ("quero vender o meu iphone 13 128gb preto", "sim", "sim", "bom", "sim")
EN = ("I want to sell my iphone 13 128gb blue", "yes", "yes", "good", "yes")
START = {"pt": PT, "en": EN}
BATTERY, SCREEN = "smartphones.battery_health", "smartphones.screen"
NOTES, BOUGHT = "smartphones.notes", "smartphones.purchase_date"


@pytest.mark.parametrize("said", ["87. ah não 82, vi mal", "87. ah não, 82", "87, ups não 82"])
async def test_a_figure_taken_back_in_its_message_is_not_kept(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *PT, said)
    assert BATTERY not in visitor.state["answers"]
    assert "82" in legend(visitor)
    await visitor.say("sim")
    assert visitor.state["answers"][BATTERY] == "82\xa0%"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "não, a bateria é 82"),
        ("pt", "não. a bateria é 82"),
        ("pt", "não, bateria 82%"),
        ("pt", "a bateria é 82"),
        ("pt", "a bateria e 82"),
        ("pt", "a bateria está a 82%"),
        ("en", "no, the battery is 82"),
        ("en", "no the battery is at 82%"),
        ("en", "nope battery 82"),
        ("en", "the battery is 82"),
    ],
)
async def test_a_restated_figure_is_asked_back_and_the_open_question_stays(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *START[language], "87", said)
    assert visitor.state["answers"][BATTERY].startswith("87")
    assert SCREEN not in visitor.state["answers"]
    assert "82" in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"][BATTERY].startswith("82")
    assert SCREEN not in visitor.state["answers"]
    assert [each["name"] for each in visitor.open_blocks()] == [SCREEN]


@pytest.mark.parametrize(
    ("answers", "asked"), [(("yes",), BOUGHT), (("yes", "2021"), NOTES)], ids=["date", "text"]
)
async def test_a_restated_figure_answers_no_date_and_no_text(
    harness: RunnerHarness, answers: tuple[str, ...], asked: str
) -> None:
    visitor = await talk(harness, "en", *EN, "87", *answers, "the battery is 82", "yes")
    assert visitor.state["answers"][BATTERY] == "82%"
    assert asked not in visitor.state["answers"]


@pytest.mark.parametrize("said", ["não, a bateria é 87", "a bateria é 87"])
async def test_a_figure_that_is_kept_already_answers_no_open_question(
    harness: RunnerHarness, said: str
) -> None:
    visitor = await talk(harness, "pt", *PT, "87", said)
    assert visitor.state["answers"][BATTERY] == "87\xa0%"
    assert SCREEN not in visitor.state["answers"]
    assert [each["name"] for each in visitor.open_blocks()] == [SCREEN]


@pytest.mark.parametrize("said", ["não, o ecrã está partido", "não"])
async def test_a_no_to_the_open_question_answers_it(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *PT, "87", said)
    assert visitor.state["answers"][SCREEN] == "Não"
