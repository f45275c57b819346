"""A yes in the seller's own words: a Portuguese `no` before its noun, a part of the date, a price that was paid."""

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")
MACHINE = ("maquina de cafe delonghi magnifica s", "sim", "Preto", "bom", "tudo funciona", "Sim", "2000")
DESCALED, BOUGHT = "coffee-machines.descaled", "coffee-machines.purchase_date"


@pytest.mark.parametrize(
    "said", ["sim no mes passado", "sim, no natal", "voltei. ya mais ou menos isso", "sim no início do ano"]
)
async def test_a_yes_with_a_portuguese_no_is_a_yes(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *MACHINE, "acho que sim", said)
    assert visitor.state["answers"][DESCALED] == "Sim"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("ora 2019 ou 2020 nao tenho a certeza", "2019 (ou 2020)"),
        ("2018 ou 2019", "2018 (ou 2019)"),
        ("ponha por volta de 2020", "2020"),
    ],
)
async def test_another_year_beside_the_one_that_waits_is_asked_back(
    harness: RunnerHarness, said: str, shown: str
) -> None:
    visitor = await talk(harness, "pt", *MACHINE, "sim", "acho q foi em 2019", said)
    assert shown in legend(visitor) and BOUGHT not in visitor.state["answers"]


@pytest.mark.parametrize(
    "said",
    ["Sim, foi em maio, ainda me custou 330 euros", "sim, custou 330€", "sim em maio, paguei 330 euros"],
)
async def test_a_yes_to_a_date_may_say_what_was_paid(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", *MACHINE, "sim", "acho q foi em maio de 2021", said)
    assert visitor.state["answers"][BOUGHT] == "maio de 2021"
    assert "asking_price" not in visitor.state["answers"]


async def test_a_yes_with_another_month_and_a_price_is_asked_once_more(harness: RunnerHarness) -> None:
    said = "sim, foi em junho, custou 330 euros"
    visitor = await talk(harness, "pt", *MACHINE, "sim", "acho q foi em maio de 2021", said)
    assert visitor.state["answers"].get(BOUGHT) != "maio de 2021"


@pytest.mark.parametrize(
    "said", ["espera q vou ver por dentro", "deixa-me ver a etiqueta", "vou espreitar por baixo"]
)
async def test_a_look_at_the_item_is_a_pause(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "pt", MACHINE[0], said)
    assert "Com calma" in visitor.replies[-1].text
