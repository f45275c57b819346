"""A question that names a thing of the item asks about it: it answers nothing, agrees to nothing and opens nothing."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

LISTS = {"pt": ["vender macbook"], "en": ["selling a macbook"]}
OFFERS = {"pt": ["quero vender um macbook air m1"], "en": ["selling a macbook air m1"]}
OPTIONS = {"pt": [*OFFERS["pt"], "sim"], "en": [*OFFERS["en"], "yes"]}
CONDITION = {
    "pt": [*OPTIONS["pt"], "8 gb", "256 gb", "prateado"],
    "en": [*OPTIONS["en"], "8 gb", "256 gb", "silver"],
}
ACCOUNTS = {
    "pt": ["quero vender um iphone 13 128gb preto", "sim", "sim", "bom"],
    "en": ["selling an iphone 13 128gb black", "yes", "yes", "good"],
}
KEPT = [
    (LISTS, "pt", "o que é um ciclo?"),
    (LISTS, "en", "what's M1"),
    (LISTS, "pt", "o que é m1?"),
    (LISTS, "en", "do you have a phone number"),
    (LISTS, "pt", "tens algum número de telefone?"),
    (OFFERS, "pt", "o que é um ciclo?"),
    (OFFERS, "en", "what is a cycle"),
    (OFFERS, "pt", "como é que vejo isso"),
    (OFFERS, "en", "how can i see if that is ok?"),
    (OFFERS, "pt", "o meu filho é que sabe mexer nisto"),
    (OFFERS, "en", "my son is the one who knows how to blend these"),
    (OPTIONS, "pt", "qual é a diferença entre 8 e 16?"),
    (OPTIONS, "en", "whats the difference between 8 and 16"),
    (CONDITION, "pt", "ahah boa"),
    (CONDITION, "en", "haha nice one"),
    (CONDITION, "en", "so many questions omg"),
    (CONDITION, "en", "what's the difference between good and fair"),
    (CONDITION, "pt", "o que é que conta como bom?"),
    (ACCOUNTS, "pt", "o que é a saúde da bateria"),
    (ACCOUNTS, "en", "what is battery health"),
]


@pytest.mark.parametrize(("before", "language", "asked"), KEPT)
async def test_a_question_about_a_thing_changes_nothing_and_leaves_open_what_was_open(
    harness: RunnerHarness, before: dict[str, list[str]], language: str, asked: str
) -> None:
    visitor = await talk(harness, language, *before[language])
    opened, answers = _opened(visitor.open_blocks()), visitor.state.get("answers")
    reply = await visitor.say(asked)
    assert reply.text.strip()
    assert _opened(visitor.open_blocks()) == opened
    assert visitor.state.get("answers") == answers
    for kept in ("fica guardado", "is kept", "O catálogo não tem", "is not in the catalog"):
        assert kept not in reply.text


def _opened(blocks: list[dict[str, object]]) -> list[tuple[object, object, object]]:
    return [
        (each.get("name"), each.get("legend") or each.get("label"), each.get("choices")) for each in blocks
    ]


@pytest.mark.parametrize("asked", ["isso é muito ou pouco?", "isso interessa para quê?"])
async def test_a_pronoun_that_a_question_is_about_agrees_to_no_proposal(
    harness: RunnerHarness, asked: str
) -> None:
    visitor = await talk(harness, "pt", *CONDITION["pt"], "está bom. quem o vem buscar?")
    assert "Percebi: Bom" in str(visitor.open_blocks())
    await visitor.say(asked)
    assert not visitor.state.get("answers")
    assert "Percebi: Bom" in str(visitor.open_blocks())
    await visitor.say("isso")
    assert "Bom" in str(visitor.state["answers"])


async def test_a_number_with_a_question_behind_it_agrees_to_no_proposal(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *CONDITION["pt"], "bom", "funciona, mas porque perguntam?")
    assert "Percebi: Sim, tudo funciona" in str(visitor.open_blocks())
    await visitor.say("112 ciclos. isso é bom?")
    assert "Percebi: Sim, tudo funciona" in str(visitor.open_blocks())


@pytest.mark.parametrize(
    ("before", "language", "asked", "topic"),
    [
        (LISTS, "en", "who picks it up and when?", "send"),
        (LISTS, "en", "yes, but who collects it?", "send"),
        (LISTS, "pt", "sim, mas quem vem buscar?", "send"),
        (CONDITION, "pt", "quem o vem buscar?", "send"),
        (LISTS, "en", "i wanna talk to a human", "person"),
        (LISTS, "pt", "quero uma pessoa", "person"),
        (LISTS, "en", "so many questions omg", "time"),
        (LISTS, "pt", "que seca, tantas perguntas", "time"),
        (LISTS, "en", "its my sons, ill ask him", "wait"),
        (OFFERS, "pt", "é do meu pai, espera que lhe pergunto", "wait"),
        (LISTS, "pt", "e se não for nenhum destes?", "unlisted"),
        (LISTS, "en", "what if its not on the list", "unlisted"),
        (ACCOUNTS, "pt", "e as minhas fotos?", "erase"),
        (ACCOUNTS, "en", "what about my photos?", "erase"),
    ],
)
async def test_a_side_question_is_answered_and_what_was_open_stays(
    harness: RunnerHarness, before: dict[str, list[str]], language: str, asked: str, topic: str
) -> None:
    visitor = await talk(harness, language, *before[language])
    opened = _opened(visitor.open_blocks())
    reply = await visitor.say(asked)
    assert PRODUCT_ANSWERS[topic][language] in reply.text
    assert _opened(visitor.open_blocks()) == opened


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("pt", "isto é muito ou pouco?"),
        ("pt", "qual é o normal?"),
        ("pt", "isto é normal?"),
        ("en", "what's normal?"),
        ("en", "how can i see that"),
        ("en", "is that a lot?"),
    ],
)
async def test_a_question_that_nothing_answers_gets_no_answer_to_another_one(
    harness: RunnerHarness, language: str, asked: str
) -> None:
    visitor = await talk(harness, language, *CONDITION[language])
    text = (await visitor.say(asked)).text
    assert not [name for name, said in PRODUCT_ANSWERS.items() if said[language] in text]
