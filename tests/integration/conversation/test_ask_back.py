"""An answer that is asked back over a socket: pressed or typed, reloaded in between, pressed once more too late."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.integration.conversation.seller import Seller, waiting_blocks
from tests.integration.ws.inside import Inside, inside
from tests.parts.sampled import later

pytestmark = [pytest.mark.once, pytest.mark.asyncio(loop_scope="module")]

CONDITION, LOCK = "smartphones.condition", "smartphones.account_lock"
BEGUN = {
    "pt": ("quero vender um iPhone 12 preto de 128", "sim", "sim"),
    "en": ("I want to sell a black iPhone 12 with 128 GB", "yes", "yes"),
}
UNSURE = {"pt": "acho que está bom", "en": "i think it is good"}
GOOD = {"pt": "Bom", "en": "Good"}
RIGHT, WRONG = "answer:right", "answer:wrong"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def here(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Inside]:
    """Yield one server for all."""
    folder: Path = tmp_path_factory.mktemp("ask-back")
    async with inside(folder, capacity=8) as running:
        yield running


async def new_seller(here: Inside, language: str = "pt") -> Seller:
    """Return a new seller; the server runs in this loop, so a request is made beside it."""
    seller = Seller(here.visitor.served, language=language)
    ticket = await asyncio.to_thread(seller.ticket)
    await seller.begin(hello={"ticket": ticket["ticket"]})
    return seller


async def item(seller: Seller) -> dict[str, Any]:
    """Return the item as REST tells it."""
    return await asyncio.to_thread(seller.item)


async def asked_back(here: Inside, language: str = "pt") -> tuple[Seller, dict[str, Any]]:
    """Return a seller whose answer was understood and not stored, and the block with its choices."""
    seller = await new_seller(here, language)
    for text in (*BEGUN[language], UNSURE[language]):
        await seller.say(text)
    (block,) = waiting_blocks(seller.talk.transcript)
    assert (block["name"], [each["value"] for each in block["choices"]]) == (CONDITION, [RIGHT, *"ACD"])
    assert GOOD[language] in block["legend"]
    assert (await item(seller))["answers"] == []
    return seller, block


def press(block: dict[str, Any], value: str) -> list[dict[str, Any]]:
    """Return a press of a button; a page of before has a no where all other answers are listed now."""
    label = next((each["label"] for each in block["choices"] if each["value"] == value), "-")
    part = {"type": "answer", "block_id": block["id"], "name": block["name"]}
    return [{**part, "value": value, "label": label}]


async def answers(seller: Seller) -> dict[str, Any]:
    """Return what the item holds, as REST tells it, and what the page shows of it."""
    stored = {each["element_id"]: each["shown"] for each in (await item(seller))["answers"]}
    assert stored == (seller.talk.transcript.state.get("answers") or {})
    return stored


def opened(seller: Seller) -> list[str]:
    """The names of the questions that wait."""
    return [each["name"] for each in waiting_blocks(seller.talk.transcript)]


@pytest.mark.parametrize(
    ("language", "said"),
    [("pt", RIGHT), later("pt", "certo"), later("en", "yes")],
)
async def test_a_yes_stores_what_was_understood(here: Inside, language: str, said: str) -> None:
    seller, block = await asked_back(here, language)
    await seller.say(press(block, said) if said == RIGHT else said)
    assert await answers(seller) == {CONDITION: GOOD[language]}
    assert opened(seller) == [LOCK]
    await seller.aclose()


@pytest.mark.parametrize(("language", "said"), [later("pt", WRONG), ("en", "no")])
async def test_a_no_stores_nothing_and_asks_in_other_words(here: Inside, language: str, said: str) -> None:
    seller, block = await asked_back(here, language)
    await seller.say(press(block, said) if said == WRONG else said)
    (again,) = waiting_blocks(seller.talk.transcript)
    assert await answers(seller) == {}
    assert again["name"] == CONDITION and {each["value"] for each in again["choices"]} == set("ABCD")
    assert block["legend"] not in (again["legend"], again["error"])
    await seller.say(press(block, RIGHT))
    assert (await answers(seller), opened(seller)) == ({}, [CONDITION]), "a button of before counted"
    await seller.aclose()


@pytest.mark.parametrize("language", ["pt", later("en")])
async def test_another_answer_below_what_was_understood_is_stored_at_once(
    here: Inside, language: str
) -> None:
    seller, block = await asked_back(here, language)
    await seller.say(press(block, "C"))
    assert await answers(seller) == {CONDITION: {"pt": "Razoável", "en": "Fair"}[language]}
    assert opened(seller) == [LOCK]
    await seller.aclose()


@pytest.mark.conformance
async def test_a_reload_keeps_the_buttons_and_a_second_press_does_nothing(here: Inside) -> None:
    seller, block = await asked_back(here)
    seller.talk = await seller.back(position=False)
    assert waiting_blocks(seller.talk.transcript) == [block]
    await seller.say(press(block, RIGHT))
    for value in (RIGHT, WRONG):
        await seller.say(press(block, value))
        assert (await answers(seller), opened(seller)) == ({CONDITION: "Bom"}, [LOCK])
    await seller.aclose()


async def test_an_answer_that_ends_the_sale_is_confirmed_in_words_that_say_so(here: Inside) -> None:
    seller, block = await asked_back(here)
    await seller.say(press(block, RIGHT))
    await seller.say("está bloqueado")
    (asked,) = waiting_blocks(seller.talk.transcript)
    assert "não pode ser aceite" in asked["legend"]
    assert (await item(seller))["status"] == "draft"
    await seller.say(press(asked, WRONG))
    assert ((await item(seller))["status"], opened(seller)) == ("draft", [LOCK])
    await seller.say("está bloqueado")
    await seller.say("sim")
    assert (await item(seller))["status"] == "refused"
    await seller.aclose()


async def test_an_option_that_is_hardly_sure_is_asked_back_too(here: Inside) -> None:
    seller = await new_seller(here)
    for text in ("quero vender um iPhone 12", "sim", "acho que 128"):
        await seller.say(text)
    (block,) = waiting_blocks(seller.talk.transcript)
    values = [(each["value"], each["label"]) for each in block["choices"]]
    assert values[0][0] == RIGHT and values[-1] == ("0", "Nenhum destes")
    assert WRONG not in dict(values) and "256 GB" in dict(values).values()
    assert not seller.talk.transcript.state.get("options")
    await seller.say(press(block, RIGHT))
    assert seller.talk.transcript.state["options"] == {"Armazenamento": "128 GB"}
    await seller.aclose()
