"""Facts with numbers that a seller tells before their question: they are confirmed there, and no other value is."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

VACUUM = ("dyson v11", "yes", "good", "yes", "40", "yes")
ASPIRADOR = ("vendo dyson v11", "sim", "bom", "sim", "40", "sim")


@pytest.mark.parametrize(
    ("language", "said", "euro"),
    [
        ("en", "march 2021, 320 but can go down a bit", "320"),
        ("en", "bought in march 2021, 320 negotiable", "320"),
        ("pt", "março 2021, 320 mas dá para baixar", "320"),
    ],
)
async def test_a_price_behind_a_date_is_kept_with_its_terms(
    harness: RunnerHarness, language: str, said: str, euro: str
) -> None:
    told, yes = (VACUUM, "yes") if language == "en" else (ASPIRADOR, "sim")
    visitor = await talk(harness, language, *told, said)
    if "2021" in legend(visitor):
        await visitor.say(yes)
    assert "2021" in visitor.state["answers"]["vacuums.purchase_date"]
    await visitor.say("no pets" if language == "en" else "sem animais")
    while visitor.open_blocks() and visitor.open_blocks()[0]["name"] != "asking_price":
        await visitor.say(yes)
    assert euro in legend(visitor)
    assert not visitor.state["answers"].get("asking_price")


async def test_a_price_at_the_date_is_told_to_be_kept(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *ASPIRADOR, "pode pôr 150€")
    assert visitor.open_blocks()[0]["name"] == "vacuums.purchase_date"
    assert "volta a aparecer" in visitor.replies[-1].text
    await visitor.say("março de 2021")
    await visitor.say("nada mais")
    assert "150" in legend(visitor) and visitor.open_blocks()[0]["name"] == "asking_price"


async def test_a_price_that_is_put_right_at_the_date_is_asked_back_before_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *ASPIRADOR, "afinal pode pôr 150 euros")
    assert visitor.open_blocks()[0]["name"] == "asking_price" and "150" in legend(visitor)
    await visitor.say("sim")
    assert visitor.state["answers"]["asking_price"] == "150\xa0€"
    assert visitor.open_blocks()[-1]["name"] == "vacuums.purchase_date"


async def test_a_later_bare_price_takes_the_place_of_an_earlier_one(harness: RunnerHarness) -> None:
    later = ("afinal pode pôr 150 euros", "março 2021, 320 mas dá para baixar")
    visitor = await talk(harness, "pt", *ASPIRADOR, *later)
    assert visitor.open_blocks()[0]["name"] == "asking_price" and "320" in legend(visitor)
    await visitor.say("sim")
    assert visitor.state["answers"]["asking_price"] == "320\xa0€"
    assert visitor.open_blocks()[-1]["name"] == "vacuums.purchase_date" and "março de 2021" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        (
            "en",
            "selling my food processor, smoke-free home, with box, works perfectly, good condition",
            "TM6",
        ),
        ("en", "selling my kitchen machine, with box, works perfectly, good condition", "it's a bimby tm6"),
        ("pt", "vendo a minha máquina, com caixa, funciona perfeitamente, em bom estado", "é uma bimby tm6"),
    ],
)
async def test_facts_before_the_product_was_found_are_confirmed(
    harness: RunnerHarness, language: str, first: str, second: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, first, second)
    if visitor.open_blocks()[0]["name"] == "confirm":
        await visitor.say(yes)  # A place or a name in the list that was shown needs none.
    for name in ("condition", "works"):
        block = visitor.open_blocks()[0]
        assert block["name"].endswith(name) and block["choices"][0]["value"] == "answer:right"
        await visitor.say(yes)


async def test_facts_of_another_item_are_none_of_this_one(harness: RunnerHarness) -> None:
    first = "selling my hoverboard, good condition, 300 euros, with box"
    visitor = await talk(harness, "en", first, "iphone 12 black 128", "yes", "yes")
    assert len(visitor.open_blocks()[0]["choices"]) > 2


async def test_a_list_of_facts_with_numbers(harness: RunnerHarness) -> None:
    first = "bugaboo fox 2, used for 1 kid, cost 1100 back then, 350 with raincover and 2 cup holders, smoke free home"
    visitor = await talk(harness, "en", first, "yes", "black", "good", "yes", "clean", "yes", "march 2020")
    assert visitor.open_blocks()[0]["name"] == "strollers.smoke_free" and "Yes" in legend(visitor)
    await visitor.say("yes")
    await visitor.say("yes")
    assert "350" in legend(visitor)


async def test_games_behind_a_long_list(harness: RunnerHarness) -> None:
    first = "tenho uma ps5 com leitor, 825gb, 2 comandos e 3 jogos (fifa 23, gta 5 e spiderman 2), 380€"
    visitor = await talk(harness, "pt", first, "sim", "sim", "bom", "sim", "sim")
    assert visitor.open_blocks()[0]["name"] == "consoles.controllers" and "2" in legend(visitor)
    for said in ("sim", "sim", "março de 2021"):
        await visitor.say(said)
    assert "fifa 23" in legend(visitor) and "gta 5" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "first"),
    [
        ("pt", "dyson v11 absolute, bateria dura uns 40 min, dei 600 euros por ele em 2020, agora 200"),
        ("en", "dyson v11 absolute, battery lasts 40 mins, paid 600 for it in 2020, now 200, 5 heads"),
    ],
)
async def test_facts_of_the_item_are_no_part_of_its_name(
    harness: RunnerHarness, language: str, first: str
) -> None:
    visitor = await talk(harness, language, first)
    assert "V11 Absolute" in visitor.replies[-1].text and len(visitor.open_blocks()[0]["choices"]) == 2
