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
        ("pt", "não espera foi em dezembro, prenda de natal", "dezembro de 2021"),
        ("en", "no, december, xmas present", "December 2021"),
        ("en", "no it was a christmas present", "December 2021"),
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


@pytest.mark.parametrize(
    ("language", "said", "date"),
    [
        ("en", "no, december, xmas present", "December 2021"),
        ("en", "sorry, june", "June 2021"),
        ("pt", "não espera foi em dezembro, prenda de natal", "dezembro de 2021"),
        ("pt", "afinal foi no natal", "dezembro de 2021"),
    ],
)
async def test_a_month_behind_the_stored_date_keeps_its_year(
    harness: RunnerHarness, language: str, said: str, date: str
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, "dyson v8 absolute", yes, good, yes, "20 min", yes, "2021")
    assert "2021" in str(visitor.state["answers"])
    await visitor.say(said)
    assert date in legend(visitor)


async def test_a_month_of_a_repair_is_no_date_of_the_purchase(harness: RunnerHarness) -> None:
    said = ("dyson v8 absolute", "yes", "good", "yes", "20 min", "yes", "2021")
    visitor = await talk(harness, "en", *said)
    await visitor.say("no, the motor was replaced in december")
    assert "December 2021" not in str(visitor.state["answers"])
