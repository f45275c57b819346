"""What sellers tell beside the questions: sizes, colours, texts in quotes, fees, a second item that they leave out."""

from typing import Any

import pytest

from server.apps import BUILT_IN
from server.languages import fold
from server.loopos.common_answers import PRODUCT_ANSWERS
from server.text_reading.words.sizes import named_size
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

in_a_loop = pytest.mark.asyncio(loop_scope="module")
PT = ("iphone 12 64gb azul", "sim", "sim", "bom", "sim", "85", "sim")
EN = ("iphone 12 64gb blue", "yes", "yes", "good", "yes", "85", "yes")
ANSWERED = {**PRODUCT_ANSWERS, **BUILT_IN.answers}


def _sale(language: str, *texts: str) -> tuple[str, ...]:
    return (*(PT if language == "pt" else EN), *texts)


async def _finished(harness: RunnerHarness, language: str) -> HarnessVisitor:
    """Return a seller whose item is complete and has a price, on the page of the demo."""
    visitor = await harness.visitor(language, **BUILT_IN.context_for("submission"))
    for text in _sale(language, "2024", "nada" if language == "pt" else "nothing", "250 euros"):
        await visitor.say(text)
    assert visitor.state["status"] == "complete"
    return visitor


def _kept(visitor: HarnessVisitor) -> list[Any]:
    return [visitor.state.get(each) for each in ("product", "options", "answers", "price", "status")]


@pytest.mark.parametrize(
    ("language", "said", "topic"),
    [
        ("en", "how much do you charge", "cost"),
        ("en", "so how much do i get in the end", "paid"),
        ("en", "do u take a percentage of the 250", "cost"),
        ("en", "any fees", "cost"),
        ("en", "ok thanks. any commission?", "cost"),
        ("en", "what do you charge for selling at 250?", "cost"),
        ("en", "free shipping?", "send"),
        ("pt", "os portes estão incluidos", "send"),
        ("pt", "quanto recebo no fim", "paid"),
        ("pt", "então recebo 250?", "paid"),
        ("pt", "pago envio?", "send"),
        ("pt", "e de comissão quanto é", "cost"),
        ("pt", "ficam com quantos por cento dos 250?", "cost"),
    ],
)
@in_a_loop
async def test_a_question_about_fees_behind_the_card_is_answered_and_changes_nothing(
    harness: RunnerHarness, language: str, said: str, topic: str
) -> None:
    visitor = await _finished(harness, language)
    before = _kept(visitor)
    reply = await visitor.say(said)
    assert ANSWERED[topic][language] in reply.text
    assert _kept(visitor) == before and visitor.open_blocks() == []


@in_a_loop
async def test_a_question_after_a_thing_or_the_price_behind_the_card(harness: RunnerHarness) -> None:
    visitor = await _finished(harness, "en")
    assert "€250" in (await visitor.say("where is the price?")).text and not visitor.open_blocks()
    reply = await visitor.say("and the charger?")
    assert "not kept" in reply.text and "free" not in reply.text


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [
        ("en", 'Put "with original box and cable" please', "with original box and cable"),
        ("en", "put “box, no charger” please", "box, no charger"),
        ("en", "add: box and cable", "box and cable"),
        ("pt", 'poe "com caixa e cabo" por favor', "com caixa e cabo"),
        ("pt", 'escreve "caixa e capa" sff', "caixa e capa"),
        ("pt", "põe lá caixa e cabo", "caixa e cabo"),
    ],
)
@in_a_loop
async def test_a_text_to_write_is_asked_back_behind_the_card(
    harness: RunnerHarness, language: str, said: str, text: str
) -> None:
    visitor = await _finished(harness, language)
    await visitor.say(said)
    assert text in legend(visitor) and '"' not in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert visitor.state["answers"]["smartphones.notes"] == text


@pytest.mark.parametrize(
    ("language", "said", "text"),
    [("en", 'Put "box and cable" please', "box and cable"), ("pt", 'põe "caixa e cabo" sff', "caixa e cabo")],
)
@in_a_loop
async def test_a_text_in_quotes_is_stored_without_them(
    harness: RunnerHarness, language: str, said: str, text: str
) -> None:
    visitor = await talk(harness, language, *_sale(language, "2024", said))
    assert visitor.state["answers"]["smartphones.notes"] == text


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "add battery health 84%", "84%"),
        ("en", "the battery health is 84% not 85", "84%"),
        ("en", "drop it to 230 pls", "€230"),
        ("pt", "acrescenta bateria 84%", "84"),
        ("pt", "a saude da bateria é 84 e não 85", "84"),
        ("pt", "pode baixar pra 230", "230"),
        ("pt", "baixe-me isso para 230", "230"),
    ],
)
@in_a_loop
async def test_a_figure_that_is_put_right_is_asked_back(
    harness: RunnerHarness, language: str, said: str, asked: str
) -> None:
    visitor = await _finished(harness, language)
    before = _kept(visitor)
    await visitor.say(said)
    assert asked in legend(visitor) and _kept(visitor) == before


@pytest.mark.parametrize(
    ("language", "said", "asked"),
    [
        ("en", "2020, yes, in March", "March 2020"),
        ("en", "march, 2020 yes", "March 2020"),
        ("en", "2020, no, in 2021", "2021"),
        ("en", "2021, may be", ": 2021"),
        ("pt", "2020, sim, em março", "março de 2020"),
        ("pt", "sim, 2025", "2025"),
        ("pt", "2020, não, 2021", "2021"),
    ],
)
@in_a_loop
async def test_a_date_with_words_around_is_asked_back(
    harness: RunnerHarness, language: str, said: str, asked: str
) -> None:
    visitor = await talk(harness, language, *_sale(language, said))
    assert asked in legend(visitor) and "smartphones.purchase_date" not in visitor.state["answers"]


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "missing the colour, it's black"),
        ("en", "you forgot the colour, it's black"),
        ("pt", "falta a cor, é preta"),
        ("pt", "esqueci a cor, é preto"),
    ],
)
@in_a_loop
async def test_a_colour_at_the_notes_is_asked_back_and_no_note(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *_sale(language, "2024", said))
    assert ("Black" if language == "en" else "Preto") in legend(visitor)
    assert "smartphones.notes" not in visitor.state["answers"]
    await visitor.say("yes" if language == "en" else "sim")
    assert list(visitor.state["options"].values())[1] == ("Black" if language == "en" else "Preto")


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "its an l"),
        ("en", "its actually a large"),
        ("en", "it's L sorry"),
        ("pt", "é um L"),
        ("pt", "afinal é o grande"),
        ("pt", "é L"),
    ],
)
@in_a_loop
async def test_a_size_without_the_word_for_it_is_corrected(
    harness: RunnerHarness, language: str, said: str
) -> None:
    yes, good = ("yes", "good") if language == "en" else ("sim", "bom")
    visitor = await talk(harness, language, "trek fx 2 size M", yes, yes, good, said)
    assert list(visitor.state["options"].values()) == ["L"] and len(visitor.state["answers"]) == 1


def test_a_figure_is_a_size_only_where_no_number_is_asked() -> None:
    for text in ("it's a 56", "é o 56"):
        assert named_size(text, fold(text), figures=True) == "size 56"
    for text in ("it's a 56", "é grande", "m", "s", "it's small and light"):
        assert named_size(text, fold(text), figures=False) == text


@pytest.mark.parametrize("said", ["não, a bicicleta não", "a bicicleta já não", "não quero a bicicleta"])
@in_a_loop
async def test_a_second_item_that_is_refused_is_not_looked_for(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", "iphone 12 64gb azul e uma bicicleta", *PT[1:], "2024", "nada")
    before = _kept(visitor)
    reply = await visitor.say(said)
    assert _kept(visitor) == before and reply.handoffs == [] and visitor.open_blocks() == []


@pytest.mark.parametrize("language", ["pt", "en"])
@in_a_loop
async def test_a_no_that_is_pressed_twice_asks_for_the_right_answer(
    harness: RunnerHarness, language: str
) -> None:
    marks = "tem umas marcas" if language == "pt" else "a few marks"
    visitor = await talk(harness, language, *(PT if language == "pt" else EN)[:3], marks)
    block = visitor.open_blocks()[-1]
    part = {
        "type": "answer",
        "block_id": block["id"],
        "name": block["name"],
        "value": "answer:wrong",
        "label": "-",
    }
    for _ in range(3):
        reply = await visitor.send([part])
        assert "já não se aplica" not in reply.text and "no longer" not in reply.text
    assert visitor.open_blocks()[-1]["name"] == "smartphones.condition"
