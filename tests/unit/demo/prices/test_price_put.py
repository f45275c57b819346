"""A price that is told, changed or named in another currency while another question is open."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = (
    "iphone 13 128gb blue, asking 130 euros",
    "yes",
    "yes",
    "good",
    "free",
    "90",
    "yes",
    "bought it around 2021",
)
PT = (
    "vendo iphone 13 128gb preto, peço 130 euros",
    "sim",
    "sim",
    "bom",
    "livre",
    "90",
    "sim",
    "comprei por volta de 2021",
)
NOTES = "smartphones.notes"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Yes. Actually, I just looked at what they go for. Make it 145 instead of 130."),
        ("en", "yes, actually make it 145 then"),
        ("pt", "sim. afinal põe 145 em vez de 130"),
        ("pt", "sim, e quero 145 euros em vez de 130"),
    ],
)
async def test_a_price_put_at_another_question_takes_the_place_of_the_one_that_was_told(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    assert visitor.state["answers"]["smartphones.purchase_date"] == "2021"
    await visitor.say("box" if language == "en" else "caixa")
    assert [each["name"] for each in visitor.open_blocks()] == ["asking_price"] and "145" in legend(visitor)
    assert visitor.state["answers"][NOTES] == ("box" if language == "en" else "caixa")


@pytest.mark.parametrize(
    ("language", "said"), [("en", "90 pounds yes"), ("en", "yes, 130 quid"), ("pt", "sim, 130 libras")]
)
async def test_an_amount_in_another_currency_is_no_price_in_euro(
    harness: RunnerHarness, language: str, said: str
) -> None:
    rest = ("yes", "box", said) if language == "en" else ("sim", "caixa", said)
    visitor = await talk(harness, language, *(EN if language == "en" else PT), *rest)
    (asked,) = visitor.open_blocks()
    assert asked["name"] == "asking_price" and asked["kind"] == "form" and "confirm" not in asked
    assert "euro" in visitor.replies[-1].text and "asking_price" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes, it has no warranty and no invoice"),
        ("pt", "sim, já não tem garantia nem tenho a fatura"),
        ("pt", "sim, mas não encontro o talão"),
    ],
)
async def test_a_plain_yes_with_a_denial_behind_it_is_the_yes(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    assert visitor.state["answers"]["smartphones.purchase_date"] == "2021"
    await visitor.say("box" if language == "en" else "caixa")
    assert any(word in legend(visitor) for word in ("warranty", "garantia", "talão"))


@pytest.mark.parametrize(("language", "said"), [("en", "yes, no, 2020"), ("pt", "sim, não, foi 2020")])
async def test_another_value_behind_a_yes_is_asked_back(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT), said)
    assert "2020" in legend(visitor) and "smartphones.purchase_date" not in visitor.state["answers"]
