"""No answer of a model makes a wrong item: the tools refuse, in words that a model can act on."""

import json
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from agents.testing import ScriptedModel, assistant_message, function_call

from server.demo import Call, DemoModel
from server.demo import model as demo_model
from server.store import Store
from tests.parts.postgres import copy_tables
from tests.parts.sampled import later
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

IPHONE_12, APPLE, IPHONE_XR = 1001, 101, 1006
STORAGE, COLOUR, GB_128, GB_512, BLACK, WHITE = 11, 12, 2005, 2008, 2032, 2033


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """Yield a store of this module's own."""
    folder: Path = tmp_path_factory.mktemp("guards")
    copy_tables(folder)
    opened = await Store.open(None, data_dir=folder)
    yield opened
    await opened.aclose()


def call(name: str, **arguments: Any) -> Any:
    """Return a function call of the script."""
    call.count += 1  # type: ignore[attr-defined]
    return function_call(name, arguments, call_id=f"call_{call.count}")  # type: ignore[attr-defined]


call.count = 0  # type: ignore[attr-defined]


async def scripted(store: Store, *steps: Any) -> HarnessVisitor:
    """Return a visitor whose model says exactly this."""
    return await (await RunnerHarness.over(store, ScriptedModel([[step] for step in steps]))).visitor()


def outputs(visitor: HarnessVisitor) -> list[dict[str, Any]]:
    """Return what the tools of the last message told the model."""
    items = visitor.replies[-1].result.items
    return [json.loads(i["output"]) for i in items if i.get("type") == "function_call_output"]


FIND = ("get_catalog", {"query": "iPhone 12"})


async def test_a_product_is_not_confirmed_in_the_turn_that_offers_it(store: Store) -> None:
    visitor = await scripted(
        store,
        call("get_catalog", query="iPhone 12"),
        call("confirm_product", product_id=IPHONE_12, brand_id=APPLE),
        assistant_message("?"),
    )
    await visitor.say("iPhone 12")
    assert outputs(visitor)[-1]["ok"] is False
    assert "product_id" not in visitor.state


async def test_a_product_that_was_never_offered_is_not_confirmed(store: Store) -> None:
    visitor = await scripted(
        store,
        call("get_catalog", query="iPhone 12"),
        assistant_message("?"),
        call("confirm_product", product_id=1080, brand_id=138),
        assistant_message("?"),
    )
    await visitor.say("iPhone 12")
    await visitor.say("sim")
    assert outputs(visitor)[-1]["ok"] is False
    assert "product_id" not in visitor.state


@pytest.mark.parametrize("said", ["não", "No", "nenhum destes"])
async def test_a_no_confirms_nothing(store: Store, said: str) -> None:
    visitor = await scripted(
        store,
        call("get_catalog", query="iPhone 12"),
        assistant_message("?"),
        call("confirm_product", product_id=IPHONE_12, brand_id=APPLE),
        assistant_message("?"),
    )
    await visitor.say("iPhone 12")
    await visitor.say(said)
    assert outputs(visitor)[-1]["ok"] is False
    assert "product_id" not in visitor.state


async def test_the_clicked_product_and_no_other_is_confirmed(store: Store) -> None:
    visitor = await scripted(
        store,
        call("get_catalog", query="iphone"),
        assistant_message("?"),
        call("confirm_product", product_id=IPHONE_XR, brand_id=APPLE),
        call("confirm_product", product_id=IPHONE_12, brand_id=APPLE),
        assistant_message("?"),
    )
    await visitor.say("iphone")
    await visitor.click("product", f"{IPHONE_12}:{APPLE}", "iPhone 12")
    assert [output["ok"] for output in outputs(visitor)] == [False, True]
    assert visitor.state["product"] == "iPhone 12"


async def _with_product(store: Store, *steps: Any) -> HarnessVisitor:
    """Return a visitor who has confirmed an iPhone 12 and stands before the options."""
    visitor = await scripted(
        store,
        call("get_catalog", query="iPhone 12"),
        assistant_message("?"),
        call("confirm_product", product_id=IPHONE_12, brand_id=APPLE),
        call("transfer_to_loop_os_ai_submission_product_options_agent"),
        call("get_product_options"),
        assistant_message("?"),
        *steps,
    )
    await visitor.say("iPhone 12")
    await visitor.say("sim")
    return visitor


async def test_only_values_of_the_product_can_be_chosen(store: Store) -> None:
    visitor = await _with_product(
        store,
        call("select_option", option_type_id=STORAGE, option_value_id=GB_512),
        call("select_option", option_type_id=COLOUR, option_value_id=GB_128),
        call("select_option", option_type_id=999, option_value_id=GB_128),
        assistant_message("?"),
    )
    await visitor.say("512")
    assert [output["ok"] for output in outputs(visitor)] == [False, False, False]
    assert "options" not in visitor.state


async def test_a_clicked_value_and_no_other_is_chosen(store: Store) -> None:
    visitor = await _with_product(
        store,
        call("select_option", option_type_id=STORAGE, option_value_id=2004),
        call("select_option", option_type_id=STORAGE, option_value_id=GB_128),
        assistant_message("?"),
    )
    await visitor.click("option:11", str(GB_128), "128 GB")
    assert [output["ok"] for output in outputs(visitor)] == [False, True]
    assert visitor.state["options"] == {"Armazenamento": "128 GB"}


async def test_the_item_is_made_once_and_only_as_confirmed(store: Store) -> None:
    onward = "transfer_to_loop_os_ai_submission_create_item_agent"
    visitor = await _with_product(
        store,
        call("select_option", option_type_id=STORAGE, option_value_id=GB_128),
        call("select_option", option_type_id=COLOUR, option_value_id=BLACK),
        call(onward),
        call("create_item", product_id=IPHONE_12, brand_id=APPLE, option_value_ids=[GB_128, WHITE]),
        call("create_item", product_id=IPHONE_XR, brand_id=APPLE, option_value_ids=[GB_128, BLACK]),
        call("create_item", product_id=IPHONE_12, brand_id=APPLE, option_value_ids=[BLACK, GB_128]),
        call("create_item", product_id=IPHONE_12, brand_id=APPLE, option_value_ids=[BLACK, GB_128]),
        assistant_message("?"),
    )
    await visitor.say("128 preto")
    made = outputs(visitor)[-4:]
    assert [each.get("error") for each in made] == ["not_confirmed", "not_confirmed", None, None]
    assert made[2] == made[3]
    (item,) = await visitor.items()
    assert item.options == {"Armazenamento": "128 GB", "Cor": "Preto"}
    assert "token" not in json.dumps(visitor.replies[-1].events)
    assert item.token not in json.dumps([reply.events for reply in visitor.replies])


async def test_no_stage_can_be_skipped(store: Store) -> None:
    visitor = await scripted(
        store, call("transfer_to_loop_os_ai_submission_product_options_agent"), assistant_message("?")
    )
    reply = await visitor.say("olá")
    assert reply.handoffs == []
    visitor = await _with_product(
        store,
        call("select_option", option_type_id=STORAGE, option_value_id=GB_128),
        call("transfer_to_loop_os_ai_submission_create_item_agent"),
        assistant_message("?"),
    )
    reply = await visitor.say("128")
    assert reply.handoffs == []
    assert not await visitor.items()


class Monkey(DemoModel):
    """A model that calls whatever is on offer with whatever numbers lie around."""

    def __init__(self, seed: int) -> None:
        super().__init__(delay=0)
        self.random = random.Random(seed)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        tools, handoffs = kwargs.get("tools") or args[3], kwargs.get("handoffs") or args[5]
        names = [each.name for each in tools] + [each.tool_name for each in handoffs] * 2
        acts: list[Any] = [Call(name := self.random.choice(names), self._arguments(name))]
        if self.random.random() < 0.25:
            acts = [demo_model.Say("?")]
        for event in demo_model.stream_events(acts):
            yield event

    def _arguments(self, name: str) -> dict[str, Any]:
        pick = self.random.choice
        options = [GB_128, GB_512, BLACK, WHITE, 2004, 2006]
        return {
            "get_catalog": {"query": pick(["iPhone 12", "iphone", "bicicleta"])},
            "confirm_product": {
                "product_id": pick([IPHONE_12, IPHONE_XR, 1080]),
                "brand_id": pick([APPLE, 138]),
            },
            "select_option": {"option_type_id": pick([STORAGE, COLOUR]), "option_value_id": pick(options)},
            "create_item": {
                "product_id": pick([IPHONE_12, IPHONE_XR]),
                "brand_id": APPLE,
                "option_value_ids": [pick([GB_128, 2004]), pick([BLACK, WHITE])],
            },
            "validate_protocol_answer": {
                "element_id": pick(["smartphones.condition", "smartphones.screen", "x"]),
                "answer": pick(["Bom", "sim", "???"]),
            },
        }.get(name, {})


@pytest.mark.parametrize("seed", [0, *map(later, range(1, 6))])
async def test_a_model_gone_mad_makes_no_item_that_its_state_does_not_show(store: Store, seed: int) -> None:
    """Every item is what the state said when it was made: confirmed product, one valid value of each option."""
    visitor = await (await RunnerHarness.over(store, Monkey(seed))).visitor()
    seen: dict[str, dict[str, str]] = {}
    for _ in range(15):
        await visitor.say("sim")
        state = visitor.state
        if state.get("item_id"):
            seen[state["item_id"]] = {"product": state["product"], **state["options"]}
    for item in await visitor.items():
        if item.id in seen:
            assert {"product": item.product, **item.options} == seen[item.id]
        assert len(item.options) == len({*item.options})
