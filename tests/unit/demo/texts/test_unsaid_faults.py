"""A fault that the seller tells and no answer says reaches the item's last text, and only with a yes."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

SALE = ("a bugaboo fox", "yes", "black", "good", "yes", "clean", "no", "2022", "yes", "rain cover")
TEXT = "strollers.accessories"


async def _sold(harness: RunnerHarness, *more: str) -> HarnessVisitor:
    visitor = await harness.visitor("en")
    for each in (*SALE, *more):
        await visitor.say(each)
    return visitor


async def test_a_no_to_an_addition_leaves_the_text_and_the_item_complete(harness: RunnerHarness) -> None:
    visitor = await _sold(harness, "ah and the handle is torn, put that in")
    assert visitor.state["answers"][TEXT] == "rain cover", "nothing is kept before the yes"
    await visitor.say("no")
    assert visitor.state["answers"][TEXT] == "rain cover"
    assert visitor.state["status"] == "complete"


async def test_other_words_are_added_instead_and_asked_back(harness: RunnerHarness) -> None:
    visitor = await _sold(harness, "ah and the handle is torn, put that in", "No, it's the hood that is torn")
    assert visitor.state["answers"][TEXT] == "rain cover"
    await visitor.say("yes")
    assert visitor.state["answers"][TEXT] == "rain cover; it's the hood that is torn"


async def test_a_fault_that_changes_no_answer_is_added_and_not_refused(harness: RunnerHarness) -> None:
    visitor = await _sold(harness, "forgot to say the brake is stuck", "yes")
    assert visitor.state["answers"][TEXT] == "rain cover; the brake is stuck"


async def test_a_fault_whose_addition_was_refused_is_not_offered_again(harness: RunnerHarness) -> None:
    visitor = await _sold(harness, "the handle is torn", "no", "the hood is loose", "yes")
    assert visitor.state["answers"][TEXT] == "rain cover; the hood is loose"


async def test_a_denied_fault_is_not_offered(harness: RunnerHarness) -> None:
    visitor = await _sold(harness)
    assert visitor.state["status"] == "complete"
    reply = await visitor.say("no scratches and nothing is broken")
    assert "I understood" not in str(reply.blocks)
    assert visitor.state["answers"][TEXT] == "rain cover"


REDMI = ("Redmi Note 10 Pro 128gb cinzento, vidro rachado, sem caixa", "sim", "sim", "mau", "sim", "98")


@pytest.mark.parametrize(("screen", "notes"), [("não", "sem caixa"), ("sim", "sem caixa; vidro rachado")])
async def test_a_no_to_whether_the_screen_is_intact_tells_of_its_crack(
    harness: RunnerHarness, screen: str, notes: str
) -> None:
    visitor = await harness.visitor("pt")
    for each in (*REDMI, screen, "03/2021", "sim"):
        await visitor.say(each)
    if visitor.open_blocks():
        await visitor.say("sim")
    assert visitor.state["answers"]["smartphones.notes"] == notes
    assert visitor.state["status"] == "complete"
