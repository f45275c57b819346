"""Requests whose answers are posted: 202 at once, the bare answer in the callback, and the job that tells of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from server.services import services
from tests.integration.requests.conftest import RestCaller
from tests.parts.receiver import Receiver, receiving
from tests.parts.server import Served, Servers
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

CONTRACTS = {name: each.contract for name, each in services().items() if each.contract is not None}


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Who is called back."""
    async with receiving() as listening:
        yield listening


@pytest.fixture
def posting(serve_each: Servers, receiver: Receiver) -> Served:
    """A server that may post to the receiver."""
    return serve_each({"LOOPWIRE_CALLBACK_HOSTS": receiver.host, "LOOPWIRE_DEMO_DELAY_MS": "0"})


async def test_every_example_is_posted_as_it_would_have_been_answered(
    posting: Served, receiver: Receiver
) -> None:
    caller = RestCaller(posting)
    for at, contract in enumerate(CONTRACTS.values()):
        plain = await asyncio.to_thread(caller.request, "POST", contract.path, contract.example)
        asked = {**contract.example, "callback_url": receiver.url}
        taken = await asyncio.to_thread(caller.request, "POST", contract.path, asked)
        assert (taken.status, taken.body["status"]) == (202, "queued"), taken.body
        await until_async(lambda at=at: len(receiver.came) > at, what=f"the callback of {contract.path}")
        assert receiver.bodies[at] == plain.body
        job = await asyncio.to_thread(caller.request, "GET", taken.body["url"])
        assert (job.body["status"], job.body["result"]) == ("done", plain.body)
    assert {each["webhook-signature"][:3] for each, _ in receiver.came} == {"v1,"}


async def test_an_address_that_may_not_be_called_is_refused_before_anything_is_stored(
    posting: Served,
) -> None:
    caller = RestCaller(posting)
    asked = {**CONTRACTS["decision"].example, "callback_url": "https://127.0.0.1/hook"}
    answer = await asyncio.to_thread(caller.request, "POST", "/loopos_ai_decision", asked)
    assert (answer.status, answer.body["error"]["code"]) == (422, "url_not_allowed")
