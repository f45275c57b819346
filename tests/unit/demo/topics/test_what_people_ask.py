"""Questions that people ask beside a sale: what the advert shows, swaps, what is taken, and what a question means."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

BEGUN = {"en": ("iphone 12 64gb blue", "yes", "yes"), "pt": ("iphone 12 64gb azul", "sim", "sim")}


@pytest.mark.parametrize(
    ("language", "asked", "topic"),
    [
        ("en", "will buyers be able to see my home address?", "advert"),
        ("en", "will buyers see my phone number?", "advert"),
        ("en", "what does the advert say about the battery?", "advert"),
        ("en", "who sees my conversation and can I delete it?", "delete"),
        ("pt", "quem vê a minha conversa e posso apagá-la?", "delete"),
        ("en", "how long is the warranty and can I delete it?", "cancel"),
        ("en", "can I swap it instead of selling?", "swap"),
        ("en", "do you accept barter with chickens?", "swap"),
        ("pt", "aceitam permuta por galinhas?", "swap"),
        ("en", "how do I stay safe when a stranger collects it?", "meeting"),
        ("en", "is there a price guide?", "price"),
        ("en", "whats that in euros", "currency"),
        ("pt", "os compradores vão ver a minha morada?", "advert"),
        ("pt", "posso trocar por um tlm em vez de vender?", "swap"),
        ("pt", "apaga o anúncio", "cancel"),
        ("pt", "quanto é isso em euros", "currency"),
        ("en", "can i change it later if i get something wrong?", "edit"),
        ("en", "can i take the listing down later?", "cancel"),
        ("en", "can i remove it later?", "cancel"),
        ("en", "who pays for the shipping?", "send"),
        ("pt", "se eu me enganar posso mudar depois?", "edit"),
        ("pt", "posso retirar o anúncio?", "cancel"),
        ("pt", "quanto tempo demora a vender?", "sold"),
    ],
)
async def test_each_has_its_answer_and_the_question_stays(
    harness: RunnerHarness, language: str, asked: str, topic: str
) -> None:
    visitor = await talk(harness, language, *BEGUN[language])
    before = legend(visitor)
    assert PRODUCT_ANSWERS[topic][language] in (await visitor.say(asked)).text
    assert legend(visitor) == before and not visitor.state.get("answers")


@pytest.mark.parametrize(
    ("language", "asked"),
    [
        ("en", "is a cracked back fair or poor?"),
        ("en", "what counts as light marks?"),
        ("pt", "com o ecra rachado qual escolho, razoavel ou mau?"),
        ("pt", "o que é que isso quer dizer? como é que eu vejo?"),
    ],
)
async def test_the_hint_answers_what_a_question_means(
    harness: RunnerHarness, language: str, asked: str
) -> None:
    visitor = await talk(harness, language, *BEGUN[language])
    text = (await visitor.say(asked)).text
    assert ("light marks" if language == "en" else "marcas leves") in text
    assert "no information" not in text and "não tenho informação" not in text


@pytest.mark.parametrize(
    ("language", "before", "asked"),
    [
        ("en", "zorki 4k", "what do you take then?"),
        ("en", "", "what sort of things can I actually sell on here?"),
        ("en", "", "is it only coffee machines or do you take other bits?"),
        ("pt", "", "é só máquinas de café ou o que é que posso vender aqui?"),
        ("pt", "6 cadeiras xpto", "que tipo de coisas aceitam?"),
        ("pt", "", "entao o que e que se pode vender aqui?"),
    ],
)
async def test_what_is_taken_is_listed(
    harness: RunnerHarness, language: str, before: str, asked: str
) -> None:
    visitor = await talk(harness, language, *filter(None, [before]))
    assert PRODUCT_ANSWERS["allowed"][language] in (await visitor.say(asked)).text


async def test_the_kinds_of_baby_things_are_named(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", "fox 2")
    text = (await visitor.say("Que pena. Que coisas de bebé é que aceitam então?")).text
    assert "carrinhos de bebé, cadeiras auto e cadeiras de refeição" in text


async def test_the_questions_that_are_left_are_counted(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *BEGUN["en"], "good")
    assert "left for this item: 5" in (await visitor.say("how many more questions?")).text


async def test_the_colours_are_listed(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", "iphone 12", "yes")
    assert "Purple" in (await visitor.say("which colours are there?")).text
