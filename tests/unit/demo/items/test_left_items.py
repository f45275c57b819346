"""What was said of an item that the catalog lacks, or that was left: it says nothing of the item that is sold then."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "pt",
            (
                "Vendo uma cadeira de escritório Markus preta, uma roda está partida. 200 euros",
                "E um cadeirão Poäng bétula?",
                *("sim", "bétula", "bom", "sim", "sim", "sim", "março de 2021", "2", "sem caixa"),
            ),
        ),
        (
            "en",
            (
                "Hello, I have an oak wardrobe for sale, two doors. One of the hinges is a bit loose. 90 euros",
                "Do you not take wardrobes? It might be an Ikea Pax actually",
                "Ikea Malm chest of drawers",
                *("yes", "4 drawers", "white", "good", "yes", "yes", "yes", "2018", "1", "nothing"),
            ),
        ),
        (
            "en",
            (
                "Our Bugaboo Fox 2, bought in 2021, comes with bassinet, seat and the rain cover",
                "Well it's the Fox 2, the second generation, not the original Fox",
                "None of these, but I also have our Babyzen Yoyo2, black frame",
                *("yes", "yes", "6+ seat", "good", "yes", "clean", "no", "2020", "yes", "nothing"),
            ),
        ),
        (
            "pt",
            (
                "vendo um relógio de parede antigo, o vidro está rachado. 40 euros",
                "tenho um iphone 12 64gb preto",
                *("sim", "sim", "bom", "livre", "87", "sim", "2020", "nada"),
            ),
        ),
    ],
)
async def test_facts_of_another_item_are_not_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said)
    assert visitor.state["status"] == "complete" and not visitor.open_blocks()
    (item,) = await visitor.items()
    assert item.asking_price is None or item.asking_price.cents is None


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "selling a blue Dyson V11 Absolute|yes|good|yes|40|yes|2020|no box", "no box; blue."),
        ("en", "Yoyo2 with the red colour pack, black frame|yes|yes|6+ seat|good|yes|clean|no|2020|yes|bag",
         "bag; red colour pack."),
        ("pt", "Canon EOS 250D com a objetiva 18-55 IS STM|sim|sim|preta|bom|sim|80|sim|2020|mala",
         "mala; a objetiva 18-55 IS STM."),
    ],
)  # fmt: skip
async def test_what_no_option_takes_is_asked_with_the_last_text(
    harness: RunnerHarness, language: str, said: str, asked: str
) -> None:
    visitor = await talk(harness, language, *said.split("|"))
    assert asked in visitor.open_blocks()[0]["legend"]


async def test_the_number_of_a_model_is_no_answer(harness: RunnerHarness) -> None:
    first = "vendo a máquina de café De'Longhi Magnifica S ECAM 22.110.B preta"
    visitor = await talk(harness, "pt", first, "sim", "sim", "bom", "sim", "sim")
    assert visitor.open_blocks()[0]["legend"] == "Quantos cafés tirou, mais ou menos?"


async def test_another_name_of_the_same_item_keeps_what_was_said(harness: RunnerHarness) -> None:
    first = "Selling a Sony A6400 with the 16-50mm kit lens, shutter count about 12,000. 600 euros"
    answers = ("yes", "excellent", "yes", "yes", "nothing visible", "2021", "nothing")
    visitor = await talk(harness, "en", first, "Alpha 6400, that's the A6400", *answers)
    assert "12,000" in visitor.state["answers"]["cameras.shutter_count"]
    assert visitor.open_blocks()[0]["name"] == "asking_price" and "600" in str(visitor.open_blocks()[0])
