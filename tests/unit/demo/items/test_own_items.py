"""The person's own items in a conversation: all of them, one by its reference, this sale's, and no other person's."""

from __future__ import annotations

import pytest

from tests.unit.agents.teams import ScriptedModel, assistant_message, function_call
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

pytestmark = pytest.mark.asyncio(loop_scope="module")

SALE = ("quero vender um iPhone 12 preto de 128 gb", "sim", "Sim, criar o artigo")


async def seller(harness: RunnerHarness) -> HarnessVisitor:
    """A seller whose item has been created."""
    visitor = await harness.visitor("pt")
    for text in SALE:
        await visitor.say(text)
    assert visitor.state["reference"].startswith("LW-")
    return visitor


async def beside(harness: RunnerHarness, one: HarnessVisitor, service: str = "chat") -> HarnessVisitor:
    """Return another conversation of the same person."""
    session = await harness.store.sessions.create(
        app="demo", principal=one.principal, service=service, language="pt"
    )
    return HarnessVisitor(harness, session.id, one.principal, "pt")


async def test_the_item_of_the_sale_is_told_while_its_questions_wait(harness: RunnerHarness) -> None:
    visitor = await seller(harness)
    open_before = [each["id"] for each in visitor.open_blocks()]
    reply = await visitor.say("o que criei?")
    assert reply.calls == ["get_my_item"]
    assert visitor.state["reference"] in reply.text and "128 GB" in reply.text
    assert [each["id"] for each in visitor.open_blocks()] == open_before


@pytest.mark.parametrize("service", ["chat", "submission"])
async def test_an_item_of_the_person_is_looked_up_by_its_reference(
    harness: RunnerHarness, service: str
) -> None:
    first = await seller(harness)
    reference = first.state["reference"]
    reply = await (await beside(harness, first, service)).say(f"como está o {reference}?")
    assert reply.calls == ["list_my_items", "get_my_item"]
    assert reference in reply.text and "iPhone 12" in reply.text and "128 GB" in reply.text


async def test_all_items_are_told_in_a_sale_too(harness: RunnerHarness) -> None:
    first = await seller(harness)
    reply = await (await beside(harness, first, "submission")).say("que artigos tenho?")
    assert reply.calls == ["list_my_items"]
    assert first.state["reference"] in reply.text


async def test_a_reference_of_another_person_is_not_found(harness: RunnerHarness) -> None:
    reference = (await seller(harness)).state["reference"]
    stranger = await harness.visitor("pt", "chat")
    reply = await stranger.say(f"como está o {reference}?")
    assert reply.calls == ["list_my_items"]
    assert "Não encontro" in reply.text


async def test_a_model_that_names_the_item_of_another_person_is_told_that_there_is_none(
    harness: RunnerHarness,
) -> None:
    item = (await (await seller(harness)).items())[0]
    model = ScriptedModel(
        [
            [function_call("get_my_item", {"item_id": item.id}, call_id="c1")],
            [function_call("get_my_item", {"item_id": None}, call_id="c2")],
            [assistant_message("Não há.")],
        ]
    )
    stranger = await RunnerHarness(harness.store, harness.core, model).visitor("pt", "chat")
    await stranger.say("mostra-me esse artigo")
    assert str(model.calls[2].input).count('"not_found"') == 2
    assert item.reference not in str(model.calls[2].input)
