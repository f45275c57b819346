"""Prices told beside something else: the reply says that they are noted, and a reason to sell soon makes a price."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

PHONE = {
    "pt": ("iphone 12 preto 128", "sim", "sim"),
    "en": ("iphone 12 black 128", "yes", "yes"),
}
VACUUM = {
    "pt": ("dyson v11", "sim", "bom", "sim", "30"),
    "en": ("dyson v11", "yes", "good", "yes", "30"),
}


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("en", "make it 110 for a quick sale", "110"),
        ("en", "actually 95 to get rid of it", "95"),
        ("en", "actually 175 is ok for me", "175"),
        ("en", "i'll take 90 to sell it fast", "90"),
        ("pt", "afinal pode ser 130 que quero vender depressa", "130"),
        ("pt", "põe 80 para despachar", "80"),
        ("pt", "por mim 120 está bom", "120"),
        ("pt", "faz 110 para venda rápida", "110"),
    ],
)
async def test_a_reason_to_sell_soon_makes_a_price_of_an_amount(
    harness: RunnerHarness, language: str, said: str, price: str
) -> None:
    visitor = await talk(harness, language, *VACUUM[language])
    before = legend(visitor)
    await visitor.say(said)
    assert price in legend(visitor) and "€" in legend(visitor)
    await visitor.say("sim" if language == "pt" else "yes")
    assert price in visitor.state["answers"]["asking_price"]
    assert legend(visitor) == before


@pytest.mark.parametrize(
    ("language", "said", "price"),
    [
        ("en", "want 220", "€220"),
        ("en", "asking 130 for it", "€130"),
        ("en", "bought it in march 2021 btw and want 220", "€220"),
        ("en", "good apart from the crack. actually 175 is ok for me", "€175"),
        ("pt", "quero 220", "220"),
        ("pt", "comprei em março de 2021 já agora, e quero 220", "220"),
    ],
)
async def test_the_reply_says_that_a_price_is_noted(
    harness: RunnerHarness, language: str, said: str, price: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language])
    text = (await visitor.say(said)).text
    assert ("noted" if language == "en" else "anotado") in text and price in text
    assert {"asking_price"}.issuperset(visitor.state["answers"])


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "i want £120 for it"),
        ("en", "120 dollars"),
        ("en", "good. asking 120 dollars"),
        ("pt", "quero 120 libras"),
        ("pt", "põe $120"),
    ],
)
async def test_another_currency_is_no_amount_of_euro(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await talk(harness, language, *PHONE[language])
    text = (await visitor.say(said)).text
    assert ("in euro" if language == "en" else "em euros") in text
    assert "120" not in legend(visitor) and visitor.state.get("price") is None


async def test_two_facts_in_a_row_are_both_told_to_be_kept(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *PHONE["en"], "bought it in march 2021")
    assert "comes up again" in (await visitor.say("sorry, it was in may 2022")).text


@pytest.mark.parametrize(
    ("language", "said"), [("en", "yes and the price is 240"), ("pt", "sim e o preço é 240")]
)
async def test_a_yes_before_a_price_answers_the_open_question(
    harness: RunnerHarness, language: str, said: str
) -> None:
    good, free = ("bom", "está livre") if language == "pt" else ("good", "it is free")
    visitor = await talk(harness, language, *PHONE[language], good, free, "88")
    text = (await visitor.say(said)).text
    assert "240" in text and ("Percebi: Sim" if language == "pt" else "I understood: Yes") in legend(visitor)


@pytest.mark.parametrize(
    ("language", "said", "note", "price"),
    [
        ("en", "box and charger, 140 is fine by me", "box and charger", "€140"),
        ("en", "box and charger. lower it to 120", "box and charger", "€120"),
        ("pt", "caixa e carregador, por mim 140 está bom", "caixa e carregador", "140"),
        ("pt", "caixa e carregador. põe 130", "caixa e carregador", "130"),
    ],
)
async def test_a_price_put_behind_a_note_is_no_part_of_it(
    harness: RunnerHarness, language: str, said: str, note: str, price: str
) -> None:
    pt = language == "pt"
    answers = (
        ("bom", "está livre", "88", "sim", "2021") if pt else ("good", "it is free", "88", "yes", "2021")
    )
    visitor = await talk(harness, language, *PHONE[language], *answers, said)
    assert visitor.state["answers"]["smartphones.notes"] == note
    assert price in legend(visitor)


async def test_a_guess_with_a_mark_is_no_question(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *PHONE["en"])
    text = (await visitor.say("I'd say good? maybe fair")).text
    assert "no information" not in text and "not known" not in text and not visitor.state["answers"]
