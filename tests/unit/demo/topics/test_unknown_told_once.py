"""That nothing is known of a question is said of a question only, and of none that the reply answers."""

import pytest

from server.demo.lines import LINES
from server.demo.reading.intents import inside, nearest_topic, topic
from server.loopos.common_answers import PRODUCT_ANSWERS
from server.text_reading.own_questions import tell_unknown, without_own_question
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "87", "sim")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "87", "yes")


def unknown_in(text: str, language: str) -> bool:
    return any(each in text for each in LINES[language]["no_info"])


@pytest.mark.parametrize(
    ("language", "before", "said", "proposed"),
    [
        ("pt", PT, "foi em novembro de 2022 sim, ou 2021? nao, 2022", "novembro de 2022"),
        ("en", EN, "it was November 2022, or 2021? no, 2022", "November 2022"),
    ],
)
async def test_a_doubt_that_its_writer_settles_is_no_question(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str, proposed: str
) -> None:
    visitor = await talk(harness, language, *before)
    reply = await visitor.say(said)
    assert not unknown_in(reply.text, language)
    assert proposed in f"{visitor.open_blocks()} {visitor.state['answers']}"


@pytest.mark.parametrize("text", ["foi em maio ou junho? 2021", "black or blue? I don't know", "64 or 128?"])
async def test_a_doubt_that_stays_open_is_left(text: str) -> None:
    assert without_own_question(text) == text


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "just let me talk to someone, is there a phone number?"),
        ("en", "please can I speak to somebody, this is going nowhere and I have had enough"),
        ("pt", "só quero falar com alguém, há um número de telefone?"),
    ],
)
async def test_who_wants_a_person_is_told_so_first_and_nothing_of_the_advert(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *(EN if language == "en" else PT)[:2])
    reply = await visitor.say(said)
    assert reply.text.startswith(PRODUCT_ANSWERS["person"][language])
    assert PRODUCT_ANSWERS["advert"][language] not in reply.text and not unknown_in(reply.text, language)


@pytest.mark.parametrize(
    ("language", "product", "said"),
    [
        ("pt", "galaxy watch6", "Sim. E o meu número de telefone fica visível? têm comissão?"),
        ("en", "galaxy watch6", "Yes. And will my phone number be visible? do you take a commission?"),
    ],
)
async def test_two_questions_behind_a_yes_have_both_their_answers(
    harness: RunnerHarness, language: str, product: str, said: str
) -> None:
    visitor = await talk(harness, language, product)
    reply = await visitor.say(said)
    assert "confirm_product" in reply.calls
    assert PRODUCT_ANSWERS["advert"][language] in reply.text
    assert unknown_in(reply.text, language)  # The product has no answer to what a sale costs.


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("pt", "pronto mete galaxy watch6 e o preço fica 160"),
        ("pt", "tenho de ir, o preço fica em 160 euros"),
        ("en", "just put the watch6 and the price stays 160"),
    ],
)
async def test_a_price_that_is_set_is_no_question_for_one(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, "galaxy watch6", "sim" if language == "pt" else "yes")
    reply = await visitor.say(said)
    assert not any(each in reply.text for each in LINES[language]["no_price"])


@pytest.mark.parametrize("said", ["what is the price", "qual é o preço?", "the price of the 2021 one"])
async def test_a_question_for_the_price_stays_one(said: str) -> None:
    assert inside(said, "price")


@pytest.mark.parametrize(
    "said",
    ["can i do the ps5 first", "can I start with the canon first?", "posso fazer primeiro a bicicleta?"],
)
async def test_the_order_of_the_items_is_no_common_question(said: str) -> None:
    assert (topic(said) or nearest_topic(said)) in (None, "none")


async def test_the_unknown_is_left_out_beside_an_answer() -> None:
    known, unknown = ["A program answers."], ["That is not known here."]
    assert tell_unknown(unknown, known[0], known, unknown, unknown) == ([], known[0])
    assert tell_unknown(known, f"{unknown[0]} Yes?", known, [], unknown) == (known, "Yes?")
    assert tell_unknown(unknown, "Yes?", known, unknown, unknown) == (unknown, "Yes?")
