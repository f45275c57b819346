"""Rough figures at a question: how long ago it was bought, a number with a doubt, a price in the middle of another
question.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

SCOOTER = ("xiaomi m365", "yes", "good", "yes", "1200", "lasts as new", "yes")
TROTINETE = ("xiaomi m365", "sim", "bom", "sim", "1200", "dura como nova", "sim")


@pytest.mark.parametrize(
    ("language", "said", "back"),
    [
        ("en", "2 yrs ago", 2),
        ("en", "about 2 years ago, no box", 2),
        ("en", "told u about 2 yrs ago", 2),
        ("pt", "há uns 3 anos", 3),
        ("pt", "comprei-a o ano passado na worten", 1),
    ],
)
async def test_the_year_of_a_stretch_of_time_is_asked_back(
    harness: RunnerHarness, language: str, said: str, back: int
) -> None:
    visitor = await talk(harness, language, *(SCOOTER if language == "en" else TROTINETE), said)
    assert str(datetime.now(UTC).year - back) in legend(visitor)
    assert visitor.open_blocks()[0]["name"] == "scooters.purchase_date"


@pytest.mark.parametrize("said", ["oct 21", "10/21", "oct 21, charger included no box. 180"])
async def test_a_short_year_is_asked_back(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *SCOOTER, said)
    assert "October 2021" in legend(visitor)


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("uns 2000 então", "2000"),
        ("uns mil talvez?", "1000"),
        ("nao faço ideia, uns mil talvez? comprei em 2020", "1000"),
    ],
)
async def test_a_rough_number_is_asked_back(harness: RunnerHarness, said: str, shown: str) -> None:
    visitor = await talk(harness, "pt", *TROTINETE[:4], said)
    assert visitor.open_blocks()[0]["name"] == "scooters.kilometres" and shown in legend(visitor)


@pytest.mark.parametrize(
    ("at", "said", "price"),
    [
        (6, "afinal quero 85 euros", "85"),
        (6, "leva as luzes da frente, e afinal quero 85 euros", "85"),
        (4, "afinal quero 85 euros", "85"),
    ],
)
async def test_a_price_in_the_middle_keeps_the_open_question(
    harness: RunnerHarness, at: int, said: str, price: str
) -> None:
    told = [*TROTINETE, "2022", "nada"]
    visitor = await talk(harness, "pt", *told[:at])
    before = [each["name"] for each in visitor.open_blocks()]
    await visitor.say(said)
    assert [each["name"] for each in visitor.open_blocks()] == before
    for text in told[at:]:
        await visitor.say(text)
    if "luzes" in said:
        assert "leva as luzes da frente" in legend(visitor)
        await visitor.say("sim")
    assert price in str(visitor.state.get("price")) or price in legend(visitor)


async def test_a_price_behind_the_newest_answer_jumps_to_no_date(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *TROTINETE, "2022", "leva as luzes, e afinal quero 85 euros")
    assert visitor.state["answers"]["scooters.purchase_date"] == "2022"
    assert "85" in legend(visitor) and visitor.open_blocks()[0]["name"] == "asking_price"


async def test_a_price_before_a_date_leaves_both(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *TROTINETE, "o preço é 85, comprei em 2020")
    assert visitor.state["answers"]["scooters.purchase_date"] == "2020"
    await visitor.say("nada")
    assert "85" in legend(visitor)


async def test_an_article_beside_another_question_counts_nothing(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "vendo uma essenza mini", "sim", "preta", "sim", "bom")
    while not visitor.open_blocks()[0]["name"].endswith(".works"):
        block = visitor.open_blocks()[0]
        await visitor.click(block["name"], str(block["choices"][0]["value"]))
    await visitor.say("sim faz um cafe optimo, descalcifiquei o mes passado")
    await visitor.say("sim")
    await visitor.say("sim")
    assert visitor.open_blocks()[0]["name"] == "coffee-machines.coffees"
    assert "1 café" not in legend(visitor).replace("\xa0", " ")
    await visitor.say("tirei uns 4000 a olho. dois ou tres por dia")
    assert "4000 cafés" in legend(visitor).replace("\xa0", " ")
    await visitor.say("sim")
    assert visitor.open_blocks()[0]["name"] == "coffee-machines.descaled"
    assert "Percebi: Sim" in legend(visitor)


CAMERA = ("Canon EOS 2000D", "yes", "Body only", "good", "yes")
MAQUINA = ("Canon EOS 2000D", "sim", "só corpo", "boa", "sim")


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("en", ("2019 or 2020", "I don't know which of the two"), "2019 (or 2020)"),
        ("en", ("2019 or 2020", "I don't know. Can't you just write 2019 or 2020?"), "2019 (or 2020)"),
        ("en", ("like I said, 2019 or 2020, I can't remember which",), "2019 (or 2020)"),
        ("pt", ("2019 ou 2020", "não sei qual deles"), "2019 (ou 2020)"),
        ("pt", ("foi em 2019 ou 2020, não sei bem qual",), "2019 (ou 2020)"),
    ],
)
async def test_the_earlier_of_two_years_is_proposed_to_who_knows_no_more(
    harness: RunnerHarness, language: str, said: tuple[str, ...], shown: str
) -> None:
    start = (*CAMERA, "5000", "nothing visible") if language == "en" else (*MAQUINA, "5000", "nada visível")
    visitor = await talk(harness, language, *start, *said)
    assert visitor.open_blocks()[0]["name"] == "cameras.purchase_date" and shown in legend(visitor)
    await visitor.say("não sei" if language == "pt" else "I don't know which")
    assert visitor.state["answers"]["cameras.purchase_date"] == shown


async def test_two_years_told_at_first_are_proposed_at_their_question(harness: RunnerHarness) -> None:
    first = "I want to sell my Canon EOS 2000D camera. Not sure when I got it, 2019 or 2020 I think"
    visitor = await talk(harness, "en", first, *CAMERA[1:], "5000", "nothing visible")
    assert "2019 (or 2020)" in legend(visitor)
    await visitor.say("OK, around 2020 then")
    assert "2020." in legend(visitor)
    await visitor.say("Yes, but could also be 2019")
    assert visitor.state["answers"]["cameras.purchase_date"] == "2020 (or 2019)"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "I honestly don't know, I'd guess somewhere under 10,000"),
        ("en", "less than ten thousand"),
        ("pt", "não sei, mas abaixo de 10000"),
        ("pt", "nem chega a 5000"),
    ],
)
async def test_a_limit_is_no_number(harness: RunnerHarness, language: str, said: str) -> None:
    visitor = await talk(harness, language, *(CAMERA if language == "en" else MAQUINA), said)
    unknown = "não sei" if language == "pt" else "I don't know"
    assert unknown in visitor.open_blocks()[0]["error"]
    await visitor.say(unknown)
    assert visitor.open_blocks()[0]["name"] == "cameras.sensor"


async def test_a_question_about_another_question_is_answered_with_its_hint(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *CAMERA[:3])
    reply = await visitor.say("How can I check the shutter count?")
    assert "some show it in a menu" in reply.text
    assert visitor.open_blocks()[0]["name"] == "cameras.condition"


async def test_a_remark_beside_an_unknown_figure_is_said_to_be_kept(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iPhone 13 128 GB", "yes", "Blue", "good", "yes")
    reply = await visitor.say("dont know the %, lasts about a day still but weaker than when new")
    assert "kept" in reply.text and visitor.open_blocks()[0]["name"] == "smartphones.screen"
