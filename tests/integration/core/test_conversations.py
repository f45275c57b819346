"""Conversations whose LoopOS Core is at an address: a whole sale, a Core that dies meanwhile, apps with their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from websockets.asyncio.client import ClientConnection

from server.store import Store
from tests.core_server import CoreFault, CoreServer
from tests.core_server.faults import SECRET
from tests.integration.api.test_app_keys import Program
from tests.integration.conversation.seller import Seller, clicked, new_address, typed, waiting_blocks
from tests.integration.core.conftest import TOKEN, reference
from tests.integration.requests.conftest import RestCaller
from tests.integration.ws.visitor import Answer
from tests.parts.app_keys import new_key
from tests.parts.postgres import SQLITE_FILE
from tests.parts.server import Served, Servers

SHOP = "https://shop.example"
AWAY = (
    "catalog does not answer",
    "catalog still does not answer",
    "catálogo não responde",
    "catálogo ainda não responde",
)

NewSeller = Callable[..., Seller]


def app_table(name: str, server: CoreServer, *more: str) -> str:
    """Return an app whose Core is this server."""
    own = f'core_base_url = "{server.url}/"\ncore_token_variable = "TEST_CORE_TOKEN"\ncore_private_network = true\n'
    return f"[{name}]\n{own}" + "".join(more)


def environment_of(folder: Path, *tables: str) -> dict[str, str]:
    """Return what a server with these apps is started with."""
    file = folder / "apps.toml"
    file.write_text("".join(tables))
    return {"LOOPWIRE_APPS": str(file), "TEST_CORE_TOKEN": TOKEN, "LOOPWIRE_DEMO_DELAY_MS": "0"}


@pytest.fixture
async def sellers() -> AsyncIterator[NewSeller]:
    """Yield a factory of sellers whose sockets end with the test."""
    made: list[Seller] = []

    def make(at: Served, **options: Any) -> Seller:
        made.append(Seller(at, **options))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


class ShopSeller(Seller):
    """A seller in a page of the shop, in a browser with our cookie."""

    def request(
        self, method: str, path: str, body: Any = None, *, headers: dict[str, str] | None = None
    ) -> Answer:
        """Ask as that page does."""
        return super().request(method, path, body, headers={"origin": SHOP, **(headers or {})})

    async def socket(self, *, html: bool = False, **options: Any) -> ClientConnection:
        """Open a socket as that page does."""
        return await super().socket(html=html, **{"origin": SHOP, **options})


def own_items(served: Served) -> int:
    """Return how many items the server keeps in its own database."""
    engine = create_engine(f"sqlite:///{served.data_dir / SQLITE_FILE}")
    with engine.connect() as connection:
        found = int(connection.execute(text("SELECT count(*) FROM items")).scalar_one())
    engine.dispose()
    return found


@pytest.mark.conformance
async def test_a_whole_submission_ends_in_an_item_of_the_core(
    core_server: CoreServer, serve: Servers, sellers: NewSeller, tmp_path: Path
) -> None:
    served = serve(environment_of(tmp_path, app_table("demo", core_server)))
    seller = sellers(served, language="en", answer=clicked, opening="I want to sell a Polly Magic")
    tab = await seller.begin()
    transcript = await seller.sell()
    assert transcript.state["status"] == "complete"
    item = await asyncio.to_thread(seller.item)
    assert (item["status"], item["session_id"]) == ("complete", tab.session)
    assert len(item["answers"]) == transcript.state["total"]
    assert own_items(served) == 0
    page = await asyncio.to_thread(seller.request, "GET", f"/items/{item['id']}")
    assert item["reference"] in page.body.decode()
    stranger = await asyncio.to_thread(sellers(served).request, "GET", f"/v1/items/{item['id']}")
    assert stranger.status == 404
    [made] = core_server.calls("POST", "/v1/items")
    assert made.headers["idempotency-key"] == f"{tab.session}:0"
    assert {each.headers["authorization"] for each in core_server.came} == {f"Bearer {TOKEN}"}
    owners = {each.headers.get("loopwire-principal") for each in core_server.came} - {None}
    assert len(owners) == 2, "the seller and the stranger"
    assert TOKEN not in served.log_text()


@pytest.mark.conformance
async def test_the_page_of_an_item_asks_the_core_of_the_app_of_its_conversation(
    core_server: CoreServer, serve: Servers, sellers: NewSeller, tmp_path: Path
) -> None:
    table = app_table("shop", core_server, f'origins = ["{SHOP}"]\n')
    served = serve(environment_of(tmp_path, table))
    seller = ShopSeller(served, language="en", answer=clicked, opening="I want to sell a Polly Magic")
    tab = await seller.begin()
    transcript = await seller.sell()
    blocks = [each["content"] for each in transcript.messages if each.get("activityType") == "block"]
    [link] = {each["link"] for each in blocks if each["kind"] == "card"}
    item = f"/items/{transcript.state['item_id']}"
    assert link == f"{item}?app=shop"
    browser = sellers(served, cookie=seller.cookie)
    page = await asyncio.to_thread(browser.request, "GET", link)
    assert (page.status, transcript.state["reference"] in page.body.decode()) == (200, True)
    assert f'href="/s/{tab.session}"' in page.body.decode()
    for path in (item, f"{item}?app=demo", f"{item}?app=nothing"):
        assert (await asyncio.to_thread(browser.request, "GET", path)).status == 404, path
    assert (await asyncio.to_thread(sellers(served).request, "GET", link)).status == 404
    await seller.aclose()


async def test_a_core_that_dies_costs_one_sentence_at_each_step_and_the_sale_goes_on(
    core_server: CoreServer, serve: Servers, sellers: NewSeller, tmp_path: Path
) -> None:
    served = serve(environment_of(tmp_path, app_table("demo", core_server)))
    seller = sellers(served, language="en", answer=typed, opening="I want to sell a Polly Magic")
    tab = await seller.begin()
    steps = 0
    while (content := seller.next_message()) is not None:
        before, asked = tab.transcript.state, [each["id"] for each in waiting_blocks(tab.transcript)]
        if steps % 2:
            await core_server.stop()
        else:
            core_server.faults.add(CoreFault("status", times=None, status=502))
        await seller.say(content)
        run = tab.transcript.run
        assert run is not None
        assert (run.status, run.outcome) == ("finished", {"type": "success"}), run
        said = [
            each["content"]
            for each in tab.transcript.messages
            if each["role"] == "assistant" and each.get("content")
        ]
        assert any(sentence in said[-1] for sentence in AWAY), said[-1]
        assert tab.transcript.state.get("answers") == before.get("answers")
        assert [each["id"] for each in waiting_blocks(tab.transcript)] == asked
        if steps % 2:
            await core_server.start()
        else:
            core_server.faults.clear()
        await seller.say(content)
        steps += 1
    assert steps > 5
    assert tab.transcript.state["status"] == "complete"
    item = await asyncio.to_thread(seller.item)
    assert len(item["answers"]) == tab.transcript.state["total"]
    assert len({each.headers["idempotency-key"] for each in core_server.calls("POST", "/v1/items")}) == 1
    assert SECRET not in str(tab.frames) + str(tab.transcript.messages)
    assert SECRET not in served.log_text()


CHAT: dict[str, Any] = {"loopos_submission_base_url": "https://submission.shop.example/"}


async def chat(caller: Any, text: str, name: str, address: str) -> Any:
    """Send a message as a LoopOS client does."""
    body = {**CHAT, "messages": [{"role": "user", "text": text}], "session_id": name}
    return await asyncio.to_thread(caller.request, "POST", "/chat", {**body, "loopos_core_base_url": address})


async def test_apps_reach_their_own_cores_and_callers_only_those_that_an_app_names(
    core_store: Store, core_server: CoreServer, serve: Servers, tmp_path: Path
) -> None:
    async with await reference(core_store) as second, await reference(core_store) as north:
        north_table = (
            f'[shop.other_cores.north]\nbase_url = "{north.url}"\ntoken_variable = "TEST_CORE_TOKEN"\n'
            "private_network = true\n"
        )
        environment = environment_of(
            tmp_path, app_table("demo", core_server), app_table("shop", second), north_table
        )
        served = serve(environment)
        caller, shop = RestCaller(served), Program(served)
        shop.key, shop.address = await asyncio.to_thread(new_key, served, environment, "shop"), new_address()

        assert (await chat(caller, "Polly Magic", "a", f"{core_server.url}/")).status == 200
        assert (await chat(shop, "Polly Magic", "a", f"{second.url}//")).status == 200
        assert (await chat(shop, "Polly Magic", "b", f"{north.url}/")).status == 200
        counts = [len(each.calls("POST", "/v1/products/search")) for each in (core_server, second, north)]
        assert counts == [1, 1, 1]

        for who, address in ((caller, second.url), (shop, core_server.url), (shop, "https://evil.example/")):
            refused = await chat(who, "Polly Magic", "c", address)
            assert (refused.status, refused.body["code"]) == (422, "core_not_allowed")
        moved = await chat(shop, "sim", "b", second.url)
        assert (moved.status, moved.body["code"]) == (422, "core_not_allowed")
        assert (await chat(shop, "sim", "b", f"{north.url}/")).status == 200
        assert len(second.calls("POST", "/v1/products/search")) == 1

        unknown = await asyncio.to_thread(shop.request, "GET", "/v1/items/itm_1?core=north")
        assert unknown.status == 404
        assert len(north.calls("GET", "/v1/items/itm_1")) == 1
        gone = await asyncio.to_thread(shop.request, "GET", "/v1/items/itm_1?core=south")
        assert (gone.status, gone.body["error"]["code"]) == (404, "not_found")
        page = await asyncio.to_thread(caller.request, "GET", "/items/itm_1?core=zzz")
        assert (page.status, page.headers.get("retry-after")) == (404, None)


async def test_a_service_over_rest_says_that_the_core_does_not_answer(
    core_server: CoreServer, serve: Servers, tmp_path: Path
) -> None:
    served = serve(environment_of(tmp_path, app_table("demo", core_server)))
    core_server.faults.add(CoreFault("status", times=None))
    body = {
        "item_context": "iPhone 12",
        "item_condition": "good",
        "agent_specific": {"category": "smartphones"},
    }
    answer = await asyncio.to_thread(RestCaller(served).request, "POST", "/loopos_ai_brands_generator", body)
    assert (answer.status, answer.body["error"]["code"]) == (503, "core_unavailable"), answer.body
    ready = await asyncio.to_thread(RestCaller(served).request, "GET", "/readyz")
    assert (ready.status, ready.body["ready"]) == (200, True), (
        "a Core that is away is no reason to send nobody here"
    )


async def test_the_core_is_told_the_trace_that_a_request_belongs_to_and_no_other(
    core_server: CoreServer, serve: Servers, tmp_path: Path
) -> None:
    caller = RestCaller(serve(environment_of(tmp_path, app_table("demo", core_server))))
    body = {**CHAT, "loopos_core_base_url": f"{core_server.url}/"}
    traced = {"traceparent": f"00-{'4b' * 16}-{'1f' * 8}-01", "tracestate": "shop=1"}
    for name, headers in (("a", traced), ("b", {})):
        asked = {**body, "messages": [{"role": "user", "text": "Polly Magic"}], "session_id": name}
        answer = await asyncio.to_thread(caller.request, "POST", "/chat", asked, headers=headers)
        assert answer.status == 200, answer.body
        searches = core_server.calls("POST", "/v1/products/search")
        assert searches
        sent = {(each.headers.get("traceparent"), each.headers.get("tracestate")) for each in searches}
        assert sent == {(headers.get("traceparent"), headers.get("tracestate"))}
        core_server.came.clear()
