"""Pictures of requests: read, made plain, given to the model in both dialects, and kept nowhere else."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from io import BytesIO
from typing import Any

import pytest
import pytest_asyncio
from PIL import Image

from tests.integration.requests.conftest import RestCaller
from tests.integration.requests.test_models import behind, model
from tests.modelserver import ModelServer, Scripted
from tests.parts.images import inline, png
from tests.parts.sampled import later
from tests.parts.server import Served, Servers

pytestmark = [pytest.mark.once, pytest.mark.asyncio(loop_scope="module")]

__all__ = ["model"]

PATH = "/loopos_ai_c2c_descriptor"
ANSWER = json.dumps({
    "value_out_max": 3, "value_out_min": 1, "value_out_average": 2, "marketplace_posting_title": "t",
    "marketplace_posting_description": "d", "condition": "B", "dimensions_box": "S", "warning": False,
    "warning_message": "",
})  # fmt: skip


def image_request(*images: str, **more: Any) -> dict[str, Any]:
    """Return a request with these pictures."""
    return {"images": list(images), "agent_specific": {"product_name": "Chair"}, **more}


class Pictures:
    """A server of pictures on a real port: paths are answered by what a test gave them."""

    def __init__(self) -> None:
        self.answers: dict[str, bytes] = {}
        self.port = 0
        self.asked: list[str] = []

    @property
    def host(self) -> str:
        """As a setting names it."""
        return f"127.0.0.1:{self.port}"

    def put(self, path: str, body: bytes, status: str = "200 OK", head: str = "") -> str:
        """Answer a path with this, and give its address."""
        self.answers[path] = f"HTTP/1.1 {status}\r\n{head}content-length: {len(body)}\r\n\r\n".encode() + body
        return f"http://{self.host}{path}"

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request; an unknown path gets bytes without an end."""
        with suppress(OSError, asyncio.IncompleteReadError):
            path = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
            self.asked.append(path)
            if path in self.answers:
                writer.write(self.answers[path])
                await writer.drain()
            else:
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
                while True:
                    writer.write(b"x" * 65_536)
                    await writer.drain()
        writer.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pictures() -> AsyncIterator[Pictures]:
    """Yield the server of pictures."""
    made = Pictures()
    server = await asyncio.start_server(made.take, "127.0.0.1", 0)
    made.port = server.sockets[0].getsockname()[1]
    yield made
    server.close()


def seen(body: Any) -> list[str]:
    """Return every picture's data URL in a request to a model, whatever the dialect."""
    if isinstance(body, dict):
        return [url for each in body.values() for url in seen(each)]
    if isinstance(body, list):
        return [url for each in body for url in seen(each)]
    return [body] if isinstance(body, str) and body.startswith("data:image/") else []


@pytest.mark.parametrize("dialect", ["responses", later("chat")])
async def test_a_model_sees_the_pictures_as_small_jpegs(
    serve_all: Servers, model: ModelServer, pictures: Pictures, dialect: str
) -> None:
    caller = behind(serve_all, model, dialect, more={"LOOPWIRE_CALLBACK_HOSTS": pictures.host})
    model.brain = script = Scripted([ANSWER])
    at = pictures.put("/chair", png("blue", (2000, 1000)))
    answer = await asyncio.to_thread(caller.request, "POST", PATH, image_request(inline(png()), at))
    assert answer.status == 200, answer.body
    urls = seen(script.requests[0].body)
    sizes = [Image.open(BytesIO(base64.b64decode(each.partition(",")[2]))).size for each in urls]
    assert sizes == [(40, 30), (1600, 800)]
    session = answer.headers["x-loopwire-session"]
    stored = json.dumps(await asyncio.to_thread(rows_of, caller, session))
    assert "base64" not in stored
    assert len(stored) < 5_000


def rows_of(caller: RestCaller, session: str) -> list[str]:
    """Return the stored inputs of a session, from the database of a server with nothing configured."""
    import sqlite3  # noqa: PLC0415

    with sqlite3.connect(caller.served.data_dir / "loopwire.db") as connection:
        return [row[0] + row[1] for row in connection.execute("select content, items from runs")]


@pytest.fixture(scope="module")
def fetching(serve_all: Servers, pictures: Pictures) -> Served:
    """Return a server that may fetch from the pictures' server."""
    return serve_all({"LOOPWIRE_CALLBACK_HOSTS": pictures.host, "LOOPWIRE_DEMO_DELAY_MS": "0"})


@pytest.fixture
def posting(fetching: Served) -> RestCaller:
    """Return a caller of that server, at an address of its own."""
    return RestCaller(fetching)


WRONG: dict[str, tuple[Callable[[Pictures], str], int, str]] = {
    "a private address": (lambda _: "https://127.0.0.1/a.png", 422, "url_not_allowed"),
    "a file": (lambda _: "file:///etc/passwd", 422, "url_not_allowed"),
    "a name that cannot be decoded": (lambda _: "https://xn--..b/", 422, "url_not_allowed"),
    "words": (lambda _: "a chair", 422, "url_not_allowed"),
    "base64 without its head": (lambda _: base64.b64encode(png()).decode(), 422, "image_unreadable"),
    "no base64": (lambda _: "data:image/png;base64,!!!", 422, "image_unreadable"),
    "no picture": (lambda _: inline(b"hello"), 422, "image_unreadable"),
    "a page": (lambda at: at.put("/page", b"<html></html>"), 422, "image_unreadable"),
    "missing": (lambda at: at.put("/none", b"", "404 Not Found"), 422, "image_unavailable"),
    "a redirect": (
        lambda at: at.put("/away", b"", "302 Found", "location: http://169.254.169.254/\r\n"),
        422,
        "url_not_allowed",
    ),
    "a redirect without end": (
        lambda at: at.put("/round", b"", "302 Found", "location: /round\r\n"),
        422,
        "image_unavailable",
    ),
    "no end": (lambda at: f"http://{at.host}/endless", 413, "too_long"),
    "nobody": (lambda _: "http://127.0.0.1:9/a.png", 422, "url_not_allowed"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_a_bad_picture_is_refused_before_anything_is_stored(
    posting: RestCaller, pictures: Pictures, wrong: str
) -> None:
    make, status, code = WRONG[wrong]
    answer = await asyncio.to_thread(
        posting.request, "POST", PATH, image_request(inline(png()), make(pictures))
    )
    assert (answer.status, answer.body["error"]["code"]) == (status, code)


async def test_a_repeated_request_with_pictures_is_the_same(posting: RestCaller) -> None:
    key = {"idempotency-key": "chair-1"}
    body = image_request(inline(png()), inline(png("green")))
    first = await asyncio.to_thread(posting.request, "POST", PATH, body, headers=key)
    second = await asyncio.to_thread(posting.request, "POST", PATH, body, headers=key)
    assert (first.status, second.status) == (200, 200)
    assert first.headers["x-loopwire-run"] == second.headers["x-loopwire-run"]
    assert first.body == second.body


async def test_a_request_with_nine_pictures_is_refused(posting: RestCaller) -> None:
    answer = await asyncio.to_thread(posting.request, "POST", PATH, image_request(*[inline(png())] * 9))
    assert answer.status == 422
    assert answer.body["detail"][0]["loc"] == ["body", "images"]
