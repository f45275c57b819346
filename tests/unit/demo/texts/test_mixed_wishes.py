"""A message at a text that takes a part out and tells more, and what is proposed of messages with odd marks."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

YES = {"pt": "sim", "en": "yes"}
HEADPHONES = {
    "pt": ("sim", "sim", "bom", "sim", "sim", "20", "sim", "sim", "03/2021"),
    "en": ("yes", "yes", "good", "genuine", "yes", "20", "yes", "yes", "03/2021"),
}
FRYER = ("sim", "preto", "bom", "sim", "intacto", "sim")
PRAM = ("Bugaboo Fox preto", "sim", "sim", "bom", "sim", "tem a capa de chuva", "limpo", "sim", "2020", "não")


async def _proposed(harness: RunnerHarness, language: str, *said: str) -> str:
    visitor = await talk(harness, language, *said)
    return str(visitor.open_blocks()[0].get("value", ""))


@pytest.mark.parametrize(
    ("language", "first", "said", "text"),
    [
        (
            "pt",
            "sony wh-1000xm4 preto, com o cabo jack",
            "sim. mete também que funciona com o cabo usb-c, tem estojo. e não quero a worten no texto",
            "o cabo jack; funciona com o cabo usb-c, tem estojo",
        ),
        (
            "pt",
            "sony wh-1000xm4 preto, com o cabo jack e a bolsa",
            "tira a bolsa. o arco tem uma marca pequena",
            "o cabo jack; o arco tem uma marca pequena",
        ),
        (
            "en",
            "sony wh-1000xm4 black, with the aux cable",
            "remove the aux cable. the case has a mark",
            "the case has a mark",
        ),
        (
            "en",
            "sony wh-1000xm4 black, with the aux cable",
            "I don't want argos in the text. also the pouch is torn",
            "the aux cable; the pouch is torn",
        ),
    ],
)
async def test_what_is_to_go_goes_and_what_is_told_beside_it_is_added(
    harness: RunnerHarness, language: str, first: str, said: str, text: str
) -> None:
    visitor = await talk(harness, language, first, *HEADPHONES[language], said)
    assert visitor.open_blocks()[0]["value"] == text
    await visitor.say(YES[language])
    assert visitor.state["answers"]["audio.notes"] == text
    assert visitor.state["answers"]["audio.box"] in ("Sim", "Yes")


async def test_what_is_typed_is_kept_where_the_part_to_go_is_not_there(harness: RunnerHarness) -> None:
    said = "a capa de chuva e a cadeira, falta o porta-copos. É o Fox 2. Esse texto do gato não é para pôr"
    text = "a capa de chuva e a cadeira, falta o porta-copos. É o Fox 2"
    assert await _proposed(harness, "pt", *PRAM, said) == text


async def test_a_part_that_is_not_to_stand_in_an_empty_text_ends_no_talk(harness: RunnerHarness) -> None:
    said = "tem estojo. e não quero a worten no texto"
    first = ("sony wh-1000xm4 preto", *HEADPHONES["pt"])
    assert await _proposed(harness, "pt", *first, said) == "tem estojo"


@pytest.mark.parametrize(
    ("language", "said", "left"),
    [
        ("pt", "afinal o cabo fica comigo. podia retirá-lo?", "sem cabo"),
        ("pt", "tira o estojo. obrigada, o resto está bem", "o cabo jack"),
        ("en", "take out the strap. thanks", "the aux cable"),
        ("en", "remove the bag. leave the rest as it is", "the aux cable"),
        ("en", "take it out. I want 90 for it", "the aux cable"),
    ],
)
async def test_a_wish_beside_which_nothing_is_told_adds_nothing(
    harness: RunnerHarness, language: str, said: str, left: str
) -> None:
    thing = "com o cabo jack" if language == "pt" else "with the aux cable"
    colour = "preto" if language == "pt" else "black"
    first = (f"sony wh-1000xm4 {colour}, {thing}", *HEADPHONES[language])
    assert await _proposed(harness, language, *first, said) == left


async def test_where_something_stands_is_no_shop(harness: RunnerHarness) -> None:
    first = ("vendo airfryer philips essential, quero vender porque comprei uma maior",)
    label = "na etiqueta por baixo diz HD9252/90. É de 2021 e tem 4,1 litros."
    visitor = await talk(harness, "pt", *first, label, *FRYER, "sim", "nada")
    assert "etiqueta" not in str(visitor.open_blocks()) and "4,1 litros" in str(visitor.open_blocks())


async def test_that_something_is_for_sale_is_no_note(harness: RunnerHarness) -> None:
    first = "hiya got some sony headphones to sell, wh-1000xm4 black"
    visitor = await talk(harness, "en", first, *HEADPHONES["en"], "nothing")
    assert visitor.state["status"] == "complete" and visitor.state["answers"]["audio.notes"] == "nothing"


async def test_no_bracket_stands_alone(harness: RunnerHarness) -> None:
    first = (
        "tenho uns auscultadores sony wh-1000xm4 pretos, (tem o estojo original, comprados na worten); "
        "falta me o cabo de jack"
    )
    text = await _proposed(harness, "pt", first, *HEADPHONES["pt"])
    assert "estojo original" in text and "cabo de jack" in text and "(" not in text and ")" not in text
