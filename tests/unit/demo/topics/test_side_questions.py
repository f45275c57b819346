"""Side questions that are easily taken for another one: each has its own short answer, and the open question stays."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

COST = {"cost": {"en": "Listing an item is free.", "pt": "Criar o anúncio é grátis."}}


@pytest.mark.parametrize(
    ("language", "asked", "topic"),
    [
        ("en", "is it free?", "cost"),
        ("en", "who pays the shipping?", "send"),
        ("en", "how much is shipping?", "send"),
        ("en", "how much does the delivery cost?", "send"),
        ("en", "how long does it take?", "time"),
        ("en", "do I need the box?", "matters"),
        ("en", "do I need the receipt?", "matters"),
        ("en", "can I sell without the charger?", "matters"),
        ("en", "what if it doesn't sell?", "sold"),
        ("pt", "é grátis?", "cost"),
        ("pt", "quem paga os portes?", "send"),
        ("pt", "quanto custa o envio?", "send"),
        ("pt", "quanto são os portes?", "send"),
        ("pt", "quanto tempo demora?", "time"),
        ("pt", "preciso da caixa?", "matters"),
        ("pt", "é preciso a fatura?", "matters"),
        ("pt", "e se não vender?", "sold"),
    ],
)
async def test_a_side_question_has_its_answer_at_the_product_the_options_and_the_questions(
    harness: RunnerHarness, language: str, asked: str, topic: str
) -> None:
    visitor = await harness.visitor(language, common_answers=COST)
    answer = {**PRODUCT_ANSWERS, **COST}[topic][language]
    yes = "yes" if language == "en" else "sim"
    for before in ("iphone 12", yes, "128", "black" if language == "en" else "preto"):
        await visitor.say(before)
        waits = [(each["name"], each.get("legend")) for each in visitor.open_blocks()]
        reply = await visitor.say(asked)
        assert answer in reply.text, before
        assert [(each["name"], each.get("legend")) for each in visitor.open_blocks()] == waits
    assert not visitor.state.get("answers")


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("en", "who pays the shipping?", "do you come and collect it?"),
        ("pt", "quem paga os portes?", "vêm cá buscar?"),
    ],
)
async def test_the_same_answer_to_two_questions_is_said_twice(
    harness: RunnerHarness, language: str, first: str, second: str
) -> None:
    visitor = await talk(harness, language, "iphone 12", "yes" if language == "en" else "sim", first, second)
    answer = PRODUCT_ANSWERS["send"][language]
    assert all(answer in each.text for each in visitor.replies[-2:])


@pytest.mark.parametrize(
    ("language", "asked", "answer"),
    [
        ("en", "do you accept barter with chickens?", ("not known here", "no information")),
        ("pt", "o prédio tem elevador?", ("não se sabe aqui", "não tenho informação")),
    ],
)
async def test_what_this_chat_does_not_know_is_said_in_one_honest_sentence(
    harness: RunnerHarness, language: str, asked: str, answer: tuple[str, ...]
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await talk(
        harness, language, "iphone 12 black 128" if language == "en" else "iphone 12 preto 128", yes, yes
    )
    before = visitor.open_blocks()[0]["name"]
    reply = await visitor.say(asked)
    assert any(each in reply.text for each in answer)
    assert visitor.open_blocks()[0]["name"] == before
