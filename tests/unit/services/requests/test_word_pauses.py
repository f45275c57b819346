"""The demo model's pause after each word is for those who watch it write: an answer to a request has none."""

from __future__ import annotations

import pytest

from server.demo import DemoModel
from server.services import services
from tests.unit.demo.harness import RunnerHarness
from tests.unit.services.requests.golden import answer

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("service", ["decision", "translator", "c2c_validation"])
async def test_an_answer_to_a_request_has_no_pause_after_each_word(
    harness: RunnerHarness, service: str
) -> None:
    """With the delivered pause a translation of many texts took longer than a request may."""
    slow = await RunnerHarness.over(harness.store, DemoModel(delay=3_600))
    contract = services()[service].contract
    assert contract is not None
    assert await answer(slow, service, contract.request.model_validate(contract.example))
