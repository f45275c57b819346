"""The access of operators: the scope of a key that each request needs, and the record before each reading."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from server.errors import Unavailable
from server.http.operator_access import OperatorAccess, scopes_that_open

REST, OPERATOR, TICKETS = frozenset({"rest"}), frozenset({"operator"}), frozenset({"tickets"})
SESSION = "/v1/sessions/ses_1"


@pytest.mark.parametrize(
    ("method", "path", "scopes"),
    [
        ("POST", "/v1/tickets", TICKETS),
        ("GET", "/v1/operator/sessions", OPERATOR),
        ("GET", "/v1/operator/else", OPERATOR),
        ("POST", f"{SESSION}/messages", OPERATOR),
        ("PUT", f"{SESSION}/operator", OPERATOR),
        ("DELETE", f"{SESSION}/operator", OPERATOR),
        ("GET", SESSION, REST | OPERATOR),
        ("HEAD", SESSION, REST | OPERATOR),
        ("GET", f"{SESSION}/messages", REST | OPERATOR),
        ("GET", f"{SESSION}/events", REST | OPERATOR),
        ("HEAD", f"{SESSION}/log", REST | OPERATOR),
        ("GET", f"{SESSION}/blobs/blb_1", REST | OPERATOR),
        ("DELETE", SESSION, REST),
        ("PATCH", SESSION, REST),
        ("POST", f"{SESSION}/commands", REST),
        ("POST", f"{SESSION}/files", REST),
        ("GET", f"{SESSION}/operator", REST),
        ("PUT", f"{SESSION}/messages", REST),
        ("POST", f"{SESSION}/messages/", REST),
        ("POST", f"{SESSION}/x/messages", REST),
        ("GET", "/v1/sessions", REST),
        ("POST", "/agui/chat", REST),
        ("POST", "/chat", REST),
    ],
)
def test_a_request_is_opened_by_its_scopes(method: str, path: str, scopes: frozenset[str]) -> None:
    assert scopes_that_open(method, path) == scopes


async def test_a_conversation_is_not_read_when_the_access_cannot_be_recorded() -> None:
    passed: list[str] = []
    recorded: list[dict[str, Any]] = []

    async def find(session_id: str, app: str) -> Any:
        return SimpleNamespace(id=session_id, app=app, principal="vis_1", service="chat")

    async def record(**action: Any) -> None:
        recorded.append(action)
        if len(recorded) > 1:
            raise Unavailable

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        passed.append(scope["state"]["principal"])

    async def ask() -> list[int]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        state = {"app": "demo", "operator_key": "key_a", "principal": "app_1"}
        scope: Any = {"type": "http", "method": "GET", "path": f"{SESSION}/messages", "state": state}
        store: Any = SimpleNamespace(
            app_sessions=SimpleNamespace(find=find), operator_actions=SimpleNamespace(record=record)
        )
        await OperatorAccess(app, store, {})(scope, None, send)  # type: ignore[arg-type]
        return [each["status"] for each in sent if each["type"] == "http.response.start"]

    assert (await ask(), passed) == ([], ["vis_1"])
    assert recorded == [{"app": "demo", "key_id": "key_a", "session_id": "ses_1", "action": "messages"}]
    assert (await ask(), passed) == ([503], ["vis_1"])
