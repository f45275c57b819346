"""Damage that a seller tells: it contradicts an answer that there is none, and what is told stays beside an answer."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOFA = {"pt": ("sofá klippan ikea", "sim"), "en": ("ikea klippan sofa", "yes")}
CAMERA = {
    "pt": ("canon eos 250d", "sim", "só o corpo", "preta", "excelente"),
    "en": ("canon eos 250d", "yes", "body only", "black", "excellent"),
}
DAMAGE, NOTES, WORKS = "furniture.damage", "furniture.notes", "cameras.works"
YES = {"pt": "sim", "en": "yes"}


@pytest.mark.parametrize(
    ("language", "condition", "told"),
    [
        ("pt", "está razoável, um braço arranhado", "um braço arranhado"),
        ("pt", "bom, com uma mancha", "uma mancha"),
        ("en", "fair, one arm is scratched by the cat", "one arm is scratched by the cat"),
        ("en", "good, a few scratches", "a few scratches"),
    ],
)
async def test_damage_that_was_told_is_asked_back_instead_of_whether_there_is_any(
    harness: RunnerHarness, language: str, condition: str, told: str
) -> None:
    visitor = await talk(harness, language, *SOFA[language], condition, YES[language])
    assert told in legend(visitor)
    await visitor.say(YES[language])
    assert told in visitor.state["answers"][DAMAGE]


@pytest.mark.parametrize(
    ("language", "said", "told"),
    [
        ("pt", "não, enganei-me: tem arranhões, está desmontado", "tem arranhões"),
        ("pt", "na resposta dos danos pus sim mas ele tem arranhões", "ele tem arranhões"),
        ("en", "in the answer about damage I said yes but it has scratches", "it has scratches"),
        ("en", "taken apart. and the cat scratched one arm", "the cat scratched one arm"),
    ],
)
async def test_damage_told_after_a_yes_is_asked_back(
    harness: RunnerHarness, language: str, said: str, told: str
) -> None:
    yes = YES[language]
    visitor = await talk(harness, language, *SOFA[language], "bom" if language == "pt" else "good", yes, said)
    for _ in range(2):
        if visitor.open_blocks()[0]["name"] != DAMAGE:
            await visitor.say("desmontado" if language == "pt" else "taken apart")
    assert told in legend(visitor)
    await visitor.say(yes)
    assert visitor.state["answers"][DAMAGE].endswith(f"({told})")


async def test_a_no_to_the_damage_leaves_the_answer_to_the_seller(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "en", *SOFA["en"], "fair, one arm is scratched by the cat", "yes", "no", "yes"
    )
    assert visitor.state["answers"][DAMAGE] == "Yes"
    assert legend(visitor) == "Is it assembled?"


DONE = ("bom", "riscos", "desmontado", "sim", "2018", "2", "tem a capa manchada. um pé abana")


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("tira a parte do pé", "tem a capa manchada"),
        ("apaga o que diz da capa, por favor", "um pé abana"),
        ("escreva só: um braço arranhado", "um braço arranhado"),
        ("não, só: um braço arranhado", "um braço arranhado"),
    ],
)
async def test_a_text_is_cut_down_after_the_card(harness: RunnerHarness, said: str, kept: str) -> None:
    visitor = await talk(harness, "pt", *SOFA["pt"], *DONE, said)
    assert legend(visitor) == f"Percebi: {kept}. Certo?"
    await visitor.say("sim")
    assert visitor.state["answers"][NOTES] == kept
    assert not [each for each in visitor.open_blocks() if "Percebi" in str(each)]


async def test_a_part_that_the_text_does_not_have_changes_nothing(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *SOFA["pt"], *DONE, "tira a parte do braço")
    assert visitor.state["answers"][NOTES] == "tem a capa manchada. um pé abana"
    assert visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        (
            "pt",
            ("sim mas o botão do iso está um bocado preso", "sim"),
            "Sim (mas o botão do iso está um bocado preso)",
        ),
        ("pt", ("dispara bem", "sim, mas o botão do iso prende", "sim"), "Sim (o botão do iso prende)"),
        (
            "pt",
            ("dispara bem", "não, quero que fique escrito que o botão do iso está preso", "sim"),
            "Sim (o botão do iso está preso)",
        ),
        ("pt", ("dispara bem", "sim, mas escreva nas notas o botão do iso"), "Sim (o botão do iso)"),
        ("en", ("it shoots fine", "yes but the iso button is stiff", "yes"), "Yes (the iso button is stiff)"),
        (
            "en",
            ("it shoots fine", "no, I want it noted that the dial sticks", "yes"),
            "Yes (the dial sticks)",
        ),
        ("en", ("it shoots fine", "please add that the dial sticks", "yes"), "Yes (the dial sticks)"),
    ],
)
async def test_words_beside_a_yes_are_kept(
    harness: RunnerHarness, language: str, said: tuple[str, ...], kept: str
) -> None:
    visitor = await talk(harness, language, *CAMERA[language], *said)
    assert visitor.state["answers"][WORKS] == kept


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("acho que sim, mas não sei como se vê isso", "iCloud"),
        ("como é que vejo se está livre?", "iCloud"),
        ("agora não posso, continuo logo", "guardado"),
    ],
)
async def test_how_to_see_it_and_later_are_understood(harness: RunnerHarness, said: str, asked: str) -> None:
    visitor = await talk(harness, "pt", "iphone 11", "sim", "64", "vermelho", "bom")
    reply = await visitor.say(said)
    assert asked in reply.text or asked in str(visitor.open_blocks()[0].get("error"))
    assert visitor.open_blocks()[0]["name"] == "smartphones.account_lock"
