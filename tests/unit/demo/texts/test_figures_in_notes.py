"""Figures that were answered elsewhere: the proposed notes have none of them, and a figure put right adds nothing."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

TOLD = {
    "en": (
        "iphone 13 128gb blue, battery 87 with box",
        "yes",
        "yes",
        "good",
        "free",
        "no its 82",
        "yes",
        "2021",
    ),
    "pt": (
        "iphone 13 128gb azul, bateria 87 com caixa",
        *("sim", "sim", "sim", "bom", "livre", "não, é 82", "sim", "2021"),
    ),
}


@pytest.mark.parametrize(("language", "box"), [("en", "box"), ("pt", "caixa")])
async def test_proposed_notes_have_no_figure_that_was_put_right(
    harness: RunnerHarness, language: str, box: str
) -> None:
    visitor = await talk(harness, language, *TOLD[language])
    assert visitor.open_blocks()[0]["name"] == "smartphones.notes"
    assert box in legend(visitor) and "87" not in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "yes"),
    [
        ("en", "sorry checked again battery is 81. oh no 80", "yes"),
        ("pt", "desculpe, vi outra vez, a bateria tem 81. ai não 80", "sim"),
    ],
)
async def test_a_figure_that_is_put_right_at_the_end_changes_only_its_answer(
    harness: RunnerHarness, language: str, said: str, yes: str
) -> None:
    visitor = await talk(harness, language, *TOLD[language], yes, said, yes)
    assert visitor.state["answers"]["smartphones.battery_health"].startswith("80")
    assert not visitor.open_blocks() and "8" not in visitor.state["answers"]["smartphones.notes"]
