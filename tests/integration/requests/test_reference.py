"""The requests that LoopOS documents, by HTTP and by `callback_url`: each answer by the tables, and the errors."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest

from server.api.openapi.document import openapi_document
from server.services import services
from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.reference import (
    CHAT_MESSAGE,
    DOCUMENTED,
    MAY_HAVE,
    SUBMISSION,
    Documented,
    deeper_deviations,
    deviations,
)
from tests.integration.requests.test_models import behind
from tests.modelserver import ModelServer, Scripted, named
from tests.modelserver.faults import CANARY
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.receiver import Receiver, receiving
from tests.parts.sampled import later, one_of
from tests.parts.server import STRICT, Served, Servers
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

CHAT = {"messages": [{"role": "user", "text": "quero vender um iPhone 12"}], **SUBMISSION}
GET = "GET"


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Yield who is called back."""
    async with receiving() as listening:
        yield listening


@pytest.fixture
def posting(serve_each: Servers, receiver: Receiver) -> Served:
    """Return a server that may post to the receiver."""
    return serve_each({
        "LOOPWIRE_CALLBACK_HOSTS": receiver.host,
        "LOOPWIRE_DEMO_DELAY_MS": "0",
        "LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": "1000/1m",
    })  # fmt: skip


async def test_each_documented_request_is_answered_by_its_table_and_posted_alike(
    posting: Served, receiver: Receiver
) -> None:
    caller = RestCaller(posting)
    for at, (name, each) in enumerate(DOCUMENTED.items()):
        plain = await asyncio.to_thread(caller.request, "POST", each.path, each.body)
        assert plain.status == 200, (name, plain.body)
        assert not deviations(each.answer, _of_kind(each, plain.body), name)
        assert not deeper_deviations(each.body, plain.body), name
        await _require_posted_alike(caller, receiver, at, each.path, each.body, plain.body)
    assert {each["webhook-signature"][:3] for each, _ in receiver.came} == {"v1,"}


def _of_kind(each: Documented, answer: dict[str, Any]) -> dict[str, Any]:
    """Leave out what another kind of answer of this path has, where it is null."""
    others = MAY_HAVE.get(each.path, {}).keys() - each.answer.keys()
    return {name: value for name, value in answer.items() if name not in others or value is not None}


async def _require_posted_alike(
    caller: RestCaller, receiver: Receiver, at: int, path: str, body: dict[str, Any], plain: Any
) -> None:
    """Require 202 with a job, the same answer at the receiver, and the job that has it too."""
    asked = {**body, "callback_url": receiver.url}
    taken = await asyncio.to_thread(caller.request, "POST", path, asked)
    assert (taken.status, taken.body["status"]) == (202, "queued"), taken.body
    assert taken.headers["location"] == taken.body["url"]
    await until_async(lambda: len(receiver.came) > at, what=f"the callback of {path}")
    assert receiver.bodies[at] == plain
    assert receiver.came[at][0]["x-loopwire-run"] == taken.body["job_id"]
    job = (await asyncio.to_thread(caller.request, GET, taken.body["url"])).body
    assert (job["status"], job["result"], job["job_id"]) == ("done", plain, taken.body["job_id"])


async def test_a_message_of_a_chat_is_answered_as_a_bare_list_and_posted_alike(
    posting: Served, receiver: Receiver
) -> None:
    caller = RestCaller(posting)
    plain = await asyncio.to_thread(caller.request, "POST", "/chat", CHAT)
    assert plain.status == 200
    assert not [fault for each in plain.body for fault in deviations(CHAT_MESSAGE, each)]
    # Only who waits for the answer needs the name in it: the 202 tells it to the other.
    mark = re.compile(r' data-session="req_[a-z2-7]{20}"')
    unmarked = [{name: mark.sub("", text) for name, text in each.items()} for each in plain.body]
    await _require_posted_alike(caller, receiver, 0, "/chat", CHAT, unmarked)
    whole = {**CHAT, "session_id": "posted", "language": "en-US", "images": [], "conversation": True}
    plain = await asyncio.to_thread(caller.request, "POST", "/chat", {**whole, "session_id": "plain"})
    await _require_posted_alike(caller, receiver, 1, "/chat", whole, plain.body)


@pytest.mark.conformance
async def test_a_yes_to_a_call_that_waits_is_posted_too(
    serve_each: Servers, receiver: Receiver, tmp_path: Any
) -> None:
    apps = tmp_path / "apps.toml"
    apps.write_text('[demo]\napprovals = ["create_item"]\n')
    caller = RestCaller(
        serve_each({
            "LOOPWIRE_APPS": str(apps),
            "LOOPWIRE_DEMO_DELAY_MS": "0",
            "LOOPWIRE_CALLBACK_HOSTS": receiver.host,
        })
    )  # fmt: skip
    said = ["quero vender um iPhone 12 preto de 128 gb", "sim", "Sim, criar o artigo", "Confirmar"]
    for at, text in enumerate(said):
        body = {**CHAT, "messages": [{"role": "user", "text": text}], "session_id": "waits"}
        await asyncio.to_thread(caller.request, "POST", "/chat", {**body, "callback_url": receiver.url})
        await until_async(lambda at=at: len(receiver.came) > at, what=f"the answer to {text}")
    assert "Confirmar" in json.dumps(receiver.bodies[2])
    assert any("criado" in str(each.get("text")) for each in receiver.bodies[3])


@pytest.mark.parametrize("path", one_of(3, sorted({each.path for each in DOCUMENTED.values()})))
def test_the_schema_of_an_answer_has_the_documented_fields(path: str) -> None:
    document = openapi_document(services())
    told = document["paths"][path]["post"]["responses"]["200"]["content"]["application/json"]["schema"]
    schema = document["components"]["schemas"][told["$ref"].rpartition("/")[2]]
    tables = [each.answer for each in DOCUMENTED.values() if each.path == path]
    wanted = MAY_HAVE.get(path, tables[0])
    assert schema["properties"].keys() == wanted.keys()
    always = {name for name, kind in tables[0].items() if not kind.endswith("?")}
    assert set(schema.get("required", ())) == (set() if path in MAY_HAVE else always)
    for name, kind in wanted.items():
        if "|" in kind:
            found = schema["properties"][name]
            assert set(found.get("enum", ())) == set(kind.split("|"))


def test_fields_that_nobody_documented_and_an_earlier_error_are_taken(caller: RestCaller) -> None:
    for each in DOCUMENTED.values():
        more = {"nobody_knows": {"a": [1]}, "error": "The answer had no decision.", "user": "u"}
        answer = caller.request("POST", each.path, {**each.body, **more})
        assert answer.status == 200, answer.body


def test_the_language_is_portuguese_unless_another_is_named(caller: RestCaller) -> None:
    listing = next(each for name, each in DOCUMENTED.items() if name == "validation that refuses")
    unnamed = {name: value for name, value in listing.body.items() if name != "language"}
    told = [
        caller.request("POST", listing.path, {**unnamed, **named}).body["validation_notes"]
        for named in ({}, {"language": "PT-PT"}, {"language": "en-US"})
    ]
    assert told[0] == told[1] != told[2]


def test_the_two_utility_routes_answer(caller: RestCaller) -> None:
    health = caller.request(GET, "/health")
    assert (health.status, health.body) == (200, {"alive": True})
    page = caller.request(GET, "/", headers={"accept": "text/html"})
    assert (page.status, page.headers.get_content_type()) == (200, "text/html")


# The errors.


def test_a_missing_field_is_422_with_fastapis_detail(caller: RestCaller) -> None:
    answer = caller.request("POST", "/loopos_ai_brands_generator", {"agent_specific": {}})
    detail = {"loc": ["body", "agent_specific", "category"], "msg": "Field required", "type": "missing"}
    assert (answer.status, answer.body) == (422, {"detail": [detail]})


LARGE = {"loopos_item": {"item": {"data": {"name": "x" * 70_000}}}}
NO_NUMBERS = (float("nan"), float("-inf"), 10**400)
WRONG: list[tuple[dict[str, Any], list[str]]] = [
    ({"callback_url": "http://127.0.0.1/"}, ["callback_url"]),
    ({"callback_url": f"https://xn--{'a' * 500}.b/"}, ["callback_url"]),
    ({"images": ["data:image/png;base64,AAAA"]}, ["images"]),
    ({"session_extra_data": {"a": "x" * 70_000}}, ["session_extra_data"]),
]


@pytest.mark.parametrize(
    ("name", "more", "where"),
    [
        *((name, *each) for name in ("decision", "chat") for each in WRONG),
        ("decision", {"agent_specific": LARGE}, ["agent_specific"]),
        *(("decision", {"agent_specific": {"x": each}}, ["agent_specific"]) for each in NO_NUMBERS),
        *(("chat", {"session_extra_data": {"x": [each]}}, ["session_extra_data"]) for each in NO_NUMBERS),
        ("estimation, flat", {"agent_specific": LARGE}, ["agent_specific", "loopos_item"]),
        ("brands", {"agent_specific": {**LARGE, "category": "a"}}, ["agent_specific", "loopos_item"]),
        ("chat", {"messages": [{"role": "user", "text": " "}]}, ["messages"]),
    ],
)
def test_a_wrong_value_is_422_with_fastapis_detail(
    caller: RestCaller, name: str, more: dict[str, Any], where: list[str]
) -> None:
    asked = DOCUMENTED.get(name, Documented("/chat", CHAT, {}))
    answer = caller.request("POST", asked.path, {**asked.body, **more})
    assert answer.status == 422, answer.body
    assert [each["loc"] for each in answer.body["detail"]] == [["body", *where]]
    assert {"loc", "msg", "type"} == set(answer.body["detail"][0])


@pytest.mark.conformance
def test_too_many_requests_are_429_and_say_when_to_come_again(serve_each: Servers) -> None:
    served = serve_each({**STRICT, "LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": "1/1m"})
    for path, body in (("/loopos_ai_decision", DOCUMENTED["decision"].body), ("/chat", CHAT)):
        caller = RestCaller(served)
        assert caller.request("POST", path, body).status == 200
        answer = caller.request("POST", path, body)
        # The element of Deep Chat shows a sentence, so `/chat` has its code beside it.
        code = answer.body["code"] if path == "/chat" else answer.body["error"]["code"]
        assert (answer.status, code) == (429, "rate_limited")
        assert int(answer.headers["retry-after"]) >= 1


FAULTS = (
    (named("server_error", status=503), 503, "model_busy"),
    (named("hang"), 504, "model_timeout"),
    (named("server_error"), 502, "model_error"),
)


@pytest.mark.parametrize("dialect", ["responses", later("chat")])
async def test_a_model_that_fails_is_told_by_status_and_by_callback(
    serve_each: Servers, receiver: Receiver, dialect: str
) -> None:
    more = {"LOOPWIRE_MODEL_SILENCE_SECONDS": "0.5", "LOOPWIRE_CALLBACK_HOSTS": receiver.host}
    async with ModelServer(Scripted(), port=free_port(), api_key=KEY) as model:
        caller = await asyncio.to_thread(behind, serve_each, model, dialect, KEY, more)
        for at, (fault, status, code) in enumerate(FAULTS):
            model.faults.clear()
            model.faults.add(fault, times=None)
            asked = DOCUMENTED["decision"]
            answer = await asyncio.to_thread(caller.request, "POST", asked.path, asked.body)
            assert (answer.status, answer.body["error"]["code"]) == (status, code)
            assert answer.headers.get("retry-after") == ("5" if status == 503 else None)
            body = {**asked.body, "callback_url": receiver.url}
            taken = await asyncio.to_thread(caller.request, "POST", asked.path, body)
            await until_async(lambda at=at: len(receiver.came) > at, what=f"the callback of {code}")
            assert receiver.bodies[at] == {"error": code, "job_id": taken.body["job_id"]}
            job = await asyncio.to_thread(caller.request, GET, taken.body["url"])
            assert (job.body["status"], job.body["error"]) == ("failed", {"code": code})
            named_in_log = f'"request_id": "{answer.headers["x-request-id"]}"'
            lines = [each for each in caller.served.log_text().splitlines() if named_in_log in each]
            told = [json.loads(each)["status"] for each in lines if json.loads(each)["text"] == "request"]
            assert told == [status]
    assert CANARY not in caller.served.log_text()
