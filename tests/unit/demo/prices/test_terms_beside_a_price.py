"""Terms of the sale beside a price: they are asked back as a note, and nothing is to be written again."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("iphone 12 black 128gb, 300 euros", "yes", "yes", "good", "free", "84", "yes", "2021", "nothing")
PT = ("iphone 12 preto de 128gb, 300 euros", "sim", "sim", "bom", "livre", "86", "sim", "2021", "nada")


@pytest.mark.parametrize(
    ("language", "said", "price", "terms"),
    [
        ("en", "thats not much. i want 110 tho u can haggle", "€110", "u can haggle"),
        ("en", "310 but not negotiable please", "€310", "price not negotiable"),
        ("en", "480 euros, or 450 if picked up in Porto", "€480", "450 if picked up in Porto"),
        ("pt", "sim, mas se alguém vier buscar faço 200", "300 €", "se alguém vier buscar faço 200"),
        ("pt", "210 negociaveis", "210 €", "preço negociável"),
    ],
)
async def test_the_terms_are_asked_back_behind_the_price(
    harness: RunnerHarness, language: str, said: str, price: str, terms: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT))
    reply = await visitor.say(said)
    assert "did not use" not in reply.text and "não foi usado" not in reply.text
    yes = "yes" if language == "en" else "sim"
    if "asking_price" not in visitor.state["answers"]:
        await visitor.say(yes)
    assert visitor.state["answers"]["asking_price"].replace("\xa0", " ") == price and terms in legend(visitor)
    await visitor.say(yes)
    assert visitor.state["answers"]["smartphones.notes"] == terms and not visitor.open_blocks()


async def test_terms_that_are_added_to_the_card_stand_beside_the_others(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *PT, "sim", "acrescenta preço negociavel")
    assert "preço negociavel" in legend(visitor) and "acrescenta" not in legend(visitor)


async def test_terms_beside_another_correction_are_asked_back_behind_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *EN, "yes")
    await visitor.say("put that its a bit negotiable and the battery is 83 not 84 sorry")
    assert "83%" in legend(visitor)
    await visitor.say("yes")
    assert "price a bit negotiable" in legend(visitor)
