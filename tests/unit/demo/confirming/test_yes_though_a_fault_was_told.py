"""A yes to whether an item works, though an earlier message tells of a part that fails: that is asked back once."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORKS = "consoles.works"
PHRASES = {
    "en": ("yes", "Yes, everything works", "It works, with faults", "everything works"),
    "pt": ("sim", "Sim, tudo funciona", "Funciona, com defeitos", "tudo funciona"),
}


async def say_yes(harness: RunnerHarness, language: str, first: str) -> HarnessVisitor:
    """Return a seller who wrote this at first and said yes to whether the console works."""
    visitor = await talk(harness, language, first)
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    for _ in range(8):
        if visitor.open_blocks()[0]["name"] == WORKS:
            break
        await visitor.say(good if visitor.open_blocks()[0]["name"] == "consoles.condition" else yes)
    await visitor.say(yes)
    return visitor


@pytest.mark.parametrize(
    ("language", "first", "fault"),
    [
        ("en", "ps4 slim 500gb black, the disc drive is broken", "the disc drive is broken"),
        ("en", "ps4 slim 500gb black. one controller won't charge", "one controller won't charge"),
        ("pt", "ps4 slim 500gb preta, o leitor está avariado", "o leitor está avariado"),
        ("pt", "ps4 slim 500gb preta. o comando não carrega", "o comando não carrega"),
    ],
)
async def test_a_fault_that_was_told_is_asked_back_behind_a_plain_yes(
    harness: RunnerHarness, language: str, first: str, fault: str
) -> None:
    visitor = await say_yes(harness, language, first)
    yes, _, faulty, _ = PHRASES[language]
    assert f"{faulty} ({fault})" in legend(visitor)
    await visitor.say(yes)
    assert visitor.state["answers"][WORKS] == f"{faulty} ({fault})"


@pytest.mark.parametrize(
    ("language", "first"),
    [
        ("en", "ps4 slim 500gb black, the disc drive is broken"),
        ("pt", "ps4 slim 500gb preta, o leitor está avariado"),
    ],
)
async def test_who_says_that_everything_works_is_asked_no_more(
    harness: RunnerHarness, language: str, first: str
) -> None:
    visitor = await say_yes(harness, language, first)
    _, sound, _, plainly = PHRASES[language]
    await visitor.say(plainly)
    assert visitor.state["answers"][WORKS] == sound
    assert visitor.open_blocks()[0]["name"] != WORKS


@pytest.mark.parametrize(
    ("language", "first"),
    [
        ("en", "ps4 slim 500gb black, small scratch on top"),
        ("pt", "ps4 slim 500gb preta, tem um risquinho em cima"),
    ],
)
async def test_a_mark_that_was_told_is_no_fault_of_the_working(
    harness: RunnerHarness, language: str, first: str
) -> None:
    visitor = await say_yes(harness, language, first)
    assert visitor.state["answers"][WORKS] == PHRASES[language][1]
    assert visitor.open_blocks()[0]["name"] != WORKS


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "yes the charger. no box"),
        ("en", "yes the box"),
        ("pt", "sim o carregador. caixa não"),
        ("pt", "sim a caixa"),
    ],
)
async def test_a_yes_to_another_thing_is_asked_back(harness: RunnerHarness, language: str, said: str) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, "xiaomi mi electric scooter pro 2", yes, good, said)
    assert "scooters.works" not in visitor.state["answers"] and PHRASES[language][1] in legend(visitor)


PLAYSTATION = ("ps4 slim 500gb black", "ps4 slim 500gb preta")


async def at_working(harness: RunnerHarness, language: str, *said: str) -> HarnessVisitor:
    """Return a visitor who has said these words at the question whether a console works."""
    grade = ("good", "bom")[language == "pt"]
    visitor = await talk(harness, language, PLAYSTATION[language == "pt"], *[PHRASES[language][0]] * 3, grade)
    for each in said:
        await visitor.say(each)
    return visitor


@pytest.mark.parametrize(
    ("language", "fault", "said", "beside"),
    [
        (
            "en",
            "works but the lid is bent",
            "no everything works, the lid is just bent",
            "the lid is just bent",
        ),
        (
            "en",
            "the stick drifts",
            "no the console itself works, only one stick drifts",
            "only one stick drifts",
        ),
        (
            "pt",
            "funciona mas a tampa está torta",
            "não, tudo funciona, a tampa está torta",
            "a tampa está torta",
        ),
        (
            "pt",
            "o comando tem drift",
            "não a consola em si funciona, o comando tem drift",
            "o comando tem drift",
        ),
    ],
)
async def test_a_no_to_faults_that_says_that_all_works_proposes_that(
    harness: RunnerHarness, language: str, fault: str, said: str, beside: str
) -> None:
    visitor = await at_working(harness, language, fault, said)
    yes, sound, *_ = PHRASES[language]
    assert f"{sound} ({beside})" in legend(visitor)
    await visitor.say(yes)
    assert visitor.state["answers"][WORKS] == f"{sound} ({beside})"


@pytest.mark.parametrize(
    ("language", "fault", "said"),
    [
        ("en", "works but the fan is loud", "yes, that's right, everything else works"),
        ("pt", "funciona mas a ventoinha faz barulho", "sim, é isso, tudo o resto funciona"),
    ],
)
async def test_a_yes_to_faults_that_says_that_the_rest_works_takes_them(
    harness: RunnerHarness, language: str, fault: str, said: str
) -> None:
    visitor = await at_working(harness, language, fault, said)
    assert visitor.state["answers"][WORKS].startswith(PHRASES[language][2])


@pytest.mark.parametrize(
    ("language", "said", "again"),
    [
        ("en", "console works fine, its just the left stick on the white controler", "the left stick drifts"),
        ("pt", "funciona bem, é só o analógico do comando branco", "o analógico do comando tem drift"),
    ],
)
async def test_a_fault_of_a_part_that_stands_beside_the_yes_opens_nothing(
    harness: RunnerHarness, language: str, said: str, again: str
) -> None:
    visitor = await at_working(harness, language, said, PHRASES[language][0])
    answered = visitor.state["answers"][WORKS]
    await visitor.say(again)
    await visitor.say(PHRASES[language][0])
    assert visitor.state["answers"][WORKS] == answered
    assert all(each["name"] != WORKS for each in visitor.open_blocks()[:1])
