"""Edits of the message with the options, after the item was made: the item has what the page shows then."""

from typing import Any

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "texts", "edited", "values"),
    [
        ("en", ("i want to sell an iphone 12", "yes", "black 128gb", "good"), "blue 64gb", {"Blue", "64 GB"}),
        ("pt", ("quero vender um iphone 12", "sim", "preto 128gb", "bom"), "azul 64gb", {"Azul", "64 GB"}),
    ],
)
async def test_an_edited_message_gives_the_item_its_new_options(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], edited: str, values: set[str]
) -> None:
    visitor = await harness.visitor(language)
    for text in texts:
        await visitor.say(text)
    (made,) = await visitor.items()
    await visitor.send([{"type": "text", "text": edited}], kept=2)
    (item,) = await visitor.items()
    assert item.id == made.id == visitor.state["item_id"]
    assert set(visitor.state["options"].values()) == values
    chosen = await harness.core.item(item.id, visitor.principal, language=language)
    assert set(chosen.options.values()) == values


async def test_the_first_look_at_the_questions_leaves_an_unedited_item_as_it_is(
    harness: RunnerHarness,
) -> None:
    visitor = await harness.visitor("en")
    for text in ("i want to sell an iphone 12", "yes", "black 128gb"):
        await visitor.say(text)
    (item,) = await visitor.items()
    await harness.core.change_item(
        item.id,
        visitor.principal,
        option_value_ids=await _blue(harness, item),
        seen=list(item.option_value_ids),
    )
    await visitor.say("which question is open?")
    await visitor.say("good")
    chosen = await harness.core.item(item.id, visitor.principal, language="en")
    assert "Blue" in chosen.options.values()


async def _blue(harness: RunnerHarness, item: Any) -> list[int]:
    """Return the option values of the item, with blue for its colour."""
    product = await harness.core.product(item.product_id, language="en")
    assert product is not None
    colours = next(kind for kind in product.option_types if any(each.name == "Blue" for each in kind.values))
    others = set(item.option_value_ids) - {each.id for each in colours.values}
    return sorted([*others, *(each.id for each in colours.values if each.name == "Blue")])
