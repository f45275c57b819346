"""A text that waits for a yes or is written: what is typed is added to it, and replaces it only where that is said."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

TEXT = "cameras.accessories"
FIRST = {
    "en": "GoPro HERO9 Black with two batteries, the cable and a 32GB card",
    "pt": "GoPro HERO9 preta com duas baterias, o cabo e um cartão de 32GB",
}
KNOWN = {
    "en": "the cable and a 32GB card; two batteries",
    "pt": "duas baterias, o cabo e um cartão de 32GB",
}
SALE = {
    "en": ("yes", "good", "yes", "I don't know", "yes", "2021"),
    "pt": ("sim", "bom", "sim", "não sei", "sim", "2021"),
}


async def _proposed(harness: RunnerHarness, language: str, *more: str) -> HarnessVisitor:
    """Sell a camera up to its text, which is proposed, and say these words then."""
    return await talk(harness, language, FIRST[language], *SALE[language], *more)


def _kept(visitor: HarnessVisitor) -> str:
    return str(visitor.state["answers"].get(TEXT, ""))


@pytest.mark.parametrize(
    ("language", "said", "added"),
    [
        ("en", "and the head strap, you forgot that", "; the head strap"),
        ("en", "the head strap too, that's missing", "; the head strap too"),
        ("en", "No, the rest is right, and the strap is not original.", "; the strap is not original"),
        ("en", "put the case too", "; the case too"),
        ("en", "No, that's everything, but I no longer have the box and I would like 150 euros, negotiable.",
         "; I no longer have the box."),
        ("en", "no, nothing else, but the strap is torn", "; the strap is torn."),
        ("en", "No, please keep everything that was written there before, and add that there is no box.",
         "; there is no box."),
        ("pt", "Não, é tudo, mas já não tenho a caixa e queria 150 euros, negociáveis.", "; já não tenho a caixa."),
        ("pt", "não, mantém tudo o que lá estava e acrescenta que não tem caixa", "; não tem caixa."),
        ("pt", "e o tripé, esqueceste-te disso", "; o tripé"),
        ("pt", "falta o tripé, põe aí", "; o tripé"),
        ("pt", "não, o resto está certo, mas a correia não é original", "; a correia não é original"),
        ("pt", "a mochila também vai", "; a mochila também vai"),
        ("en", "Notes: also add oatmeal cover", "; oatmeal cover"),
        ("pt", "Notas: acrescente também a capa", "; a capa"),
        ("en", "and the notes miss the tiny scuff on the side", "; the tiny scuff on the side"),
        ("pt", "tá a faltar nas notas o risco na tampa", "; o risco na tampa"),
    ],
)  # fmt: skip
async def test_what_is_typed_at_a_proposed_text_is_added_and_asked_back(
    harness: RunnerHarness, language: str, said: str, added: str
) -> None:
    visitor = await _proposed(harness, language)
    assert KNOWN[language] in legend(visitor)
    await visitor.say(said)
    assert f"{KNOWN[language]}{added}" in legend(visitor) and not _kept(visitor)


@pytest.mark.parametrize(
    ("language", "said", "kept"),
    [
        ("en", "yes, and it falls out that the case is torn", "; it falls out that the case is torn"),
        ("pt", "sim, e falta dizer que tem uma mala e que a correia é nova", "; tem uma mala e a correia é nova"),
        ("pt", "está certo, e leva também a mochila", "; leva também a mochila"),
    ],
)  # fmt: skip
async def test_words_behind_a_yes_are_added_without_their_instruction(
    harness: RunnerHarness, language: str, said: str, kept: str
) -> None:
    visitor = await _proposed(harness, language, said)
    assert f"{KNOWN[language]}{kept}" in legend(visitor) and not _kept(visitor)
    await visitor.say({"en": "yes", "pt": "sim"}[language])
    assert _kept(visitor) == f"{KNOWN[language]}{kept}"


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", "they should say: the cable and the box", "the cable and the box"),
        ("en", "just the box", "just the box"),
        ("en", "no, it is only the cable", "the cable"),
        ("en", "No: three batteries, the cable and a 32GB card, two batteries. No box.",
         "three batteries, the cable and a 32GB card, two batteries. No box"),
        ("pt", "só a caixa", "só a caixa"),
        ("pt", "não, é só o cabo e a caixa", "o cabo e a caixa"),
        ("pt", "põe só: o cabo", "o cabo"),
    ],
)  # fmt: skip
async def test_a_text_is_replaced_where_the_seller_says_what_it_is(
    harness: RunnerHarness, language: str, said: str, text: str
) -> None:
    visitor = await _proposed(harness, language, said)
    if not _kept(visitor):
        assert f": {text}. " in legend(visitor)
        await visitor.say("yes" if language == "en" else "sim")
    assert _kept(visitor) == text


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "It has two batteries as well, that is missing."), ("pt", "tem duas baterias, falta isso")],
)
async def test_what_stands_there_is_not_added_twice(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await _proposed(harness, language, said)
    assert _kept(visitor) == KNOWN[language] and visitor.state["status"] == "complete"


@pytest.mark.parametrize(
    ("language", "said", "added"),
    [
        ("en", "the accessories bit lost the head strap, pls put it back", "; the head strap"),
        ("en", "It has the head strap as well, that is missing.", "; it has the head strap as well"),
        ("en", "you forgot the tripod", "; the tripod"),
        ("pt", "os acessórios perderam o tripé, põe lá outra vez", "; o tripé"),
        ("pt", "falta o tripé, põe aí", "; o tripé"),
        ("pt", "o tripé também vai, falta isso", "; o tripé também vai"),
    ],
)
async def test_what_is_missing_on_the_card_is_added_to_the_text(
    harness: RunnerHarness, language: str, said: str, added: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    visitor = await _proposed(harness, language, yes)
    before = dict(visitor.state["answers"])
    await visitor.say(said)
    assert f"{KNOWN[language]}{added}" in legend(visitor) and visitor.state["answers"] == before
    await visitor.say(yes)
    assert visitor.state["answers"] == before | {TEXT: f"{KNOWN[language]}{added}"}
    assert visitor.state["status"] == "complete"


async def test_a_price_at_a_proposed_text_leaves_the_text_to_be_confirmed(harness: RunnerHarness) -> None:
    visitor = await _proposed(harness, "en", "actually make it 40, i want it gone")
    assert "€40" in legend(visitor) and not _kept(visitor)
    await visitor.say("yes")
    assert KNOWN["en"] in legend(visitor)


@pytest.mark.parametrize("said", ["No, the 145 is the price.", "o preço são os 145"])
async def test_a_figure_that_is_called_the_price_is_none_of_the_text(
    harness: RunnerHarness, said: str
) -> None:
    visitor = await _proposed(harness, "en", said)
    assert "145" in legend(visitor) and not _kept(visitor)


@pytest.mark.parametrize(
    ("language", "first", "text"),
    [
        ("en", "GoPro HERO9 Black with the cable, bought march 2021 from argos in leeds, no receipt",
         "the cable, no receipt; bought from argos in leeds"),
        ("pt", "GoPro HERO9 preta com o cabo, comprada em março 2021 na worten",
         "o cabo; comprada na worten"),
        ("en", "GoPro HERO9 Black with the cable. spiderman 2 and fc24 with it, mount replaced 6 months ago",
         "the cable; spiderman 2 and fc24; mount replaced 6 months ago"),
        ("pt", "GoPro HERO9 preta com o cabo e publicidade, a bateria dura 3 semanas",
         "o cabo e publicidade, a bateria dura 3 semanas"),
        ("en", "Hi, I want to sell my GoPro HERO9 Black with the cable, works fine, good condition, 145",
         "the cable"),
    ],
)  # fmt: skip
async def test_a_proposed_text_has_what_the_first_message_tells(
    harness: RunnerHarness, language: str, first: str, text: str
) -> None:
    visitor = await talk(harness, language, first)
    for said in ("yes", "good", "yes", "I don't know", "yes", "2021", "yes"):
        if TEXT in str([each["name"] for each in visitor.open_blocks()]):
            break
        await visitor.say(said)
    assert f": {text}. " in legend(visitor)


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("march 2022 from argos in leeds", "nothing else; bought from argos in leeds"),
        ("bought at christmas 2021", "nothing else"),
    ],
)
async def test_where_it_was_bought_is_kept_beside_when(harness: RunnerHarness, said: str, kept: str) -> None:
    visitor = await talk(harness, "en", "GoPro HERO9 Black", *SALE["en"][:-1], said, "yes")
    if visitor.open_blocks()[0]["name"] == TEXT:
        await visitor.say("the cable")
    assert kept.replace("nothing else", "the cable") in f"{visitor.open_blocks()} {_kept(visitor)}"


async def test_a_named_text_that_is_written_is_added_to(harness: RunnerHarness) -> None:
    visitor = await _proposed(harness, "en", "yes", "Notes: also add oatmeal cover")
    assert f"{KNOWN['en']}; oatmeal cover" in legend(visitor) and _kept(visitor) == KNOWN["en"]


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        (
            "en",
            "No, not the 32GB card, I said I'm keeping it. And the strap is new",
            "the cable; two batteries; the strap is new",
        ),
        ("en", "no, the card is not included", "the cable and two batteries"),
    ],
)
async def test_why_a_thing_goes_is_not_added(
    harness: RunnerHarness, language: str, said: str, text: str
) -> None:
    visitor = await _proposed(harness, language, said)
    assert f": {text}. " in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "there", "gone"),
    [
        ("pt", "o cartão afinal não vai, só o cabo", "o cabo", "cartão"),
        ("en", "the card is actually not included, only the cable", "the cable", "card"),
    ],
)
async def test_a_thing_that_was_taken_back_is_not_proposed(
    harness: RunnerHarness, language: str, said: str, there: str, gone: str
) -> None:
    yes, *sale = SALE[language]
    visitor = await talk(harness, language, FIRST[language], yes, sale[0], said, *sale[1:])
    assert there in legend(visitor) and gone not in legend(visitor)


LAPTOP = {
    "pt": "tenho um lenovo t480 para vender preto i5 16gb 512 ssd|sim|16|512|bom|sim, tudo funciona|não sei|português|"
    "sim, está livre|sim|2019",
    "en": "selling a lenovo t480 black i5 16gb 512 ssd|yes|16|512|good|yes, everything works|I don't know|Portuguese|"
    "yes, it is free|yes|2019",
}


@pytest.mark.parametrize(
    ("language", "said", "added", "right"),
    [
        ("pt", "falta o i5", "i5", ("nao é falta, o processador é i5", "o processador é i5")),
        (
            "en",
            "the i5 is missing",
            "i5",
            ("it's not missing, the processor is an i5", "the processor is an i5"),
        ),
    ],
)
async def test_a_thing_that_was_told_and_is_missing_in_a_text_is_added(
    harness: RunnerHarness, language: str, said: str, added: str, right: tuple[str, str]
) -> None:
    visitor = await talk(harness, language, *LAPTOP[language].split("|"), said)
    assert f": {added}. " in legend(visitor) and "laptops.notes" not in visitor.state["answers"]
    await visitor.say(right[0])
    assert f": {right[1]}. " in legend(visitor)


@pytest.mark.parametrize(
    ("language", "first", "said", "added"),
    [
        ("pt", "a bateria dura 3 horas", "falta o i5", "i5"),
        ("en", "the battery lasts 3 hours", "the i5 is missing", "i5"),
        ("en", "the battery lasts 3 hours", "the dock is missing", "the dock is missing"),
    ],
)
async def test_a_told_thing_is_added_to_a_written_text(
    harness: RunnerHarness, language: str, first: str, said: str, added: str
) -> None:
    visitor = await talk(harness, language, *LAPTOP[language].split("|"), first, said)
    assert first in legend(visitor) and f"; {added}. " in legend(visitor)


@pytest.mark.parametrize(("language", "said"), [("en", "i want to go on"), ("pt", "quero continuar")])
async def test_a_wish_to_go_on_is_no_text(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await _proposed(harness, language, said)
    assert KNOWN[language] in legend(visitor) and said not in legend(visitor)
