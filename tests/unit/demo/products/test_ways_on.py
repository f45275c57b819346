"""What a person is told who does not know, or whose words fail again: where it is seen, and a way on."""

import pytest

from server.demo.lines import LINES
from server.demo.reading.intents import whole
from server.text_reading.things.unsold_kinds import has_settings
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

SETTINGS = {"pt": "definições", "en": "settings"}
NONSENSE = "wibble wobble wabble"


@pytest.mark.parametrize(
    ("language", "product", "said", "is_device"),
    [
        ("pt", "maquina de cafe delonghi", "não sei o modelo", False),
        ("en", "bugaboo", "where do i find the model?", False),
        ("en", "macbook air", "where do i find the model?", True),
        ("pt", "galaxy watch", "onde vejo o modelo?", True),
    ],
)
async def test_the_settings_are_named_for_devices_that_have_them(
    harness: RunnerHarness, language: str, product: str, said: str, is_device: bool
) -> None:
    first = await (await talk(harness, language, product)).say(said)
    assert (SETTINGS[language] in first.text) is is_device


@pytest.mark.parametrize(
    ("category", "expected"),
    [
        ("Headphones and speakers", False),
        ("Máquinas de café", False),
        ("Game consoles", True),
        ("Telemóveis", True),
    ],
)
async def test_the_kinds_with_settings(category: str, expected: bool) -> None:
    assert has_settings(category) is expected


@pytest.mark.parametrize("said", ["e eu sei la pa", "how should I know", "sei lá eu", "oh i don't know mate"])
async def test_an_exclamation_that_one_cannot_know_is_not_knowing(said: str) -> None:
    assert whole(said, "unsure")


async def test_not_knowing_is_no_value_of_an_option(harness: RunnerHarness) -> None:
    reply = await (await talk(harness, "pt", "iphone 12", "sim")).say("e eu sei lá pá")
    assert "não existe" not in reply.text and "vendido com" not in reply.text


@pytest.mark.parametrize(
    ("language", "before", "key"),
    [
        ("pt", ("bugaboo",), "product_way_out"),
        ("en", ("iphone 12",), "product_way_out"),
        ("pt", ("iphone 12", "sim"), "option_way_out"),
        ("en", ("iphone 12", "yes"), "option_way_out"),
        ("pt", ("iphone 12 64gb azul", "sim", "sim"), "question_way_out"),
        ("en", ("iphone 12 64gb blue", "yes", "yes", "good", "yes"), "question_way_out"),
    ],
)
async def test_a_message_that_fails_three_times_gets_a_way_on(
    harness: RunnerHarness, language: str, before: tuple[str, ...], key: str
) -> None:
    visitor = await talk(harness, language, *before, f"it is {NONSENSE}", f"it is {NONSENSE}")
    reply = await visitor.say(f"it is {NONSENSE}")
    assert any(each in reply.text for lines in LINES.values() for each in lines.get(key, ()))


@pytest.mark.parametrize(
    ("language", "yes", "frame", "size"),
    [("en", "yes", "high frame", "size M black"), ("pt", "sim", "quadro alto", "tamanho M, preta")],
)
async def test_the_value_that_waits_for_a_yes_is_taken_when_it_is_named_again(
    harness: RunnerHarness, language: str, yes: str, frame: str, size: str
) -> None:
    visitor = await talk(harness, language, "elops 520", yes, frame)
    await visitor.say("M maybe" if language == "en" else "talvez M")
    await visitor.say(size)
    assert "M" in (visitor.state.get("options") or {}).values()


async def test_the_value_that_waits_is_not_taken_with_a_doubt(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "elops 520", "yes", "high frame", "M maybe", "size M or size L?")
    assert "M" not in (visitor.state.get("options") or {}).values()
