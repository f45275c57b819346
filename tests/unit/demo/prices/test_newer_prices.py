"""A price that is put over one that was told, and one behind a no, also beside the name of another currency."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

TOLD = {
    "en": ("iphone 13 128gb blue, after like 230 ono", "yes", "yes", "good", "free", "90", "yes"),
    "pt": ("iphone 13 128gb azul, quero 230 euros", "sim", "sim", "sim", "bom", "sim", "livre", "90", "sim"),
}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("march 2021… actually make it 220", "yes", "box", "yes")),
        ("pt", ("março de 2021… afinal faz 220", "sim", "caixa")),
    ],
)
async def test_a_newer_price_beside_another_answer_is_the_one_that_is_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *TOLD[language], *said)
    assert visitor.open_blocks()[0]["name"] == "asking_price"
    assert "220" in legend(visitor) and "230" not in legend(visitor)


async def test_a_figure_of_an_answer_is_no_newer_price(harness: RunnerHarness) -> None:
    first, yes, sure, good, free, _, intact = TOLD["en"]
    said = ("90, actually make it 87", "yes", intact, "2021", "box", "yes")
    visitor = await talk(harness, "en", first, yes, sure, good, free, *said)
    assert visitor.state["answers"]["smartphones.battery_health"] == "87%"
    assert "230" in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "yes"),
    [
        ("en", ("2021", "box", "yes", "no 220 i said. pounds"), "yes"),
        ("pt", ("2021", "caixa", "não, 220, já disse. Em libras"), "sim"),
    ],
)
async def test_a_no_with_an_amount_proposes_it_and_says_what_prices_are_in(
    harness: RunnerHarness, language: str, said: tuple[str, ...], yes: str
) -> None:
    visitor = await talk(harness, language, *TOLD[language], *said)
    assert "220" in legend(visitor) and "euro" in visitor.replies[-1].text
    assert "asking_price" not in visitor.state["answers"]
    await visitor.say(yes)
    assert "220" in visitor.state["answers"]["asking_price"]


VACUUM = {
    "en": ("dyson v11, asking 140 euros", "yes", "good", "yes", "30"),
    "pt": ("dyson v11, peço 140 euros", "sim", "bom", "sim", "30"),
}


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("en", ("yes but I'd rather 130",), "130"),
        ("en", ("yes, actually 130",), "130"),
        ("en", ("yes, make it 130 instead",), "130"),
        ("en", ("no charger. 130 instead",), "130"),
        ("en", ("yes", "2021, actually 130"), "130"),
        ("en", ("yes", "2021", "130 instead"), "130"),
        ("pt", ("sim e quero antes 130",), "130"),
        ("pt", ("sim, afinal 130",), "130"),
        ("pt", ("sim, aliás 170",), "170"),
        ("pt", ("sim", "2021, afinal 130"), "130"),
        ("pt", ("sim", "2021", "afinal quero antes 130"), "130"),
    ],
)
async def test_an_amount_that_corrects_the_told_price_is_noted_or_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...], price: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], *said)
    assert price in visitor.replies[-1].text + legend(visitor)
    assert visitor.state["answers"]["vacuums.battery_minutes"].startswith("30")


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "actually 35"), ("pt", "afinal 35")],
)
async def test_an_amount_nearer_to_an_answer_is_no_newer_price(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], said)
    assert "€" not in visitor.replies[-1].text + legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "yes"),
    [
        (
            "en",
            ("yes", "2021", "asking 140", "actually i want 130. The dock is there, the filter is not"),
            "yes",
        ),
        (
            "pt",
            ("sim", "2021", "peço 140 euros", "afinal peço 130. A base vem, o que falta é o filtro"),
            "sim",
        ),
    ],
)
async def test_a_price_over_the_answered_one_is_noted_and_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...], yes: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], *said)
    text = visitor.replies[-1].text
    assert "130" in text and ("noted" if language == "en" else "anotado") in text
    for _ in range(3):
        if visitor.open_blocks() and visitor.open_blocks()[-1]["name"] != "asking_price":
            await visitor.say(yes)
    assert "130" in legend(visitor)


async def test_the_reply_says_that_a_price_beside_a_correction_is_noted(harness: RunnerHarness) -> None:
    said = ("yes", "2021", "the box and the dock", "it has no dock and a worn battery. Price 120 euros.")
    visitor = await talk(harness, "en", "dyson v11", *VACUUM["en"][1:], *said)
    assert "€120" in visitor.replies[-1].text + legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("en", ("iphone 12 black 128", "yes", "yes", "it is a bit worn. asking 480... no, 450"), "€450"),
        (
            "pt",
            ("iphone 12 preto 128", "sim", "sim", "está um pouco usado. quero 480... não, 450"),
            "450\xa0€",
        ),
    ],
)
async def test_the_second_of_two_amounts_with_a_no_between_them_is_noted(
    harness: RunnerHarness, language: str, said: tuple[str, ...], price: str
) -> None:
    visitor = await talk(harness, language, *said[:-1])
    assert price in (await visitor.say(said[-1])).text
