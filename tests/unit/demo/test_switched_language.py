"""The page's language is switched in a sale: the next answer is in the new one, until the seller writes."""

import pytest

from server.languages import detect_language
from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("first", "then", "said"),
    [("pt", "en", "quero vender uma bimby tm5"), ("en", "pt", "I want to sell my bimby tm5")],
)
async def test_an_answer_to_a_click_is_in_the_language_of_the_page(
    harness: RunnerHarness, first: str, then: str, said: str
) -> None:
    visitor = await harness.visitor(first)
    reply = await visitor.say(said)
    assert detect_language(reply.text, then) == first
    visitor.language = then
    for _ in range(4):
        (asked,) = visitor.open_blocks()
        choice = asked["choices"][0]
        reply = await visitor.click(choice.get("name", asked["name"]), choice["value"], choice["label"])
        assert detect_language(reply.text, first) in (then, None), reply.text
    assert detect_language(reply.text, first) == then


async def test_what_a_seller_writes_goes_before_the_language_of_the_page(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    reply = await visitor.say("olá, boa tarde")
    assert detect_language(reply.text, "en") == "pt"
    reply = await visitor.say("iphone 12")
    assert detect_language(reply.text, "en") == "pt", reply.text
