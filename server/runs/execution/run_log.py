"""The log line of a run's end: outcome and cost."""

import logging
import time

from server.agents.run.runner import Result
from server.metrics import count_run
from server.prices import NANO
from server.store import Claim
from server.store.conversations.budgets import tokens_of
from server.store.rows import Json

log = logging.getLogger(__name__)


def log_end(claim: Claim, result: Result, cost: Json, began: float) -> None:
    """Count and log an end that was committed; `began` is when this process claimed the run, by the monotonic clock."""
    seconds = time.monotonic() - began
    count_run(claim.session.service, result.outcome, result.code, seconds, cost)
    fields = {
        "service": claim.session.service,
        "app": claim.session.app,
        "outcome": result.outcome,
        "code": result.code,
        "attempt": claim.run.attempt,
        "ms": round(1000 * seconds),
        "tokens": tokens_of(cost),
        "model": cost.get("model"),
        "cost": _amount(cost),
        "currency": cost.get("currency"),
    }
    known = {name: value for name, value in fields.items() if value is not None}
    log.info("run ended", extra={"session_id": claim.session.id, "run_id": claim.run.id, "fields": known})


def _amount(cost: Json) -> float | str | None:
    """Return the cost in units of its currency, "unknown" where the model has no price, None without a model."""
    if "costNano" in cost:
        return float(cost["costNano"]) / NANO
    return "unknown" if "model" in cost else None
