"""Answers to `I understood … Is that right?`: a no with the right answer, a lone `é`, a yes with more words."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

CAMERA = {
    "pt": (
        "vendo canon eos 250d com 18-55, preta",
        "sim",
        "sim",
        "bom, tem um risco na lente",
        "sim",
        "sim",
        "12000",
    ),
    "en": (
        "canon eos 250d with 18-55, black",
        "yes",
        "yes",
        "good, a scratch on the lens",
        "yes",
        "yes",
        "12000",
    ),
}
VACUUM = {
    "pt": (
        "vendo aspirador dyson v10 absolute",
        "sim",
        "bom",
        "sim",
        "20",
        "sim",
        "2020-12",
        "traz duas escovas",
    ),
    "en": (
        "dyson v10 absolute vacuum",
        "yes",
        "good",
        "yes",
        "20",
        "yes",
        "2020-12",
        "comes with two brushes",
    ),
}
CONSOLE = {
    "pt": ("vendo nintendo switch cinzento", "sim", "sim", "má, está toda riscada"),
    "en": ("selling a nintendo switch grey", "yes", "yes", "poor, it is scratched all over"),
}
BICYCLE = ("selling trek domane al 2 56cm", "yes", "yes")


@pytest.mark.parametrize(
    ("language", "said", "clean"),
    [
        ("pt", "Não, é outra coisa. Limpos.", "Sim, nada visível"),
        ("pt", "não, outra coisa: limpos", "Sim, nada visível"),
        ("en", "No, something else. Clean.", "Yes, nothing visible"),
        ("en", "no its something else, clean", "Yes, nothing visible"),
    ],
)
async def test_the_words_of_the_no_button_and_an_answer_correct_it(
    harness: RunnerHarness, language: str, said: str, clean: str
) -> None:
    visitor = await talk(harness, language, *CAMERA[language], said)
    assert "get_catalog" not in visitor.replies[-1].calls
    shown = visitor.state["answers"].get("cameras.sensor") or legend(visitor)
    assert clean in shown


@pytest.mark.parametrize("said", ["quero vender outra coisa", "i want to sell something else"])
async def test_another_sale_is_still_one(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *CONSOLE["pt"], said)
    assert "identification" in visitor.replies[-1].handoffs


@pytest.mark.parametrize("said", ["é", "É.", "pois é"])
async def test_a_lone_is_agrees_to_what_was_shown(harness: RunnerHarness, said: str) -> None:
    begun = ("vendo aspirador dyson v10 absolute", "sim", "bom", "funciona, com defeitos, a bateria é fraca")
    visitor = await talk(harness, "pt", *begun, said)
    assert visitor.state["answers"]["vacuums.works"] == "Funciona, com defeitos (a bateria é fraca)"


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("pt", "sim mas funciona", "Mau (está toda riscada)"),
        ("pt", "sim, mas funciona bem", "Mau (está toda riscada)"),
        ("en", "yes but it works", "Poor (it is scratched all over)"),
    ],
)
async def test_a_yes_that_adds_that_it_works_leaves_the_answer(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    visitor = await talk(harness, language, *CONSOLE[language], said)
    assert visitor.state["answers"]["consoles.condition"] == kept


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (
            ("good but the front tyre is worn and theres a chip on the fork",),
            ("tyre is worn", "chip on the fork"),
        ),
        (
            ("good but the front tyre is worn and there is a mark on the fork",),
            ("tyre is worn", "mark on the fork"),
        ),
        (
            ("good but the front tyre is worn", "no, tyre and the chip on the fork"),
            ("Good", "tyre", "chip on the fork"),
        ),
        (
            ("bom mas o pneu está gasto e tem uma lasca na forquilha",),
            ("pneu está gasto", "lasca na forquilha"),
        ),
        (
            ("bom mas o pneu está gasto e tem um toque na forquilha",),
            ("pneu está gasto", "toque na forquilha"),
        ),
    ],
)
async def test_each_fault_of_a_sentence_stays(
    harness: RunnerHarness, said: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    visitor = await talk(harness, "en", *BICYCLE, *said)
    assert visitor.open_blocks()[0]["name"] == "bicycles.condition"
    assert all(part in legend(visitor) for part in parts)


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "actually i changed my mind can u make it 110"),
        ("en", "the price of mine should be 110"),
        ("en", "price 110"),
        ("pt", "mudei de ideias, mete 110"),
        ("pt", "o preço devia ser 110"),
        ("pt", "altera para 110"),
    ],
)
async def test_a_new_price_at_the_finished_card_opens_no_search(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language], "120 euros", said)
    assert not visitor.replies[-1].handoffs
    if visitor.open_blocks():
        assert "110" in legend(visitor)
        await visitor.say("sim" if language == "pt" else "yes")
    (item,) = await visitor.items()
    assert item.asking_price.cents == 11_000
