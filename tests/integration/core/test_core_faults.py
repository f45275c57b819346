"""Faults of a LoopOS Core: which requests are repeated, for how long, and that none takes effect twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import pytest

from server.callbacks import Guard
from server.errors import CoreUnavailable, NotFound
from server.loopos.core import Item, ItemRefused
from server.loopos.remote.breaker import CircuitBreaker
from server.loopos.remote.exchange import CoreTimes
from server.loopos.remote.http_core import HttpCore
from server.tasks import Tasks
from tests.contract.store.conftest import an_order
from tests.core_server import CoreFault, CoreServer
from tests.core_server.faults import SECRET
from tests.integration.core.conftest import TOKEN
from tests.parts.core import http_core
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.wait import until_async

HASTY = CoreTimes(connect_s=0.5, attempt_s=0.5, total_s=2.0)
ORDER = an_order()


class Clock:
    """A clock that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
async def core(core_server: CoreServer) -> AsyncIterator[HttpCore]:
    """Yield a client that waits for as long as a busy machine needs."""
    async with http_core(core_server.url, token=TOKEN) as client:
        yield client


async def create(core: HttpCore, key: str = "ses_1:0", principal: str = "ana") -> Item:
    return await core.create_item(principal=principal, session_id="ses_1", business_key=key, **ORDER)


# Again, or not.


@pytest.mark.parametrize(
    "fault",
    [
        CoreFault("status", times=2),
        later(CoreFault("status", times=2, status=503, retry_after="0")),
        later(CoreFault("status", times=2, status=429, retry_after="0")),
        CoreFault("cut", times=2),
        later(CoreFault("garbage", times=2)),
    ],
    ids=lambda fault: f"{fault.kind}-{fault.status}",
)
async def test_a_call_succeeds_after_two_transient_core_faults(
    core_server: CoreServer, core: HttpCore, fault: CoreFault
) -> None:
    core_server.faults.add(fault)
    assert (await core.search("iPhone 12")).total > 0
    assert len(core_server.came) == 3


@pytest.mark.parametrize(
    ("fault", "asked"),
    [
        (CoreFault("status", times=None), 3),
        (CoreFault("status", times=None, status=503, retry_after="3600"), 1),
        later(CoreFault("status", times=None, status=503, retry_after="Fri, 01 Jan 2100 00:00:00 GMT"), 1),
        (CoreFault("status", times=None, status=403), 1),
        later(CoreFault("status", times=None, status=418), 1),
        later(CoreFault("cut", times=None), 3),
        (CoreFault("garbage", times=None), 3),
        (CoreFault("huge", times=None), 1),
        later(CoreFault("crowded", times=None), 1),
        (CoreFault("shape", times=None), 1),
        later(CoreFault("page", times=None), 1),
        (CoreFault("gzip", times=None), 1),
        (CoreFault("redirect", times=None, location="http://127.0.0.1:1/"), 1),
    ],
    ids=lambda each: f"{each.kind}-{each.status}-{each.retry_after}" if isinstance(each, CoreFault) else "",
)
async def test_a_lasting_core_fault_is_one_error_without_words_of_the_core(
    core_server: CoreServer, core: HttpCore, fault: CoreFault, asked: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    core_server.faults.add(fault)
    with pytest.raises(CoreUnavailable) as raised:
        await core.item("itm_1", "ana")
    assert raised.value.status == 503
    assert len(core_server.came) == asked
    written = caplog.text + raised.value.message
    assert "gave no usable answer" in written
    assert SECRET not in written
    assert TOKEN not in written


async def test_an_answer_of_too_many_values_is_too_large(
    core_server: CoreServer, core: HttpCore, caplog: pytest.LogCaptureFixture
) -> None:
    core_server.faults.add(CoreFault("crowded"))
    with pytest.raises(CoreUnavailable):
        await core.item("itm_1", "ana")
    assert "gave no usable answer: too_large" in caplog.text


async def test_a_404_page_counts_as_an_outage_and_not_as_a_missing_item(
    core_server: CoreServer, core: HttpCore
) -> None:
    with pytest.raises(NotFound):
        await core.item("itm_1", "ana")
    core_server.faults.add(CoreFault("page", times=None))
    with pytest.raises(CoreUnavailable):
        await core.product(1)


async def test_a_wrong_token_counts_as_an_outage_and_not_as_no_items(core_server: CoreServer) -> None:
    async with http_core(core_server.url, token="another") as core:
        with pytest.raises(CoreUnavailable):
            await core.items("ana")
        assert len(core_server.came) == 1


async def test_an_invalid_id_is_refused_without_a_request(core_server: CoreServer, core: HttpCore) -> None:
    for odd in ("", "../items", "a/b", "a" * 65, "é", "itm_1?x", "itm 1", "%2e"):
        with pytest.raises(NotFound):
            await core.item(odd, "ana")
    with pytest.raises(ItemRefused):
        await core.change_item("itm_1", "ana", option_value_ids=[2**60], seen=[])
    assert not core_server.came


# Time.


@pytest.mark.parametrize("kind", [later("silent"), "drip"])
async def test_an_endless_answer_of_a_core_is_given_up_in_time(core_server: CoreServer, kind: Any) -> None:
    core_server.faults.add(CoreFault(kind, times=None))
    async with http_core(core_server.url, token=TOKEN, times=HASTY) as core:
        with pytest.raises(CoreUnavailable) as raised:
            await core.overview()
    assert str(raised.value.__cause__) in ("timeout", "connect")
    assert len(core_server.came) <= 3


async def test_a_cancelled_call_leaves_connection_and_breaker_as_they_were(core_server: CoreServer) -> None:
    breaker, tasks = CircuitBreaker(most_failures=1), Tasks()
    async with http_core(core_server.url, token=TOKEN, breaker=breaker) as core:
        core_server.faults.add(CoreFault("silent"))
        tasks.spawn(core.overview(), name="overview")
        await until_async(lambda: core_server.came, what="the call")
        await tasks.aclose()
        assert not breaker.is_open
        assert (await core.overview()).total > 0


# Once.


async def test_an_item_is_created_once_although_the_answer_to_the_first_post_was_lost(
    core_server: CoreServer, core: HttpCore
) -> None:
    core_server.faults.add(CoreFault("cut", method="POST", path="/v1/items"))
    item = await create(core)
    posts = core_server.calls("POST", "/v1/items")
    assert [each.headers["idempotency-key"] for each in posts] == ["ses_1:0", "ses_1:0"]
    assert await core.items("ana") == [item]
    assert await create(core) == item
    assert len(await core.items("ana")) == 1
    assert item.session_id == "ses_1"


async def test_an_item_whose_answers_were_all_lost_is_found_by_the_next_call(
    core_server: CoreServer, core: HttpCore
) -> None:
    core_server.faults.add(CoreFault("cut", times=3, method="POST", path="/v1/items"))
    with pytest.raises(CoreUnavailable):
        await create(core)
    item = await create(core)
    assert await core.items("ana") == [item]


async def test_the_attempts_of_one_write_share_one_idempotency_key(
    core_server: CoreServer, core: HttpCore
) -> None:
    item = await create(core)
    asked = next(each for each in await core.protocol(item.product_id) if each.kind == "select")
    core_server.faults.add(CoreFault("cut", method="PUT"))
    for option in (asked.options[0], asked.options[1], asked.options[0]):
        item = await core.answer(item.id, "ana", asked.id, option.value, option.label.pt)
    keys = [each.headers["idempotency-key"] for each in core_server.came if each.method == "PUT"]
    assert len(keys) == 4
    assert len(set(keys)) == 3
    assert keys[0] == keys[1]
    assert item.answers[0].value == asked.options[0].value


async def test_no_url_of_a_core_holds_the_words_or_the_id_of_a_person(
    core_server: CoreServer, core: HttpCore
) -> None:
    await core.search("o meu telefone é 912 345 678", brand="segredo", category="casa da Ana")
    await core.category_key("casa da Ana")
    await create(core, principal="usr_1")
    await core.items("usr_1")
    addresses = " ".join(f"{each.path}?{each.query}" for each in core_server.came)
    assert not any(word in addresses for word in ("912", "segredo", "Ana", "usr_1", "ses_1"))


# The breaker.


async def test_the_circuit_opens_after_failures_and_closes_by_a_trial(core_server: CoreServer) -> None:
    clock, changes = Clock(), []
    breaker = CircuitBreaker(most_failures=3, first_pause_s=5, clock=clock, on_change=changes.append)
    async with http_core(core_server.url, token=TOKEN, breaker=breaker) as core:
        core_server.faults.add(CoreFault("status", times=None))
        with pytest.raises(CoreUnavailable):
            await core.overview()
        assert (breaker.is_open, len(core_server.came)) == (True, 3)
        with pytest.raises(CoreUnavailable) as refused:
            await core.overview()
        assert refused.value.retry_after == 5
        assert len(core_server.came) == 3, "an open circuit asks nobody"
        clock.now = 6
        with pytest.raises(CoreUnavailable):
            await core.overview()
        assert len(core_server.came) == 4, "one trial, which failed"
        clock.now = 12
        with pytest.raises(CoreUnavailable):
            await core.overview()
        assert len(core_server.came) == 4, "the second pause is longer"
        core_server.faults.clear()
        clock.now = 17
        assert (await core.overview()).total > 0
        assert (breaker.is_open, changes) == (False, [True, False])


async def test_one_of_twenty_calls_tries_a_core_that_failed(core_server: CoreServer) -> None:
    clock = Clock()
    breaker = CircuitBreaker(most_failures=1, first_pause_s=5, clock=clock)
    async with http_core(core_server.url, token=TOKEN, breaker=breaker) as core:
        core_server.faults.add(CoreFault("status", times=1))
        with pytest.raises(CoreUnavailable):
            await core.overview()
        clock.now, before = 6, len(core_server.came)
        results = await asyncio.gather(*(core.overview() for _ in range(20)), return_exceptions=True)
        answered = [each for each in results if not isinstance(each, CoreUnavailable)]
        assert (len(answered), len(core_server.came) - before) == (1, 1)


async def test_refusals_of_a_working_core_do_not_open_the_circuit(core_server: CoreServer) -> None:
    breaker = CircuitBreaker(most_failures=2)
    async with http_core(core_server.url, token=TOKEN, breaker=breaker) as core:
        for _ in range(5):
            with pytest.raises(NotFound):
                await core.item("itm_none", "ana")
        assert not breaker.is_open


async def test_a_core_that_is_away_and_comes_back_is_found_again(core_server: CoreServer) -> None:
    async with http_core(core_server.url, token=TOKEN) as core:
        item = await create(core)
        await core_server.stop()
        with pytest.raises(CoreUnavailable):
            await core.items("ana")
        await core_server.start()
        assert await core.items("ana") == [item]


# The address.


async def test_an_address_in_a_private_network_is_not_connected_to_unless_it_may() -> None:
    port = free_port()
    for url in (f"http://127.0.0.1:{port}", "https://127.0.0.1", "https://[::1]", "https://169.254.169.254"):
        async with http_core(url, guard=Guard()) as core:
            with pytest.raises(CoreUnavailable) as raised:
                await core.overview()
            assert raised.value.__cause__ is not None
            assert str(raised.value.__cause__) == "address"


async def test_a_core_is_connected_to_at_the_address_that_the_guard_judged() -> None:
    """A name that leads to the public internet when it is judged and home when it is asked again gains nothing."""
    led: list[str] = []

    async def resolve(host: str, _caller: str) -> list[str]:
        led.append(host)
        return ["127.0.0.1"] if len(led) > 1 else ["203.0.113.7", "10.0.0.1"]

    async with http_core("https://core.shop.example", guard=Guard(resolve=resolve)) as core:
        with pytest.raises(CoreUnavailable) as raised:
            await core.overview()
    assert str(raised.value.__cause__) == "address"
    assert led == ["core.shop.example"]
