"""Words behind a finished card that say what an answer should be propose just that, in its own row."""

import pytest

from server.demo.lines import LINES
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

_CASE = "no box but hard case and usb cable, the audio cable i lost"
HEADPHONES = (
    *("sony wh-1000xm4 headphones", "yes", "black", "good", "yes", "works fine", "25", _CASE, "yes"),
    *("march 2022", "small scratch on the left cup; its 210 euro now", "yes", "180 euros"),
)
COFFEE = (
    *("Delonghi Magnifica S, preta", "sim", "sim", "bom", "sim, funciona", "sim", "4000", "sim"),
    *("maio de 2022", "jarro do leite e manual", "150 euros"),
)


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        (
            "the box one still says the cable is lost. should be no box but hard case and usb cable",
            "Yes (no box but hard case and usb cable)",
        ),
        ("change the box to yes, original box included", "Yes. "),
        ("notes: it should say one scratch on the left cup", "understood: one scratch on the left cup."),
        ("oh wait found the audio cable lol so its included", "Yes (no box but hard case and usb cable)"),
    ],
)
async def test_just_what_should_stand_is_proposed(harness: RunnerHarness, said: str, understood: str) -> None:
    visitor = await talk(harness, "en", *HEADPHONES)
    before = dict(visitor.state["answers"])
    await visitor.say(said)
    assert understood in legend(visitor) and dict(visitor.state["answers"]) == before


async def test_a_price_told_beside_the_notes_is_not_in_them_to_be_taken_out(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *HEADPHONES)
    before = dict(visitor.state["answers"])
    assert before["audio.notes"] == "small scratch on the left cup"
    await visitor.say("the notes end with its 210 euro now, can you take that out")
    (asked,) = visitor.open_blocks()
    assert (asked["name"], asked["value"]) == ("audio.notes", "small scratch on the left cup")
    assert dict(visitor.state["answers"]) == before


async def test_the_text_is_asked_behind_the_row_that_a_found_thing_corrects(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *HEADPHONES, "found the audio cable so its included", "yes")
    assert visitor.state["answers"]["audio.box"] == "Yes (no box but hard case and usb cable)"
    assert "found the audio cable" in legend(visitor)


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ("o estado devia ser razoável", "Razoável"),
        ("é para ficar razoável no estado", "Razoável"),
        ("as notas acabam com manual, podes tirar isso?", "jarro do leite"),
    ],
)
async def test_the_same_is_proposed_in_portuguese(harness: RunnerHarness, said: str, understood: str) -> None:
    visitor = await talk(harness, "pt", *COFFEE)
    await visitor.say(said)
    assert understood in legend(visitor) and said not in legend(visitor)


@pytest.mark.parametrize(
    "said",
    [
        "Obrigada! E agora, quem trata do envio?",
        "sabe se a máquina dura muito?",
        "muito obrigada, foi uma ajuda",
        "quando recebo o dinheiro?",
        "haha que rápido",
        "aceitam 140 a pronto?",
    ],
)
async def test_no_other_sale_is_offered_beside_thanks_jokes_and_answers(
    harness: RunnerHarness, said: str
) -> None:
    visitor = await talk(harness, "pt", *COFFEE)
    reply = await visitor.say(said)
    assert reply.text and not any(each in reply.text for each in LINES["pt"]["done_more"])
    assert said not in str(reply.blocks) and "telemóveis" not in reply.text
