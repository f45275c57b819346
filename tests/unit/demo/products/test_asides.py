"""A remark beside a product on offer leaves it on offer; the name of another one ends the offer."""

import re

import pytest

from tests.unit.demo.harness import RunnerHarness
from tests.unit.demo.judging import at

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    ("state", "aside", "says"),
    [
        ("en:one", "Is it safe to meet the buyer?", "public place"),
        ("en:one", "who pays the postage?", "the shop tells you"),
        ("en:one", "it also has a case", "kept and comes up again"),
        ("en:list", "it was a gift from my mother", "first the product|First the product"),
        ("en:one", "bought it in dec 2022, used maybe 10 times, box included", "comes up again"),
        ("en:one", "mum gave me it for xmas 2 yrs ago", "irst the product|Is it"),
        ("one", "veio da amazon em janeiro de 2023, usei 4 ou 5 vezes", "volta a aparecer"),
        ("one", "é seguro encontrar-me com o comprador?", "sítio público"),
        ("list", "foi uma prenda da minha mãe", "rimeiro o produto"),
    ],
)
async def test_offered_products_stay_on_offer_after_a_question_or_a_remark(
    harness: RunnerHarness, state: str, aside: str, says: str
) -> None:
    visitor = await at(harness, state)
    (before,) = visitor.open_blocks()
    reply = await visitor.say(aside)
    (offered,) = visitor.open_blocks()
    assert offered["choices"] == before["choices"]
    assert re.search(says, reply.text)


@pytest.mark.parametrize(
    ("state", "text", "named"),
    [
        ("en:one", "no, a grand piano", "grand piano"),
        ("en:one", "I have a cello", "cello"),
        ("en:one", "how about a grand piano?", "grand piano"),
        ("one", "uma guitarra e amplificador", "guitarra"),
        ("one", "é uma guitarra", "guitarra"),
        ("list", "têm uma guitarra?", "guitarra"),
    ],
)
async def test_another_name_ends_the_offer(harness: RunnerHarness, state: str, text: str, named: str) -> None:
    visitor = await at(harness, state)
    reply = await visitor.say(text)
    assert named in reply.text and not visitor.open_blocks()


@pytest.mark.parametrize(
    ("state", "text", "named"),
    [("en:one", "It is a grand piano", "grand piano"), ("en:list", "Nokia 3310", "Nokia 3310")],
)
async def test_the_offer_stays_beside_a_name_that_the_catalog_lacks(
    harness: RunnerHarness, state: str, text: str, named: str
) -> None:
    visitor = await at(harness, state)
    (before,) = visitor.open_blocks()
    reply = await visitor.say(text)
    (offered,) = visitor.open_blocks()
    assert f"does not have “{named}”" in reply.text and offered["choices"] == before["choices"]


async def test_a_refused_product_is_not_offered_again_after_a_question_or_a_remark(
    harness: RunnerHarness,
) -> None:
    visitor = await harness.visitor("en")
    for text in ("I want to sell an iPhone X", "no"):
        await visitor.say(text)
    (left,) = visitor.open_blocks()
    assert left["choices"][0]["label"] == "Yes, iPhone XR"
    for aside in ("is it safe to meet the buyer?", "it also has a case", "who pays the postage?"):
        await visitor.say(aside)
        (offered,) = visitor.open_blocks()
        assert offered["choices"] == left["choices"]


@pytest.mark.parametrize(
    ("language", "named", "talk_behind"),
    [
        (
            "en",
            "hi i want to sell a Zorki 4K camera",
            "Oh, that's a shame. So nothing was saved, right? Will it be added?",
        ),
        ("en", "i have a Zorki 4K", "That's a pity. Will it be added?"),
        ("pt", "tenho uma Zorki 4K", "É uma pena. Então não ficou nada guardado, certo? Vai ser adicionado?"),
    ],
)
async def test_words_of_talk_behind_a_missing_product_are_no_product(
    harness: RunnerHarness, language: str, named: str, talk_behind: str
) -> None:
    visitor = await harness.visitor(language)
    await visitor.say(named)
    reply = await visitor.say(talk_behind)
    assert re.search("no information|not known here|não tenho informação|não se sabe aqui", reply.text)
    assert not re.search("[“«]", reply.text.partition("for example")[0].partition("por exemplo")[0])
