"""Prices put in the middle of a sale: each is asked back, whatever is open, and the open question stays."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

MACHINE = ("dolce gusto piccolo xs white", "yes", "yes", "excellent", "yes", "yes", "40", "yes")
PHONE = {
    "pt": ("iphone 12 preto 128", "sim", "sim", "bom", "sim"),
    "en": ("iphone 12 black 128", "yes", "yes", "good", "free"),
}


@pytest.mark.parametrize(
    ("said", "price"),
    [
        ("make the coffee machine 35 instead", 35),
        ("actually i want 30 for the dolce gusto", 30),
        ("change the price of the machine to 45", 45),
        ("put 70 on it", 70),
    ],
)
async def test_a_price_that_is_put_is_asked_back_and_the_question_stays(
    harness: RunnerHarness, said: str, price: int
) -> None:
    visitor = await talk(harness, "en", *MACHINE)
    before = legend(visitor)
    await visitor.say(said)
    assert f"€{price}" in legend(visitor)
    await visitor.say("yes")
    assert visitor.state["answers"]["asking_price"] == f"€{price}"
    assert legend(visitor) == before


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("pt", "afinal faz 140", "140"),
        ("pt", "o telemóvel fica por 130 afinal", "130"),
        ("pt", "muda o preço do telemóvel para 90", "90"),
        ("en", "make it 140 instead", "140"),
        ("en", "make the phone 80 instead", "80"),
    ],
)
async def test_a_price_at_a_question_for_a_number_is_a_price(
    harness: RunnerHarness, language: str, said: str, price: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    assert price in legend(visitor) and "€" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "make it 87"),
        ("en", "make that 80 percent"),
        ("pt", "põe 87"),
        ("en", "make the case 20"),
        ("en", "make the screen 40"),
    ],
)
async def test_a_number_of_the_question_or_of_another_thing_is_no_price(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language], said)
    assert "€" not in legend(visitor)
    assert "asking_price" not in visitor.state["answers"]
