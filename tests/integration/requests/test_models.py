"""Requests with a model behind HTTP, in both dialects: answers that fit, are repaired once, or fail with a code."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache

import pytest
import pytest_asyncio

from server.demo import DemoModel
from server.services import services
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.reference import BRAND_LIST, LISTING, PRODUCT_LIST
from tests.modelserver import ModelRequest, ModelServer, Plan, Scripted, Text
from tests.modelserver.sdk_model import brain_from_model
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.server import Servers

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONTRACTS = {name: each.contract for name, each in services().items() if each.contract is not None}
PATH = "/loopos_ai_decision"
DECISION = {"prompt": "Which?", "options": ["A", "B"], "item_context": "An item."}
MOST_ATTEMPTS = 2
"""So often an agent is asked; the second time it is told what was wrong."""

GOOD = json.dumps({"decision": "B", "reasoning": "It fits."})


@pytest.fixture(params=["responses", later("chat")])
def dialect(request: pytest.FixtureRequest) -> str:
    """Return each dialect of the wire."""
    return str(request.param)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model() -> AsyncIterator[ModelServer]:
    """Yield the model server of the tests of this file; each gives it what it says."""
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as server:
        yield server


@pytest.fixture(scope="module")
def caller_of(serve_all: Servers, model: ModelServer) -> Callable[[str], RestCaller]:
    """Return a function that gives a new caller of the server of a dialect, which the tests of this file share."""
    limits = {"LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": "1000/1m"}
    served = cache(lambda dialect: behind(serve_all, model, dialect, more=limits).served)
    return lambda dialect: RestCaller(served(dialect))


def behind(
    serve: Servers,
    model: ModelServer,
    dialect: str,
    key: str = KEY,
    more: Mapping[str, str] | None = None,
) -> RestCaller:
    """Return a caller of a server whose model is this one."""
    return RestCaller(
        serve({
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_API_KEY": key,
            "LOOPWIRE_MODEL": "test-model",
            "LOOPWIRE_MODEL_API": dialect,
            "LOOPWIRE_OPEN_REQUESTS": "1",
            **(more or {}),
        })
    )  # fmt: skip


@pytest.mark.once
async def test_an_answer_is_asked_for_with_its_schema_and_returned(
    caller_of: Callable[[str], RestCaller], model: ModelServer, dialect: str
) -> None:
    caller = caller_of(dialect)
    model.brain = script = Scripted([GOOD])
    answer = await asyncio.to_thread(caller.request, "POST", PATH, DECISION)
    assert (answer.status, answer.body) == (200, json.loads(GOOD))
    assert "x-loopwire-demo" not in answer.headers
    asked = script.requests[0].output_format
    assert asked is not None and asked.strict and set(asked.schema["properties"]) == {"decision", "reasoning"}
    assert json.loads(script.requests[0].last_user_text)["request"]["options"] == ["A", "B"]


@pytest.mark.once
@pytest.mark.parametrize(
    "wrong",
    [
        "I would say B.",
        '{"decision": "B"}',
        json.dumps({"decision": "C", "reasoning": "None of them."}),
        "",
        '{"decision": "B", "reasoning": 4}',
    ],
)
async def test_an_answer_that_does_not_fit_is_asked_for_once_more(
    caller_of: Callable[[str], RestCaller], model: ModelServer, dialect: str, wrong: str
) -> None:
    caller = caller_of(dialect)
    model.brain = script = Scripted([wrong, f"```json\n{GOOD}\n```"])
    answer = await asyncio.to_thread(caller.request, "POST", PATH, DECISION)
    assert (answer.status, answer.body) == (200, json.loads(GOOD))
    script.assert_complete()


@pytest.mark.once
async def test_an_answer_that_never_fits_fails_with_a_code(
    caller_of: Callable[[str], RestCaller], model: ModelServer, dialect: str
) -> None:
    caller = caller_of(dialect)
    model.brain = script = Scripted(["no", "no", GOOD])
    answer = await asyncio.to_thread(caller.request, "POST", PATH, DECISION)
    assert (answer.status, answer.body["error"]["code"]) == (502, "bad_output")
    assert script.left == 1


@pytest.mark.once
async def test_a_model_that_refuses_the_key_is_an_error_without_its_words(
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    caller = behind(serve_each, model, dialect, key="sk-another")
    answer = await asyncio.to_thread(caller.request, "POST", PATH, DECISION)
    assert (answer.status, answer.body["error"]["code"]) == (502, "model_rejected")


BODIES = {name: each.example for name, each in CONTRACTS.items()} | {
    "c2c_validation": {"agent_specific": LISTING | BRAND_LIST | PRODUCT_LIST, "language": "PT-PT"}
}
"""A request of each service that all of its agents answer."""


class Stumbling:
    """Answers as the demo model does, but first so many times in a wrong form, to each agent of a service."""

    def __init__(self, times: int) -> None:
        self._times = times
        self._right = brain_from_model(DemoModel(delay=0))
        self.asked: Counter[str] = Counter()
        """How often each type of answer was asked for."""

    async def __call__(self, request: ModelRequest) -> Plan:
        assert request.output_format is not None
        name = str(request.output_format.schema["title"])
        self.asked[name] += 1
        assert ("Your answer cannot be used" in request.last_user_text) is (self.asked[name] > 1)
        if self.asked[name] > self._times:
            return await self._right(request)
        return Plan([Text("[]" if self.asked[name] % 2 else "I would rather say it in words.")])


@pytest.mark.once
async def test_each_service_repairs_one_bad_answer_and_fails_after_two(
    caller_of: Callable[[str], RestCaller], model: ModelServer, dialect: str
) -> None:
    caller = caller_of(dialect)
    for service, contract in CONTRACTS.items():
        agents = contract.route(contract.request.model_validate(BODIES[service]))
        answers = []
        for times in (0, 1, 2):
            model.brain = stumbling = Stumbling(times)
            answer = await asyncio.to_thread(caller.request, "POST", contract.path, BODIES[service])
            told = (service, times, answer.status, answer.body, stumbling.asked)
            if times < MOST_ATTEMPTS:
                assert answer.status == 200, told
                assert list(stumbling.asked.values()) == [times + 1] * len(agents), told
                answers.append(answer.body)
            else:
                assert (answer.status, answer.body["error"]["code"]) == (502, "bad_output"), told
                assert list(stumbling.asked.values()) == [MOST_ATTEMPTS], told
        contract.response.model_validate(answers[0])
        assert answers[0] == answers[1], service
