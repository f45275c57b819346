"""The doctor's probe of a model's server: what is wrong with it, what is worth a note, and nothing of its own words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from server.agents.model import probe
from server.agents.model.fast import transport
from server.agents.model.probe import model_trouble
from server.settings import Settings
from tests.modelserver import ModelServer, Scripted, named
from tests.modelserver.faults import ServerError
from tests.parts.ports import free_port
from tests.parts.wait import PATIENCE_S, paced, until_async


def settings(url: str, **given: Any) -> Settings:
    """Return the settings of an installation with this model's server."""
    return Settings(
        **{
            "OPENAI_API_KEY": SecretStr("sk-test"),
            "OPENAI_BASE_URL": url,
            "LOOPWIRE_MODEL": "test-model",
            **given,
        }
    )


async def probed(url: str, **given: Any) -> tuple[str | None, str | None]:
    """Probe a server, within the patience of a test."""
    async with asyncio.timeout(PATIENCE_S):
        return await model_trouble(settings(url, **given))


@asynccontextmanager
async def answering(*answers: tuple[int, bytes] | float | None) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Serve these answers, one after another; None never answers, a number of seconds comes before the next.

    Gives the address and the requests; the end waits until no connection is left.
    """
    asked: list[bytes] = []
    open_: set[asyncio.StreamWriter] = set()
    left, waiting = list(answers), asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_.add(writer)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                asked.append(head + await reader.readexactly(length))
                answer = left.pop(0)
                if isinstance(answer, float):
                    await paced(answer)
                    answer = left.pop(0)
                if answer is None:
                    await waiting.wait()
                    break
                assert isinstance(answer, tuple)
                status, body = answer
                lines = b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                writer.write(lines % (status, len(body)) + body)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            open_.discard(writer)
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        host, port = server.sockets[0].getsockname()
        yield f"http://{host}:{port}/v1", asked
        waiting.set()
        await until_async(lambda: not open_, what="the last connection's end")


LISTED = json.dumps({"object": "list", "data": [{"id": "other"}, {"id": "test-model"}]}).encode()
SAID = b'{"id": "a"}'


async def test_the_probe_notes_that_the_demo_model_answers_without_a_key() -> None:
    note = "OPENAI_API_KEY is not set: the demo model answers"
    assert await model_trouble(Settings()) == (None, note)


@pytest.mark.parametrize("api", ["responses", "chat"])
async def test_a_server_that_lists_the_model_and_answers_by_the_api_of_runs_is_fine(api: str) -> None:
    async with ModelServer(Scripted(["ok"]), api_key="sk-test") as server:
        assert await probed(server.base_url, LOOPWIRE_MODEL_API=api) == (None, None)
        assert [each.dialect for each in server.requests] == [api]


async def test_the_probe_asks_for_few_tokens_and_has_nothing_stored() -> None:
    async with answering((200, LISTED), (200, SAID), (200, LISTED), (200, SAID)) as (url, asked):
        assert await probed(url) == (None, None)
        assert await probed(url, LOOPWIRE_MODEL_API="chat") == (None, None)
    paths = [each.partition(b" HTTP")[0] for each in asked]
    assert paths == [
        b"GET /v1/models",
        b"POST /v1/responses",
        b"GET /v1/models",
        b"POST /v1/chat/completions",
    ]
    assert all(b"Bearer sk-test" in each for each in asked)
    by_responses, by_chat = (json.loads(asked[at].partition(b"\r\n\r\n")[2]) for at in (1, 3))
    assert by_responses == {
        "model": "test-model",
        "input": "Say: ok",
        "max_output_tokens": 16,
        "store": False,
    }
    assert by_chat == {
        "model": "test-model",
        "messages": [{"role": "user", "content": "Say: ok"}],
        "max_completion_tokens": 16,
    }


@pytest.mark.parametrize(
    ("status", "trouble", "note"),
    [
        (401, "refuses OPENAI_API_KEY (401)", None),
        (403, "refuses OPENAI_API_KEY (403)", None),
        (404, None, "answers but lists no models"),
        (405, None, "answers but lists no models"),
        (501, None, "answers but lists no models"),
        (400, "answers with 400", None),
        (500, "answers with 500", None),
    ],
)
async def test_a_refused_list_of_models_is_reported_by_its_status(
    status: int, trouble: str | None, note: str | None
) -> None:
    async with answering((status, b'{"error": {"message": "sk-secret"}}'), (200, SAID)) as (url, asked):
        found = await probed(url)
    where = f"the server of OPENAI_BASE_URL ({url.removeprefix('http://').removesuffix('/v1')})"
    assert found == (trouble and f"{where} {trouble}", note and f"{where} {note}")
    assert len(asked) == (1 if trouble else 2), "it is asked once, and for a token where it may still answer"


@pytest.mark.parametrize(
    ("status", "trouble"),
    [
        (401, "refuses OPENAI_API_KEY (401)"),
        (403, "refuses OPENAI_API_KEY (403)"),
        (404, "has no /responses (404): set LOOPWIRE_MODEL_API=chat"),
        (405, "has no /responses (405): set LOOPWIRE_MODEL_API=chat"),
        (400, "refuses an answer of test-model (400): see LOOPWIRE_MODEL"),
        (500, "refuses an answer of test-model (500): see LOOPWIRE_MODEL"),
    ],
)
async def test_a_refused_answer_is_reported_by_its_status(status: int, trouble: str) -> None:
    async with answering((200, LISTED), (status, b'{"error": {"message": "sk-secret"}}')) as (url, asked):
        found, note = await probed(url)
    assert found is not None and found.endswith(f") {trouble}")
    assert note is None
    assert len(asked) == 2


@pytest.mark.parametrize("listed", [b'{"data": [{"id": "other"}, {"no": 1}]}', b'{"data": null}', b"{}"])
async def test_a_model_that_is_not_listed_is_a_note_beside_its_answer(listed: bytes) -> None:
    async with answering((200, listed), (200, SAID)) as (url, _):
        trouble, note = await probed(url)
    assert trouble is None
    assert note is not None and note.endswith(") does not list test-model: see LOOPWIRE_MODEL")


@pytest.mark.parametrize("answers", [((200, b"<html>"),), ((200, LISTED), (200, b"<html>"))])
async def test_an_answer_that_is_no_json_is_reported_as_not_speaking_as_openais(answers: Any) -> None:
    async with answering(*answers) as (url, _):
        trouble, note = await probed(url)
    assert trouble is not None and trouble.endswith(") does not speak as OpenAI's does")
    assert note is None


async def test_a_server_that_nobody_reaches_and_one_that_breaks_its_answer_off_are_told() -> None:
    port = free_port()
    trouble, note = await probed(f"http://127.0.0.1:{port}/v1")
    assert trouble == f"the server of OPENAI_BASE_URL (127.0.0.1:{port}) cannot be reached"
    assert note is None
    async with ModelServer(Scripted(["ok"])) as server:
        server.faults.add(named("reset_first"), times=None)
        trouble, note = await probed(server.base_url)
    assert trouble is not None and trouble.endswith(") broke the answer of test-model off")
    assert note is None


async def test_a_silent_server_is_reported_with_the_seconds_of_the_wait(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert (probe.PROBE_S, probe.ANSWER_S) == (5.0, 30.0)
    monkeypatch.setattr(probe, "PROBE_S", 0.3)
    monkeypatch.setattr(probe, "ANSWER_S", 0.3)
    async with answering(None) as (url, _):
        trouble, note = await probed(url)
        assert trouble is not None and trouble.endswith(") did not answer within 0 seconds")
        assert note is None
    async with answering((200, LISTED), None) as (url, _):
        trouble, note = await probed(url)
        assert trouble is None
        assert note is not None and note.endswith(") gave no answer of test-model within 0 seconds")


async def test_an_answer_may_take_longer_than_the_list_and_leaves_no_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(probe, "PROBE_S", 0.3)
    monkeypatch.setattr(transport, "KEPT_S", 600.0)
    async with answering((200, LISTED), 0.9, (200, SAID)) as (url, _):
        assert await probed(url) == (None, None)


@pytest.mark.parametrize(
    ("url", "port"), [("http://127.0.0.1/v1", 80), ("https://127.0.0.1/v1", 443)], ids=["http", "https"]
)
async def test_an_address_without_a_port_is_told_with_that_of_its_scheme(url: str, port: int) -> None:
    trouble, _ = await probed(url)
    assert trouble is not None and f"(127.0.0.1:{port})" in trouble


async def test_a_transient_fault_is_reported_without_a_retry() -> None:
    async with ModelServer(Scripted(["ok", "ok"])) as server:
        server.faults.add(ServerError(503), times=1)
        trouble, _ = await probed(server.base_url)
        assert trouble is not None and trouble.endswith(
            ") refuses an answer of test-model (503): see LOOPWIRE_MODEL"
        )
        assert await probed(server.base_url) == (None, None)
