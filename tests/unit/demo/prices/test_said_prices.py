"""A price as people say it: without its currency, in words, corrected in the same message, beside numbers of others."""

from __future__ import annotations

import pytest

from server.loopos.core import AskingPrice
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(120)]

VACUUM = ("dyson v11 vacuum", "yes", "good", "yes", "25", "yes", "february 2022", "i have the invoice")
ASPIRADOR = (
    "vendo aspirador dyson v11",
    "sim",
    "bom",
    "sim",
    "25",
    "sim",
    "fevereiro de 2022",
    "tenho a fatura",
)
LAPTOP = (
    "macbook air m1 2020 8gb 256gb space grey",
    "yes",
    "yes",
    "good",
    "yes",
    "143",
    "uk",
    "free",
    "yes",
    "2020",
)


async def price(visitor: HarnessVisitor) -> float | None:
    """Return the price of the only item in euro."""
    (item,) = await visitor.items()
    cents = (item.asking_price or AskingPrice()).cents
    return None if cents is None else cents / 100


@pytest.mark.parametrize(
    ("language", "said", "euro"),
    [
        ("en", "I'll ask 75 euros please", 75),
        ("en", "I would take 60 cash", 60),
        ("en", "eighty", 80),
        ("pt", "cem", 100),
        ("en", "three hundred and twenty for the lot", 320),
        ("pt", "faço 110 e pronto", 110),
    ],
)
async def test_a_price_at_the_finished_card_is_kept(
    harness: RunnerHarness, language: str, said: str, euro: int
) -> None:
    visitor = await talk(harness, language, *(VACUUM if language == "en" else ASPIRADOR), said)
    assert await price(visitor) == euro and not visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "said", "euro"),
    [
        ("pt", "não, quero uns 25 ou 30... ponha 30", "30"),
        ("pt", "peço 120 euros... não, cento e dez", "110"),
        ("pt", "queria 80 euros, desculpe, 90", "90"),
        ("pt", "50, ou melhor, 60 euros", "60"),
        ("en", "price is 190, no wait 180", "180"),
        ("pt", "estava a pensar em cem euros", "100"),
        ("pt", "setenta e cinco", "75"),
        ("pt", "o preço é cento e dez", "110"),
        ("en", "my price is ninety five", "95"),
        ("pt", "uns 80", "80"),
        ("pt", "350 negociáveis. um dos tubos já não é o de origem", "350"),
        ("en", "six hundred and fifty, like I said", "650"),
        ("en", "i said 150 cash already", "150"),
        ("en", "I was thinking seventy five", "75"),
        ("en", "I said a hundred and ten at the start", "110"),
        ("en", "call it a hundred", "100"),
        ("en", "€190, sorry, €180", "180"),
        ("en", "i said 180 but ok 170", "170"),
        ("pt", "disse 180 mas pronto 170", "170"),
        ("pt", "disse 180 mas faço 170", "170"),
        ("pt", "a fatura segue. e baixa p 120", "120"),
        ("pt", "250 euros, mas se for preciso aceito 230", "250"),
        ("pt", "cento e vinte, mas aceito cem se for hoje", "120"),
        ("en", "price 180, lowest 160", "180"),
    ],
)
async def test_other_words_for_a_price_are_asked_back(
    harness: RunnerHarness, language: str, said: str, euro: str
) -> None:
    visitor = await talk(harness, language, *(VACUUM if language == "en" else ASPIRADOR), said)
    assert visitor.open_blocks()[0]["name"] == "asking_price" and euro in legend(visitor)
    assert await price(visitor) is None
    await visitor.say("sim" if language == "pt" else "yes")
    assert await price(visitor) == int(euro)


@pytest.mark.parametrize(
    ("said", "euro"),
    [
        ("no, 70", "70"),
        ("no, make it seventy", "70"),
        ("não, cento e dez", "110"),
        ("70", ""),
        ("actually 95, but i'd accept 90", "95"),
    ],
)
async def test_an_amount_behind_a_price_corrects_it(harness: RunnerHarness, said: str, euro: str) -> None:
    visitor = await talk(harness, "en", *VACUUM, "80 euros", said)
    assert await price(visitor) == (80 if euro else 70)
    assert not euro or euro in legend(visitor)


@pytest.mark.parametrize("wish", ["can I change the price?", "e o preço, posso mudar?", "the price is wrong"])
async def test_a_remark_about_the_price_opens_it(harness: RunnerHarness, wish: str) -> None:
    visitor = await talk(harness, "en", *VACUUM, "80 euros", wish)
    (block,) = visitor.open_blocks()
    assert block["name"] == "asking_price" and not block.get("error")
    await visitor.say("70")
    assert await price(visitor) == 70


@pytest.mark.parametrize(
    ("first", "euro"),
    [
        ("dyson v11 vacuum for sale. 150 cash", "150"),
        ("dyson v11 vacuum. I'd like six hundred and fifty for it.", "650"),
        ("dyson v11 vacuum, tidy. 55", "55"),
        ("dyson v11 vacuum, bought in 2021 and I want three hundred and twenty for the lot", "320"),
        ("dyson v11 vacuum, I bought it in 2020 want 150", "150"),
    ],
)
async def test_a_price_without_its_currency_is_confirmed_at_the_end(
    harness: RunnerHarness, first: str, euro: str
) -> None:
    visitor = await talk(harness, "en", first, *VACUUM[1:])
    assert visitor.open_blocks()[0]["name"] == "asking_price" and euro in legend(visitor)


@pytest.mark.parametrize(
    ("at", "said", "euro"),
    [
        (1, "sim, comprei em 2020 quero cento e cinquenta", "150"),
        (5, "sim. 180", "180"),
        (6, "fevereiro 2022, mas sem caixa. 180", "180"),
    ],
)
async def test_a_price_beside_an_answer_is_asked_back(
    harness: RunnerHarness, at: int, said: str, euro: str
) -> None:
    told = [*ASPIRADOR]
    told[at] = said
    visitor = await talk(harness, "pt", *told[: at + 1])
    while visitor.open_blocks()[0]["name"] != "asking_price":
        before = [each["name"] for each in visitor.open_blocks()]
        await visitor.say("sim" if "Percebi" in legend(visitor) else told[(at := at + 1)])
        assert len(visitor.replies) < 20, before
    assert euro in legend(visitor) and await price(visitor) is None


@pytest.mark.parametrize("said", ["190 quid", "£190", "190 bucks, bought it new", "i already said 190 quid"])
async def test_another_currency_is_told_and_asked_in_euro(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *VACUUM)
    assert "Prices are in euro here" in (await visitor.say(said)).text
    assert [each["name"] for each in visitor.open_blocks()] == ["asking_price"]


async def test_another_currency_beside_a_date_is_told_at_the_end(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", VACUUM[0], "yes, 190 quid and i bought it in 2019", *VACUUM[2:])
    assert "Prices are in euro here" in str(visitor.open_blocks())


async def test_a_number_of_something_else_is_no_price(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *LAPTOP, "no box", "the battery cycles are 310. and it is an i5")
    assert "310 cycles" in legend(visitor).replace("\xa0", " ")
    visitor = await talk(harness, "en", *LAPTOP, "no box")
    await visitor.say("Can you also put the battery health is 88%? and I want 480 for it")
    assert "no box; the battery health is 88%" in legend(visitor)
    await visitor.say("yes")
    assert visitor.open_blocks()[0]["name"] == "asking_price" and "480" in legend(visitor)
    await visitor.say("yes")
    assert await price(visitor) == 480 and visitor.state["answers"]["laptops.battery_cycles"].startswith(
        "143"
    )


async def test_a_seller_who_asks_for_the_price_sees_it(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *ASPIRADOR, "o meu preço ficou guardado?")
    assert visitor.open_blocks()[0]["name"] == "asking_price"
    await visitor.say("uns 80")
    await visitor.say("o preço está lá?")
    assert "80" in legend(visitor)
    await visitor.say("sim")
    for asked in (
        "o preço ficou guardado?",
        "Sorry, is my price in there? Please show me",
        "did you save my price?",
    ):
        reply = await visitor.say(asked)
        assert reply.blocks[-1]["kind"] == "card" and "80" in reply.blocks[-1]["price"]


@pytest.mark.parametrize("price_said", ["Asking price: EUR 110.", "Price 110 EUR", "valor: EUR 110"])
async def test_a_labelled_price_in_a_first_message_is_no_question(
    harness: RunnerHarness, price_said: str
) -> None:
    visitor = await harness.visitor("en")
    first = await visitor.say(
        "Hello, I have a Kobo Libra 2, 32 GB, white. It comes with the original box, the USB-C cable and "
        f"a slate blue SleepCover. {price_said}"
    )
    assert "no prices" not in first.text
    assert "not in the catalog" not in first.text
