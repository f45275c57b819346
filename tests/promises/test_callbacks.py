"""Callbacks of a whole server: refused for addresses that are not allowed, signed, and repeated after a crash (G20)."""

from __future__ import annotations

import asyncio
import base64
import hmac
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.integration.test_doctor import run
from tests.integration.ws.visitor import Visitor
from tests.parts import process
from tests.parts.receiver import Receiver, receiving
from tests.parts.server import Served, Servers
from tests.parts.wait import until_async

REFUSED = [
    "http://shop.example/hook",
    "https://127.0.0.1/hook",
    "https://[::1]/",
    "https://2130706433/",
    "ftp://a",
]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    """Yield who is called back."""
    async with receiving() as listening:
        yield listening


def starting(serve_each: Servers, receiver: Receiver, before: Served | None = None) -> Served:
    """Return a server that may post to the receiver; where another stood, if there was one."""
    settings = {"LOOPWIRE_CALLBACK_HOSTS": receiver.host, "LOOPWIRE_DEMO_DELAY_MS": "0"}
    if before is not None:
        return serve_each(settings, data_dir=before.data_dir)
    return serve_each(settings)


async def talk(served: Served, receiver: Receiver) -> tuple[Visitor, dict[str, Any]]:
    """Return a conversation that is called back about, with one answered message."""
    visitor = Visitor(served)
    made = visitor.request("POST", "/v1/sessions", {"service": "chat", "callback_url": receiver.url})
    assert made.status == 201, made.body
    socket = await visitor.open(session=made.body["id"])
    return visitor, await socket.say("olá", "c1")


@pytest.mark.once
async def test_a_callback_url_that_is_not_allowed_is_refused_at_once(
    serve_each: Servers, receiver: Receiver
) -> None:
    visitor = Visitor(starting(serve_each, receiver))
    for url in REFUSED:
        answer = visitor.request("POST", "/v1/sessions", {"service": "chat", "callback_url": url})
        assert (answer.status, answer.body["error"]["code"]) == (422, "url_not_allowed"), url
    assert visitor.request("GET", "/v1/sessions").body["sessions"] == []


async def secret_of(served: Served, app: str) -> bytes:
    """Return the key that an operator is shown for the receiver of an app's callbacks."""
    code, told = await run("secret", served.data_dir)
    assert code == 0, told
    shown = dict(line.split() for line in told.splitlines())
    return base64.b64decode(shown[app].removeprefix("whsec_"))


@pytest.mark.once
async def test_an_answer_is_posted_and_verifies_by_the_secret_that_the_operator_was_shown(
    serve_each: Servers, receiver: Receiver
) -> None:
    served = starting(serve_each, receiver)
    visitor, ack = await talk(served, receiver)
    await until_async(lambda: receiver.came, what="the callback")
    headers, body = receiver.came[0]
    key = await secret_of(served, "demo")
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    signature = base64.b64encode(hmac.digest(key, content, "sha256")).decode()
    assert headers["webhook-signature"] == f"v1,{signature}"
    told = receiver.bodies[0]["data"]
    assert (told["run_id"], told["outcome"]) == (ack["run_id"], "success")
    assert told["messages"][-1]["role"] == "assistant"
    await visitor.aclose()


@pytest.mark.once
async def test_a_server_that_dies_after_the_post_posts_again_under_the_same_id(
    serve_each: Servers, receiver: Receiver
) -> None:
    served = starting(serve_each, receiver)
    receiver.answers, receiver.heard = [None, 200], lambda: process.kill_group(served.process)
    visitor, _ = await talk(served, receiver)
    await until_async(lambda: served.process.poll() is not None, what="the server to be dead")
    receiver.heard = None
    await visitor.aclose()
    await asyncio.to_thread(starting, serve_each, receiver, served)
    await until_async(lambda: len(receiver.came) == 2, what="the second post")
    assert len(set(receiver.ids)) == 1
    assert receiver.came[0][1] == receiver.came[1][1]
