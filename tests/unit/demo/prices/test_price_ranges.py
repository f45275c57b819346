"""Questions about what an item is worth: the range is told where it can be known, at whatever question."""

from __future__ import annotations

import pytest

from server.loopos.answers.amounts.price_questions import worth_asked
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

SOFA = {
    "en": ("selling a klippan sofa", "yes", "good", "yes", "yes", "yes", "03/2022"),
    "pt": ("vendo um sofa klippan", "sim", "bom", "sim", "sim", "sim", "03/2022"),
}


async def at_notes(harness: RunnerHarness, language: str) -> HarnessVisitor:
    """Return a visitor whose item has a condition, at the question for notes."""
    visitor = await talk(harness, language, *SOFA[language])
    assert visitor.open_blocks()[0]["name"] == "furniture.floor"
    return visitor


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("how much should i ask? was thinking 70 quid", True),
        ("What do these usually sell for?", True),
        ("quanto é que vale? queria 120", True),
        ("quanto é que acham que vale?", True),
        ("120 é muito?", True),
        ("qto vale isto", True),
        ("is 120 too much?", True),
        ("how many controllers?", False),
        ("who pays the postage?", False),
        ("quando a comprou?", False),
        ("a bateria dura um dia", False),
        ("yes, 120 euros", False),
        ("é branca e pouco usada, só entrego em Setúbal", False),
        ("fair", False),
        ("fair?", False),
        ("it is in good and reasonable condition", False),
        ("o ecrã é muito bom", False),
    ],
)
def test_a_question_about_the_price_is_known(said: str, asks: bool) -> None:
    assert worth_asked(said) is asks


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("en", "What do these usually sell for?", "sell for about €"),
        ("en", "how much should i ask?", "sell for about €"),
        ("pt", "quanto é que acham que vale?", "neste estado vendem-se por cerca de"),
        ("pt", "120 é muito?", "neste estado vendem-se por cerca de"),
    ],
)
async def test_the_range_is_told_at_another_question(
    harness: RunnerHarness, language: str, said: str, told: str
) -> None:
    visitor = await at_notes(harness, language)
    reply = await visitor.say(said)
    assert told in reply.text
    assert visitor.open_blocks()[0]["name"] == "furniture.floor"


@pytest.mark.asyncio(loop_scope="module")
async def test_the_range_is_told_at_the_price(harness: RunnerHarness) -> None:
    visitor = await at_notes(harness, "pt")
    for text in ("custa 80 euros", "3", "não"):
        await visitor.say(text)
    assert visitor.open_blocks()[0]["name"] == "asking_price"
    reply = await visitor.say("quanto é que vale? queria 120")
    assert "vendem-se por cerca de" in reply.text and "120" in legend(visitor)
    reply = await visitor.say("120 é muito?")
    assert "vendem-se por cerca de" in reply.text and "120" in legend(visitor)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_date_before_a_question_about_the_price_is_read(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *SOFA["pt"][:-1], "junho de 2020. quanto é que isto vale?")
    assert "junho de 2020" in legend(visitor)


@pytest.mark.asyncio(loop_scope="module")
async def test_another_currency_is_told_once_and_its_words_fill_no_field(harness: RunnerHarness) -> None:
    visitor = await at_notes(harness, "en")
    for text in ("I want £95 for it", "3", "no"):
        if visitor.open_blocks()[0]["name"] != "asking_price":
            await visitor.say(text)
    assert visitor.open_blocks()[0]["name"] == "asking_price"
    await visitor.say("£75, what is that in euros?")
    (block,) = visitor.open_blocks()
    assert "value" not in block or not block["value"]
    assert "Prices are in euro" in block["error"] and "Prices are in euro" not in block["hint"]
    await visitor.say("About 380 euros then, which I think is roughly £330.")
    assert "€380" in legend(visitor)
    await visitor.say("yes. oh and knock it down to 350")
    assert "€350" in legend(visitor)
    await visitor.say("310 euros. or say 300 actually")
    assert "€300" in legend(visitor)
