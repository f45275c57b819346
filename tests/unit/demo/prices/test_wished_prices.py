"""Wishes with a question mark behind an answer, `can you put it at 120?`: the answer is read, the wish is kept."""

from __future__ import annotations

import pytest

from server.languages import is_wish, split_question
from server.loopos.answers.amounts.put_amounts import wished_amount
from tests.unit.demo.harness import RunnerHarness, legend, talk


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("sim som perfeito dos dois. já agora dá pra meter o preço a 120?", "120"),
        ("june 2020. can you put it at 120?", "120"),
        ("june 2020, can you set the price to 95 euros?", "95"),
        ("june. can you put in that it comes w the charger and take 120?", "120"),
        ("sim. podes pôr a 120?", "120"),
        ("yes. can you put the box at 20?", ""),
        ("yes. can you put 2 photos in?", ""),
        ("yes. could you put it up for 3 weeks?", ""),
        ("yes. what do you pay, 120?", ""),
        ("sim. paga 120 por ele?", ""),
    ],
)
def test_the_amount_of_a_wish_is_read(said: str, amount: str) -> None:
    assert wished_amount(said) == amount


@pytest.mark.parametrize(
    "said",
    ["can you take a card payment?", "can i add photos later?", "can you collect it?", "is it 64 or 128?"],
)
def test_a_question_is_no_wish(said: str) -> None:
    assert not is_wish(said)


def test_a_wish_with_a_figure_is_apart_from_what_is_said() -> None:
    assert split_question("june 2020. can you put it at 120?") == ("june 2020.", "can you put it at 120?")


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("language", "said", "understood", "price"),
    [
        (
            "en",
            "summer 2020, june i think. can you put in that it comes with a helmet and take 120?",
            "June 2020",
            "€120",
        ),
        ("pt", "junho de 2020. já agora dá pra meter o preço a 120?", "junho de 2020", "120 €"),
    ],
)
async def test_an_answer_and_a_wish_are_both_taken(
    harness: RunnerHarness, language: str, said: str, understood: str, price: str
) -> None:
    scooter = ("xiaomi m365", "sim", "bom", "sim", "1200", "dura como nova", "sim")
    english = ("xiaomi m365", "yes", "good", "yes", "1200", "lasts as new", "yes")
    visitor = await talk(harness, language, *(english if language == "en" else scooter), said)
    assert understood in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    await visitor.say("não" if language == "pt" else "no")
    if language == "en":
        assert "helmet" in legend(visitor)
        await visitor.say("yes")
    assert visitor.open_blocks()[0]["name"] == "asking_price"
    assert price in legend(visitor).replace("\xa0", " ")
