"""A caller's context of business, item, session and service reaches the model, over both dialects of the wire."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest

from server.apps import BUILT_IN
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.reference import EVERY, NESTED_ITEM, SUBMISSION
from tests.integration.requests.test_models import DECISION, GOOD, PATH, behind
from tests.modelserver import ModelServer, Scripted
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.server import Servers

pytestmark = pytest.mark.once

BUSINESS, OTHER = EVERY["loopos_core_context"], "Loja de bicicletas."
ITEM = {"loopos_item": {"item": NESTED_ITEM}}


@pytest.fixture(params=["responses", later("chat")])
def dialect(request: pytest.FixtureRequest) -> str:
    """Return each dialect of the wire."""
    return str(request.param)


@pytest.fixture
async def model() -> AsyncIterator[ModelServer]:
    """Yield a model server that says what a test gives it."""
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as server:
        yield server


async def ask(caller: RestCaller, path: str, body: dict[str, Any]) -> str:
    """Post a request and return the id of its session."""
    answer = await asyncio.to_thread(caller.request, "POST", path, body)
    assert answer.status == 200, answer.body
    return str(answer.headers["x-loopwire-session"])


async def test_a_model_reads_business_item_and_earlier_error_of_a_request(
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    caller = await asyncio.to_thread(behind, serve_each, model, dialect)
    model.brain = script = Scripted([GOOD] * 4)
    said = [{"role": "user", "text": "É para a loja."}]
    about = {**EVERY, "session_id": "order-1", "error": "No decision.", "messages": said}
    session = await ask(caller, PATH, {**DECISION, **about, "agent_specific": ITEM})
    await ask(caller, PATH, {**DECISION, "session_id": "order-1"})
    await ask(caller, PATH, {**DECISION, "session_id": "order-1", "loopos_core_context": OTHER})
    await ask(caller, PATH, {**DECISION, "session_id": "order-1", "session_extra_data": {"core_id": "9"}})
    read = [json.loads(each.last_user_text)["request"] for each in script.requests]
    told = [str(each.instructions) for each in script.requests]
    assert (read[0]["loopos_core_context"], read[0]["error"]) == (BUSINESS, "No decision.")
    assert (read[0]["agent_specific"], read[0]["messages"]) == (ITEM, said)
    assert not {"session_extra_data", "session_id", "callback_url"} & set(read[0])
    assert BUSINESS not in told[0]
    assert "loopos_core_context" not in read[1] and BUSINESS in told[1]
    assert read[2]["loopos_core_context"] == OTHER and BUSINESS not in told[2]
    assert OTHER in told[3] and BUSINESS not in told[3]
    assert _context_of(caller, session) == {
        "loopos_core_context": OTHER,
        "session_extra_data": {"core_id": "9"},
        "common_answers": BUILT_IN.answers,
    }


def _context_of(caller: RestCaller, session: str) -> Any:
    """Return what is stored of a session's context."""
    file = caller.served.data_dir / "loopwire.db"
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        (row,) = connection.execute("select context from sessions where id = ?", (session,))
    return json.loads(row[0])


@pytest.mark.parametrize(
    ("path", "about", "reply"),
    [
        (
            "/loopos_ai_brands_generator",
            {"category": "Smartphones"},
            {"brands": ["Apple"], "reasoning": "Known."},
        ),
        later(
            "/loopos_ai_c2c_validation",
            {"brand_name": "Apple"},
            {
                "new_brand": True,
                "new_brand_name": "Apple",
                "existing_brand_name": None,
                "existing_brand_id": None,
            },
        ),
    ],
)
async def test_an_item_reaches_the_agents_of_a_service_with_fields_of_its_own(
    serve_each: Servers, model: ModelServer, path: str, about: dict[str, Any], reply: dict[str, Any]
) -> None:
    caller = await asyncio.to_thread(behind, serve_each, model, "responses")
    model.brain = script = Scripted([json.dumps(reply)])
    await ask(caller, path, {"agent_specific": {**about, **ITEM}})
    read = json.loads(script.requests[0].last_user_text)["request"]["agent_specific"]
    assert (read["loopos_item"], read | about) == (ITEM["loopos_item"], read)


async def test_the_agents_of_a_chat_read_the_business_that_was_told_last(
    serve_each: Servers, model: ModelServer, dialect: str
) -> None:
    caller = await asyncio.to_thread(behind, serve_each, model, dialect)
    model.brain = script = Scripted(["Olá.", "Sim.", "Diga."])
    body = {"messages": [{"role": "user", "text": "olá"}], "session_id": "chat-1", **SUBMISSION}
    session = await ask(caller, "/chat", {**body, **EVERY})
    await ask(caller, "/chat", body)
    await ask(caller, "/chat", {**body, "loopos_core_context": OTHER})
    told = [str(each.instructions) for each in script.requests]
    assert BUSINESS in told[0] and BUSINESS in told[1]
    assert OTHER in told[2] and BUSINESS not in told[2]
    stored = _context_of(caller, session)
    assert stored == {
        **EVERY,
        **SUBMISSION,
        "loopos_core_context": OTHER,
        "common_answers": BUILT_IN.answers,
    }
