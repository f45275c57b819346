"""Everyday words in a whole sale: a price with its terms, a mark beside the grade, a repeat, what is put right."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

ITEM = ("I want to sell a Nintendo Switch, grey", "yes", "yes")
DONE = (*ITEM, "good", "yes everything works", "yes", "two", "yes", "May 2021", "just the box", "yes", "90")


@pytest.mark.parametrize(
    ("language", "said", "terms"),
    [
        ("pt", "170 mas da pra negociar", "da pra negociar"),
        ("en", "170 but open to offers", "open to offers"),
        ("en", "170, negotiable", "negotiable"),
    ],
)
async def test_a_price_told_at_a_choice_is_asked_in_its_turn(
    harness: RunnerHarness, language: str, said: str, terms: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, "nintendo switch, grey", yes, yes)
    await visitor.say("good" if language == "en" else "bom")
    reply = await visitor.say(said)
    assert "consoles.works" not in visitor.state["answers"]
    assert "comes up again" in reply.text or "volta a aparecer" in reply.text
    for each in (yes, yes, "2", yes, "2021", "just the box", yes):
        await visitor.say(each)
    assert terms in legend(visitor)
    await visitor.say(yes)
    assert "170" in legend(visitor)


async def test_a_length_behind_an_amount_is_no_price(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *ITEM, "good")
    reply = await visitor.say("170 hours played")
    assert "comes up again" not in reply.text


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        (
            "pt",
            "nintendo switch cinzento, bom estado só com uma marca leve na base",
            "Bom (uma marca leve na base)",
        ),
        ("en", "grey nintendo switch, good nick apart from a scuff", "Good (a scuff)"),
        ("en", "grey nintendo switch in good condition", "Good."),
    ],
)
async def test_a_mark_stands_beside_the_grade_of_the_first_message(
    harness: RunnerHarness, language: str, said: str, shown: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, said, yes)
    if "consoles" not in str(visitor.open_blocks()[-1]["name"]):
        await visitor.say(yes)
    assert shown in legend(visitor)


async def test_a_repeat_of_the_mark_behind_the_yes_is_not_told_as_left_over(harness: RunnerHarness) -> None:
    said = ("selling my seiko skx007 steel, small scratch on the glass", "yes", "yes", "good", "yes", "yes")
    visitor = await talk(harness, "en", *said)
    reply = await visitor.say("yes just a small one")
    assert "did not use" not in reply.text
    assert "watches.glass" in visitor.state["answers"]


async def test_an_n_that_joins_leaves_the_yes(harness: RunnerHarness) -> None:
    said = (
        "selling my black iphone 12 128gb",
        "yes",
        "yes",
        "good",
        "free",
        "87%",
        "yeah the screen is spotless",
    )
    visitor = await talk(harness, "en", *said)
    await visitor.say("ye screen is spotless n face id works")
    assert visitor.state["answers"]["smartphones.screen"].startswith("Yes")


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("actually it's three controllers", "3 controllers"),
        ("sorry, the case is blue", "just the box; the case is blue"),
    ],
)
async def test_what_is_put_right_behind_the_card_is_asked_back(
    harness: RunnerHarness, said: str, shown: str
) -> None:
    visitor = await talk(harness, "en", *DONE, said)
    assert shown.replace(" ", "\u00a0") in legend(visitor) or shown in legend(visitor)


@pytest.mark.parametrize("said", ["its pounds not euros, 90 pounds"])
async def test_another_currency_behind_the_card_asks_for_euros(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *DONE[:-1])
    reply = await visitor.say(said)
    assert "euro" in reply.text
