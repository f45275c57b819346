"""An app that wants a person's yes before an item is made: given, refused, or passed over by writing something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conversation.rows import items_of
from tests.integration.conversation.seller import Seller, new_frame_id, waiting_blocks
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once

READY = ("quero vender um iPhone 12 preto de 128", "sim", "sim")
WANTED = {"Produto": "iPhone 12", "Marca": "Apple", "Armazenamento": "128 GB", "Cor": "Preto"}

Asking = tuple[Served, Backend]


@pytest.fixture(scope="module")
def asking(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    """Yield a server whose app asks before `create_item`, and what it stands on."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_item"]\n')
    pace = {"LOOPWIRE_APPS": str(file), "LOOPWIRE_DEMO_DELAY_MS": "0"}
    with apart(backend) as own, served({**pace, **own.environment}) as running:
        yield running, own


@pytest.fixture
async def seller_at_approval(asking: Asking, sellers: Callable[..., Seller]) -> Seller:
    """Return a seller who is being asked whether the item may be made."""
    seller: Seller = sellers(asking[0])
    await seller.begin()
    for message in READY:
        await seller.say(message)
    return seller


def approvals(seller: Seller) -> list[dict[str, Any]]:
    """Return what was asked for, the newest last."""
    shown = [each["content"] for each in seller.talk.transcript.messages if each["role"] == "activity"]
    return [each for each in shown if each.get("kind") == "approval"]


async def answer(seller: Seller, **payload: Any) -> None:
    """Say yes or no to what is asked."""
    entry = {"interrupt_id": approvals(seller)[-1]["interrupt_id"], "status": "resolved", "payload": payload}
    await seller.answer_frame({"type": "resume", "id": new_frame_id(), "entries": [entry]})


def pairs(seller: Seller) -> dict[str, str]:
    """Return the facts beside the question."""
    return {each["label"]: each["value"] for each in approvals(seller)[-1]["pairs"]}


async def test_the_item_is_made_when_the_person_approves(asking: Asking, seller_at_approval: Seller) -> None:
    assert [each["status"] for each in approvals(seller_at_approval)] == ["open"]
    assert pairs(seller_at_approval) == WANTED
    assert await items_of(*asking, seller_at_approval.talk.session) == []
    await answer(seller_at_approval, approved=True)
    assert [each["name"] for each in waiting_blocks(seller_at_approval.talk.transcript)] == [
        "smartphones.condition"
    ]
    await seller_at_approval.sell()
    (row,) = await items_of(*asking, seller_at_approval.talk.session)
    assert row["status"] == "complete"
    assert seller_at_approval.stored() == seller_at_approval.talk.transcript.messages


@pytest.mark.conformance
async def test_the_agent_asks_what_changes_after_a_no_and_goes_on(
    asking: Asking, seller_at_approval: Seller
) -> None:
    await answer(seller_at_approval, approved=False, reason="a cor")
    assert approvals(seller_at_approval)[-1]["status"] == "declined"
    (what,) = waiting_blocks(seller_at_approval.talk.transcript)
    assert [each["label"] for each in what["choices"]] == ["Armazenamento", "Cor"]
    await seller_at_approval.say("é branco")
    assert pairs(seller_at_approval) == WANTED | {"Cor": "Branco"}
    assert [each["status"] for each in approvals(seller_at_approval)] == ["declined", "open"]
    assert await items_of(*asking, seller_at_approval.talk.session) == []
    await answer(seller_at_approval, approved=True)
    await seller_at_approval.sell()
    (row,) = await items_of(*asking, seller_at_approval.talk.session)
    assert (row["status"], seller_at_approval.item()["options"]["Cor"]) == ("complete", "Branco")


@pytest.mark.parametrize(
    ("said", "colour"), [("afinal é azul", "Azul"), later("sim, pode criar", "Preto")], ids=["change", "yes"]
)
async def test_a_message_instead_of_an_answer_closes_the_approval_and_counts(
    asking: Asking, seller_at_approval: Seller, said: str, colour: str
) -> None:
    await seller_at_approval.say(said)
    assert [each["status"] for each in approvals(seller_at_approval)] == ["closed", "open"]
    assert pairs(seller_at_approval)["Cor"] == colour
    await answer(seller_at_approval, approved=True)
    await seller_at_approval.sell()
    (row,) = await items_of(*asking, seller_at_approval.talk.session)
    assert (row["status"], seller_at_approval.item()["options"]["Cor"]) == ("complete", colour)
    assert seller_at_approval.stored() == seller_at_approval.talk.transcript.messages


async def test_a_message_that_is_no_answer_is_told_which_word_approves(
    asking: Asking, sellers: Callable[..., Seller]
) -> None:
    """Of a product without options nothing else is open: the same card again would say nothing."""
    seller = sellers(asking[0], language="en")
    await seller.begin()
    for message in ("Bimby TM5", "yes", "hmm wait"):
        await seller.say(message)
    assert [each["status"] for each in approvals(seller)] == ["closed"]
    assert "“yes”" in seller.talk.transcript.messages[-1]["content"]
    await seller.say("yes")
    assert [each["status"] for each in approvals(seller)] == ["closed", "open"]
