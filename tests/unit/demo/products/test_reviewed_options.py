"""The review of the options before the item is made, and what a yes to a proposed value says beside it."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend

pytestmark = pytest.mark.asyncio(loop_scope="module")

MINI = {"pt": ("iphone 12 mini 64gb preto", "sim"), "en": ("iphone 12 mini 64gb black", "yes")}
MAC = {"pt": ("macbook air m1 8gb 256gb prateado", "sim"), "en": ("macbook air m1 8gb 256gb silver", "yes")}


async def _talk(harness: RunnerHarness, language: str, *texts: str) -> tuple[HarnessVisitor, str]:
    """Return a new visitor who has said this, and the last answer."""
    visitor = await harness.visitor(language)
    replies = [await visitor.say(text) for text in texts]
    return visitor, replies[-1].text


@pytest.mark.parametrize(
    ("language", "texts", "said", "chosen"),
    [
        ("pt", MINI, "é azul", "Azul"),
        ("pt", MINI, "não, o preto não. azul", "Azul"),
        ("en", MINI, "no not black. blue", "Blue"),
        ("en", MINI, "no, it's the white one", "White"),
        ("pt", MAC, "a memoria é 16", "16 GB"),
        ("en", MAC, "memory is 16", "16 GB"),
    ],
)
async def test_a_typed_correction_is_reviewed_again(
    harness: RunnerHarness, language: str, texts: dict[str, tuple[str, ...]], said: str, chosen: str
) -> None:
    visitor, text = await _talk(harness, language, *texts[language], said)
    assert chosen in visitor.state["options"].values() and not visitor.state.get("status")
    assert [each["name"] for each in visitor.open_blocks()] == ["options"] and chosen in text
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["status"] == "draft" and chosen in visitor.state["options"].values()


@pytest.mark.parametrize(("language", "no", "said"), [("pt", "não", "azul"), ("en", "no", "blue")])
async def test_a_value_typed_where_the_change_was_asked_is_reviewed_too(
    harness: RunnerHarness, language: str, no: str, said: str
) -> None:
    visitor, text = await _talk(harness, language, *MINI[language], no, said)
    assert not visitor.state.get("status") and said in text.lower()
    assert [each["name"] for each in visitor.open_blocks()] == ["options"]


@pytest.mark.parametrize(
    ("language", "texts", "said", "asked"),
    [
        ("pt", ("iphone 12 mini", "sim", "64 acho eu", "preto"), "sim mas é azul", "Azul"),
        ("en", ("iphone 12 mini", "yes", "64 i guess", "black"), "yes but it's blue", "Blue"),
        ("pt", ("macbook air m1", "sim", "8 e 256", "prateado"), "sim mas tem 512", "512 GB"),
        ("en", ("macbook air m1", "yes", "8 and 256", "silver"), "yes but it has 512", "512 GB"),
    ],
)
async def test_a_yes_to_one_value_does_not_lose_another(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], said: str, asked: str
) -> None:
    visitor, _ = await _talk(harness, language, *texts, said)
    assert asked in legend(visitor) and not visitor.state.get("status")
    await visitor.say("sim" if language == "pt" else "yes")
    assert asked in visitor.state["options"].values() and visitor.state["status"] == "draft"


@pytest.mark.parametrize(
    ("language", "texts", "said", "told"),
    [
        ("pt", ("iphone 12 mini", "sim"), "nao sei quantos gigas tem", "Veja a caixa"),
        ("en", ("iphone 12 mini", "yes"), "dunno how many gigs", "Look at the box"),
    ],
)
async def test_who_does_not_know_a_value_is_told_where_it_is_seen(
    harness: RunnerHarness, language: str, texts: tuple[str, ...], said: str, told: str
) -> None:
    visitor, text = await _talk(harness, language, *texts, said)
    assert told in text and [each["name"] for each in visitor.open_blocks()] == ["option:11"]
