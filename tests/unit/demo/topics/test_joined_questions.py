"""Each of the questions that a message joins is answered, and what was open stays open."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = {
    "en": (
        "iphone 12 black 128",
        "yes",
        "yes",
        "good",
        "free",
        "87",
        "yes",
        "march 2022",
        "the box",
        "180 euros",
    ),
    "pt": (
        *("iphone 12 preto 128", "sim", "sim", "bom", "livre", "87", "sim", "março de 2022"),
        *("a caixa", "180 euros"),
    ),
}
COST = {"cost": {"en": "Listing an item is free.", "pt": "Criar o anúncio é grátis."}}


@pytest.mark.parametrize("told", [0, 1, 2, 4, 8, 10])
@pytest.mark.parametrize(
    ("language", "asked", "topics"),
    [
        ("en", "when do I get paid and who picks it up?", ("paid", "send")),
        (
            "en",
            "how long is the warranty, and can I finish this tomorrow on my phone?",
            ("warranty", "later"),
        ),
        ("pt", "há garantia e como é que recebo?", ("warranty", "paid")),
        ("pt", "quanto cobram e quem o vem buscar?", ("cost", "send")),
    ],
)
async def test_both_questions_are_answered_wherever_they_are_asked(
    harness: RunnerHarness, language: str, asked: str, topics: tuple[str, ...], told: int
) -> None:
    visitor = await harness.visitor(language, common_answers=COST)
    for text in PHONE[language][:told]:
        await visitor.say(text)
    waits = [(each["name"], each.get("legend")) for each in visitor.open_blocks()]
    before = dict(visitor.state.get("answers") or {})
    reply = await visitor.say(asked)
    for topic in topics:
        first = {**PRODUCT_ANSWERS, **COST}[topic][language].partition(". ")[0].rstrip(".")
        assert first in reply.text, topic
    assert [(each["name"], each.get("legend")) for each in visitor.open_blocks()] == waits
    assert dict(visitor.state.get("answers") or {}) == before


@pytest.mark.parametrize(
    ("language", "asked", "topic"),
    [
        ("en", "how long is the warranty and what's it worth?", "warranty"),
        ("pt", "quanto vale e quem o vem buscar?", "send"),
    ],
)
@pytest.mark.parametrize("told", [4, 10])
async def test_the_worth_is_told_beside_another_answer(
    harness: RunnerHarness, language: str, asked: str, topic: str, told: int
) -> None:
    visitor = await talk(harness, language, *PHONE[language][:told])
    reply = await visitor.say(asked)
    assert PRODUCT_ANSWERS[topic][language].partition(". ")[0] in reply.text
    assert "188" in reply.text and "250" in reply.text


async def test_a_question_without_an_answer_is_said_to_have_none(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 12")
    reply = await visitor.say("is it waterproof and who pays the shipping?")
    assert PRODUCT_ANSWERS["send"]["en"] in reply.text
    assert "What else you asked is not known here." in reply.text


@pytest.mark.parametrize(
    ("language", "asked", "topic"),
    [
        ("en", "how much do you charge me to sell my console?", "cost"),
        ("en", "what do you take from the sale?", "cost"),
        ("en", "can my wife finish this tomorrow on her phone?", "later"),
        ("en", "is this a robot", "who"),
        ("en", "can I skip all of this", "skip"),
        ("en", "do you take old TVs?", "allowed"),
        ("pt", "quanto cobram para vender a consola?", "cost"),
        ("pt", "posso fazer isto mais tarde?", "later"),
        ("pt", "isto é um robô", "who"),
        ("pt", "posso saltar isto tudo?", "skip"),
        ("pt", "há garantia?", "warranty"),
    ],
)
@pytest.mark.parametrize("told", [0, 1, 2, 4, 10])
async def test_an_aside_has_its_own_answer_at_every_step(
    harness: RunnerHarness, language: str, asked: str, topic: str, told: int
) -> None:
    visitor = await harness.visitor(language, common_answers=COST)
    for text in PHONE[language][:told]:
        await visitor.say(text)
    waits = [each["name"] for each in visitor.open_blocks()]
    reply = await visitor.say(asked)
    assert {**PRODUCT_ANSWERS, **COST}[topic][language] in reply.text
    assert [each["name"] for each in visitor.open_blocks()] == waits
