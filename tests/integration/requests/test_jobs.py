"""GET /v1/jobs/{id} while a request is answered: each step as it begins and ends, over a real model server."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import redis

from server.bus import EmbeddedValkey
from server.demo import DemoModel
from tests.integration.requests.chat_client import body_of
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.reference import BRAND_LIST, LISTING, PRODUCT_LIST
from tests.integration.requests.test_models import behind
from tests.modelserver import ModelRequest, ModelServer, Plan, Scripted, Text, brain_from_model
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.receiver import Receiver, receiving
from tests.parts.server import Servers
from tests.parts.wait import until_async

PATH = "/loopos_ai_c2c_validation"
JOBS: list[str] = []
"""The addresses of the jobs of this test, in order."""

ASKED = {"agent_specific": LISTING | BRAND_LIST | PRODUCT_LIST}


class Halting:
    """Answers as the demo model does, and waits before the answer of one type until it is let go."""

    def __init__(self, before: str) -> None:
        self._before = before
        self._right = brain_from_model(DemoModel(delay=0))
        self.go_on = asyncio.Event()

    async def __call__(self, request: ModelRequest) -> Plan:
        if request.output_format is not None and request.output_format.schema["title"] == self._before:
            await self.go_on.wait()
        return await self._right(request)


async def never_fits(_request: ModelRequest) -> Plan:
    """Answer with what has no form."""
    return Plan([Text("no")])


def shape(job: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the steps of a job: names in short, with their status."""
    short = (
        each["name"].removeprefix("loop_os_ai_").removeprefix("c2c_validation_").removesuffix("_agent")
        for each in job["steps"]
    )
    return [(name, each["status"]) for name, each in zip(short, job["steps"], strict=True)]


@pytest.mark.once
async def test_a_job_tells_its_steps_while_they_happen_and_when_they_have(serve_each: Servers) -> None:
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as model, receiving() as receiver:
        caller = behind(serve_each, model, "responses", more={"LOOPWIRE_CALLBACK_HOSTS": receiver.host})
        await tells_each_agent(caller, model, receiver)
        await tells_which_failed(caller, model, receiver)
        await tells_the_calls_of_a_conversation(caller, model, receiver)
        await tells_what_is_stored_when_the_log_is_gone(caller, model, receiver)


async def tells_each_agent(caller: RestCaller, model: ModelServer, receiver: Receiver) -> None:
    """The first agent has answered, the second is at work, the third has not begun; then all have answered."""
    model.brain = brain = Halting(before="BrandJudgement")
    job = await posted(caller, PATH, ASKED, receiver)
    now: dict[str, Any] = {}

    async def is_at_the_second() -> bool:
        now.update(await read(caller, job))
        return any(each["status"] == "running" for each in now["steps"][1:])

    await until_async(is_at_the_second, what="the second agent")
    names = [name for name, _ in shape(now)]
    assert [status for _, status in shape(now)] == ["done", "running", "queued"]
    assert (now["status"], now["progress"], now["result"]) == ("running", 0.3333, None)
    assert {each["type"] for each in now["steps"]} == {"agent"}
    brain.go_on.set()
    await until_async(lambda: len(receiver.came) == 1, what="the answer")
    ended = await read(caller, job)
    assert shape(ended) == [(name, "done") for name in names]
    assert (ended["status"], ended["progress"]) == ("done", 1.0)
    assert ended["result"] == receiver.bodies[0]


async def tells_which_failed(caller: RestCaller, model: ModelServer, receiver: Receiver) -> None:
    """The agent whose answer never fits has failed; those after it are not asked any more."""
    model.brain = never_fits
    job = await posted(caller, PATH, ASKED, receiver)
    await until_async(lambda: len(receiver.came) == 2, what="the failure")
    ended = await read(caller, job)
    assert [status for _, status in shape(ended)] == ["failed", "stopped", "stopped"]
    assert (ended["status"], ended["progress"], ended["error"]) == ("failed", 0.0, {"code": "bad_output"})


async def tells_the_calls_of_a_conversation(
    caller: RestCaller, model: ModelServer, receiver: Receiver
) -> None:
    """A message of Deep Chat plans no agents; the calls of tools are steps, with who made them."""
    model.brain = brain_from_model(DemoModel(delay=0))
    job = await posted(caller, "/chat", body_of("quero vender um iPhone 12", "steps"), receiver)
    await until_async(lambda: len(receiver.came) == 3, what="the messages")
    ended = await read(caller, job)
    agent, call = ended["steps"][:2]
    assert (agent["type"], agent["status"]) == ("agent", "done")
    assert (call["type"], call["name"], call["status"]) == ("tool", "get_catalog", "done")
    assert call["agent"] == agent["name"] and call["duration_ms"] >= 0 and call["started_at"] > 0
    assert ended["progress"] is None


async def tells_what_is_stored_when_the_log_is_gone(
    caller: RestCaller, model: ModelServer, receiver: Receiver
) -> None:
    """Of a job that was asked about before nothing is missing; of another that failed nobody can say which agent."""
    before = [await read(caller, each) for each in JOBS]
    model.brain = never_fits
    await posted(caller, PATH, ASKED, receiver)
    await until_async(lambda: len(receiver.came) == 4, what="the second failure")
    with redis.Redis.from_url(EmbeddedValkey(caller.served.data_dir).url) as client:
        client.flushall()
    done, asked_before, conversation, failed = [await read(caller, each) for each in JOBS]
    assert [done, asked_before] == before[:2]
    assert {status for _, status in shape(failed)} == {"unknown"} and failed["progress"] == 0.0
    assert conversation["steps"] == [each for each in before[2]["steps"] if each["type"] == "tool"]


async def posted(caller: RestCaller, path: str, body: dict[str, Any], receiver: Receiver) -> str:
    """Ask for an answer that is posted, and return the address of its job."""
    asked = {**body, "callback_url": receiver.url}
    answer = await asyncio.to_thread(caller.request, "POST", path, asked)
    assert answer.status == 202, answer.body
    JOBS.append(str(answer.body["url"]))
    return JOBS[-1]


async def read(caller: RestCaller, job: str) -> dict[str, Any]:
    """Ask how far a job is."""
    answer = await asyncio.to_thread(caller.request, "GET", job)
    assert answer.status == 200, answer.body
    told: dict[str, Any] = answer.body
    return told
