"""A value that belongs to another question is not stored, whichever question a model reports it for."""

from __future__ import annotations

import json

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

DYSON = ("I want to sell a Dyson V11 Absolute, battery lasts 10 min", "yes", "good", "yes")
STROLLER = ("a bugaboo fox", "yes", "black", "good", "yes", "clean", "no", "2022", "yes")
PRICED = (f"{STROLLER[0]} for 250 euros", *STROLLER[1:], "rain cover")
BOUGHT = "strollers.purchase_date"
ACCESSORIES = "strollers.accessories"
BATTERY, PRICE = "vacuums.battery_minutes", "asking_price"


async def _talk(harness: RunnerHarness, *said: str, language: str = "en") -> HarnessVisitor:
    visitor = await harness.visitor(language)
    for each in said:
        await visitor.say(each)
    return visitor


async def _report(visitor: HarnessVisitor, text: str, *element_ids: str) -> None:
    """Say a text, which a model reports as the answer to these questions."""
    demo = visitor.harness
    calls = [
        function_call(
            "validate_protocol_answer", json.dumps({"element_id": each, "answer": text}), call_id=each
        )
        for each in element_ids
    ]
    script = ScriptedModel([calls, [assistant_message("Good.")]])
    visitor.harness = await RunnerHarness.over(demo.store, script)
    await visitor.say(text)
    visitor.harness = demo


async def test_a_correction_of_what_is_shown_is_no_price_that_waits_beside_it(harness: RunnerHarness) -> None:
    visitor = await _talk(harness, *DYSON, "100-150 eur", "no, its 15")
    assert visitor.state["answers"][BATTERY] == "15\xa0min"
    assert PRICE not in visitor.state["answers"]
    (block,) = visitor.open_blocks()
    assert "€150" in json.dumps(block, ensure_ascii=False)


@pytest.mark.parametrize("reported", [(PRICE,), (BATTERY, PRICE)])
@pytest.mark.parametrize("said", ["no, its 15", "15"])
async def test_a_model_that_reports_a_bare_number_as_the_price_stores_none(
    harness: RunnerHarness, said: str, reported: tuple[str, ...]
) -> None:
    visitor = await _talk(harness, *DYSON)
    await _report(visitor, said, *reported)
    assert PRICE not in visitor.state["answers"]
    assert visitor.state.get("price") is None


@pytest.mark.parametrize("said", ["150 €", "o preço é 150", "asking 150"])
async def test_an_amount_that_is_named_is_the_price_at_any_question(
    harness: RunnerHarness, said: str
) -> None:
    visitor = await _talk(harness, *DYSON)
    await _report(visitor, said, PRICE)
    assert "150" in visitor.state["answers"][PRICE]


@pytest.mark.parametrize("said", ["ok", "Okay!", "ok, thanks", "tá bem"])
async def test_a_word_that_says_only_that_it_was_heard_is_no_text(harness: RunnerHarness, said: str) -> None:
    visitor = await _talk(harness, *STROLLER)
    (block,) = visitor.open_blocks()
    assert block["name"] == ACCESSORIES
    await _report(visitor, said, ACCESSORIES)
    assert ACCESSORIES not in visitor.state["answers"]
    await visitor.say("ok, the rain cover")
    assert visitor.state["answers"][ACCESSORIES] == "ok, the rain cover"


@pytest.mark.parametrize("said", ["180 quid", "want 180 quid for it", "£180", "60 euros"])
async def test_a_price_alone_is_no_text(harness: RunnerHarness, said: str) -> None:
    visitor = await _talk(harness, *STROLLER)
    await _report(visitor, said, ACCESSORIES)
    assert ACCESSORIES not in visitor.state["answers"]
    assert visitor.state.get("price") is None
    await visitor.say("the rain cover")
    assert visitor.state["answers"][ACCESSORIES] == "the rain cover"
    (block,) = visitor.open_blocks()
    assert block["name"] == PRICE


async def test_words_that_name_all_of_a_text_take_its_place(harness: RunnerHarness) -> None:
    visitor = await _talk(harness, *STROLLER, "a lamp", "ah and the handle is torn, put that in")
    await visitor.say("none, just the rain cover")
    assert visitor.state["answers"][ACCESSORIES] == "a lamp"
    await visitor.say("yes")
    assert visitor.state["answers"][ACCESSORIES] in ("just the rain cover", "none, just the rain cover")


@pytest.mark.parametrize("said", ["two", "duas", "2", "no, two"])
async def test_a_bare_number_far_below_the_known_price_is_asked_back(
    harness: RunnerHarness, said: str
) -> None:
    visitor = await _talk(harness, *PRICED)
    assert "€250" in json.dumps(visitor.open_blocks(), ensure_ascii=False)
    await _report(visitor, said, PRICE)
    assert PRICE not in visitor.state["answers"]
    assert "€2." in json.dumps(visitor.open_blocks(), ensure_ascii=False)
    await visitor.say("no")
    await visitor.say("240")
    assert visitor.state["answers"][PRICE] == "€240"


@pytest.mark.parametrize(
    ("said", "price"), [("2 euros", "€2"), ("the price is 2", "€2"), ("150", "€150"), ("no, 99", "€99")]
)
async def test_a_price_that_is_named_or_near_the_known_one_is_stored(
    harness: RunnerHarness, said: str, price: str
) -> None:
    visitor = await _talk(harness, *PRICED, said)
    assert visitor.state["answers"][PRICE] == price


@pytest.mark.parametrize(("said", "shown"), [(("january", "2023"), "January 2023"), (("2023",), "2023")])
async def test_the_year_that_was_asked_for_is_that_of_the_month(
    harness: RunnerHarness, said: tuple[str, ...], shown: str
) -> None:
    visitor = await _talk(harness, *STROLLER[:7], *said)
    assert visitor.state["answers"][BOUGHT] == shown


@pytest.mark.parametrize(
    ("language", "said", "is_odometer"),
    [
        ("en", "battery only does 15 km now", False),
        ("en", "gets 15 km of range", False),
        ("pt", "faz 15 km por carga", False),
        ("pt", "a bateria só dá uns 15 km", False),
        ("pt", "tem 1200 km e a bateria está boa", True),
        ("en", "it has done 800 km", True),
    ],
)
async def test_the_range_of_a_battery_is_no_odometer(
    harness: RunnerHarness, language: str, said: str, is_odometer: bool
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    start = f"xiaomi mi electric scooter pro 2, {said}"
    visitor = await _talk(harness, start, yes, good, yes, language=language)
    asked = visitor.open_blocks()[0]
    assert asked["name"] == "scooters.kilometres"
    assert ("confirm" in asked) is is_odometer
