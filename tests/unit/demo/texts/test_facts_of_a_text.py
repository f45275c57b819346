"""The free text has each fact that was told, whole and once, and nothing that was only said to who asks."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer
from server.loopos.answers.clauses.change_requests import added_words, without_complaint
from server.loopos.answers.clauses.talk import without_talk
from server.loopos.answers.judges.answer_judge import judge_with_remark
from server.loopos.tools.questions.texts.listed_things import spell_with
from server.loopos.tools.questions.texts.remarks import is_remark
from tests.unit.demo.harness import RunnerHarness, legend, talk
from tests.unit.loopos.phrases.judged import TODAY, question

ASYNC = pytest.mark.asyncio(loop_scope="module")
CAMERA = {
    "en": ("GoPro HERO9 Black with two batteries, the cable and a 32GB card", "yes", "good", "yes", "I don't know",
           "yes", "2021"),
    "pt": ("GoPro HERO9 preta com duas baterias, o cabo e um cartão de 32GB", "sim", "bom", "sim", "não sei",
           "sim", "2021"),
}  # fmt: skip
TEXT = "cameras.accessories"


@pytest.mark.parametrize(
    "said",
    [
        "I was asking about the headphones",
        "I only wanted to know about the fee",
        "that is right. I was asking about the box",
        "estava só a perguntar pela entrega",
        "Espere, tenho de ver na fatura",
        "let me check the box",
        "actually, i want it gone",
        "ja disse 3 vezes",
        "I told you twice",
        "The rest is right",
        "o resto está certo",
    ],
)
def test_what_is_said_to_who_asks_is_no_remark_and_nothing_to_add(said: str) -> None:
    assert not is_remark(said)
    assert added_words(said) in ("", said.strip())


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("já vi, tenho a fatura", "tenho a fatura"),
        ("ja disse 3 vezes, tem caixa", "tem caixa"),
        ("I checked the battery and it lasts a day", "I checked the battery and it lasts a day"),
        ("o visor, já o vi riscado", "o visor, já o vi riscado"),
    ],
)
def test_a_fact_beside_such_words_stays(said: str, left: str) -> None:
    assert without_talk(said) == left


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("face id works too btw u left that out", "face id works too"),
        ("é que falta a marca leve na base", "marca leve na base"),
        ("Sim, mas falta a marca leve na base", "marca leve na base"),
        ("the scratch on the base is missing", "the scratch on the base"),
        ("falta ai que esta desbloqueado", "esta desbloqueado"),
        ("falta a tampa", "falta a tampa"),
        ("the left ear cup is missing", "the left ear cup is missing"),
    ],
)
def test_a_mark_is_missing_in_the_text_and_a_thing_in_the_box(said: str, fact: str) -> None:
    assert without_complaint(said) == fact


@pytest.mark.parametrize(
    ("said", "spelled"),
    [
        ("comes w fifa 23", "comes with fifa 23"),
        ("preto c baby set", "preto com baby set"),
        ("a usb c cable, w/o charger", "a usb c cable, w/o charger"),
        ("carregador tipo c novo", "carregador tipo c novo"),
    ],
)
def test_a_short_with_is_read_as_one(said: str, spelled: str) -> None:
    assert spell_with(said) == spelled


@pytest.mark.parametrize(
    ("asked", "language", "said", "shown"),
    [
        ("strollers.chassis", "pt", "travao ta ok, tem so um risco ou outro", "tem so um risco ou outro)"),
        ("cameras.condition", "en", "good on the body, the grip is sticky", "(the grip is sticky)"),
    ],
)  # fmt: skip
def test_a_remark_has_whole_clauses(asked: str, language: str, said: str, shown: str) -> None:
    judged = judge_with_remark(question(asked), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer) and shown in judged.guess.shown


@ASYNC
@pytest.mark.parametrize(
    ("language", "said", "proposed"),
    [
        ("en", ("no", "also the head strap"), "the cable and a 32GB card; two batteries; the head strap"),
        ("pt", ("não", "e o tripé"), "duas baterias, o cabo e um cartão de 32GB; o tripé"),
        ("en", ("I was asking about the headphones",), "the cable and a 32GB card; two batteries."),
        ("en", ("yes", "Please leave out the part about the card. The rest is right, and I would like 420 euros."),
         "the cable and two batteries."),
    ],
)  # fmt: skip
async def test_a_text_keeps_what_was_told(
    harness: RunnerHarness, language: str, said: tuple[str, ...], proposed: str
) -> None:
    visitor = await talk(harness, language, *CAMERA[language], *said)
    assert proposed in legend(visitor)


@ASYNC
@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("en", "two batteries and the cable", "two batteries and the cable"),
        ("en", "just the head strap", "just the head strap"),
        ("en", "the head strap", "the head strap"),
        ("pt", "nada", "nada"),
    ],
)
async def test_a_refused_text_that_is_put_right_is_not_stored(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    no = {"en": "no", "pt": "não"}[language]
    visitor = await talk(harness, language, *CAMERA[language], no, said)
    assert visitor.state["answers"][TEXT] == kept


@ASYNC
@pytest.mark.parametrize("said", [("no",), ("no", "its wrong"), ("no", "also the head strap", "no")])
async def test_a_refused_text_stands_in_its_field(harness: RunnerHarness, said: tuple[str, ...]) -> None:
    visitor = await talk(harness, "en", *CAMERA["en"], *said)
    assert visitor.open_blocks()[-1]["value"].startswith("the cable and a 32GB card; two batteries")


@ASYNC
@pytest.mark.parametrize(
    ("language", "first", "behind", "told"),
    [
        ("en", "selling my boxed iphone 13 128gb black with receipt",
         ("yes", "yes", "yes", "good", "yes", "89", "yes", "2022"), "receipt; boxed"),
        ("pt", "com fatura vendo ps4 slim 500gb preta",
         ("sim", "sim", "sim", "bom", "sim", "sim", "2", "sim", "2019", "não sei"), "fatura"),
        ("en", "ps4 slim 500gb black and mario kart 8 with it",
         ("yes", "yes", "yes", "good", "yes", "yes", "2", "yes", "2019", "I don't know"), "mario kart 8"),
        ("en", "switch oled white, comes w dock and 3 games (zelda, mario, just dance)",
         ("yes", "=Standard", "good", "yes", "yes", "2", "yes", "2022"),
         "dock and 3 games (zelda, mario, just dance)"),
    ],
)  # fmt: skip
async def test_facts_around_the_name_of_the_product_are_kept(
    harness: RunnerHarness, language: str, first: str, behind: tuple[str, ...], told: str
) -> None:
    visitor = await talk(harness, language, first, *behind)
    assert told in legend(visitor)


@ASYNC
async def test_what_the_card_lacked_is_asked_once_without_the_complaint(harness: RunnerHarness) -> None:
    phone = ("iphone 13 128gb preto, com caixa", "sim", "sim", "bom", "sim", "89", "sim", "2022", "sim")
    said = "falta ai que esta desbloqueado para todas as operadoras e foi comprado na worten"
    visitor = await talk(harness, "pt", *phone, said, "sim")
    kept = visitor.state["answers"]["smartphones.notes"]
    assert kept == "caixa; esta desbloqueado para todas as operadoras e foi comprado na worten"
    assert not any("Percebi" in str(each.get("legend")) for each in visitor.open_blocks())


@ASYNC
async def test_noise_cancelling_is_no_wish_to_cancel(harness: RunnerHarness) -> None:
    sold = ("sony wh-1000xm4 black", "yes", "yes", "good", "yes", "yes", "20", "yes", "2021", "no")
    visitor = await talk(harness, "en", *sold, "noise cancelling works great and the pads were replaced")
    assert "noise cancelling works great and the pads were replaced" in legend(visitor)


@ASYNC
async def test_the_lens_of_a_kit_is_no_further_fact(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "pt", "Tenho uma Fujifilm X-T30 II com a XF 18-55 mm, comprada em 2022", "sim"
    )
    answers = ("Prateado", "excelente", "sim", "12000", "nada visível", "sim", "Caixa, fatura, correia")
    for said in answers:
        await visitor.say(said)
    assert visitor.state["answers"]["cameras.accessories"] == "Caixa, fatura, correia"
    assert legend(visitor) == "Inclui um punho extra?"
