"""What is open stays open, whatever nonsense or talk a message is: at the product, the options, a question, a text."""

import pytest

from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.judging import at, known

pytestmark = pytest.mark.asyncio(loop_scope="module")

SAID = {
    "pt": [
        "blah blah bleh",
        "vou jantar, até já",
        "kkkk",
        "um momento que o telefone está a tocar",
        "desculpa enganei-me",
        "boa tarde",
        "quem é o dono disto?",
    ],
    "en": [
        "hang on, the doorbell",
        "brb dinner",
        "blah blah bleh",
        "sorry my mistake",
        "lol",
        "good evening",
    ],
}
STATES = ["list", "one", "storage", "select", "text"]


@pytest.mark.parametrize("state", [*STATES, *(f"en:{each}" for each in STATES if each != "select")])
async def test_the_open_block_stays(harness: RunnerHarness, state: str) -> None:
    visitor = await at(harness, state)
    for said in SAID["en" if state.startswith("en:") else "pt"]:
        (before,), stored = visitor.open_blocks(), known(visitor)
        await visitor.say(said)
        (opened,) = visitor.open_blocks()
        assert (opened["name"], said) == (before["name"], said)
        assert opened.get("choices") == before.get("choices"), said
        assert known(visitor) == stored, said


@pytest.mark.parametrize(
    ("state", "said"),
    [("en:text", "whatever dude"), ("en:text", "are you kidding me"), ("text", "estás a gozar")],
)
async def test_nonsense_at_a_text_completes_nothing(harness: RunnerHarness, state: str, said: str) -> None:
    visitor = await at(harness, state)
    stored = known(visitor)
    reply = await visitor.say(said)
    assert known(visitor) == stored and visitor.state["status"] != "complete"
    assert "Noted" not in reply.text and "Registado" not in reply.text
    (opened,) = visitor.open_blocks()
    assert said in opened.get("value", said)


@pytest.mark.parametrize(
    ("state", "said"),
    [("list", "quem é o dono disto?"), ("list", "outra coisa qualquer zzz"), ("en:one", "whatever dude")],
)
async def test_a_search_in_vain_leaves_the_offer(harness: RunnerHarness, state: str, said: str) -> None:
    visitor = await at(harness, state)
    (before,) = visitor.open_blocks()
    await visitor.say(said)
    assert [each["choices"] for each in visitor.open_blocks()] == [before["choices"]]


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("en:one", "how about a banjo?"),
        ("en:list", "I've got a cello"),
        ("one", "vendo um piano"),
        ("list", "uma guitarra"),
        ("en:one", "a lawnmower"),
    ],
)
async def test_another_thing_still_ends_the_offer(harness: RunnerHarness, state: str, said: str) -> None:
    visitor = await at(harness, state)
    await visitor.say(said)
    assert not visitor.open_blocks()
