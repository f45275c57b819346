"""Identity documents at rest: no row, file, log or key of Redis holds the picture, the name or the number."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest
import redis

from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_identity import PASSPORT, PATH, READ
from tests.integration.requests.test_images import seen
from tests.integration.requests.test_models import behind
from tests.modelserver import ModelServer, Scripted
from tests.parts.images import inline, png
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.receiver import Receiver, receiving
from tests.parts.server import Servers
from tests.parts.wait import until_async

NUMBER, NAME = "L898902C3", "Anna Eriksson"
TOLD = "Born in Zenith Street"
"""What a caller says besides, as the business and as data of the session."""
SECRETS = [each.encode() for each in (NUMBER, "eriksson", "anna maria", "anna<maria", TOLD)]
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF"
PICTURE = [JPEG, JPEG.hex().encode(), base64.b64encode(JPEG)[:13]]
"""The beginning of each stored picture as bytes, as PostgreSQL shows them, and in base64."""

ASKED: dict[str, Any] = {
    "images": [inline(png("green", (300, 200)))],
    "agent_specific": {"doc_type": "passport", "name": NAME, "number": NUMBER},
    "language": "en-US",
    "loopos_core_context": TOLD,
    "session_extra_data": {"note": TOLD},
}


async def bytes_of(caller: RestCaller, environment: dict[str, str]) -> bytes:
    """Return everything that a server keeps and has said: files, rows, keys of Redis and its log."""
    found = [caller.served.log_text().encode()]
    found += [each.read_bytes() for each in caller.served.data_dir.rglob("*") if each.is_file()]
    if "DATABASE_URL" in environment:
        found.append(await _rows(environment["DATABASE_URL"]))
        with redis.Redis.from_url(environment["REDIS_URL"]) as client:
            session = await asyncio.to_thread(lambda: list(client.scan_iter("*", count=1000)))
            found += [client.dump(key) or b"" for key in session]
    return b"\n".join(found)


async def _rows(url: str) -> bytes:
    connection = await asyncpg.connect(url)
    try:
        tables = await connection.fetch("select tablename from pg_tables where schemaname = 'public'")
        rows = [await connection.fetch(f'select t::text from "{name}" t') for (name,) in tables]
        return "\n".join(str(row[0]) for each in rows for row in each).encode()
    finally:
        await connection.close()


def held(raw: bytes) -> list[bytes]:
    """Return what of the document can be read there."""
    lowered = raw.lower()
    texts = [each for each in SECRETS if each.lower() in lowered]
    return texts + [each for each in PICTURE if each in raw]


@pytest.mark.once
async def test_no_row_file_log_or_key_holds_readable_data_of_a_document(serve_each: Servers) -> None:
    environment = dict(serve_each._standing)
    model = ModelServer(Scripted([json.dumps(READ | PASSPORT)]), port=free_port(), api_key=KEY)
    async with model, receiving(answers=[500, 200]) as receiver:
        more = {"LOOPWIRE_LOG_LEVEL": "DEBUG", "LOOPWIRE_CALLBACK_HOSTS": receiver.host}
        caller = behind(serve_each, model, "responses", more=more)
        key = {"idempotency-key": "document-1"}

        def ask(**changed: Any) -> Any:
            return caller.request("POST", PATH, {**ASKED, **changed}, headers=key if not changed else {})

        answer = await asyncio.to_thread(ask)
        assert (answer.body["status"], answer.body["number"]) == ("OK", NUMBER)
        assert len(seen(model.brain.requests[0].body)) == 1, "the model saw no picture"
        raw = await bytes_of(caller, environment)
        assert answer.headers["x-loopwire-session"].encode() in raw
        assert held(raw) == []
        again = await asyncio.to_thread(ask)
        assert again.headers["x-loopwire-run"] == answer.headers["x-loopwire-run"]
        assert again.body == answer.body
        await posts_it(caller, receiver, model, environment, ask)
        await keeps_the_picture_for_runs_alone(caller, environment, answer.headers["x-loopwire-session"])


async def posts_it(
    caller: RestCaller,
    receiver: Receiver,
    model: ModelServer,
    environment: dict[str, str],
    ask: Callable[..., Any],
) -> None:
    """A response that waits to be posted is sealed too, and is posted and shown as it is."""
    model.brain = Scripted([json.dumps(READ | PASSPORT)])
    job = await asyncio.to_thread(ask, callback_url=receiver.url)
    assert job.status == 202
    await until_async(lambda: len(receiver.came) == 1, what="the first post")
    assert held(await bytes_of(caller, environment)) == []
    assert receiver.bodies[0]["number"] == NUMBER
    shown = await asyncio.to_thread(caller.request, "GET", job.body["url"])
    assert shown.body["result"] == receiver.bodies[0]


async def keeps_the_picture_for_runs_alone(
    caller: RestCaller, environment: dict[str, str], session: str
) -> None:
    """The picture of a document cannot be fetched; an ordinary one is found by the same search."""
    shown = await asyncio.to_thread(
        caller.request, "GET", f"/v1/sessions/{session}/messages", headers={"authorization": ""}
    )
    assert NUMBER not in json.dumps(shown.body)
    visitor = caller.stranger()
    ticket = await asyncio.to_thread(visitor.ticket)
    path = f"/v1/sessions/{ticket['session_id']}/files"
    stored = await asyncio.to_thread(
        visitor.request, "POST", path, png(), headers={"content-type": "image/png"}
    )
    assert stored.status == 201, stored.body
    assert PICTURE[0] in (raw := await bytes_of(caller, environment)) or PICTURE[1] in raw


@pytest.mark.once
async def test_with_another_secret_what_waits_ends_and_nothing_is_shown(serve_each: Servers) -> None:
    model = ModelServer(Scripted([json.dumps(READ | PASSPORT)]), port=free_port(), api_key=KEY)
    async with model, receiving(answers=[500]) as receiver:
        own = {
            "LOOPWIRE_CALLBACK_HOSTS": receiver.host,
            "LOOPWIRE_SECRET": "a secret of more than 32 letters, one",
        }
        waiting = {**own, **_of(model), "LOOPWIRE_WORKERS_IN_WEB": "0"}
        caller = RestCaller(serve_each(waiting, command="web"))
        job = await asyncio.to_thread(caller.request, "POST", PATH, {**ASKED, "callback_url": receiver.url})
        assert job.status == 202
        caller.served.stop()
        own["LOOPWIRE_SECRET"] = "a secret of more than 32 letters, two"
        next_life = serve_each({**own, **_of(model)}, data_dir=caller.served.data_dir)
        await until_async(lambda: len(receiver.came) == 1, what="the callback")
        assert receiver.bodies[0] == {"error": "instance_lost", "job_id": job.body["job_id"]}
        assert "LOOPWIRE_SECRET is another" in next_life.log_text()
        assert model.brain.requests == []


def _of(model: ModelServer) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": KEY,
        "LOOPWIRE_MODEL": "test-model",
        "LOOPWIRE_OPEN_REQUESTS": "1",
    }
