"""The demo model in the languages that it does not read: it says so, and clicks lead to a complete item."""

import re

import pytest

from server.demo.lines import LINES, UNDERSTOOD
from server.languages import LANGUAGES, READ
from server.words import say
from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.test_conversations import click_first

pytestmark = pytest.mark.asyncio(loop_scope="module")

OTHERS = [each for each in LANGUAGES if each not in READ]
EXAMPLES = ("bike", "camera", "game", "kitchen")
ENGLISH = re.compile(r"\b(?:the|is|are|you|your|and|does|what|which|how)\b|[ãõ]", re.IGNORECASE)


def texts(value: object) -> list[str]:
    """Return the texts that people read of a block: legends, labels, hints, units and errors."""
    if isinstance(value, list):
        return [text for each in value for text in texts(each)]
    if not isinstance(value, dict):
        return []
    own = [str(value[key]) for key in ("legend", "label", "hint", "unit", "note", "error") if value.get(key)]
    return own + [text for each in value.values() for text in texts(each)]


@pytest.mark.parametrize("language", OTHERS)
async def test_clicks_lead_to_a_complete_item(harness: RunnerHarness, language: str) -> None:
    visitor = await harness.visitor(language)
    first = await visitor.say(say("empty.submission.example.camera", language))
    assert LINES[language][UNDERSTOOD][0] in first.text
    for _ in range(25):
        if visitor.state.get("status") == "complete":
            break
        (waiting,) = visitor.open_blocks()
        told = " ".join(texts(waiting))
        assert not ENGLISH.search(told)
        await click_first(visitor, waiting)
    (item,) = await visitor.items()
    assert item.status == "complete"
    assert visitor.replies[-1].blocks[-1]["kind"] == "card"
    said = [reply.text for reply in visitor.replies]
    assert said[-1] == LINES[language]["done_unpriced"][0]
    assert not any(UNDERSTOOD in text for text in said)


@pytest.mark.parametrize("language", OTHERS)
async def test_each_example_of_the_page_is_found(harness: RunnerHarness, language: str) -> None:
    for example in EXAMPLES:
        visitor = await harness.visitor(language)
        reply = await visitor.say(say(f"empty.submission.example.{example}", language))
        assert reply.calls == ["get_catalog"]
        assert [block["name"] for block in visitor.open_blocks()] == ["confirm"]


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("es", "¿Cuánto tiempo se tarda?"),
        ("fr", "Combien de temps ça prend ?"),
        ("de", "Wie lange dauert das?"),
    ],
)
async def test_free_words_get_the_languages_that_it_reads(
    harness: RunnerHarness, language: str, question: str
) -> None:
    visitor = await harness.visitor(language)
    assert LINES[language][UNDERSTOOD][0] in (await visitor.say(question)).text
    await visitor.say("iPhone 12")
    beside = await visitor.say(question)
    assert LINES[language][UNDERSTOOD][0] in beside.text
    assert "iPhone 12" in beside.text
    assert [block["name"] for block in visitor.open_blocks()] == ["confirm"]


@pytest.mark.parametrize(
    ("language", "question"), [("pt", "fala português?"), ("en", "do you speak English?")]
)
async def test_the_demo_model_names_the_languages_it_reads_when_asked(
    harness: RunnerHarness, language: str, question: str
) -> None:
    visitor = await harness.visitor(language)
    assert LINES[language][UNDERSTOOD][0] in (await visitor.say(question)).text


@pytest.mark.parametrize("language", OTHERS)
async def test_lines_of_each_language_name_the_same_values(language: str) -> None:
    for key, variants in LINES[language].items():
        known = set(re.findall(r"\{\w+\}", LINES["en"][key][0]))
        assert all(set(re.findall(r"\{\w+\}", each)) == known for each in variants), key


async def test_a_name_keeps_its_small_letter_at_the_beginning(harness: RunnerHarness) -> None:
    visitor = await harness.visitor(language="de")
    await visitor.say("iPhone 12")
    (block,) = visitor.open_blocks()
    choice = block["choices"][0]
    said = (await visitor.click(choice["name"], choice["value"], choice["label"])).text
    assert said.startswith("iPhone 12")
