"""The limits of a run in the shipped services, and in one without limits of its own: the numbers of the promise."""

import pytest

from server.agents.service import RunLimits
from server.services import services

LIMITS = {name: each.limits for name, each in services().items() if each.contract is None}
REQUESTS = {name: each.limits for name, each in services().items() if each.contract is not None}


def test_the_limits_of_every_service_are_checked():
    assert set(LIMITS) == {"chat", "submission"}


@pytest.mark.parametrize("limits", REQUESTS.values(), ids=REQUESTS)
def test_the_limits_of_a_request_are_those_of_the_promise(limits):
    assert limits.seconds == 120
    assert limits.model_calls <= 10
    assert limits.tool_calls <= 20


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [(LIMITS["chat"], 300), (LIMITS["submission"], 300), (RunLimits(), 120)],
    ids=["chat", "submission", "any other"],
)
def test_the_limits_of_a_run_are_those_of_the_promise(limits, seconds):
    assert (limits.model_calls, limits.tool_calls, limits.tokens, limits.seconds) == (
        10,
        20,
        300_000,
        seconds,
    )
