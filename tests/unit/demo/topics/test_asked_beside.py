"""Questions beside an answer: how long a sale takes, and where a figure is to be seen."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes")


@pytest.mark.parametrize(
    ("language", "asked", "topic"),
    [
        ("pt", "sim. quanto tempo demora a vender?", "sold"),
        ("pt", "sim. e isto vende-se depressa?", "sold"),
        ("pt", "quanto tempo é que isto demora a vender", "sold"),
        ("pt", "quando é que se vende?", "sold"),
        ("pt", "quanto tempo demora isto?", "time"),
        ("en", "yes. how long does it take to sell?", "sold"),
        ("en", "how long does it take to sell?", "sold"),
        ("en", "when will it sell?", "sold"),
        ("en", "will it sell quickly?", "sold"),
        ("en", "how long does this take?", "time"),
    ],
)
async def test_how_long_a_sale_takes_is_not_known(
    harness: RunnerHarness, language: str, asked: str, topic: str
) -> None:
    visitor = await talk(harness, language, "iphone 12", asked)
    assert PRODUCT_ANSWERS[topic][language] in visitor.replies[-1].text
    assert visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "não sei onde se vê isso"),
        ("pt", "não faço ideia como se vê"),
        ("pt", "onde vejo isso?"),
        ("en", "not sure how you check that on samsung"),
        ("en", "no idea where to see it"),
        ("en", "i dunno how you see that"),
        ("en", "where do i see that?"),
        ("pt", "sinceramente não sei como é que se faz isso hoje em dia"),
        ("en", "honestly i have no idea how one would go about that"),
    ],
)
async def test_who_cannot_see_a_figure_is_not_told_the_same_hint(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    before = legend(visitor)
    text = (await visitor.say(said)).text
    assert ("não sei" in text or "I don't know" in text) and "87" not in text
    assert legend(visitor) == before
    assert "87" not in (await visitor.say(said)).text and legend(visitor) == before
    await visitor.say("não sei" if language == "pt" else "I don't know")
    assert visitor.open_blocks()[0]["name"] == "smartphones.screen"
