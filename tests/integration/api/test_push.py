"""Push subscriptions over HTTP: who may subscribe a browser, and what reaches it of an operator's message."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import pytest

from server.callbacks.push_encryption import base64url_bytes, base64url_text
from tests.integration.api.test_app_keys import Program
from tests.integration.ws.visitor import Visitor
from tests.parts.app_keys import new_key
from tests.parts.ports import free_port
from tests.parts.push_receiver import Browser
from tests.parts.receiver import Receiver, receiving
from tests.parts.server import Backend, Served, apart, served
from tests.parts.wait import PATIENCE_S, until_async

CONTACT = "mailto:ops@shop.example"
POINT = 65
"""Bytes of a public key."""

INSIDE = (
    "http://push.example/1",
    "https://127.0.0.1/1",
    "https://[::1]/1",
    "https://169.254.169.254/latest",
    "https://10.0.0.1:8443/1",
    "https://user@8.8.8.8/1",
    "ftp://8.8.8.8/1",
    "https://xn--..b/1",
    "push",
)


@dataclass
class Service:
    """A server that pushes, and the push service that it may call."""

    served: Served
    receiver: Receiver
    operator: Program
    port: int

    def say(self, session: str, id: str) -> None:
        """Write to a visitor as a person."""
        said = {"id": id, "name": "Ana", "content": "Bom dia!"}
        assert self.operator.request("POST", f"/v1/sessions/{session}/messages", said).status == 200

    def results(self) -> dict[str, int]:
        """Return how many pushes had each result."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=PATIENCE_S) as answer:
            text = answer.read().decode()
        found = re.findall(r'^loopwire_pushes_total\{result="(\w+)"\} (\d+)', text, re.MULTILINE)
        return {result: int(count) for result, count in found}


@pytest.fixture
async def service(backend: Backend) -> AsyncIterator[Service]:
    """Yield one on each backend."""
    port = free_port()
    async with receiving(answers=[201]) as receiver:
        with apart(backend) as own:
            push = {"LOOPWIRE_PUSH_CONTACT": CONTACT, "LOOPWIRE_PUSH_HOSTS": receiver.host}
            environment = {**own.environment, **push, "LOOPWIRE_METRICS_PORT": str(port)}
            with served({"LOOPWIRE_DEMO_DELAY_MS": "0", **environment}) as running:
                key = new_key(running, environment, "demo", "operator")
                yield Service(running, receiver, Program(running, key=key), port)
                assert "Traceback" not in running.log_text()


def subscription(browser: Browser, endpoint: str) -> dict[str, Any]:
    """Return what a browser's `toJSON()` gives."""
    keys = {"p256dh": base64url_text(browser.point), "auth": base64url_text(browser.auth)}
    return {"endpoint": endpoint, "expirationTime": None, "keys": keys}


@pytest.mark.once
async def test_a_push_reaches_the_browser_once_its_visitor_has_left(service: Service) -> None:
    visitor, browser = Visitor(service.served), Browser.new()
    try:
        talk = await visitor.open()
        session = talk.session
        assert len(base64url_bytes(visitor.request("GET", "/v1/push").body["key"])) == POINT
        subscribed = subscription(browser, service.receiver.url)
        assert visitor.request("PUT", "/v1/push", subscribed).status == 204
        service.say(session, "o1")
        await talk.until(lambda frame: "Bom dia!" in json.dumps(frame))
        await until_async(lambda: service.results() == {"needless": 1}, what="the push that nobody needs")
    finally:
        await visitor.aclose()
    service.say(session, "o2")
    await until_async(lambda: service.results().get("delivered"), what="the push")
    (sent,) = service.receiver.came
    told = json.loads(browser.read(sent[1]))
    assert (told["body"], told["session"]) == ("Ana escreveu-lhe.", session)
    service.receiver.answers = [410]
    service.say(session, "o3")
    await until_async(lambda: service.results().get("gone"), what="the end of the subscription")
    service.receiver.answers = [201]
    assert visitor.request("PUT", "/v1/push", subscribed).status == 204
    assert visitor.request("DELETE", "/v1/push", {"endpoint": service.receiver.url}).status == 204
    service.say(session, "o4")
    assert visitor.request("PUT", "/v1/push", subscribed).status == 204
    assert visitor.request("DELETE", "/v1/visitor").status == 204
    assert visitor.request("PUT", "/v1/push", subscribed).status == 401
    assert len(service.receiver.came) == 2


@pytest.mark.once
def test_a_bad_subscription_is_refused(service: Service) -> None:
    visitor, browser = Visitor(service.served), Browser.new()
    right = subscription(browser, service.receiver.url)
    assert visitor.request("PUT", "/v1/push", right).status == 401, "a stranger has nothing to be told of"
    visitor.ticket()
    foreign = visitor.request("PUT", "/v1/push", right, headers={"origin": "https://evil.example"})
    assert foreign.status == 403
    for endpoint in INSIDE:
        refused = visitor.request("PUT", "/v1/push", {**right, "endpoint": endpoint})
        assert refused.status == 422, endpoint
    keys = right["keys"]
    for wrong in (
        {**keys, "p256dh": keys["p256dh"][:-4]},
        {**keys, "auth": ""},
        {**keys, "more": "x"},
        {"auth": keys["auth"]},
    ):
        assert visitor.request("PUT", "/v1/push", {**right, "keys": wrong}).status == 400
    assert visitor.request("PUT", "/v1/push", {**right, "endpoint": "x" * 2000}).status == 400
    assert visitor.request("PUT", "/v1/push", {**right, "more": "x" * 70_000}).status == 413
    assert visitor.request("PUT", "/v1/push", right).status == 204


@pytest.mark.once
def test_push_is_off_when_no_contact_is_set() -> None:
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0"}) as running:
        visitor = Visitor(running)
        visitor.ticket()
        assert visitor.request("GET", "/v1/push").body == {"key": None}
        right = subscription(Browser.new(), "https://push.example/1")
        assert visitor.request("PUT", "/v1/push", right).status == 404
