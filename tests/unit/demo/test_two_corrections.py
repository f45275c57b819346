"""Two corrections in one sentence about a finished item: one is taken or asked back, and the other is after it."""

import pytest

from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

BATTERY = "smartphones.battery_health"
EN = ("iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "march 2022", "case and cable")
PT = ("iphone 12 preto de 128", "sim", "sim", "bom", "sim ta livre", "87", "sim", "março 2022", "capa e cabo")


@pytest.mark.parametrize(
    ("language", "price", "said", "after"),
    [
        ("en", "180 euros", "sorry, make the price 170, the battery is 82", ("170", "82", "Black")),
        ("en", "180 euros", "change the price to 160 and the colour to blue", ("160", "87", "Blue")),
        ("en", "", "change the price to 160 and the colour to blue", ("160", "87", "Blue")),
        (
            "pt",
            "250 euros",
            "afinal ponha o preço a 230 e a bateria é 81, enganei-me",
            ("230", "81", "Preto"),
        ),
        ("pt", "250 euros", "afinal ponha o preço a 170", ("170", "87", "Preto")),
        ("en", "180 euros", "sorry, the battery is 82", ("180", "82", "Black")),
    ],
)
async def test_both_are_taken(
    harness: RunnerHarness, language: str, price: str, said: str, after: tuple[str, str, str]
) -> None:
    visitor = await harness.visitor(language)
    for text in (*(EN if language == "en" else PT), *filter(None, [price]), said):
        await visitor.say(text)
    for _ in visitor.open_blocks() * 2:
        if visitor.open_blocks():
            await visitor.say("yes" if language == "en" else "sim")
    answers, options = visitor.state["answers"], visitor.state["options"].values()
    assert after[0] in answers["asking_price"]
    assert after[1] in answers[BATTERY]
    assert after[2] in options
    assert visitor.state["status"] == "complete"
