"""A second item that waits is dropped in words, and nothing offers it any more."""

import pytest

from server.text_reading.things.things_kept_back import is_taken_back, without_taken_back
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

DONE = {
    "pt": ("64", "azul", "bom", "sim", "85", "sim", "2022", "nada"),
    "en": ("64", "blue", "good", "yes", "85", "yes", "2022", "nothing"),
}


@pytest.mark.parametrize(
    ("language", "said", "name"),
    [
        (
            "pt",
            ("vendo um iphone 11 e uma bicicleta", "deixa a bicicleta, só vendo o telemóvel"),
            "bicicleta",
        ),
        ("pt", ("vendo um iphone 11 e uma bicicleta", "sim", "deixe estar a bicicleta"), "bicicleta"),
        ("en", ("selling an iphone 11 and a bike", "forget the bike"), "bike"),
        ("en", ("selling an iphone 11 and a bike", "leave the bike, just the phone"), "bike"),
    ],
)
async def test_no_button_is_left_of_it(
    harness: RunnerHarness, language: str, said: tuple[str, ...], name: str
) -> None:
    visitor = await talk(harness, language, *said)
    assert name in visitor.replies[-1].text and not visitor.state["_private"]["later"]
    if visitor.open_blocks()[0]["name"] == "confirm":
        await visitor.say("sim" if language == "pt" else "yes")
    for each in DONE[language]:
        await visitor.say(each)
    (card,) = visitor.replies[-1].blocks
    assert visitor.state["product"] == "iPhone 11" and name not in str(card)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("deixa a bicicleta para depois", "bicicleta"),
        ("leave the bike for later", "bike"),
        ("leave the bike for now", "bike"),
    ],
)
async def test_what_is_left_for_later_still_waits(said: str, name: str) -> None:
    assert not is_taken_back(said, name)


async def test_that_this_one_alone_is_sold_is_said_of_no_other() -> None:
    assert without_taken_back("deixa a bicicleta, só vendo o telemóvel", ["bicicleta"]) == ""
    assert without_taken_back("forget the bike, just the box", ["bike"]) == "just the box"
