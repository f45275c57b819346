"""Requests of services when the server dies: the caller repeats its own key and gets the one answer."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from http.client import HTTPException
from typing import Any

import pytest

from tests.integration.crash.restarting_server import RestartingServer
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_documents_at_rest import ASKED as DOCUMENT
from tests.integration.requests.test_documents_at_rest import PATH as DOCUMENTS
from tests.integration.requests.test_identity import PASSPORT, READ
from tests.integration.requests.test_images import seen
from tests.integration.ws.visitor import Answer
from tests.modelserver import ModelServer
from tests.modelserver.brains import replay
from tests.modelserver.request import ModelRequest
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.wait import until_async

PATH = "/loopos_ai_c2c_validation"
ASKED = {
    "agent_specific": {
        "marketplace_posting_title": "iPhone 12",
        "marketplace_posting_description": "Em bom estado, com caixa e cabo.",
        "brand_name": "Apple",
        "product_name": "iPhone 12",
    },
    "language": "en-US",
}
DOCUMENT_KEY = {"idempotency-key": "document"}
LATER = pytest.mark.conformance
PLACES = [
    pytest.param("submit.before_commit", marks=LATER),
    "submit.after_commit",
    pytest.param("publish.RUN_STARTED", marks=LATER),
    pytest.param("append.STEP_STARTED:1", marks=LATER),
    pytest.param("publish.ACTIVITY_SNAPSHOT:0", marks=LATER),
    pytest.param("finish.before_commit", marks=LATER),
    pytest.param("finish.after_commit", marks=LATER),
    pytest.param("publish.after_append", marks=LATER),
]
"""In each run of the suite one of them; their neighbours are died at by whole conversations."""


@pytest.mark.parametrize("place", PLACES)
async def test_a_request_is_answered_once_wherever_the_server_dies(
    restarting: RestartingServer, place: str
) -> None:
    await survives(restarting, place)


@pytest.mark.conformance
@pytest.mark.parametrize("place", ["finish.after_commit"])
async def test_a_request_is_answered_once_over_parts_that_stand_elsewhere(
    other_restarting: RestartingServer, place: str
) -> None:
    await survives(other_restarting, place)


async def survives(restarting: RestartingServer, place: str) -> None:
    """Ask, let it die there, and ask again by the same key until there is an answer."""
    caller, key = RestCaller(restarting.served), f"order-{place}"
    answers: list[Answer] = []

    async def ask() -> bool:
        try:
            answer = await asyncio.to_thread(
                caller.request, "POST", PATH, ASKED, headers={"idempotency-key": key}
            )
        except (OSError, HTTPException):
            return False
        answers.append(answer)
        return answer.status == 200

    restarting.live()
    deaths = restarting.deaths
    restarting.die_at(place)
    if not await ask():
        await until_async(restarting.died, what="the death")
    await until_async(lambda: restarting.deaths > deaths, what="another life")
    await until_async(ask, seconds=120, what="the answer")
    last = answers[-1]
    assert last.body["approved"] is True
    assert {"new_brand", "new_product"} <= set(last.body)
    again = await asyncio.to_thread(caller.request, "POST", PATH, ASKED, headers={"idempotency-key": key})
    assert (again.status, again.body) == (200, last.body)
    assert again.headers["x-loopwire-run"] == last.headers["x-loopwire-run"]
    other: dict[str, Any] = {**ASKED, "language": "PT-PT"}
    refused = await asyncio.to_thread(caller.request, "POST", PATH, other, headers={"idempotency-key": key})
    assert (refused.status, refused.body["error"]["code"]) == (409, "id_reused")


@pytest.mark.conformance
@pytest.mark.once
async def test_a_take_over_asks_only_the_agents_that_had_not_answered() -> None:
    replies = [
        {"approved": True, "rejection_reason": None, "confidence_score": 1, "validation_notes": "",
         "required_modifications": [], "message_to_user": ""},
        {"new_brand": True, "new_brand_name": "Apple", "existing_brand_name": None, "existing_brand_id": None},
        {"new_product": True, "new_product_name": "x", "existing_product_name": None, "existing_product_id": None},
    ]  # fmt: skip
    by_type = dict(zip(("TextJudgement", "BrandJudgement", "ProductJudgement"), replies, strict=True))
    asked: list[str] = []

    def answer(request: ModelRequest) -> str:
        assert request.output_format is not None
        asked.append(request.output_format.schema["title"])
        return json.dumps(by_type[asked[-1]])

    async with ModelServer(replay(answer), port=free_port(), api_key=KEY) as model:
        environment = {
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_API_KEY": KEY,
            "LOOPWIRE_MODEL": "test-model",
            "LOOPWIRE_OPEN_REQUESTS": "1",
        }
        restarting = await asyncio.to_thread(RestartingServer, environment)
        try:
            await survives(restarting, "append.STEP_STARTED:2")
        finally:
            await asyncio.to_thread(restarting.close)
    assert asked == [*by_type]


@pytest.mark.conformance
@pytest.mark.once
async def test_a_document_is_read_by_the_process_that_takes_its_run_over() -> None:
    """Its picture and its data are encrypted at rest: another process opens them with the same secret."""
    seen_pictures: list[int] = []

    def answer(request: ModelRequest) -> str:
        seen_pictures.append(len(seen(request.body)))
        return json.dumps(READ | PASSPORT)

    async with ModelServer(replay(answer), port=free_port(), api_key=KEY) as model:
        environment = {
            "OPENAI_BASE_URL": model.base_url,
            "OPENAI_API_KEY": KEY,
            "LOOPWIRE_MODEL": "test-model",
            "LOOPWIRE_OPEN_REQUESTS": "1",
        }
        restarting = await asyncio.to_thread(RestartingServer, environment)
        try:
            caller = RestCaller(restarting.served)
            restarting.die_at("finish.before_commit")
            with suppress(OSError, HTTPException):
                await asyncio.to_thread(caller.request, "POST", DOCUMENTS, DOCUMENT, headers=DOCUMENT_KEY)
            await until_async(lambda: restarting.deaths > 0, what="another life")
            answers: list[Answer] = []

            async def ask() -> bool:
                with suppress(OSError, HTTPException):
                    again = caller.request
                    answers.append(
                        await asyncio.to_thread(again, "POST", DOCUMENTS, DOCUMENT, headers=DOCUMENT_KEY)
                    )
                return bool(answers) and answers[-1].status == 200

            await until_async(ask, seconds=120, what="the answer")
        finally:
            await asyncio.to_thread(restarting.close)
    assert (answers[-1].body["status"], answers[-1].body["number"]) == ("OK", "L898902C3")
    assert seen_pictures == [1, 1], "each attempt sees the picture"
