"""A scripted model behind HTTP: whatever corrections it makes, there is one item, as the seller saw it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.integration.conversation.models import Remote, remote
from tests.integration.conversation.rows import items_of
from tests.integration.conversation.seller import Seller, text_parts, waiting_blocks
from tests.modelserver import Call, Plan, Scripted, Text
from tests.parts.server import Backend, apart

pytestmark = pytest.mark.once

IPHONE, APPLE, XR = 1001, 101, 1006
STORAGE, COLOUR = 11, 12
GB_64, GB_128, BLACK, WHITE, BLUE = 2004, 2005, 2032, 2033, 2036
ITEM = "transfer_to_loop_os_ai_submission_create_item_agent"
OPTIONS = "transfer_to_loop_os_ai_submission_product_options_agent"
QUESTIONS = "transfer_to_loop_os_ai_submission_protocol_agent"
IDENTIFICATION = "transfer_to_loop_os_ai_submission_product_identification_agent"

BEGUN = [
    ("iPhone 12", [Call("get_catalog", {"query": "iPhone 12"})], [Text("É este?")]),
    (
        "sim",
        [Call("confirm_product", {"product_id": IPHONE, "brand_id": APPLE})],
        [Call(OPTIONS)],
        [Call("get_product_options")],
        [Text("Qual?")],
    ),
    (
        "128 preto",
        [Call("select_option", {"option_type_id": STORAGE, "option_value_id": GB_128})],
        [Call("select_option", {"option_type_id": COLOUR, "option_value_id": BLACK})],
        [Call(ITEM)],
        [Call("create_item", {"product_id": IPHONE, "brand_id": APPLE, "option_value_ids": [GB_128, BLACK]})],
        [Call(QUESTIONS)],
        [Call("get_product_protocol")],
        [Text("Em que estado está?")],
    ),
]


@pytest.fixture(scope="module")
def here(backend: Backend) -> Iterator[tuple[Remote, Backend]]:
    """Yield a server whose model is behind HTTP, and what it stands on."""
    with apart(backend) as own, remote("responses", own.environment) as running:
        yield running, own


class Said:
    """A seller and the script of the model that answers."""

    def __init__(self, seller: Seller, script: Scripted) -> None:
        """Nothing was said yet."""
        self.seller, self.script = seller, script

    async def __call__(self, text: str, *turns: list[Any]) -> dict[str, Any]:
        """Say it and let the model take these turns; returns the state after them."""
        self.script.extend([Plan(turn) for turn in turns])
        await self.seller.say(text_parts(text))
        self.script.assert_complete()
        return dict(self.seller.talk.transcript.state)

    def results(self, tool: str) -> list[dict[str, Any]]:
        """Return what the model was told of its calls of a tool in the last request."""
        items = self.script.requests[-1].body["input"]
        named = {
            each.get("call_id"): each.get("name") for each in items if each.get("type") == "function_call"
        }
        outputs = [each for each in items if each.get("type") == "function_call_output"]
        return [json.loads(each["output"]) for each in outputs if named.get(each["call_id"]) == tool]


async def new_item(said: Said) -> dict[str, Any]:
    """Return an item that waits for its first answer."""
    await said.seller.begin()
    state: dict[str, Any] = {}
    for text, *turns in BEGUN:
        state = await said(text, *turns)
    return state


def change(*values: int) -> Call:
    """Return a correction of the item."""
    return Call("change_item", {"option_value_ids": list(values)})


async def test_a_model_that_repeats_a_change_leaves_one_item(
    here: tuple[Remote, Backend], sellers: Callable[..., Seller]
) -> None:
    at, backend = here
    async with at.model(Scripted()) as model:
        said = Said(sellers(at.served), model.brain)  # type: ignore[arg-type]  # it was given as a script
        before = await new_item(said)
        after = await said(
            "afinal é branco",
            [change(WHITE)],
            [change(WHITE)],
            [Text("Fica branco.")],
        )
        assert [each["ok"] for each in said.results("change_item")] == [True, True]
        assert (after["item_id"], after["options"]["Cor"]) == (before["item_id"], "Branco")
        (row,) = await items_of(at.served, backend, said.seller.talk.session)
        assert row["status"] == "draft"
        assert [each["name"] for each in waiting_blocks(said.seller.talk.transcript)] == [
            "smartphones.condition"
        ]


async def test_two_corrections_in_one_turn_leave_the_item_that_the_page_shows(
    here: tuple[Remote, Backend], sellers: Callable[..., Seller]
) -> None:
    at, backend = here
    async with at.model(Scripted()) as model:
        said = Said(sellers(at.served), model.brain)  # type: ignore[arg-type]  # it was given as a script
        await new_item(said)
        state = await said("azul de 64", [change(BLUE), change(GB_64)], [Text("Certo.")])
        (row,) = await items_of(at.served, backend, said.seller.talk.session)
        kept = json.loads(row["options"]) if isinstance(row["options"], str) else row["options"]
        assert state["options"] == {each["name"]["pt"]: each["value"]["pt"] for each in kept}
        assert said.seller.item()["options"] == state["options"]


async def test_values_of_other_products_and_other_answers_change_nothing(
    here: tuple[Remote, Backend], sellers: Callable[..., Seller]
) -> None:
    at, _ = here
    async with at.model(Scripted()) as model:
        said = Said(sellers(at.served), model.brain)  # type: ignore[arg-type]  # it was given as a script
        before = await new_item(said)
        wrong = [change(), change(987_654), change(WHITE, BLUE), change(WHITE, 987_654)]
        after = await said("branco", *([each] for each in wrong), [Text("Qual?")])
        assert [each["ok"] for each in said.results("change_item")] == [False] * len(wrong)
        assert after["options"] == before["options"] == said.seller.item()["options"]


async def test_a_draft_is_withdrawn_even_when_the_model_calls_the_next_one_one_more(
    here: tuple[Remote, Backend], sellers: Callable[..., Seller]
) -> None:
    at, backend = here
    async with at.model(Scripted()) as model:
        said = Said(sellers(at.served), model.brain)  # type: ignore[arg-type]  # it was given as a script
        await new_item(said)
        find = [Call("get_catalog", {"query": "iPhone XR"})]
        await said("afinal é um iPhone XR", [Call(IDENTIFICATION)], find, [Text("É este?")])
        confirm = Call("confirm_product", {"product_id": XR, "brand_id": APPLE, "one_more": True})
        state = await said("sim", [confirm], [Call(OPTIONS)], [Call("get_product_options")], [Text("Qual?")])
        assert (state["product"], state.get("item_id")) == ("iPhone XR", None)
        (row,) = await items_of(at.served, backend, said.seller.talk.session)
        assert row["status"] == "withdrawn"
