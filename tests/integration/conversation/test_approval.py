"""An app that wants a person's yes before an item is made: given, refused, or passed over by writing something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conversation.rows import items_of
from tests.integration.conversation.seller import Seller, new_frame_id, waiting_blocks
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once

READY = ("quero vender um iPhone 12 preto de 128", "sim", "sim")
WANTED = {"Produto": "iPhone 12", "Marca": "Apple", "Armazenamento": "128 GB", "Cor": "Preto"}

Asking = tuple[Served, Backend]


@pytest.fixture(scope="module")
def asking(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asking]:
    """A server whose app asks before `create_item`, and what it stands on."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_item"]\n')
    pace = {"LOOPWIRE_APPS": str(file), "LOOPWIRE_DEMO_DELAY_MS": "0"}
    with apart(backend) as own, served({**pace, **own.environment}) as running:
        yield running, own


@pytest.fixture
async def asked(asking: Asking, sellers: Callable[..., Seller]) -> Seller:
    """A seller who is being asked whether the item may be made."""
    seller: Seller = sellers(asking[0])
    await seller.begin()
    for message in READY:
        await seller.say(message)
    return seller


def approvals(seller: Seller) -> list[dict[str, Any]]:
    """What was asked for, the newest last."""
    shown = [each["content"] for each in seller.talk.transcript.messages if each["role"] == "activity"]
    return [each for each in shown if each.get("kind") == "approval"]


async def answer(seller: Seller, **payload: Any) -> None:
    """Say yes or no to what is asked."""
    entry = {"interrupt_id": approvals(seller)[-1]["interrupt_id"], "status": "resolved", "payload": payload}
    await seller.answer_frame({"type": "resume", "id": new_frame_id(), "entries": [entry]})


def pairs(seller: Seller) -> dict[str, str]:
    """The facts beside the question."""
    return {each["label"]: each["value"] for each in approvals(seller)[-1]["pairs"]}


async def test_the_item_is_made_when_somebody_says_yes(asking: Asking, asked: Seller) -> None:
    assert [each["status"] for each in approvals(asked)] == ["open"]
    assert pairs(asked) == WANTED
    assert await items_of(*asking, asked.talk.session) == []
    await answer(asked, approved=True)
    assert [each["name"] for each in waiting_blocks(asked.talk.transcript)] == ["smartphones.condition"]
    await asked.sell()
    (row,) = await items_of(*asking, asked.talk.session)
    assert row["status"] == "complete"
    assert asked.stored() == asked.talk.transcript.messages


async def test_after_a_no_the_agent_asks_what_changes_and_goes_on(asking: Asking, asked: Seller) -> None:
    await answer(asked, approved=False, reason="a cor")
    assert approvals(asked)[-1]["status"] == "declined"
    (what,) = waiting_blocks(asked.talk.transcript)
    assert [each["label"] for each in what["choices"]] == ["Armazenamento", "Cor"]
    await asked.say("é branco")
    assert pairs(asked) == WANTED | {"Cor": "Branco"}
    assert [each["status"] for each in approvals(asked)] == ["declined", "open"]
    assert await items_of(*asking, asked.talk.session) == []
    await answer(asked, approved=True)
    await asked.sell()
    (row,) = await items_of(*asking, asked.talk.session)
    assert (row["status"], asked.item()["options"]["Cor"]) == ("complete", "Branco")


@pytest.mark.parametrize(
    ("said", "colour"), [("afinal é azul", "Azul"), ("sim, pode criar", "Preto")], ids=["change", "yes"]
)
async def test_what_is_written_instead_of_an_answer_counts(
    asking: Asking, asked: Seller, said: str, colour: str
) -> None:
    await asked.say(said)
    assert [each["status"] for each in approvals(asked)] == ["closed", "open"]
    assert pairs(asked)["Cor"] == colour
    await answer(asked, approved=True)
    await asked.sell()
    (row,) = await items_of(*asking, asked.talk.session)
    assert (row["status"], asked.item()["options"]["Cor"]) == ("complete", colour)
    assert asked.stored() == asked.talk.transcript.messages


async def test_what_is_no_answer_is_told_what_it_waits_for(
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
