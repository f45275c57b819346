"""The last question of an item: beside it stands what is kept, each row with its change, and what no answer holds."""

from typing import Any

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

FIRST = {
    "en": "selling my iphone 12 black 128gb, battery 87%, it was repaired by apple once",
    "pt": "vendo um iphone 12 preto de 128gb, bateria a 87%, foi reparado uma vez pela apple",
}
YES = {"en": "yes", "pt": "sim"}
ANSWERS = {
    "en": ("yes", "yes", "good", "yes", "yes", "yes", "2021"),
    "pt": ("sim", "sim", "bom", "sim", "sim", "sim", "2021"),
}


def asked(visitor: HarnessVisitor) -> dict[str, Any]:
    """Return the one question that is open."""
    (block,) = visitor.open_blocks()
    return block


async def at_last_question(harness: RunnerHarness, language: str) -> HarnessVisitor:
    """Return a seller whose item has all answers but the last text."""
    return await talk(harness, language, FIRST[language], *ANSWERS[language])


async def change(visitor: HarnessVisitor, label: str) -> Any:
    """Press the button of a row of what is kept."""
    block = asked(visitor)
    row = next(each for each in block["kept"] if each["label"] == label)
    return await visitor.send([{"type": "answer", "block_id": block["id"], **row["action"]}])


@pytest.mark.parametrize("language", ["en", "pt"])
async def test_what_is_kept_stands_beside_the_last_question_alone(
    harness: RunnerHarness, language: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (FIRST[language], *ANSWERS[language]):
        await visitor.say(text)
        is_last = asked(visitor)["name"] == "smartphones.notes"
        assert ("kept" in asked(visitor)) is is_last
    rows = [each["value"] for each in asked(visitor)["kept"]]
    options, answers = visitor.state["options"].values(), visitor.state["answers"].values()
    assert rows == ["iPhone 12 · Apple", *options, *answers]


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "i never let my kids near it"), ("pt", "nunca saiu do escritório")],
)
async def test_words_that_nothing_holds_are_added_by_a_click_and_kept_by_a_yes(
    harness: RunnerHarness, language: str, told: str
) -> None:
    visitor = await talk(harness, language, f"{FIRST[language]}, {told}", *ANSWERS[language])
    text = asked(visitor).get("value", "")
    (choice,) = [each for each in asked(visitor)["unused"] if each["value"] == told]
    await visitor.send([{"type": "answer", "block_id": asked(visitor)["id"], **choice}])
    assert asked(visitor)["value"] == "; ".join(filter(None, (text, told)))
    assert told not in [each["value"] for each in asked(visitor).get("unused", ())]
    await visitor.say(YES[language])
    assert told in visitor.state["answers"]["smartphones.notes"]
    assert visitor.state["status"] == "complete"


async def test_a_kept_row_is_changed_before_the_end_and_leads_back(harness: RunnerHarness) -> None:
    visitor = await at_last_question(harness, "en")
    await change(visitor, "Battery health")
    assert asked(visitor)["name"] == "smartphones.battery_health" and "kept" not in asked(visitor)
    await visitor.say("82")
    assert asked(visitor)["name"] == "smartphones.notes"
    assert {"label": "Battery health", "value": "82%"}.items() <= asked(visitor)["kept"][5].items()
    await change(visitor, "Colour")
    await visitor.say("blue")
    assert asked(visitor)["name"] == "smartphones.notes"
    assert "Blue" in {each["value"] for each in asked(visitor)["kept"]}


async def test_behind_the_card_a_question_has_no_rows(harness: RunnerHarness) -> None:
    visitor = await at_last_question(harness, "en")
    await visitor.say("only the phone")
    assert visitor.state["status"] == "complete"
    await visitor.say("the battery is wrong")
    assert "kept" not in asked(visitor)


async def test_a_price_that_is_asked_last_has_the_rows_too(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", f"{FIRST['en']}, i want 250", *ANSWERS["en"], "only the phone")
    assert asked(visitor)["name"] == "asking_price"
    assert "only the phone" in {each["value"] for each in asked(visitor)["kept"]}


@pytest.mark.parametrize("said", [(), (FIRST["en"],), (FIRST["en"], *ANSWERS["en"][:3])])
async def test_a_click_that_adds_words_is_harmless_wherever_it_comes(
    harness: RunnerHarness, said: tuple[str, ...]
) -> None:
    visitor = await talk(harness, "en", *said)
    part = {
        "type": "answer",
        "block_id": "blk_none",
        "name": "add",
        "value": "wheel " * 1000,
        "label": "wheel",
    }
    reply = await visitor.send([part])
    assert reply.result.outcome == "success" and reply.text
    assert not (visitor.state.get("answers") or {}).get("smartphones.notes")


async def test_words_beyond_the_length_of_the_text_are_not_added(harness: RunnerHarness) -> None:
    visitor = await at_last_question(harness, "en")
    words = "a wheel that squeaks, " * 100
    block = asked(visitor)
    await visitor.send(
        [{"type": "answer", "block_id": block["id"], "name": "add", "value": words, "label": "w"}]
    )
    assert len(asked(visitor).get("value", "")) <= 300
