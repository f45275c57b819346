"""A price said in passing, at any place: it is asked back at the end, and is no value of another question."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTES = "smartphones.notes"
EN = ("yes", "yes", "good", "free", "90", "yes", "may 2022")
PT = ("sim", "sim", "bom", "sim", "90", "sim", "maio de 2022")


async def finish(visitor: HarnessVisitor, language: str) -> None:
    """Answer the question for accessories, and confirm what was understood of it."""
    await visitor.say("the case" if language == "en" else "a capa")
    if "(" in legend(visitor) or "cap" in legend(visitor) or "case" in legend(visitor):
        await visitor.say("yes" if language == "en" else "sim")


@pytest.mark.parametrize(
    ("language", "first", "price"),
    [
        ("en", "iphone 13 128gb blue, id take 150 for it", "€150"),
        ("en", "iphone 13 128gb blue, like 130ish", "€130"),
        ("en", "iphone 13 128gb blue. unlocked. 260", "€260"),
        ("en", "iphone 13 128gb blue, thinking of a hundred and ten", "€110"),
        ("pt", "iphone 13 128gb preto, aceito 150", "150 €"),
        ("pt", "iphone 13 128gb preto, 260", "260 €"),
    ],
)
async def test_a_price_in_the_first_message(
    harness: RunnerHarness, language: str, first: str, price: str
) -> None:
    yes, _, *told = EN if language == "en" else PT
    visitor = await talk(harness, language, first, yes)
    while not visitor.open_blocks()[0]["name"].endswith(".condition"):
        await visitor.say(yes)
    for text in told:
        await visitor.say(text)
    await finish(visitor, language)
    assert price.replace(" ", "\u00a0") in legend(visitor) or price in legend(visitor)
    assert "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "at", "said", "price"),
    [
        ("en", 1, "yes, 120 for it", "120"),
        ("pt", 1, "sim, faço por 120 euros", "120"),
    ],
)
async def test_a_price_beside_an_answer(
    harness: RunnerHarness, language: str, at: int, said: str, price: str
) -> None:
    first = "iphone 13 128gb blue" if language == "en" else "iphone 13 128gb preto"
    told = [first, *(EN if language == "en" else PT)]
    told[at] = said
    visitor = await talk(harness, language, *told)
    await finish(visitor, language)
    assert price in legend(visitor) and "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("en", ("iphone 13", "yes 260", "128", "blue")),
        ("en", ("iphone 13", "yes, 260 euros", "128", "blue")),
        ("en", ("iphone 13 blue", "ye its 260 for it", "128")),
        ("pt", ("iphone 13 preto", "sim 260", "128")),
        ("pt", ("iphone 13", "sim, 260€", "128", "preto")),
        ("en", ("iphone 13 blue", "yes", "yes 260", "128")),
        ("en", ("iphone 13 blue", "yes", "128gb, 260")),
        ("pt", ("iphone 13 preto", "sim", "sim, 260€", "128")),
        ("en", ("iphone 13 blue 128", "yes", "yes, 260")),
        ("pt", ("iphone 13 preto 128", "sim", "sim 260")),
    ],
)
async def test_a_price_beside_a_yes_or_an_option(
    harness: RunnerHarness, language: str, texts: tuple[str, ...]
) -> None:
    visitor = await talk(harness, language, *texts, *(EN if language == "en" else PT)[2:])
    await finish(visitor, language)
    assert "260" in legend(visitor) and "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "good, 260 for it"),
        ("en", "it's good, asking 260"),
        ("pt", "está bom, peço 260"),
        ("pt", "bom, 260€"),
    ],
)
async def test_a_price_beside_the_condition(harness: RunnerHarness, language: str, said: str) -> None:
    yes, _, _, *told = EN if language == "en" else PT
    first = "iphone 13 128gb blue" if language == "en" else "iphone 13 128gb preto"
    visitor = await talk(harness, language, first, yes, yes, said)
    assert len(visitor.state["answers"]) == 1
    for text in told:
        await visitor.say(text)
    await finish(visitor, language)
    assert "260" in legend(visitor)


async def test_a_size_beside_a_yes_is_no_price(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 13 blue", "yes", "yes 128", *EN[2:], "the case")
    assert visitor.state["status"] == "complete" and not visitor.open_blocks()


async def test_another_model_beside_a_yes_is_no_price(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 13", "yes 12")
    assert visitor.state.get("product") != "iPhone 13"


@pytest.mark.parametrize("language", ["en", "pt"])
async def test_a_bare_amount_is_no_accessory(harness: RunnerHarness, language: str) -> None:
    first = "iphone 13 128gb blue" if language == "en" else "iphone 13 128gb preto"
    visitor = await talk(harness, language, first, *(EN if language == "en" else PT), "290")
    assert NOTES not in visitor.state["answers"] and "asking_price" not in visitor.state["answers"]
    assert "290" in legend(visitor) and visitor.open_blocks()[0]["name"] == "asking_price"
    await visitor.say("yes" if language == "en" else "sim")
    assert "290" in str(visitor.state["answers"]["asking_price"])
    assert "290" not in str(visitor.state["answers"].get(NOTES))


@pytest.mark.parametrize(
    ("language", "price", "said", "after"),
    [
        ("en", "280 euros", "so 270 not 280", "270"),
        ("en", "280 euros", "make it 270 instead", "270"),
        ("en", "280 euros", "220 for the phone", "220"),
        ("pt", "280 euros", "são 270 e não 280", "270"),
    ],
)
async def test_another_price_behind_the_card_is_asked_back(
    harness: RunnerHarness, language: str, price: str, said: str, after: str
) -> None:
    first = f"iphone 13 128gb {'blue' if language == 'en' else 'preto'}, {price}"
    visitor = await talk(harness, language, first, *(EN if language == "en" else PT))
    await finish(visitor, language)
    yes = "yes" if language == "en" else "sim"
    await visitor.say(yes)
    assert visitor.state["status"] == "complete"
    await visitor.say(said)
    assert after in legend(visitor) and "280" in visitor.state["answers"]["asking_price"]
    await visitor.say(yes)
    assert after in visitor.state["answers"]["asking_price"]


@pytest.mark.parametrize("said", ["so 270 not 300", "3 for the phone"])
async def test_what_sets_no_price_changes_none(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", "iphone 13 128gb blue, 280 euros", *EN)
    await finish(visitor, "en")
    for text in ("yes", said, "yes"):
        await visitor.say(text)
    assert "280" in visitor.state["answers"]["asking_price"]


@pytest.mark.parametrize(
    ("language", "first"),
    [
        ("en", "iphone 13 128 GB blue, 320 euro"),
        ("pt", "vendo iphone 13 128 gb preto"),
        ("pt", "vendo iphone 13 128 Go preto"),
    ],
)
async def test_a_size_apart_from_its_unit_finds_the_same(
    harness: RunnerHarness, language: str, first: str
) -> None:
    visitor = await talk(harness, language, first, "yes" if language == "en" else "sim")
    assert visitor.state["product"] == "iPhone 13"
    assert "128 GB" in str(visitor.open_blocks()) + str(visitor.state["options"]) + visitor.replies[-1].text
