"""Which scope of a key opens which request."""

from __future__ import annotations

import pytest

from server.http.operator_access import scopes_that_open

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
