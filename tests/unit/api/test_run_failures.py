"""The answer to a request whose run failed: its status, its code, and when it is worth repeating."""

from __future__ import annotations

import pytest

from server.api.deep_chat.errors import failure_of_chat
from server.api.requests.endpoint import failure_of, retry_headers
from server.words import failure_sentence
from tests.unit.agents.outlet import run_row


@pytest.mark.parametrize(
    ("code", "status", "again"),
    [
        ("model_busy", 503, True),
        ("core_unavailable", 503, True),
        ("instance_lost", 503, True),
        ("model_error", 502, False),
        ("model_timeout", 504, False),
        ("limit", 504, False),
    ],
)
def test_503_says_when_to_come_back(code: str, status: int, again: bool) -> None:
    run = run_row([], status="finished", outcome="error", code=code)
    found, body = failure_of(run)
    assert found == status
    assert body["error"].get("retry_after") == (5 if again else None)
    assert retry_headers(found) == ({"retry-after": "5"} if again else {})
    found, told = failure_of_chat(run, "en")
    assert (found, told["error"]) == (status, failure_sentence(code, "en"))
    assert told.get("retry_after") == (5 if again else None)
