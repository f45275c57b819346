"""A month that corrects the one of a proposed date: it has the year of that date."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said", "date"),
    [
        ("en", "no wait it was december", "December 2021"),
        ("en", "it was december, a xmas present", "December 2021"),
        ("pt", "ai não, foi em dezembro, no natal", "dezembro de 2021"),
        ("pt", "não, foi em março", "março de 2021"),
    ],
)
async def test_a_corrected_month_keeps_the_proposed_year(
    harness: RunnerHarness, language: str, said: str, date: str
) -> None:
    first = {
        "en": "dyson v8 absolute, bought november 2021",
        "pt": "dyson v8 absolute, comprei em novembro de 2021",
    }
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, first[language], yes, good, yes, "20 min", yes)
    assert "2021" in legend(visitor)
    await visitor.say(said)
    assert date in legend(visitor)
