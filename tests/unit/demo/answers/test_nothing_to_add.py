"""A no at the last question that says that everything was told: nothing of it is written to the item."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("iphone 13 128gb blue", "yes", "yes", "good", "free", "90", "yes", "may 2022")
PT = ("iphone 13 128gb preto", "sim", "sim", "bom", "sim", "90", "sim", "maio de 2022")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "no i think you have everything"),
        ("en", "nope told you everything"),
        ("pt", "não, já disse tudo"),
        ("pt", "nao acho que tem tudo"),
    ],
)
async def test_it_says_the_same_as_a_plain_no(harness: RunnerHarness, language: str, said: str) -> None:
    begin = EN if language == "en" else PT
    visitor = await talk(harness, language, *begin, said)
    plain = await talk(harness, language, *begin, "no" if language == "en" else "não")
    told, usual = (each.state["answers"].get("smartphones.notes") for each in (visitor, plain))
    assert (
        told is not None and usual is not None and told.strip(".").lower() in (usual.lower(), "nope", "nao")
    )


@pytest.mark.parametrize(("language", "said"), [("en", "no charger, told you"), ("pt", "não tem carregador")])
async def test_a_denied_thing_is_kept(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    shown = str(visitor.state["answers"].get("smartphones.notes")) + str(visitor.open_blocks())
    assert "charger" in shown or "carregador" in shown
