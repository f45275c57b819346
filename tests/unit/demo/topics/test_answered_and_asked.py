"""An answer with a question in the same message: both are dealt with, and neither takes the other's place."""

import pytest

from server.languages import split_question
from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "87", "yes", "may 2021", "nothing")
MAC = ("macbook air m1", "the 2020 one", "8gb 256gb space grey", "good", "yes", "143")


@pytest.mark.parametrize(
    ("text", "said", "asked"),
    [
        (
            "yeh its up in my livng room, do i need 2 take it apart 4 the buyer?",
            "yeh its up in my livng room",
            "do i need 2 take it apart 4 the buyer?",
        ),
        (
            "yeah. do i have to post it or can someone pick it up",
            "yeah.",
            "do i have to post it or can someone pick it up",
        ),
        (
            "Yes, the 18-135 USM. And do you also need the accessories? I have two batteries",
            "Yes, the 18-135 USM. I have two batteries",
            "And do you also need the accessories?",
        ),
        ("Diz 86%. Isso é bom ou é mau?", "Diz 86%.", "Isso é bom ou é mau?"),
        ("yes. is it 64 or 128?", "yes. is it 64 or 128?", ""),
        ("It's old. maybe 4 years?", "It's old. maybe 4 years?", ""),
        ("who sees this and can I delete it?", "who sees this and can I delete it?", ""),
    ],
)
async def test_what_is_said_and_what_is_asked_are_told_apart(text: str, said: str, asked: str) -> None:
    assert split_question(text) == (said, asked)


@pytest.mark.parametrize(
    ("language", "before", "said", "topic", "proposed"),
    [
        ("pt", PT, "Ui, diz aqui 86% de capacidade máxima. Isso é bom ou é mau?", "matters", "86"),
        (
            "en",
            MAC,
            "UK, I already said. Before I go on, will you erase the computer for me or must I do it?",
            "erase",
            "English (UK)",
        ),
        ("en", EN, "I would like 450 euros for it. How do I get paid?", "paid", "450"),
        (
            "pt",
            (*PT, "87", "sim"),
            "comprei em maio do ano passado na decatlon, posso entregar em mao em Braga?",
            "send",
            "maio de",
        ),
    ],
)
async def test_the_answer_is_judged_and_the_question_has_its_sentence(
    harness: RunnerHarness, language: str, before: tuple[str, ...], said: str, topic: str, proposed: str
) -> None:
    visitor = await talk(harness, language, *before)
    reply = await visitor.say(said)
    assert PRODUCT_ANSWERS[topic][language] in reply.text
    (asked,) = visitor.open_blocks()
    assert proposed in f"{asked} {visitor.state['answers']}"


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("y. battery 84, unlocked, chip on one corner. how many more questions??", "time"),
        ("yeah. do i have to post it or can someone pick it up", "send"),
    ],
)
async def test_a_yes_creates_the_item_beside_a_question(
    harness: RunnerHarness, said: str, topic: str
) -> None:
    visitor = await talk(harness, "en", "iphone 12 64gb blue", "yes")
    reply = await visitor.say(said)
    assert "create_item" in reply.calls and PRODUCT_ANSWERS[topic]["en"] in reply.text


async def test_a_question_about_a_swap_does_not_throw_the_sale_away(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "nintendo switch oled", "sim")
    said = "é a normal, o zelda é só o jogo. posso trocar por um tlm em vez de vender?"
    reply = await visitor.say(said)
    assert PRODUCT_ANSWERS["swap"]["pt"] in reply.text and not reply.handoffs
    assert "Padrão" in str(visitor.open_blocks())


async def test_the_model_that_is_chosen_beside_a_question_is_not_looked_up(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "macbook air")
    said = (
        "It's the M1 one, 8/256, space grey, with a UK keyboard. What happens to my data, my photos and "
        "e-mails on it, do I need to wipe it first?"
    )
    reply = await visitor.say(said)
    assert PRODUCT_ANSWERS["erase"]["en"] in reply.text and "M1, 2020" in reply.text
    assert "get_catalog" not in reply.calls


async def test_the_text_of_an_answer_is_kept_beside_a_question(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *PT, "87", "sim", "maio de 2021")
    said = "Leva a caixa e o cabo, só não leva a ficha da parede. E queria pedir 310 euros, acha muito?"
    reply = await visitor.say(said)
    assert "Parecidos neste estado" in reply.text and "O preço é consigo" in reply.text
    assert "ficha da parede" in str(visitor.state["answers"]) and "310" in str(visitor.open_blocks())


async def test_a_good_morning_is_no_part_of_the_name(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en")
    said = "Good morning, I would like to sell my MacBook Air. Does it cost anything to list it here?"
    reply = await visitor.say(said)
    assert "morning" not in reply.text and visitor.open_blocks()
