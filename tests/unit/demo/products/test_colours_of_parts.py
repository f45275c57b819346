"""The colour of a part is not that of the frame: the option stays open, and the words are proposed at the last text."""

from __future__ import annotations

import pytest

from server.loopos.answers.clauses.asides import without_looks_of_parts
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", ("vendo carrinho bugaboo fox, capota preta", "sim")),
        ("pt", ("bugaboo fox", "sim", "capota preta")),
        ("pt", ("bugaboo fox", "sim", "assento preto e rodas pretas")),
        ("en", ("bugaboo fox", "yes", "black hood")),
        ("en", ("bugaboo fox", "yes", "the hood is black")),
    ],
)
async def test_the_colour_of_a_part_proposes_none_for_the_frame(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *said)
    assert legend(visitor) == ("Estrutura" if language == "pt" else "Chassis")
    assert not visitor.state.get("options")


@pytest.mark.parametrize(
    ("language", "said", "frame"),
    [
        ("en", ("bugaboo fox, forest green canopy on black chassis. seat + bassinet", "yes"), "Black"),
        ("en", ("bugaboo fox", "yes", "red hood on an aluminium chassis"), "Aluminium"),
        ("pt", ("bugaboo fox, capota verde em estrutura preta", "sim"), "Preta"),
    ],
)
async def test_the_frame_below_the_colour_of_a_part_is_read_or_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...], frame: str
) -> None:
    visitor = await talk(harness, language, *said)
    assert frame in legend(visitor) or frame in (visitor.state.get("options") or {}).values()


@pytest.mark.parametrize(
    ("language", "said", "colour"),
    [
        (
            "en",
            ("sony wh-1000xm4 headphones, black", "Yes. Sorry, not black, they're the blue ones."),
            "Midnight blue",
        ),
        (
            "pt",
            ("auscultadores sony wh-1000xm4 pretos", "Sim. Desculpe, não são pretos, são os azuis."),
            "Azul",
        ),
    ],
)
async def test_a_colour_in_the_place_of_a_denied_one_is_asked_back(
    harness: RunnerHarness, language: str, said: tuple[str, ...], colour: str
) -> None:
    visitor = await talk(harness, language, *said)
    assert colour in legend(visitor) and not visitor.state.get("options")


@pytest.mark.parametrize(
    ("language", "said", "frame"),
    [
        ("pt", ("bugaboo fox", "sim", "preta, com capota bege"), {"Estrutura": "Preta"}),
    ],
)
async def test_the_frame_is_read_beside_the_colour_of_a_part(
    harness: RunnerHarness, language: str, said: tuple[str, ...], frame: dict[str, str]
) -> None:
    visitor = await talk(harness, language, *said)
    assert visitor.state.get("options") == frame


async def test_the_words_of_a_part_are_proposed_at_the_last_text(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness,
        "pt",
        "bugaboo fox",
        "sim",
        "capota preta",
        "alumínio",
        "bom",
        "sim",
        "limpos",
        "sim",
        "2021",
        "sim",
        "nada",
    )
    assert "capota preta" in legend(visitor)


async def test_a_part_that_the_question_names_keeps_its_words() -> None:
    assert without_looks_of_parts(["strap", "rubber"], "black, rubber strap") == "black, rubber strap"
    assert without_looks_of_parts(["colour"], "silver, black strap") == "silver"
