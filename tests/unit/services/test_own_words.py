"""The real tools compare a model's choice with the seller's own words: certain, to be confirmed, or refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from agents.testing import assistant_message

from server.store import Store
from tests.parts.postgres import copy_tables
from tests.unit.demo.harness import HarnessVisitor
from tests.unit.services.test_guards import (
    APPLE,
    BLACK,
    COLOUR,
    GB_128,
    IPHONE_12,
    IPHONE_XR,
    STORAGE,
    WHITE,
    call,
    outputs,
    scripted,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

GB_256 = 2006
OPTIONS = "transfer_to_loop_os_ai_submission_product_options_agent"
ITEM = "transfer_to_loop_os_ai_submission_create_item_agent"
QUESTIONS = "transfer_to_loop_os_ai_submission_protocol_agent"
END = assistant_message("?")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """Yield a store of this module's own."""
    folder: Path = tmp_path_factory.mktemp("own-words")
    copy_tables(folder)
    opened = await Store.open(None, data_dir=folder)
    yield opened
    await opened.aclose()


def select(value: int, kind: int = STORAGE) -> Any:
    """Return the model's choice of an option value."""
    return call("select_option", option_type_id=kind, option_value_id=value)


async def at_options(store: Store, *steps: Any, first: str = "iPhone 12") -> HarnessVisitor:
    """Return a visitor who said this, has confirmed an iPhone 12 and stands before the options."""
    visitor = await scripted(
        store,
        call("get_catalog", query="iPhone 12"),
        END,
        call("confirm_product", product_id=IPHONE_12, brand_id=APPLE),
        call(OPTIONS),
        call("get_product_options"),
        *steps,
    )
    await visitor.say(first)
    await visitor.say("sim")
    return visitor


def buttons(visitor: HarnessVisitor) -> list[str]:
    """Return the values of the block that waits."""
    (block,) = visitor.open_blocks()
    return [each["value"] for each in block["choices"]]


async def test_a_model_that_selects_what_nobody_said_stores_nothing(store: Store) -> None:
    visitor = await at_options(store, select(GB_256), END)
    assert outputs(visitor)[-1]["code"] == "not_said"
    assert "options" not in visitor.state
    assert str(GB_256) in buttons(visitor)


async def test_options_named_before_the_product_was_confirmed_are_sure(store: Store) -> None:
    visitor = await at_options(
        store, select(GB_128), select(BLACK, COLOUR), END, first="iPhone 12 preto de 128"
    )
    assert visitor.state["options"] == {"Armazenamento": "128 GB", "Cor": "Preto"}


@pytest.mark.parametrize("yes", ["sim", "certo", "Sim, é isso", None])
async def test_an_unsure_option_is_stored_after_a_yes_and_not_before(store: Store, yes: str | None) -> None:
    visitor = await at_options(store, END, select(GB_128), select(GB_128), END, select(GB_128), END)
    await visitor.say("acho que 128")
    assert [each["code"] for each in outputs(visitor)[-2:]] == ["confirm", "confirm"]
    assert buttons(visitor)[0] == "answer:right"
    assert "options" not in visitor.state
    await (visitor.say(yes) if yes else visitor.click("option:11", "answer:right", "Sim, é isso"))
    assert visitor.state["options"] == {"Armazenamento": "128 GB"}


@pytest.mark.parametrize("no", ["não", "Não, é outra coisa", None])
async def test_an_option_that_was_understood_wrongly_is_asked_again(store: Store, no: str | None) -> None:
    visitor = await at_options(
        store, END, select(GB_128), END, select(GB_128), select(GB_128), END, select(GB_256), END
    )
    await visitor.say("acho que 128")
    await (visitor.say(no) if no else visitor.click("option:11", "answer:wrong", "Não, é outra coisa"))
    assert outputs(visitor)[-1]["ok"] is False
    assert str(GB_256) in buttons(visitor)
    assert "options" not in visitor.state
    await visitor.say("256")
    assert visitor.state["options"] == {"Armazenamento": "256 GB"}


async def test_an_item_is_not_made_while_an_option_waits_for_a_yes(store: Store) -> None:
    visitor = await at_options(
        store,
        select(GB_128),
        select(BLACK, COLOUR),
        END,
        select(WHITE, COLOUR),
        call("get_product_options"),
        END,
        first="iPhone 12 preto de 128",
    )
    reply = await visitor.say("espera, talvez seja branco")
    assert outputs(visitor)[-2]["code"] == "confirm"
    assert ITEM not in reply.calls
    assert buttons(visitor)[0] == "answer:right"
    assert visitor.state["options"]["Cor"] == "Preto"


async def test_a_correction_of_the_item_is_held_against_the_words_too(store: Store) -> None:
    visitor = await at_options(
        store,
        select(GB_128),
        select(BLACK, COLOUR),
        END,
        call(ITEM),
        call("create_item", product_id=IPHONE_12, brand_id=APPLE, option_value_ids=[GB_128, BLACK]),
        call(QUESTIONS),
        call("get_product_protocol"),
        END,
        call("change_item", option_value_ids=[GB_256]),
        END,
        call("change_item", option_value_ids=[WHITE]),
        END,
        call("change_item", option_value_ids=[WHITE]),
        END,
        first="iPhone 12 preto de 128",
    )
    await visitor.say("sim")
    await visitor.say("a cor está errada")
    assert outputs(visitor)[-1]["code"] == "said_otherwise"
    await visitor.say("afinal deve ser branco")
    assert outputs(visitor)[-1]["code"] == "confirm"
    (item,) = await visitor.items()
    assert item.options == {"Armazenamento": "128 GB", "Cor": "Preto"}
    await visitor.say("sim")
    (item,) = await visitor.items()
    assert item.options == {"Armazenamento": "128 GB", "Cor": "Branco"}


async def test_a_product_that_the_seller_did_not_name_is_asked_about(store: Store) -> None:
    confirm = call("confirm_product", product_id=IPHONE_12, brand_id=APPLE)
    visitor = await scripted(store, call("get_catalog", query="iphone"), END, confirm, END, confirm, END)
    await visitor.say("tenho um iphone")
    await visitor.say("o azul")
    assert outputs(visitor)[-1]["code"] == "confirm"
    assert buttons(visitor)[0] == f"{IPHONE_12}:{APPLE}"
    assert "product_id" not in visitor.state
    await visitor.say("sim")
    assert visitor.state["product"] == "iPhone 12"


async def test_a_yes_to_one_product_confirms_no_other(store: Store) -> None:
    visitor = await scripted(
        store,
        call("get_catalog", query="iphone"),
        END,
        call("get_catalog", query="iPhone 12"),
        END,
        call("confirm_product", product_id=IPHONE_XR, brand_id=APPLE),
        END,
    )
    for text in ("tenho um iphone", "é o 12", "sim"):
        await visitor.say(text)
    assert outputs(visitor)[-1]["code"] == "confirm"
    assert "product_id" not in visitor.state


@pytest.mark.parametrize("said", ["o iphone 12", "iphone 12 de 128 GB preto", "é o 12"])
async def test_a_product_that_was_named_is_not_asked_about(store: Store, said: str) -> None:
    confirm = call("confirm_product", product_id=IPHONE_12, brand_id=APPLE)
    visitor = await scripted(store, call("get_catalog", query="iphone"), END, confirm, END)
    await visitor.say("tenho um iphone")
    await visitor.say(said)
    assert visitor.state["product"] == "iPhone 12"
