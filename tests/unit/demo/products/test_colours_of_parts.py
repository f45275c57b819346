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
