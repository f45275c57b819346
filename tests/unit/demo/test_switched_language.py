"""The page's language is switched in a sale: the next answer is in the new one, until the seller writes."""

import pytest

from server.languages import detect_language
from tests.unit.demo.harness import RunnerHarness, legend, talk

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


HEADPHONES = ("I want to sell my sony wh-1000xm4 headphones black", "yes", "yes", "good", "yes", "yes", "20")


async def test_one_mistyped_word_changes_no_language(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *HEADPHONES, "yes", "label sais 11/2019")
    assert legend(visitor) == "I understood: November 2019. Is that right?"
    await visitor.say("yes")
    assert visitor.state["answers"]["audio.purchase_date"] == "November 2019"


@pytest.mark.parametrize(
    ("said", "language", "asked"),
    [
        ("yes, english please", "en", "Are the chassis and brakes undamaged?"),
        ("yes english please", "en", "Are the chassis and brakes undamaged?"),
        ("sim", "pt", "A estrutura e os travões estão sem danos?"),
    ],
)
async def test_a_wish_for_a_language_keeps_the_yes_before_it(
    harness: RunnerHarness, said: str, language: str, asked: str
) -> None:
    start = ("quero vender um carrinho bugaboo fox", "sim", "preta", "bom, acho")
    visitor = await talk(harness, "pt", *start, said)
    assert visitor.state["answers"] == {"strollers.condition": "Bom"}
    assert legend(visitor) == asked
    assert "please" not in visitor.replies[-1].text
    assert detect_language(visitor.replies[-1].text, "en" if language == "pt" else "pt") in (language, None)


async def test_a_wish_for_portuguese_keeps_the_yes_before_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *HEADPHONES, "maybe yes", "sim, em português por favor")
    assert visitor.state["answers"]["audio.box"] == "Yes"
    assert legend(visitor) == "Quando o comprou?"
