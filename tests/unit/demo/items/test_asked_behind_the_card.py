"""What a seller writes behind a finished card acts on that item or is answered, and no reply is empty."""

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.unit.demo.harness import RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

PHONE = (
    *("iphone 12 black 128", "yes", "yes", "good", "free", "87", "yes", "march 2022"),
    *("original case, charger and a scratch on the back", "180 euros"),
)


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("delete it", "cancel"),
        ("apaga isto", "cancel"),
        ("cancel the ad", "cancel"),
        ("I'd like to add a photo", "photo"),
        ("quero juntar uma foto", "photo"),
        ("when does it show on the site", "shown"),
        ("quando é que aparece no site", "shown"),
        ("who comes to pick it up?", "send"),
    ],
)
async def test_a_wish_that_changes_no_answer_is_answered(
    harness: RunnerHarness, said: str, topic: str
) -> None:
    visitor = await talk(harness, "en", *PHONE)
    before = dict(visitor.state["answers"])
    reply = await visitor.say(said)
    assert any(text in reply.text for text in PRODUCT_ANSWERS[topic].values())
    assert visitor.state["answers"] == before and not reply.handoffs


@pytest.mark.parametrize("said", ["go back", "undo", "voltar atrás"])
async def test_a_step_back_leads_to_a_price_that_was_said_unasked(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *PHONE)
    reply = await visitor.say(said)
    assert "180" in reply.text and visitor.open_blocks()[-1]["name"] == "asking_price"


@pytest.mark.parametrize(
    "said",
    [
        "I want 180 euros for the phone",
        "quero 180 euros pelo telemóvel",
        "back to {}",
        "volta ao {}",
        "show me my item",
        "what is my reference?",
        "qual é a minha referência?",
    ],
)
async def test_the_item_is_shown_as_it_is(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *PHONE)
    reply = await visitor.say(said.format(visitor.state["reference"]))
    assert [each["kind"] for each in reply.blocks] == ["card"]
    assert visitor.state["price"] == "€180"


@pytest.mark.parametrize("said", ["remove the purchase date", "apaga a data"])
async def test_the_question_is_asked_again_whose_answer_is_to_go(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *PHONE)
    reply = await visitor.say(said)
    assert "2022" in reply.text and legend(visitor) == "When did you buy it?"


@pytest.mark.parametrize("said", ["remove the price", "tira o preço"])
async def test_a_price_that_waits_can_be_removed(harness: RunnerHarness, said: str) -> None:
    visitor = await talk(harness, "en", *PHONE[:-1], "about 180 maybe")
    await visitor.say(said)
    assert any(each in legend(visitor) for each in ("No price", "Sem preço"))


async def test_what_such_items_sell_for_is_told_before_the_price_is_asked(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *PHONE)
    assert "€188 to €250" in (await visitor.say("how much could I get?")).text


@pytest.mark.parametrize(
    ("said", "thing"),
    [
        ("I also have a stroller for later", "stroller"),
        ("later I have a bike", "bike"),
        ("depois tenho uma cadeira também", "cadeira"),
        ("tenho um carrinho de bebé para depois", "carrinho de bebé"),
    ],
)
@pytest.mark.parametrize("told", [1, 5, 8])
async def test_another_item_for_later_waits_and_the_question_stays(
    harness: RunnerHarness, said: str, thing: str, told: int
) -> None:
    language = "pt" if "tenho" in said else "en"
    begin = {"pt": ("iphone 12 preto 128", "sim", "sim", "bom", "livre", "87", "sim", "março de 2022")}
    visitor = await talk(harness, language, *begin.get(language, PHONE)[:told])
    before = dict(visitor.state.get("answers") or {})
    reply = await visitor.say(said)
    assert thing in reply.text and visitor.open_blocks()
    assert dict(visitor.state.get("answers") or {}) == before


@pytest.mark.parametrize(
    ("language", "said"), [("en", "I want to sell a ps5"), ("pt", "quero vender uma ps5")]
)
async def test_a_sale_that_is_wished_for_in_the_chat_begins(
    harness: RunnerHarness, language: str, said: str
) -> None:
    visitor = await harness.visitor(language, "chat")
    reply = await visitor.say(said)
    assert reply.handoffs == ["identification"] and "PlayStation 5" in reply.text


@pytest.mark.parametrize(
    "said", ["quem vem buscar", "who picks it up?", "what is a cycle", "pick it up tomorrow"]
)
async def test_no_reply_of_the_chat_is_empty(harness: RunnerHarness, said: str) -> None:
    visitor = await harness.visitor("en", "chat")
    reply = await visitor.say(said)
    assert reply.text and "“" not in reply.text
