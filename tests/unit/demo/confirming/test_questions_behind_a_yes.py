"""A question behind a yes, with and without its mark: the yes counts, and the question is answered."""

import pytest

from server.apps import BUILT_IN
from server.languages import split_question
from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, talk

ANSWERED = {**PRODUCT_ANSWERS, **BUILT_IN.answers}
PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "85", "sim", "2024", "so a caixa, 395€")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "85", "yes", "2024", "just the box, 395€")


@pytest.mark.parametrize(
    ("language", "said", "topic"),
    [
        ("en", "yes who pays the shipping", "send"),
        ("en", "yeah thats right, how long does it take to sell", "sold"),
        ("en", "sure, but how do i get the money", "paid"),
        ("en", "yes. when do i get paid", "paid"),
        ("en", "yes, what fee do you take?", "cost"),
        ("pt", "sim quem paga os portes", "send"),
        ("pt", "isso, quanto tempo demora a vender", "sold"),
        ("pt", "claro, mas como recebo o dinheiro", "paid"),
        ("pt", "sim. e quando recebo", "paid"),
        ("pt", "sim, que comissão tiram?", "cost"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_yes_to_a_price_counts_and_the_question_is_answered(
    harness: RunnerHarness, language: str, said: str, topic: str
) -> None:
    visitor = await harness.visitor(language, **BUILT_IN.context_for("submission"))
    for text in PT if language == "pt" else EN:
        await visitor.say(text)
    reply = await visitor.say(said)
    assert "395" in visitor.state["answers"]["asking_price"]
    assert visitor.state["answers"]["smartphones.notes"] == (
        "so a caixa" if language == "pt" else "just the box"
    )
    assert ANSWERED[topic][language] in reply.text and visitor.open_blocks() == []


@pytest.mark.parametrize(
    ("language", "said"), [("en", "yes who pays the shipping"), ("pt", "sim. como recebo")]
)
@pytest.mark.asyncio(loop_scope="module")
async def test_the_yes_to_a_product_counts_too(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await harness.visitor(language)
    await visitor.say("iphone 12 64gb")
    await visitor.say(said)
    assert visitor.state["product"] == "iPhone 12"


@pytest.mark.parametrize(
    ("language", "said", "topics"),
    [
        ("en", "yes that one. oh and do I have to post them myself or does someone come?", ["send"]),
        ("en", "ok fine, yes its the iphone 12", []),
        (
            "pt",
            "é esse sim mas nao responderam, isto é seguro? e quanto é que ficam da venda",
            ["safe", "cost"],
        ),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_yes_to_a_product_with_a_remark_is_one_and_all_questions_are_answered(
    harness: RunnerHarness, language: str, said: str, topics: list[str]
) -> None:
    visitor = await harness.visitor(language, **BUILT_IN.context_for("submission"))
    await visitor.say("iphone 12 64gb")
    reply = await visitor.say(said)
    assert visitor.state["product"] == "iPhone 12"
    assert all(ANSWERED[each][language] in reply.text for each in topics)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_no_to_a_product_with_a_question_is_one(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt", **BUILT_IN.context_for("submission"))
    await visitor.say("iphone 12")
    reply = await visitor.say("não, e isto é seguro?")
    assert ANSWERED["safe"]["pt"] in reply.text and "iPhone 12 mini" in str(visitor.open_blocks())


@pytest.mark.asyncio(loop_scope="module")
async def test_questions_of_the_first_message_are_answered_beside_the_product(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt", **BUILT_IN.context_for("submission"))
    reply = await visitor.say("vendo iphone 12 64gb, isto é seguro? como é que funciona")
    assert all(ANSWERED[each]["pt"].split(".")[0] in reply.text for each in ("safe", "who"))
    assert "iPhone 12" in str(visitor.open_blocks())


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "box, can you add a scratch on the back",
        "bom, posso juntar o carregador",
        "good, when it is cold it dies",
        "yes what about the box",
        "caixa e carregador, como novo",
        "i want to sell my iphone, can you add the box",
    ],
)
def test_words_that_tell_or_wish_are_no_question(text: str) -> None:
    assert split_question(text) == (text, "")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", ("good i think", "yes. Actually I'll keep the memory card, so it's not included.")),
        ("pt", ("bom, acho eu", "sim, está certo. junta que a mesa veio da casa da minha avó")),
    ],
)
async def test_a_yes_before_words_about_something_else_counts(
    harness: RunnerHarness, language: str, said: tuple[str, ...]
) -> None:
    first = {"en": ("iphone 12 black 128", "yes", "yes"), "pt": ("iphone 12 preto 128", "sim", "sim")}
    visitor = await talk(harness, language, *first[language], *said)
    assert visitor.state["answers"]["smartphones.condition"] in ("Good", "Bom")
