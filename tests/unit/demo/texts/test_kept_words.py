"""Words beside an answer or a text: a part of a date, a question behind a text, a price, and what is asked twice."""

from __future__ import annotations

import pytest

from server.languages import split_question
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

CAMERA = ("canon eos 250d", "yes", "body only", "black", "excellent")
KINDLE = ("kindle paperwhite", "2021", "yes", "8", "yes", "good", "free", "no marks", "no")
FRYER = ("airfryer philips essential", "sim", "preto", "bom", "sim", "intacto", "sim", "2020")
WATCH = ("garmin forerunner 245", "yes", "without music", "good", "genuine", "yes", "no marks", "no", "2019")
SOFA = ("sofá klippan ikea", "sim", "bom", "sim", "desmontado", "sim")


@pytest.mark.parametrize(
    ("said", "date"),
    [
        (("bought in 2022, a gift", "yes, december"), "December 2022"),
        (("bought in 2022, a gift", "yes, in december"), "December 2022"),
        (("bought in 2022, a gift", "yes, christmas", "yes"), "December 2022"),
        (("bought in 2022, a gift", "yes"), "2022"),
    ],
)
async def test_the_missing_part_of_a_date_behind_a_yes_is_kept(
    harness: RunnerHarness, said: tuple[str, ...], date: str
) -> None:
    visitor = await talk(harness, "en", *KINDLE, *said)
    assert visitor.state["answers"]["tablets.purchase_date"] == date


async def test_of_two_years_it_is_asked_which(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *SOFA)
    await visitor.say("não me lembro, 2017 ou 2018")
    assert visitor.open_blocks()[0]["error"] == "Qual destas: 2017; 2018?"
    await visitor.say("2018")
    assert visitor.state["answers"]["furniture.purchase_date"] == "2018"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("falta um cesto mas dá para usar. e a garantia ainda vale?", "falta um cesto mas dá para usar."),
        ("só que a luz está fraca. ah e quanto é que me pagam?", "só que a luz está fraca"),
        ("manual e caixa, e como me pagam?", "manual e caixa"),
    ],
)
async def test_a_text_keeps_all_but_the_question_behind_it(
    harness: RunnerHarness, said: str, kept: str
) -> None:
    visitor = await talk(harness, "pt", *FRYER, said)
    assert visitor.state["answers"]["air-fryers.notes"] == kept


async def test_words_that_name_nothing_stand_without_the_full_stop(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *WATCH, "none. price is 120 euros")
    assert visitor.state["answers"]["watches.notes"] == "none"
    assert "120" in legend(visitor)


@pytest.mark.parametrize("said", ["90 euros e falta aí o botão partido", "90 euros, o botão está partido"])
async def test_a_fault_beside_a_price_is_added_without_the_price(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *FRYER, "manual e caixa", "sem preço", said)
    assert "manual e caixa; " in legend(visitor)
    assert "partido" in legend(visitor)
    await visitor.say("sim")
    assert "90" not in visitor.state["answers"]["air-fryers.notes"]
    await visitor.say("sim")
    assert visitor.state["price"] == "90\u00a0€"


async def test_a_number_that_was_told_early_is_asked_back(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *CAMERA, "yes works perfectly, shutter count is about 12000")
    assert "12,000" in legend(visitor)


PHONE = (
    "iphone 12 black 128, comes with charger and box. the back is cracked",
    "yes",
    "yes",
    "good",
    "free",
    "87",
)


async def test_a_text_that_was_told_early_is_asked_once_with_its_faults(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *PHONE, "yes", "march 2022")
    assert legend(visitor) == "I understood: charger and box; the back is cracked. Is that right?"
    await visitor.say("yes")
    assert visitor.state["answers"]["smartphones.notes"] == "charger and box; the back is cracked"
    assert visitor.state["status"] == "complete"


async def test_what_alone_the_text_is_to_have_is_not_added_to(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "en", *PHONE, "yes", "march 2022", "no, just: original box, no charger", "yes"
    )
    assert visitor.state["answers"]["smartphones.notes"] == "original box, no charger"
    assert visitor.state["status"] == "complete"


async def test_a_yes_picks_the_only_value_of_an_option(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "airfryer philips essential")
    reply = await visitor.say("sim")
    assert "só existe em Preto" in reply.text
    await visitor.say("sim")
    assert visitor.state["options"] == {"Cor": "Preto"}


@pytest.mark.parametrize(
    ("message", "said", "asked"),
    [
        (
            "falta a grelha mas dá para usar. e a garantia vale?",
            "falta a grelha mas dá para usar.",
            "e a garantia vale?",
        ),
        ("box. oh and how do you pay?", "box", "and how do you pay?"),
        ("yes. is the payment safe?", "yes.", "is the payment safe?"),
        ("bom. preto?", "bom. preto?", ""),
        ("yes, but how do you pay?", "yes", "but how do you pay?"),
    ],
)
async def test_a_question_is_parted_from_what_is_said(message: str, said: str, asked: str) -> None:
    assert split_question(message) == (said, asked)
