"""A price for the item by its name, told at an open question: no wish to sell another product."""

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

in_a_loop = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Good I'd say. Actually I'd like 55 for the Kindle please"),
        ("pt", "Bom, diria eu. Afinal queria 55 pelo Kindle por favor"),
    ],
)
@in_a_loop
async def test_an_answer_with_a_price_for_the_item_stays_at_the_question(
    harness: RunnerHarness, language: str, said: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(harness, language, "kindle paperwhite 2021", yes, "8 gb", said, yes)
    assert list(visitor.state["answers"].values()) == ["Good" if language == "en" else "Bom"]
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "tablets.account_lock"
