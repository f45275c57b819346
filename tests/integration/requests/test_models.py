"""Requests with a model behind HTTP, in both dialects: answers that fit, are repaired once, or fail with a code."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping

import pytest

from server.demo import DemoModel
from server.services import services
from tests.integration.requests.conftest import RestCaller
from tests.modelserver import ModelServer, Scripted
from tests.modelserver.sdk_model import brain_from_model
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.server import Servers

CONTRACTS = {name: each.contract for name, each in services().items() if each.contract is not None}
PATH = "/loopos_ai_decision"
DECISION = {"prompt": "Which?", "options": ["A", "B"], "item_context": "An item."}
GOOD = json.dumps({"decision": "B", "reasoning": "It fits."})


@pytest.fixture(params=["responses", "chat"])
def dialect(request: pytest.FixtureRequest) -> str:
    """Each dialect of the wire."""
    return str(request.param)


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """A model server that says what a test gives it."""
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as server:
        yield server


def behind(
    serve_each: Servers,
    model: ModelServer,
    dialect: str,
    key: str = KEY,
    more: Mapping[str, str] | None = None,
) -> RestCaller:
    """A caller of a server whose model is this one."""
    return RestCaller(
        serve_each({
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
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    caller = behind(serve_each, model, dialect)
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
    serve_each: Servers, model: ModelServer, dialect: str, wrong: str
) -> None:
    caller = behind(serve_each, model, dialect)
    model.brain = script = Scripted([wrong, f"```json\n{GOOD}\n```"])
    answer = await asyncio.to_thread(caller.request, "POST", PATH, DECISION)
    assert (answer.status, answer.body) == (200, json.loads(GOOD))
    script.assert_complete()


@pytest.mark.once
async def test_an_answer_that_never_fits_fails_with_a_code(
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    caller = behind(serve_each, model, dialect)
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


@pytest.mark.once
async def test_every_service_passes_through_http(
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    caller = behind(serve_each, model, dialect)
    model.brain = brain_from_model(DemoModel(delay=0))
    for contract in CONTRACTS.values():
        answer = await asyncio.to_thread(caller.request, "POST", contract.path, contract.example)
        assert answer.status == 200, (contract.path, answer.body)
        contract.response.model_validate(answer.body)
