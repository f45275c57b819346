"""What a first message tells of the parts of an item is proposed at their questions, as what it says."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

BIMBY = ("vendo bimby tm5, o copo tem riscos por dentro", "sim", "bom", "tudo funciona")
FOX = ("Bugaboo Fox preto, tem uma manchinha no assento", "sim", "sim", "bom")
SWITCH = "Nintendo Switch OLED white standard, goes online no probs"
CAMERA = (
    "selling a GoPro Hero 9 black",
    "yes",
    "Good. Light scratches on the body, the lens is clean",
    "yes",
    "yes",
)
LAPTOP = ("vendo MacBook Air M1 2020 8GB 256GB cinzento sideral", "sim", "sim", "bom", "tudo funciona")


@pytest.mark.parametrize(
    ("language", "said", "name", "shown"),
    [
        ("pt", BIMBY, "food-processors.bowl", "Com marcas de uso (o copo tem riscos por dentro)"),
        ("pt", (*FOX, "sim"), "strollers.fabric", "Com manchas"),
        ("en", (SWITCH, "yes", "yes", "good", "yes works"), "consoles.banned", "Yes"),
        ("en", (*CAMERA, "it doesn't have one, as far as I know"), "cameras.sensor", "Yes, nothing visible"),
        (
            "en",
            ("Fox by Bugaboo, black, the seat reclines", "yes", "yes", "good", "yes"),
            "strollers.fabric",
            "",
        ),
    ],
)
async def test_what_was_told_of_a_part_is_proposed(
    harness: RunnerHarness, language: str, said: tuple[str, ...], name: str, shown: str
) -> None:
    visitor = await talk(harness, language, *said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == name
    assert (shown and shown in legend(visitor)) or (not shown and "?" not in legend(visitor)[:-1])


async def test_a_thing_with_its_own_question_is_none_of_a_set(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *BIMBY, "sim", "traz a varoma e o cesto. nao tenho o cook-key")
    assert "Sim" in legend(visitor) and "cook-key" not in legend(visitor)
    for text in ("sim", "2020"):
        await visitor.say(text)
    assert legend(visitor) == "Percebi: inclui a varoma e o cesto. Certo?"
    await visitor.say("sim")
    assert [each["name"] for each in visitor.open_blocks()] == ["bimby-tm5.cook_key"]
    assert "Não" in legend(visitor)


async def test_words_beside_a_figure_that_is_not_known_are_kept(harness: RunnerHarness) -> None:
    said = "Não sei ao certo quantos ciclos, mas dura umas 3 horas."
    visitor = await talk(harness, "pt", *LAPTOP, said)
    assert [each["name"] for each in visitor.open_blocks()] == ["laptops.keyboard"]
    for text in ("português", "sim", "sim", "2021", "sem mais"):
        await visitor.say(text)
    assert "dura umas 3 horas" in str(visitor.open_blocks()) + str(visitor.state["answers"])


@pytest.mark.parametrize("said", ["a trotinete não tem contador", "não sei ao certo quantos quilómetros"])
async def test_a_required_figure_that_is_not_known_can_be_put_off(harness: RunnerHarness, said: str) -> None:
    start = ("vendo trotinete xiaomi mi electric scooter 3 preta", "sim", "sim", "bom", "tudo funciona")
    visitor = await talk(harness, "pt", *start, said)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "scooters.kilometres" and asked["unsure"]
    await visitor.say(said)
    assert [each["name"] for each in visitor.open_blocks()] == ["scooters.battery"]


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("en", "all except the spatula", "No (all except the spatula)"),
        ("pt", "tudo menos a espátula", "Não (tudo menos a espátula)"),
    ],
)
async def test_what_is_missing_of_a_set_stands_beside_the_no(
    harness: RunnerHarness, language: str, said: str, shown: str
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, "bimby tm5", yes, good, yes, good, said)
    assert shown in legend(visitor)
