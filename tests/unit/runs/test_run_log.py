"""The log line of a run's end: what it cost, as far as that is known."""

from __future__ import annotations

import logging
import time
from typing import Any

import pytest

from server.agents.run.types import Result
from server.runs.execution.run_log import log_end
from tests.unit.agents.outlet import session_row
from tests.unit.runs.test_ending import claim_of


@pytest.mark.parametrize(
    ("cost", "logged"),
    [
        ({}, {"tokens": 0}),
        ({"model": "m", "totalTokens": 5}, {"tokens": 5, "model": "m", "cost": "unknown"}),
        (
            {"model": "m", "inputTokens": 2, "outputTokens": 1, "costNano": 1_500_000_000, "currency": "EUR"},
            {"tokens": 3, "model": "m", "cost": 1.5, "currency": "EUR"},
        ),
    ],
)
def test_the_log_line_of_a_run_names_its_ids_code_and_cost(
    caplog: pytest.LogCaptureFixture, cost: dict[str, Any], logged: dict[str, Any]
) -> None:
    caplog.set_level(logging.INFO, "server.runs.execution.run_log")
    claim = claim_of(attempt=2, session=session_row(service="chat", app="shop"))
    log_end(claim, Result("error", "limit", [], None), cost, time.monotonic() - 100)
    (line,) = caplog.records
    about: Any = line
    assert (about.session_id, about.run_id) == ("ses_1", claim.run.id)
    assert 100_000 <= about.fields.pop("ms") < 200_000
    of_run = {"service": "chat", "app": "shop", "outcome": "error", "code": "limit", "attempt": 2}
    assert about.fields == {**of_run, **logged}
