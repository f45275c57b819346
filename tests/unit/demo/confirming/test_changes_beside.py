"""Words beside an answer that change another answer or the price: they are kept and asked back, never refused."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("iphone 12 black 128gb, 300 euros", "yes", "yes", "fair", "free")
PT = ("iphone 12 preto de 128", "sim", "sim", "bom", "Não, mas posso retirar a conta")
FREED = "86. Ah, e já tirei o icloud agora, está livre. Quanto é que acham que devo pedir?"
COFFEES = (
    "Well my daughter bought it in the black friday sale, so November 2021. "
    "Oh and I think I was wrong, more like 4000 coffees"
)


async def test_a_freed_account_beside_the_battery_is_asked_back_behind_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *PT, FREED)
    assert "86" in legend(visitor)
    await visitor.say("86")
    assert "Sim, está livre" in legend(visitor)
    await visitor.say("sim")
    answers = visitor.state["answers"]
    assert answers["smartphones.account_lock"] == "Sim, está livre"
    assert answers["smartphones.battery_health"].startswith("86")


async def test_a_corrected_count_beside_the_date_is_asked_back_behind_it(harness: RunnerHarness) -> None:
    said = ("Magnifica S (ECAM22.110) black", "yes", "yes", "good", "yes", "yes", "3000", "yes", COFFEES)
    visitor = await talk(harness, "en", *said)
    assert "November 2021" in legend(visitor)
    await visitor.say("yes")
    assert "4,000" in legend(visitor)


async def test_another_grade_beside_the_battery_and_another_price_beside_the_screen(
    harness: RunnerHarness,
) -> None:
    visitor = await talk(
        harness, "en", *EN, "ah found it 84. and its not fair its more poor now i look at it", "84"
    )
    assert "Poor" in legend(visitor)
    for said in ("yes", "ye screens fine. make it 280, want it gone", "yes", "2021", "nothing"):
        await visitor.say(said)
    assert visitor.state["answers"]["smartphones.condition"] == "Poor" and "€280" in legend(visitor)


async def test_a_year_keeps_the_month_that_waits_and_the_price_beside_it(harness: RunnerHarness) -> None:
    first = "iphone 12 preto de 128gb, comprei em outubro de 2020"
    visitor = await talk(harness, "pt", first, "sim", "sim", "bom", "livre", "86", "sim")
    await visitor.say("afinal foi 2019, e o preço fica 130")
    assert "outubro de 2019" in legend(visitor)
    for said in ("sim", "nada"):
        await visitor.say(said)
    assert "130 €" in legend(visitor).replace("\xa0", " ")


async def test_the_day_of_a_sale_is_no_colour_and_the_price_beside_it_changes(harness: RunnerHarness) -> None:
    said = ("sony wh-1000xm4 silver 120 euros", "yes", "yes", "good", "yes", "yes", "24", "no")
    visitor = await talk(harness, "en", *said, "black friday 2023. oh and can u change the 120 to 110")
    assert "2023" in legend(visitor)
    for text in ("yes", "nothing"):
        await visitor.say(text)
    assert "€110" in legend(visitor) and visitor.state["options"] == {"Colour": "Silver"}


async def test_another_figure_beside_a_number_is_kept_for_the_last_text(harness: RunnerHarness) -> None:
    said = ("macbook air m1 8gb 256 space grey", "yes", "yes", "good", "yes")
    visitor = await talk(harness, "en", *said, "187 cycles, maximum capacity 89%")
    for text in ("yes", "English (UK)", "yes", "yes", "2021", "nothing"):
        await visitor.say(text)
    assert "maximum capacity 89%" in legend(visitor)


async def test_words_behind_by_the_way_stand_beside_no_condition(harness: RunnerHarness) -> None:
    first = "Good, apart from the rubber on the grip, which is slightly loose"
    said = ("canon eos m50 body only, black, with two batteries", "yes", "yes", first)
    beside = "Yes. And it's three batteries by the way, not two - one is original Canon and two are Patona"
    visitor = await talk(harness, "en", *said, beside)
    assert "batteries" not in visitor.state["answers"]["cameras.condition"]
    named = "Condition is Good (grip rubber slightly loose). The batteries don't belong there"
    await visitor.say(named)
    assert "Good (grip rubber slightly loose)" in legend(visitor)
