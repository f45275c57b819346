"""What a message states of an answered choice corrects that one, and the open question stays as it was."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

STROLLER = ("quero vender um carrinho bugaboo fox", "sim", "preta", "bom", "sim", "rasgados")
HEADPHONES = ("I want to sell my sony wh-1000xm4 headphones black", "yes", "yes", "good", "yes")
FAULTY = (*HEADPHONES, "it works, with faults", "20")
FABRIC, CARRYCOT, CHASSIS = "strollers.fabric", "strollers.carrycot", "strollers.chassis"
SOUND, BOX, CONDITION = "audio.works", "audio.box", "audio.condition"


async def test_a_yes_that_waits_is_not_turned_by_words_of_another_answer(harness: RunnerHarness) -> None:
    said = "os tecidos não estão rasgados, estão limpos"
    visitor = await talk(harness, "pt", *STROLLER, "acho que sim", said)
    assert "Limpos" in legend(visitor)
    await visitor.say("sim")
    assert visitor.state["answers"][FABRIC] == "Limpos"
    assert CARRYCOT not in visitor.state["answers"]
    assert "Percebi: Sim" in legend(visitor)
    await visitor.say("sim")
    assert visitor.state["answers"][CARRYCOT] == "Sim"


@pytest.mark.parametrize(
    ("language", "start", "said", "element", "shown", "asked"),
    [
        (
            "pt",
            STROLLER,
            "não, a estrutura custa a abrir",
            CHASSIS,
            "Custa a abrir ou a fechar (a estrutura custa a abrir)",
            CARRYCOT,
        ),
        ("en", FAULTY, "no, the sound is fine", SOUND, "Yes, everything works", BOX),
        ("en", FAULTY, "nope, condition is fair", CONDITION, "Fair", BOX),
    ],
)
async def test_a_restated_choice_is_asked_back_and_the_open_question_stays(
    harness: RunnerHarness,
    language: str,
    start: tuple[str, ...],
    said: str,
    element: str,
    shown: str,
    asked: str,
) -> None:
    visitor = await talk(harness, language, *start, said)
    assert shown in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"][element] == shown
    assert asked not in visitor.state["answers"]
    assert [each["name"] for each in visitor.open_blocks()] == [asked]


@pytest.mark.parametrize(
    ("language", "start", "said", "asked"),
    [
        ("pt", STROLLER, "não, os tecidos estão rasgados", CARRYCOT),
        ("en", FAULTY, "no, the sound has faults", BOX),
    ],
)
async def test_a_choice_that_is_kept_already_answers_no_open_question(
    harness: RunnerHarness, language: str, start: tuple[str, ...], said: str, asked: str
) -> None:
    visitor = await talk(harness, language, *start, said)
    assert asked not in visitor.state["answers"]
    assert [each["name"] for each in visitor.open_blocks()] == [asked]


@pytest.mark.parametrize("said", ["não", "não, a alcofa perdeu-se", "não, só os tecidos"])
async def test_a_no_to_the_open_question_answers_it(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *STROLLER, said)
    if "Percebi" in legend(visitor):
        await visitor.say("sim")
    assert visitor.state["answers"][CARRYCOT].startswith("Não")
    assert visitor.state["answers"][FABRIC] == "Rasgados"


async def test_each_part_of_a_correction_at_a_finished_card_is_asked_back(harness: RunnerHarness) -> None:
    told = ("yes", "20", "yes", "2020", "nothing", "150")
    said = "Price 180. And condition is only fair then, pad torn. Sound works with faults"
    visitor = await talk(harness, "en", *HEADPHONES, *told, said)
    for shown in ("Fair (pad torn)", "It works, with faults", "€180"):
        assert f"I understood: {shown}." in legend(visitor)
        await visitor.say("yes")
    answers = visitor.state["answers"]
    assert (answers[CONDITION], answers[SOUND]) == ("Fair (pad torn)", "It works, with faults")
    assert answers["audio.notes"] == "nothing"


async def test_a_fault_that_is_told_late_is_asked_back_at_its_question(harness: RunnerHarness) -> None:
    said = "honestly the left earcup pad is torn, and noise cancelling crackles on the left"
    visitor = await talk(harness, "en", *HEADPHONES, "yes everything", said, "20")
    assert "It works, with faults" in legend(visitor)
    await visitor.say("yes")
    assert visitor.state["answers"][SOUND].startswith("It works, with faults")


@pytest.mark.parametrize("said", ["ok but stained. so fair?", "stained, then fair?"])
async def test_the_name_of_an_option_as_a_question_is_that_option(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *HEADPHONES[:3], said)
    assert "Fair (" in legend(visitor)
    assert "Similar ones" not in visitor.replies[-1].text


@pytest.mark.parametrize(
    ("said", "price"), [("i want at least 200", "€200"), ("180 then, final offer?", "€180")]
)
async def test_an_amount_at_the_options_is_kept_as_the_price(
    harness: RunnerHarness, said: str, price: str
) -> None:
    visitor = await talk(harness, "en", *HEADPHONES[:2], said)
    assert visitor.replies[-1].text in (
        f"{kept} It is Black. Answer “yes” to create the item, or say what changes."
        for kept in ("That is kept and comes up again.", "What you said is kept and comes up again.")
    )
    for text in ("yes", "good", "yes", "yes", "20", "yes", "2020", "nothing"):
        await visitor.say(text)
    assert price in legend(visitor)
