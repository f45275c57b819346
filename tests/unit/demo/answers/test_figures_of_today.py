"""Figures in passing at a number, a date or the price: none begins, ends or fills another thing than it is about."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk
from tests.unit.demo.utterances import STATES

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

RIDE = {
    "pt": ("rockhopper comp", "sim", "M", "bom", "sim", "sim"),
    "en": ("rockhopper comp", "yes", "M", "good", "yes", "yes"),
}
CONSOLE = {"pt": ("ps5", "sim", "com leitor", "bom", "sim, tudo funciona", "sim")}
LAPTOP = {
    "pt": ("macbook air m2 midnight 8gb 256gb", "sim", "sim", "bom", "sim, tudo funciona"),
    "en": ("macbook air m2 midnight 8gb 256gb", "yes", "yes", "good", "yes, everything works"),
}


@pytest.mark.parametrize("said", ["para aí 1500 km", "prai uns 1500 km", "para ai mil e quinhentos km"])
async def test_a_rough_figure_ends_nothing(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *RIDE["pt"], said)
    assert "1500" in legend(visitor)


async def test_to_stop_there_still_ends_the_talk(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *RIDE["pt"])
    assert not (await visitor.say("para aí")).text.startswith("Escreva")


async def test_another_thing_for_a_sum_is_no_picture(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *CONSOLE["pt"])
    reply = await visitor.say("vem com 1 mas posso juntar outro por 20")
    assert "imagem" not in reply.text and "1" in legend(visitor)


async def test_when_it_came_out_is_no_picture(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *STATES["en:date"])
    assert "picture" not in (await visitor.say("when it came out")).text


@pytest.mark.parametrize(
    ("state", "language", "said", "shown"),
    [("en:text", "en", "sorry 2021", "2021"), ("text", "pt", "desculpe 2021", "2021")],
)
async def test_a_bare_date_behind_the_date_corrects_it(
    harness: RunnerHarness, state: str, language: str, said: str, shown: str
) -> None:
    visitor = await talk(harness, language, *STATES[state], said)
    assert visitor.state["answers"]["smartphones.purchase_date"] == shown
    assert "smartphones.notes" not in visitor.state["answers"]


@pytest.mark.parametrize(("language", "said"), [("en", "oops 181"), ("en", "whoops, 181"), ("pt", "ups 181")])
async def test_a_slip_corrects_the_figure_before(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *LAPTOP[language], "118", said)
    kept = visitor.state["answers"]["laptops.battery_cycles"]
    assert "181" in kept or "181" in legend(visitor)


@pytest.mark.parametrize(
    ("state", "language", "said", "back"),
    [
        ("en:done", "en", "200 no less", "€200"),
        ("en:done", "en", "i need to get at least 150", "€150"),
        ("en:done", "en", "240 shipped", "€240"),
        ("done", "pt", "200 nem menos", "200"),
        ("done", "pt", "o ideal era 230", "230"),
        ("en:done", "en", "someone offered 200", "Asking price"),
        ("en:done", "en", "they go for 300 on ebay", "Asking price"),
        ("en:done", "en", "free to a good home", "Asking price"),
        ("done", "pt", "já me ofereceram 200", "Preço pedido"),
        ("done", "pt", "andam a 300 no olx", "Preço pedido"),
        ("done", "pt", "quanto acha q vale?", "Preço pedido"),
        ("done", "pt", "quanto devo pedir?", "Preço pedido"),
    ],
)
async def test_words_about_money_are_about_the_price(
    harness: RunnerHarness, state: str, language: str, said: str, back: str
) -> None:
    visitor = await talk(harness, language, *STATES[state], said)
    assert back in legend(visitor)
    assert "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("state", "language", "said"),
    [
        ("en:text", "en", "good phone, good battery, 87, black"),
        ("text", "pt", "bom telemóvel, boa bateria, 87, preto"),
    ],
)
async def test_a_number_that_was_told_is_no_price(
    harness: RunnerHarness, state: str, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *STATES[state], said)
    assert visitor.open_blocks() == [] and "87" in visitor.state["answers"]["smartphones.notes"]


CHEST = {
    "pt": (
        "cómoda ikea malm 4 gavetas branca",
        "sim",
        "sim",
        "sim",
        "bom",
        "sim",
        "sim",
        "sim",
        "2019",
        "nada",
    ),
    "en": ("ikea malm 4 drawers white", "yes", "yes", "yes", "good", "yes", "yes", "yes", "2019", "nothing"),
}


@pytest.mark.parametrize(
    ("language", "floor", "said"),
    [
        (
            "pt",
            "Segundo andar, mas há elevador",
            "Sim. E ponha nas notas que falta uma gaveta, só tem cinco.",
        ),
        (
            "en",
            "second floor but there is a lift",
            "Yes. And note that a drawer is missing, it only has five.",
        ),
    ],
)
async def test_a_number_of_other_things_behind_a_yes_is_no_floor(
    harness: RunnerHarness, language: str, floor: str, said: str
) -> None:
    visitor = await talk(harness, language, *CHEST[language], floor)
    assert "2" in legend(visitor)
    await visitor.say(said)
    assert visitor.state["answers"].get("furniture.floor", "2") == "2" and "5" not in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("pt", "2, o preto está bom e o branco tem drift", "Funciona, com defeitos (o branco tem drift)"),
        (
            "en",
            "2, the black one is fine and the white one has the drift on left stick, still usable",
            "It works, with faults (the white one has the drift on left stick)",
        ),
    ],
)
async def test_the_fault_of_one_of_the_counted_things_is_asked_back_with_its_words(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    first = {"pt": CONSOLE["pt"], "en": ("ps5", "yes", "disc", "good", "yes, everything works", "yes")}
    yes = "sim" if language == "pt" else "yes"
    visitor = await talk(harness, language, *first[language], said)
    assert visitor.open_blocks()[0]["name"] == "consoles.controllers" and "2" in legend(visitor)
    await visitor.say(yes)
    asked = visitor.open_blocks()[-1]
    assert asked["name"] == "consoles.works" and kept in asked["legend"]
    await visitor.say(yes)
    assert visitor.state["answers"]["consoles.works"] == kept


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("pt", "comprei em 2020", "comprei em 2020"),
        ("en", "bought it in 2020", "bought it in 2020"),
    ],
)
async def test_when_a_seat_was_bought_is_kept_as_words(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    pt = language == "pt"
    yes, good = ("sim", "bom") if pt else ("yes", "good")
    visitor = await talk(harness, language, "joie i-spin 360", yes, yes, good, said)
    assert "2020" not in legend(visitor)
    for each in ("11/2019", yes, yes, yes):
        await visitor.say(each)
    if kept not in legend(visitor):  # It is asked behind the last text.
        await visitor.say("nada" if pt else "nothing")
    assert visitor.state["answers"]["car-seats.made"].endswith("2019") and kept in legend(visitor)
