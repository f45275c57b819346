"""The limits of a run in the services as they are, and in one that says nothing: the numbers of the promise."""

import pytest

from server.agents.service import RunLimits
from server.services import services

LIMITS = {"chat": services()["chat"].limits, "submission": services()["submission"].limits}


def test_every_service_is_looked_at():
    assert set(services()) == set(LIMITS)


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [(LIMITS["chat"], 300), (LIMITS["submission"], 300), (RunLimits(), 120)],
    ids=["chat", "submission", "any other"],
)
def test_a_run_ends_where_the_promise_says(limits, seconds):
    assert (limits.model_calls, limits.tool_calls, limits.tokens, limits.seconds) == (
        10,
        20,
        300_000,
        seconds,
    )
