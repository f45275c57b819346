"""Several wishes of one message about what is written: each is done or told, and asked back before it is stored."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

GAMES = "consoles.games"
EN = "ps4 slim 500gb black|yes|yes|yes|fair|yes|yes|1|yes|december 2017"
PT = "ps4 slim 500gb preta|sim|sim|sim|razoável|sim|sim|1|sim|dezembro 2017"


@pytest.mark.parametrize(
    ("language", "notes", "said", "text"),
    [
        ("en", "3 games; no the console works fine; two pads",
         "its 4 games not 3, and take out the bit no the console works fine", "4 games; two pads"),
        ("en", "smoke free home; two pads; has a case",
         "can u take smoke free home out, we've got a dog tho so maybe say that",
         "two pads; has a case; we've got a dog"),
        ("en", "two pads; comes with the manual",
         "I'd say newborn insert included, no isofix base. take out the manual bit as that's already said",
         "two pads; newborn insert included, no isofix base"),
        ("pt", "tem o comando; nao tenho a factura; o manual",
         "afinal tira a parte da fatura, encontrei-a. e o manual tambem", "tem o comando"),
        ("pt", "tem o comando; azul; preto", "a cor mete so azul escuro e preto, nao repitas o azul",
         "tem o comando; azul escuro e preto"),
        ("pt", "tem o comando; azul; preto", "a cor é azul escuro e preto", "tem o comando; azul escuro e preto"),
        ("pt", "tem o comando", "acrescenta que a bateria aguenta um dia inteiro",
         "tem o comando; a bateria aguenta um dia inteiro"),
        ("pt", "tem o comando", "mete também que funciona com o cabo usb-c",
         "tem o comando; funciona com o cabo usb-c"),
        ("pt", "inclui a caixa original e 2 jogos, o FIFA 23 e o Spider-Man",
         "sem os jogos, tira o FIFA e o Spider-Man", "inclui a caixa original"),
        ("en", "the original box and 2 games, FIFA 23 and Spider-Man",
         "without the games, take FIFA and Spider-Man out", "the original box"),
    ],
)  # fmt: skip
async def test_all_wishes_are_asked_back_together(
    harness: RunnerHarness, language: str, notes: str, said: str, text: str
) -> None:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN).split("|"), notes, said)
    assert visitor.state["answers"][GAMES] == notes and f": {text}. " in legend(visitor)
    await visitor.say("yes" if language == "en" else "sim")
    assert visitor.state["answers"][GAMES] == text


async def test_a_part_that_is_not_there_is_told_and_the_rest_is_done(harness: RunnerHarness) -> None:
    said = "Could you add that it needs two people to carry, and leave the footstool out, I'll give that to my daughter"
    visitor = await talk(harness, "en", *EN.split("|"), "smoke free home; two pads")
    reply = await visitor.say(said)
    assert "footstool" in reply.text and "two pads; it needs two people to carry. Is" in legend(visitor)


async def test_an_earlier_row_is_changed_beside_an_answer(harness: RunnerHarness) -> None:
    start = ("ps4 slim 500gb preta", "sim", "sim", "sim")
    visitor = await talk(harness, "pt", *start, "Bom. Tem só um risco atrás; Tenho um gato em casa", "sim")
    await visitor.say("Sim. E no estado da consola tire por favor «Tenho um gato em casa»")
    assert "gato" not in visitor.state["answers"].get("consoles.works", "")
    await visitor.say("sim")
    answers = visitor.state["answers"]
    assert answers["consoles.condition"] == "Bom (tem só um risco atrás)"
    assert answers["consoles.works"] == "Sim, tudo funciona"


async def test_a_row_and_the_text_are_changed_by_one_message(harness: RunnerHarness) -> None:
    start = EN.replace("fair", "good, a scratch on the back. there is a cat at home").split("|")
    start[5:5] = ["yes"]
    visitor = await talk(harness, "en", *start, "two pads")
    await visitor.say("You left out the lift. And under Condition the remark about the cat should go.")
    assert "two pads; the lift" in legend(visitor)
    await visitor.say("yes")
    await visitor.say("yes")
    assert visitor.state["answers"][GAMES] == "two pads; the lift"
    assert visitor.state["answers"]["consoles.condition"] == "Good (a scratch on the back)"


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("pt", "está quase, mas tire o azul, e falta que sempre andou com capa e que quero 180 euros",
         "tem o comando; sempre andou com capa"),
        ("pt", "tá tudo quase certo, tira o azul", "tem o comando"),
        ("en", "almost right, but take azul out", "tem o comando"),
    ],
)  # fmt: skip
async def test_words_that_a_text_is_almost_right_are_not_told(
    harness: RunnerHarness, language: str, said: str, text: str
) -> None:
    visitor = await talk(
        harness, language, *(PT if language == "pt" else EN).split("|"), "tem o comando; azul"
    )
    reply = await visitor.say(said)
    assert f": {text}. " in legend(visitor) and "quase" not in reply.text and "almost" not in reply.text
