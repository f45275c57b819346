"""Requests that are repeated under their key, and many requests of one session: none is lost, none is done twice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.integration.conversation.seller import new_address
from tests.integration.requests.chat_client import body_of
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_models import DECISION, GOOD, PATH, behind
from tests.integration.ws.visitor import Answer
from tests.modelserver import ModelRequest, ModelServer, Plan, Scripted, Text, named
from tests.modelserver.faults import Fault
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.receiver import Receiver, receiving
from tests.parts.sampled import later
from tests.parts.server import Servers
from tests.parts.wait import until_async

RUN = "x-loopwire-run"


class Halting:
    """Answers each request alike, but waits until it is let go."""

    def __init__(self) -> None:
        self.asked = 0
        self.go_on = asyncio.Event()

    async def __call__(self, _request: ModelRequest) -> Plan:
        self.asked += 1
        await self.go_on.wait()
        return Plan([Text(GOOD)])


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """Yield a model server."""
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as server:
        yield server


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Yield a receiver of callbacks."""
    async with receiving() as own:
        yield own


async def ask(caller: RestCaller, body: dict[str, Any], key: str = "") -> Answer:
    """Ask for a decision."""
    headers = {"idempotency-key": key} if key else {}
    return await asyncio.to_thread(caller.request, "POST", PATH, body, headers=headers)


@pytest.mark.once
@pytest.mark.parametrize(
    ("fault", "status"), [(named("server_error", status=503), 503), later(named("server_error"), 502)]
)
async def test_a_key_whose_run_failed_begins_another_run_which_two_repetitions_share(
    serve_each: Servers, model: ModelServer, fault: Fault, status: int
) -> None:
    caller = await asyncio.to_thread(behind, serve_each, model, "responses")
    model.faults.add(fault, times=None)
    key = f"again-{new_address()}"
    failed = await ask(caller, DECISION, key)
    assert failed.status == status
    model.faults.clear()
    model.brain = brain = Halting()
    repeated = [asyncio.create_task(ask(caller, DECISION, key)) for _ in range(4)]
    await until_async(lambda: brain.asked > 0, what="the model's request")
    other = await ask(caller, {**DECISION, "prompt": "Another?"}, key)
    assert (other.status, other.body["error"]["code"]) == (409, "id_reused")
    brain.go_on.set()
    answers = await asyncio.gather(*repeated)
    assert [(each.status, each.body) for each in answers] == [(200, json.loads(GOOD))] * 4
    (run,) = {each.headers[RUN] for each in answers}
    assert run != failed.headers[RUN]
    assert brain.asked == 1
    assert (await ask(caller, DECISION, key)).headers[RUN] == run
    job = f"/v1/jobs/{failed.headers[RUN]}?session_id={key}"
    assert (await asyncio.to_thread(caller.request, "GET", job)).body["status"] == "failed"


@pytest.mark.once
async def test_a_key_whose_run_cannot_succeed_stays_with_it(serve_each: Servers, model: ModelServer) -> None:
    caller = await asyncio.to_thread(behind, serve_each, model, "responses", "sk-another")
    key = f"never-{new_address()}"
    first = await ask(caller, DECISION, key)
    assert (first.status, first.body["error"]["code"]) == (502, "model_rejected")
    assert (await ask(caller, DECISION, key)).headers[RUN] == first.headers[RUN]


@pytest.mark.once
async def test_a_batch_of_one_session_waits_its_turn_and_loses_nothing(
    serve_each: Servers, model: ModelServer, receiver: Receiver
) -> None:
    more = {"LOOPWIRE_CALLBACK_HOSTS": receiver.host}
    caller = await asyncio.to_thread(behind, serve_each, model, "responses", KEY, more)
    model.brain = brain = Halting()
    body = {**DECISION, "session_id": f"batch-{new_address()}"}
    jobs = [await ask(caller, {**body, "callback_url": receiver.url}) for _ in range(8)]
    assert [each.status for each in jobs] == [202] * 8
    waiting = [asyncio.create_task(ask(caller, body)) for _ in range(4)]
    brain.go_on.set()
    answers = await asyncio.gather(*waiting)
    assert [each.status for each in answers] == [200] * 4
    await until_async(lambda: len(receiver.came) == 8, what="the callbacks of the batch")
    assert receiver.bodies == [json.loads(GOOD)] * 8


@pytest.mark.once
async def test_more_requests_than_may_wait_are_429_and_say_when_to_come_again(
    serve_each: Servers, model: ModelServer, receiver: Receiver
) -> None:
    more = {"LOOPWIRE_CALLBACK_HOSTS": receiver.host, "LOOPWIRE_LIMIT_REQUESTS_PER_SESSION": "1"}
    caller = await asyncio.to_thread(behind, serve_each, model, "responses", KEY, more)
    model.brain = brain = Halting()
    body = {**DECISION, "session_id": f"full-{new_address()}", "callback_url": receiver.url}
    assert [(await ask(caller, body)).status for _ in range(2)] == [202, 202]
    refused = await ask(caller, body)
    assert (refused.status, refused.body["error"]["code"]) == (429, "busy")
    assert int(refused.headers["retry-after"]) == refused.body["error"]["retry_after"] == 5
    brain.go_on.set()
    await until_async(lambda: len(receiver.came) == 2, what="the callbacks")
    assert (await ask(caller, body)).status == 202


@pytest.mark.once
async def test_a_job_and_the_answer_to_its_request_name_the_session_alike(
    serve_each: Servers, receiver: Receiver
) -> None:
    settings = {"LOOPWIRE_CALLBACK_HOSTS": receiver.host, "LOOPWIRE_DEMO_DELAY_MS": "0"}
    caller = await asyncio.to_thread(lambda: RestCaller(serve_each(settings)))
    said = {**DECISION, "callback_url": receiver.url}
    chat = {**body_of("Quero vender um iPhone 12"), "callback_url": receiver.url}
    for path, body in ((PATH, said), (PATH, {**said, "session_id": "mine 1"}), ("/chat", chat)):
        taken = await asyncio.to_thread(caller.request, "POST", path, body)
        job = await asyncio.to_thread(caller.request, "GET", taken.body["url"])
        for field in ("job_id", "session_id", "loopwire_session"):
            assert job.body[field] == taken.body[field]
        assert taken.body["session_id"] == body.get("session_id", taken.body["session_id"])
        assert taken.body["loopwire_session"] == taken.headers["x-loopwire-session"]
