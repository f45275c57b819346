"""Topics of questions beside a sale: many are read by examples, and hardly anything else is taken for one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from server.demo.reading.intents import nearest_topic, topic
from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

LEAST_RIGHT, MOST_OTHER, MOST_FALSE = 0.5, 0.03, 0.02
LINES = Path(__file__).with_name("topics_unseen.txt").read_text("utf-8").splitlines()
ROWS = [tuple(each.strip() for each in line.split("|", 2)) for line in LINES if line and line[0] != "#"]


async def test_half_of_the_questions_that_nobody_planned_have_their_topic_and_few_another() -> None:
    asked = [(wanted, topic(text) or nearest_topic(text)) for wanted, _, text in ROWS if wanted != "none"]
    counted = Counter("right" if found == wanted else found and "other" for wanted, found in asked)
    assert counted["right"] >= LEAST_RIGHT * len(asked), counted
    assert counted["other"] <= MOST_OTHER * len(asked), counted


async def test_few_texts_about_the_sale_itself_are_given_a_topic() -> None:
    said = [text for wanted, _, text in ROWS if wanted == "none"]
    assert len(said) >= 80
    taken = {text: found for text in said if (found := topic(text) or nearest_topic(text))}
    assert len(taken) <= MOST_FALSE * len(said), taken


@pytest.mark.parametrize(
    ("language", "asked", "wanted"),
    [
        ("en", "for how many days is it online?", "shown"),
        ("en", "can I edit this later?", "edit"),
        ("en", "can I take the ad down again?", "cancel"),
        ("pt", "por quantos dias fica publicado?", "shown"),
        ("pt", "posso corrigir isto mais tarde?", "edit"),
    ],
)
async def test_the_answer_stands_in_the_reply_and_the_question_stays(
    harness: RunnerHarness, language: str, asked: str, wanted: str
) -> None:
    begin = {"en": ("iphone 12 black 128", "yes", "yes"), "pt": ("iphone 12 preto de 128", "sim", "sim")}
    visitor = await harness.visitor(language)
    for text in begin[language]:
        await visitor.say(text)
    (before,) = visitor.open_blocks()
    reply = await visitor.say(asked)
    assert PRODUCT_ANSWERS[wanted][language] in reply.text
    (after,) = visitor.open_blocks()
    assert after["name"] == before["name"] and visitor.state["answers"] == {}


async def test_a_thing_that_is_not_taken_is_said_not_to_be(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    reply = await visitor.say("Are weapons or replicas allowed?")
    assert PRODUCT_ANSWERS["allowed"]["en"] in reply.text


async def test_after_the_card_a_question_is_answered_and_no_answer_is_changed(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for text in (
        "iphone 12 black 128",
        "yes",
        "yes",
        "good",
        "yes it is free",
        "87",
        "yes",
        "may 2021",
        "nothing",
    ):
        await visitor.say(text)
    stored = dict(visitor.state["answers"])
    reply = await visitor.say("how will I get my money")
    assert PRODUCT_ANSWERS["paid"]["en"] in reply.text
    assert visitor.state["answers"] == stored
