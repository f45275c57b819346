"""A no to a proposed no: one that says the no again confirms it, one that says the opposite does not."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend

pytestmark = pytest.mark.asyncio(loop_scope="module")

EN = ("sony wh-1000xm4 black", "yes", "yes", "good", "yes", "yes", "20")


async def _proposed_no(harness: RunnerHarness) -> HarnessVisitor:
    visitor = await harness.visitor("en")
    for text in (*EN, "the aux cable is missing, no box"):
        await visitor.say(text)
    assert legend(visitor).startswith("I understood: No"), legend(visitor)
    return visitor


@pytest.mark.parametrize("said", ["no i do hav the case", "no, I have the pouch", "no, the box is there"])
async def test_a_no_before_the_opposite_stores_no_no(harness: RunnerHarness, said: str) -> None:
    visitor = await _proposed_no(harness)
    name = visitor.open_blocks()[0]["name"]
    await visitor.say(said)
    assert visitor.state["answers"].get(name) is None or "No" not in visitor.state["answers"][name]


async def test_a_no_that_is_said_again_is_stored(harness: RunnerHarness) -> None:
    visitor = await _proposed_no(harness)
    name = visitor.open_blocks()[0]["name"]
    await visitor.say("No, the box is not included.")
    assert visitor.state["answers"][name].startswith("No")
