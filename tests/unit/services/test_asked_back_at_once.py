"""Answers that are asked back at once: in whatever order calls come and end, a yes is about what was shown."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from agents.testing import ScriptedModel, assistant_message

from server.agents.context import current_call
from server.loopos.core import Core, EmbeddedCore
from server.protocol.transcript import Transcript
from server.store import Store
from tests.parts.postgres import copy_tables
from tests.parts.sampled import one_of
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness
from tests.unit.services.test_guards import APPLE, BLACK, COLOUR, GB_128, IPHONE_12, STORAGE, call

pytestmark = pytest.mark.asyncio(loop_scope="module")

OPTIONS = "transfer_to_loop_os_ai_submission_product_options_agent"
ITEM = "transfer_to_loop_os_ai_submission_create_item_agent"
QUESTIONS = "transfer_to_loop_os_ai_submission_protocol_agent"
GB_256, WHITE = 2006, 2033
CONDITION, LOCK, BATTERY, SCREEN = (
    f"smartphones.{name}" for name in ("condition", "account_lock", "battery_health", "screen")
)
END = [assistant_message("?")]


@dataclass
class Pace:
    """Holds a call at one of its requests to the Core until another call has ended."""

    after: dict[str, tuple[int, str]] = field(default_factory=dict)
    """By the id of the held call: at which request, and until which other call has ended."""
    ended: dict[str, asyncio.Event] = field(default_factory=lambda: defaultdict(asyncio.Event))
    _requests: Counter[str] = field(default_factory=Counter)

    async def wait(self) -> None:
        """Wait, if the call at work in this task is held here."""
        at_work = current_call.get()
        self._requests[at_work] += 1
        place, other = self.after.get(at_work, (0, ""))
        if self._requests[at_work] == place:
            await self.ended[other].wait()


class PacedCore:
    """The embedded Core, which answers when its pace says so."""

    def __init__(self, core: Core, pace: Pace) -> None:
        """Every request waits first."""
        self._core, self._pace = core, pace

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        ask: Callable[..., Awaitable[Any]] = getattr(self._core, name)

        async def paced(*given: Any, **named: Any) -> Any:
            await self._pace.wait()
            return await ask(*given, **named)

        return paced


class WatchedTranscript(Transcript):
    """Tells the pace which calls have ended."""

    pace: Pace

    def apply(self, event: dict[str, Any]) -> None:
        """Fold the event."""
        super().apply(event)
        if event["type"] == "TOOL_CALL_RESULT":
            self.pace.ended[event["toolCallId"]].set()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """Yield a store of this module's own."""
    folder: Path = tmp_path_factory.mktemp("at-once")
    copy_tables(folder)
    opened = await Store.open(None, data_dir=folder)
    yield opened
    await opened.aclose()


@dataclass(frozen=True)
class Order:
    """The order of two calls of one model message: whether the second stands first, and which of them is held."""

    is_turned: bool
    held: int

    def of(self, pace: Pace, *calls: Any) -> list[Any]:
        """Return the calls in this order, one of them held in its work until the other has ended."""
        ordered = [*reversed(calls)] if self.is_turned else [*calls]
        held, other = ordered[self.held], ordered[1 - self.held]
        pace.after[held.call_id] = (LAST_REQUEST[held.name], other.call_id)
        return ordered


LAST_REQUEST = {"select_option": 2, "validate_protocol_answer": 1}
"""Which request to the Core is the last one before the tool judges what the seller said."""
ORDERS = [Order(turned, held) for turned in (False, True) for held in (0, 1)]
in_any_order = pytest.mark.parametrize("order", one_of(4, ORDERS), ids=str)


@dataclass
class Told:
    """A visitor, and the model that answers them."""

    visitor: HarnessVisitor
    pace: Pace
    model: ScriptedModel

    async def __call__(self, text: str, *turns: list[Any]) -> None:
        """Say it, and let the model take these turns and end."""
        self.model.extend([*turns, END])
        await self.visitor.say(text)
        assert not self.model.remaining_steps, "the model was not asked as often as the test says"

    def shown(self) -> tuple[str, str]:
        """The name and the legend of the block that waits."""
        (block,) = self.visitor.open_blocks()
        return block["name"], (block.get("legend") or block["label"]).replace("\u00a0", " ")

    @property
    def options(self) -> dict[str, str]:
        """Return the stored ones."""
        return dict(self.visitor.state.get("options") or {})

    @property
    def answers(self) -> dict[str, str]:
        """Return the stored ones."""
        return dict(self.visitor.state.get("answers") or {})


async def seller_before_options(store: Store, first: str = "iPhone 12") -> Told:
    """A seller who said this, has confirmed an iPhone 12 and is asked for its options."""
    pace, model = Pace(), ScriptedModel()
    core: Any = PacedCore(await EmbeddedCore.open(store.database, store.webhooks), pace)
    visitor = await RunnerHarness(store, core, model).visitor()
    watched = WatchedTranscript([], {})
    watched.pace = pace
    visitor.transcript = watched
    told = Told(visitor, pace, model)
    await told(first, [call("get_catalog", query="iPhone 12")])
    confirm = call("confirm_product", product_id=IPHONE_12, brand_id=APPLE)
    await told("sim", [confirm], [call(OPTIONS)], [call("get_product_options")])
    return told


async def with_item(store: Store) -> Told:
    """A seller whose iPhone 12 waits for its first answer."""
    told = await seller_before_options(store, "iPhone 12 preto de 128")
    made = call("create_item", product_id=IPHONE_12, brand_id=APPLE, option_value_ids=[GB_128, BLACK])
    await told("iPhone 12 preto de 128", [select(STORAGE, GB_128)], [select(COLOUR, BLACK)])
    await told("sim", [call(ITEM)], [made], [call(QUESTIONS)], [call("get_product_protocol")])
    assert told.shown()[0] == CONDITION
    return told


def select(kind: int, value: int) -> Any:
    """Return the model's choice of an option value."""
    return call("select_option", option_type_id=kind, option_value_id=value)


def validate(element_id: str, answer: str) -> Any:
    """Return the model's report of an answer."""
    return call("validate_protocol_answer", element_id=element_id, answer=answer)


async def doubtful(told: Told, order: Order) -> None:
    """The seller doubts capacity and colour, and the model selects both at once."""
    await told(
        "acho que 128, talvez preto", order.of(told.pace, select(STORAGE, GB_128), select(COLOUR, BLACK))
    )


@in_any_order
async def test_options_that_are_not_sure_are_confirmed_one_after_the_other(
    store: Store, order: Order
) -> None:
    told = await seller_before_options(store)
    await doubtful(told, order)
    assert (told.options, told.shown()) == ({}, ("option:11", "Percebi: 128 GB. Certo?"))
    await told("sim", order.of(told.pace, select(STORAGE, GB_128), select(COLOUR, BLACK)))
    assert told.options == {"Armazenamento": "128 GB"}
    assert told.shown() == ("option:12", "Percebi: Preto. Certo?")
    await told("sim", order.of(told.pace, select(STORAGE, GB_128), select(COLOUR, BLACK)))
    assert told.options == {"Armazenamento": "128 GB", "Cor": "Preto"}


@in_any_order
async def test_a_no_denies_only_the_option_that_was_shown(store: Store, order: Order) -> None:
    told = await seller_before_options(store)
    await doubtful(told, order)
    await told("não", order.of(told.pace, select(STORAGE, GB_128), select(COLOUR, BLACK)))
    assert (told.options, told.shown()) == ({}, ("option:11", "Armazenamento"))
    await told("256", [select(STORAGE, GB_256)])
    assert (told.options, told.shown()[1]) == ({"Armazenamento": "256 GB"}, "Percebi: Preto. Certo?")
    await told("não, é branco", [select(COLOUR, WHITE)])
    assert told.options == {"Armazenamento": "256 GB", "Cor": "Branco"}


@pytest.mark.parametrize("clicks", [False, True])
async def test_a_yes_stores_no_option_that_the_seller_did_not_read(store: Store, clicks: bool) -> None:
    told = await seller_before_options(store)
    await doubtful(told, ORDERS[0])
    told.model.extend([[select(COLOUR, BLACK)], END])
    visitor = told.visitor
    await (visitor.click("option:11", "answer:right", "Sim, é isso") if clicks else visitor.say("sim"))
    assert (told.options, told.shown()[1]) == ({}, "Percebi: 128 GB. Certo?")


async def test_an_item_is_not_made_before_every_doubtful_option_is_confirmed(store: Store) -> None:
    told = await seller_before_options(store)
    await doubtful(told, ORDERS[0])
    await told("sim", [select(STORAGE, GB_128)], [select(COLOUR, BLACK)], [select(COLOUR, BLACK)])
    assert told.options == {"Armazenamento": "128 GB"}
    asked = told.model.last_call
    assert asked is not None and ITEM not in [each.tool_name for each in asked.handoffs]


@in_any_order
async def test_answers_that_are_not_sure_are_confirmed_one_after_the_other(
    store: Store, order: Order
) -> None:
    told = await with_item(store)
    both = validate(CONDITION, "bom"), validate(BATTERY, "87")
    await told("acho que está bom, bateria cerca de 87", order.of(told.pace, *both))
    assert (told.answers, told.shown()) == ({}, (CONDITION, "Percebi: Bom. Certo?"))
    both = validate(CONDITION, "sim"), validate(BATTERY, "sim")
    await told("sim", order.of(told.pace, *both))
    assert (told.answers, told.shown()) == ({CONDITION: "Bom"}, (BATTERY, "Percebi: 87 %. Certo?"))
    await told("sim", [validate(BATTERY, "sim")])
    assert (told.answers, told.shown()[0]) == ({CONDITION: "Bom", BATTERY: "87\u00a0%"}, LOCK)


@in_any_order
async def test_a_sure_answer_beside_one_that_is_not_is_stored_alone(store: Store, order: Order) -> None:
    told = await with_item(store)
    both = validate(CONDITION, "bom"), validate(BATTERY, "87")
    await told("bom", order.of(told.pace, *both))
    assert (told.answers, told.shown()) == ({CONDITION: "Bom"}, (BATTERY, "Percebi: 87 %. Certo?"))


@in_any_order
async def test_a_yes_answers_no_question_that_was_not_shown(store: Store, order: Order) -> None:
    told = await with_item(store)
    await told("bom", [validate(CONDITION, "bom")])
    assert told.shown()[0] == LOCK
    await told("sim", order.of(told.pace, validate(LOCK, "sim"), validate(SCREEN, "sim")))
    assert told.answers == {CONDITION: "Bom", LOCK: "Sim, está livre"}
    assert told.shown() == (SCREEN, "Percebi: Sim. Certo?")


async def test_changes_of_the_item_that_are_not_sure_are_confirmed_one_after_the_other(store: Store) -> None:
    told = await with_item(store)
    change = {"option_value_ids": [GB_256, WHITE]}
    await told("afinal deve ser 256, talvez branco", [call("change_item", **change)])
    assert told.shown() == ("option:11", "Percebi: 256 GB. Certo?")
    await told("sim", [call("change_item", **change)])
    assert told.options == {"Armazenamento": "256 GB", "Cor": "Preto"}
    assert told.shown() == ("option:12", "Percebi: Branco. Certo?")
    await told("sim", [call("change_item", **change)])
    (item,) = await told.visitor.items()
    assert item.options == told.options == {"Armazenamento": "256 GB", "Cor": "Branco"}
    assert told.shown()[0] == CONDITION
