"""A price behind a finished item, a correction beside a waiting yes, and words that name no value are told back."""

from __future__ import annotations

import pytest

from server.html.deep_chat import deep_chat_messages
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

DONE = {
    "en": ("dyson v11 absolute", "yes", "good", "everything works", "20", "yes", "2021", "nothing"),
    "pt": ("dyson v11 absolute", "sim", "bom", "funciona tudo", "20", "sim", "2021", "nada"),
}


@pytest.mark.parametrize(
    ("language", "said", "price", "told"),
    [
        ("en", "120 euros", "€120", "The price is stored: €120."),
        ("en", "I want 150", "€150", "The price is stored: €150."),
        ("pt", "120 euros", "120\xa0€", "O preço fica guardado: 120\xa0€."),
        ("pt", "o preço é 150", "150\xa0€", "O preço fica guardado: 150\xa0€."),
    ],
)
async def test_a_price_behind_a_finished_item_is_told_and_shown(
    harness: RunnerHarness, language: str, said: str, price: str, told: str
) -> None:
    visitor = await talk(harness, language, *DONE[language], said)
    assert told in visitor.replies[-1].text
    cards = [each for each in visitor.transcript.messages if each.get("content", {}) and "price" in str(each)]
    shown = deep_chat_messages([cards[-1]], language)
    assert price in str(shown[0]["html"]).replace("&nbsp;", "\xa0")


async def test_a_price_that_is_corrected_then_is_told_as_one(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *DONE["en"], "I want 150", "I want 140")
    assert "€140" in visitor.replies[-1].text and "stored" not in visitor.replies[-1].text


async def test_a_correction_while_a_price_waits_is_asked_back(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *DONE["pt"], "talvez 90", "muda o estado para razoável")
    assert "Razoável" in legend(visitor)
    await visitor.say("sim")
    assert visitor.state["answers"]["vacuums.condition"] == "Razoável" and "90" in legend(visitor)


@pytest.mark.parametrize("times", [1, 2, 3])
async def test_a_change_beside_a_waiting_price_is_asked_back_behind_it(
    harness: RunnerHarness, times: int
) -> None:
    said = "mete o estado em razoável"
    visitor = await talk(harness, "pt", *DONE["pt"], "talvez 90", *[said] * times)
    assert "90" in legend(visitor)
    await visitor.say("sim")
    asked = visitor.open_blocks()[-1]
    assert asked["name"] == "vacuums.condition" and "Razoável" in asked["legend"]


@pytest.mark.parametrize(
    ("language", "said"), [("pt", "não, sim"), ("pt", "mau"), ("en", "no, yes"), ("en", "fair")]
)
async def test_no_empty_or_foreign_words_are_called_a_value(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "iPhone 11", "yes" if language == "en" else "sim", said)
    told = visitor.replies[-1].text
    assert "«" not in told and "“" not in told and "128 GB" in told
