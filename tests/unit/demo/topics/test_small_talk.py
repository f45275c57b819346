"""Small talk at a question is answered in a sentence, without an error, and the question stays open."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from server.text_reading.wishes.small_talk import small_talk_of
from tests.unit.demo.harness import RunnerHarness, legend, talk

in_a_loop = pytest.mark.asyncio(loop_scope="module")

KINDS = {
    "wait": [
        "vou jantar, até já",
        "brb dinner",
        "hang on, the doorbell",
        "um momento que o telefone está a tocar",
        "estão a tocar à campainha",
        "someone's at the door",
        "just a sec, the phone is ringing",
        "tenho de atender o telefone",
        "espera, a campainha",
        "my daughter is calling me",
        "ja volto, tenho de dar comida ao gato",
        "vou passear o cão",
        "volto já, o bebé acordou",
        "brb, need to feed the cat",
        "gotta walk the dog",
    ],
    "slip": [
        "desculpa enganei-me",
        "sorry my mistake",
        "ups, foi sem querer",
        "oops",
        "desculpe, enganei me",
    ],
    "long": ["this is taking forever", "isto nunca mais acaba", "it takes ages", "too many questions"],
    "talk": [
        "o meu gato está doente",
        "my cat is sick",
        "good evening",
        "boa tarde",
        "kkkk",
        "lol",
        "ahahah",
        "rsrsrs",
        "sorry for the delay",
        "Desculpe a demora",
        "estou cansada",
        "I'm so tired",
        "que calor",
        "boa tarde 😊",
    ],
}
OTHERS = [
    "vou levar a caixa",
    "need to check the battery",
    "the cat needs it",
    "bom",
    "ok",
    "sim, desculpe",
    "the phone",
    "a campainha",
    "falta a campainha",
    "sorry about the scratch",
    "o meu gato arranhou o sofá",
    "um momento de loucura comprar isto",
    "it is taking forever to charge",
    "demora muito a ligar",
    "wait it's the blue one",
    "espera, é o azul",
    "o telefone está partido",
    "the door is missing",
    "the battery is tired",
    "enganei-me, é 128",
    "i was wrong it's black",
    "the baby is asleep in it",
    "lol yes",
    "um segundo comando",
    "estou com pressa para vender",
    "tudo bem?",
]
AT_A_QUESTION = {
    "pt": ("iphone 12 64gb azul", "sim", "sim", "bom"),
    "en": ("iphone 12 64gb blue", "yes", "yes", "good", "yes it is free"),
}


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in KINDS.items() for text in texts])
def test_small_talk_is_known_by_all_of_its_words(kind: str, text: str) -> None:
    assert small_talk_of(text) == kind


@pytest.mark.parametrize("text", OTHERS)
def test_words_about_the_item_are_no_small_talk(text: str) -> None:
    assert small_talk_of(text) == ""


@pytest.mark.parametrize(
    ("language", "said", "answered"),
    [
        ("pt", "vou jantar, até já", PRODUCT_ANSWERS["wait"]["pt"]),
        ("pt", "desculpa enganei-me", "Não faz mal."),
        ("pt", "o meu gato está doente", ""),
        ("pt", "kkkk", ""),
        ("pt", "boa noite", ""),
        ("pt", "deixa-me ir ver à gaveta", PRODUCT_ANSWERS["wait"]["pt"]),
        ("en", "hang on, the doorbell", PRODUCT_ANSWERS["wait"]["en"]),
        ("en", "sorry my mistake", "No harm done."),
        ("en", "this is taking forever", PRODUCT_ANSWERS["time"]["en"]),
        ("en", "good evening", ""),
        ("en", "lol", ""),
    ],
)
@in_a_loop
async def test_small_talk_is_no_failed_answer(
    harness: RunnerHarness, language: str, said: str, answered: str
) -> None:
    visitor = await talk(harness, language, *AT_A_QUESTION[language])
    asked, answers = legend(visitor), dict(visitor.state["answers"])
    reply = await visitor.say(said)
    assert answered in reply.text and len(reply.text) > len(answered)
    assert legend(visitor) == asked and visitor.state["answers"] == answers
    assert not any(each.get("error") for each in visitor.open_blocks())


@in_a_loop
async def test_a_greeting_is_not_the_grade_good(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *AT_A_QUESTION["en"][:3])
    await visitor.say("good evening")
    assert not visitor.state.get("answers") and not visitor.open_blocks()[-1].get("error")


@in_a_loop
async def test_a_mistake_at_a_proposal_is_not_passed_over(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *AT_A_QUESTION["en"][:3], "good i think?")
    reply = await visitor.say("sorry my mistake")
    assert "No harm done" not in reply.text
