"""Contrasts at "Shall the item be created like this?": the new value is taken or asked back, the old one never."""

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

PT = ("quero vender um iphone 12", "sim, preto e 128gb")
EN = ("i want to sell an iphone 12", "yes, black 128gb")
OLD = {"pt": {"128 GB", "Preto"}, "en": {"128 GB", "Black"}}


@pytest.mark.parametrize(
    ("language", "said", "values"),
    [
        ("en", "its not black its blue", {"128 GB", "Blue"}),
        ("en", "wait its not black its blue and 64 sorry", {"64 GB", "Blue"}),
        ("pt", "afinal não é preto é azul e sao 64, desculpa", {"64 GB", "Azul"}),
        ("pt", "nao e preto e azul", {"128 GB", "Azul"}),
        ("pt", "não são 128, são 64", {"64 GB", "Preto"}),
        ("en", "not black, blue", {"128 GB", "Blue"}),
    ],
)
async def test_a_contrast_takes_the_new_value_or_asks(
    harness: RunnerHarness, language: str, said: str, values: set[str]
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(PT if language == "pt" else EN), said):
        await visitor.say(text)
    for _ in range(3):
        if visitor.state.get("item_id") is None:
            assert visitor.replies[-1].text
            await visitor.say("sim" if language == "pt" else "yes")
    assert set(visitor.state["options"].values()) == values


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "thats not right, the thing is not black"),
        ("en", "hmm it isnt black"),
        ("pt", "isso não está certo, não é preto"),
        ("pt", "não é preto"),
    ],
)
async def test_a_denial_creates_no_item(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await harness.visitor(language)
    for text in (*(PT if language == "pt" else EN), said):
        await visitor.say(text)
    assert visitor.state.get("item_id") is None
    assert visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "said"), [("en", "yes, it has no scratches"), ("pt", "sim, não tem riscos")]
)
async def test_a_yes_before_a_denial_of_something_else_creates_the_item(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(PT if language == "pt" else EN), said):
        await visitor.say(text)
    assert visitor.state.get("item_id") is not None
    assert set(visitor.state["options"].values()) == OLD[language]
