"""A seller's corrections change the same item: no item is made twice, no event is published besides."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.conversation.rows import items_of
from tests.integration.conversation.seller import Seller, waiting_blocks
from tests.parts.sampled import later

pytestmark = pytest.mark.once

BEGUN = ("quero vender um iPhone 12 preto de 128", "sim", "sim", "excelente")
COLOUR, STORAGE = "Cor", "Armazenamento"


async def say_all(seller: Seller, *messages: Any) -> dict[str, Any]:
    """Say these one after the other; returns the state as the seller sees it then."""
    for message in messages:
        await seller.say(message)
    return dict(seller.talk.transcript.state)


def cards(seller: Seller) -> list[dict[str, Any]]:
    """Return the cards that were shown, the newest last."""
    shown = [each["content"] for each in seller.talk.transcript.messages if each["role"] == "activity"]
    return [each for each in shown if each.get("kind") == "card"]


def last_words(seller: Seller) -> str:
    """Return the last words of an agent."""
    spoken = [each for each in seller.talk.transcript.messages if each["role"] == "assistant"]
    return str([each for each in spoken if each.get("content")][-1]["content"])


def blocks_of(seller: Seller, legend: str) -> dict[str, Any]:
    """Return the newest block of this legend, with its id."""
    shown = [each for each in seller.talk.transcript.messages if each.get("activityType") == "block"]
    blocks = [{"id": each["id"], **each["content"]} for each in shown]
    return next(each for each in reversed(blocks) if each.get("legend") == legend)


def click(block: dict[str, Any], choice: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a click on a choice of a block."""
    name = choice.get("name") or block["name"]
    part = {"type": "answer", "block_id": block["id"], "name": name}
    return [{**part, "value": choice["value"], "label": choice["label"]}]


async def assert_one_item(at: Any, backend: Any, seller: Seller, **expected: Any) -> None:
    """Assert that there is one row, complete, with the reference of the only card that is open, which closes the
    conversation.
    """
    (row,) = await items_of(at, backend, seller.talk.session)
    item, shown = seller.item(), cards(seller)
    assert (row["id"], row["status"]) == (item["id"], "complete")
    assert [each["status"] for each in shown] == ["closed"] * (len(shown) - 1) + ["open"]
    assert {each["reference"] for each in shown} == {item["reference"]}
    assert seller.stored()[-1]["content"] == shown[-1]
    pairs = {pair["label"]: pair["value"] for pair in shown[-1]["pairs"]}
    assert expected.items() <= {**item["options"], **pairs}.items()
    assert item["options"].items() <= pairs.items()
    assert not waiting_blocks(seller.talk.transcript)


@pytest.mark.parametrize(
    ("messages", "options"),
    [
        later(["afinal é o branco"], {COLOUR: "Branco"}),
        (["afinal é o branco", "não, azul"], {COLOUR: "Azul"}),
        later(["afinal é o branco", "afinal é o preto"], {COLOUR: "Preto"}),
        later(["enganei-me, é branco e de 64"], {COLOUR: "Branco", STORAGE: "64 GB"}),
        later(["a cor está errada", "azul"], {COLOUR: "Azul"}),
        later(["a cor está errada", "deixe estar"], {COLOUR: "Preto"}),
    ],
    ids=lambda value: " | ".join(value) if isinstance(value, list) else "",
)
async def test_an_option_is_put_right_in_the_middle_of_the_questions(
    loopwire: Any, backend: Any, seller: Seller, messages: list[str], options: dict[str, str]
) -> None:
    await seller.begin()
    before = await say_all(seller, *BEGUN)
    after = await say_all(seller, *messages)
    assert after["options"] == {STORAGE: "128 GB", COLOUR: "Preto"} | options
    kept = ("item_id", "reference", "answers", "position")
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}
    assert [each["name"] for each in waiting_blocks(seller.talk.transcript)] == ["smartphones.account_lock"]
    await seller.sell()
    await assert_one_item(loopwire, backend, seller, **options)


@pytest.mark.parametrize(
    ("messages", "shown"),
    [
        later(["afinal é o branco"], {COLOUR: "Branco"}),
        (["afinal é o branco", "espera, é o azul"], {COLOUR: "Azul"}),
        later(["o estado está errado", "razoável"], {"Estado": "Razoável"}),
        later(["a cor está errada", "deixe estar"], {COLOUR: "Preto"}),
    ],
    ids=lambda value: " | ".join(value) if isinstance(value, list) else "",
)
async def test_a_correction_after_the_end_changes_the_complete_item(
    loopwire: Any, backend: Any, seller: Seller, messages: list[str], shown: dict[str, str]
) -> None:
    await seller.begin()
    await say_all(seller, *BEGUN)
    before = dict((await seller.sell()).state)
    after = await say_all(seller, *messages)
    assert (after["item_id"], after["status"]) == (before["item_id"], "complete")
    assert "Faltam" not in last_words(seller)
    await assert_one_item(loopwire, backend, seller, **shown)


@pytest.mark.conformance
async def test_an_answer_is_put_right_just_after_it_was_given(
    loopwire: Any, backend: Any, seller: Seller
) -> None:
    await seller.begin()
    await say_all(seller, *BEGUN)
    assert (await say_all(seller, "afinal está só bom"))["answers"] == {"smartphones.condition": "Bom"}
    await say_all(seller, "sim, está livre", "87")
    state = await say_all(seller, "enganei-me, são 78")
    assert state["answers"]["smartphones.battery_health"] == "78\N{NO-BREAK SPACE}%"
    await seller.sell()
    await assert_one_item(loopwire, backend, seller)


@pytest.mark.conformance
async def test_only_the_question_that_depends_on_the_option_is_asked_again(
    loopwire: Any, backend: Any, seller: Seller
) -> None:
    await seller.begin()
    await say_all(seller, "vendo uma Switch OLED branca", "sim", "padrão", "excelente", "sim", "sim", "2")
    before = dict((await seller.sell()).state)
    after = await say_all(seller, "enganei-me na edição, é a Splatoon 3")
    assert (after["item_id"], after["status"]) == (before["item_id"], "draft")
    assert before["answers"].keys() - after["answers"].keys() == {"consoles.games"}
    assert [each["name"] for each in waiting_blocks(seller.talk.transcript)] == ["consoles.games"]
    await say_all(seller, "um comando", "sim")
    await assert_one_item(loopwire, backend, seller, Edição="Splatoon 3")


async def test_a_click_on_change_corrects_the_answer_beside_it(
    loopwire: Any, backend: Any, seller: Seller
) -> None:
    await seller.begin()
    await say_all(seller, *BEGUN)
    colour = blocks_of(seller, COLOUR)
    await say_all(seller, click(colour, colour["change"]))
    (asked,) = waiting_blocks(seller.talk.transcript)
    assert [each.get("note") for each in asked["choices"] if each["label"] == "Preto"] == ["como está"]
    await say_all(seller, click(asked, next(each for each in asked["choices"] if each["label"] == "Verde")))
    await seller.sell()
    battery = blocks_of(seller, "Qual é a saúde da bateria?")
    await say_all(seller, click(battery, battery["change"]))
    (form,) = waiting_blocks(seller.talk.transcript)
    assert f"{form['value']}\N{NO-BREAK SPACE}%" == battery["answer"]["label"]
    await say_all(seller, "55")
    pairs = {COLOUR: "Verde", "Saúde da bateria": "55\N{NO-BREAK SPACE}%"}
    await assert_one_item(loopwire, backend, seller, **pairs)


async def test_another_product_withdraws_the_item_that_was_begun(
    loopwire: Any, backend: Any, seller: Seller
) -> None:
    await seller.begin()
    before = await say_all(seller, *BEGUN)
    looking = await say_all(seller, "afinal é um iPhone XR")
    assert looking["item_id"] == before["item_id"], "nothing is withdrawn before there is another product"
    state = await say_all(seller, "sim")
    assert (state["product"], state.get("item_id")) == ("iPhone XR", None)
    await seller.sell()
    old, new = sorted(await items_of(loopwire, backend, seller.talk.session), key=lambda row: row["number"])
    assert [(row["product"], row["status"]) for row in (old, new)] == [
        ("iPhone 12", "withdrawn"),
        ("iPhone XR", "complete"),
    ]
    assert seller.request("GET", f"/v1/items/{old['id']}").body["status"] == "withdrawn"


@pytest.mark.conformance
async def test_a_product_that_is_right_after_all_keeps_its_item(
    loopwire: Any, backend: Any, seller: Seller
) -> None:
    await seller.begin()
    before = await say_all(seller, *BEGUN)
    await say_all(seller, "afinal é um iPhone XR")
    state = await say_all(seller, "não, deixe estar")
    assert (state["item_id"], state["answers"]) == (before["item_id"], before["answers"])
    await say_all(seller, "afinal é um iPhone XR", "não, é o iPhone 12", "sim")
    await seller.sell()
    await assert_one_item(loopwire, backend, seller)


@pytest.mark.conformance
@pytest.mark.parametrize(
    ("message", "old"),
    [
        ("quero vender outro artigo, um iPhone XR", "complete"),
        later("enganei-me, é um iPhone XR", "withdrawn"),
    ],
)
async def test_one_more_item_keeps_the_finished_one_and_a_correction_replaces_it(
    loopwire: Any, backend: Any, seller: Seller, message: str, old: str
) -> None:
    await seller.begin()
    await say_all(seller, *BEGUN)
    await seller.sell()
    await say_all(seller, message, "sim")
    await seller.sell()
    rows = sorted(await items_of(loopwire, backend, seller.talk.session), key=lambda row: row["number"])
    assert [(row["product"], row["status"]) for row in rows] == [
        ("iPhone 12", old),
        ("iPhone XR", "complete"),
    ]


async def test_a_no_that_was_clicked_is_what_is_shown_of_its_question(seller: Seller) -> None:
    await seller.begin()
    await say_all(seller, "quero vender uma Bimby TM5")
    block = blocks_of(seller, "Produto")
    no = next(each for each in block["choices"] if each["value"] == "no")
    await say_all(seller, click(block, no))
    shown = {
        each["id"]: each["content"] for each in seller.talk.transcript.messages if "activityType" in each
    }
    assert shown[block["id"]]["status"] == "answered"
    assert shown[block["id"]]["answer"] == {"value": "no", "label": "Não, é outro"}
