"""From the first word to a complete item, by typing only and by clicking only, on both backends."""

from __future__ import annotations

from typing import Any

import pytest

from server.protocol.transcript import Transcript
from tests.integration.conversation.rows import answers_of, items_of
from tests.integration.conversation.seller import Seller, clicked, typed, waiting_blocks
from tests.parts.sampled import later

BY = {"typing": typed, "clicking": clicked}
OPENINGS = {
    ("pt", "typing"): "quero vender uma cadeira Tripp Trapp",
    ("pt", "clicking"): "carrinho de bebé",
    ("en", "typing"): "I want to sell a Polly Magic",
    ("en", "clicking"): "headphones",
}
SAMPLE = (("pt", "typing"),)
"""English and clicks have their whole sales in other files."""


@pytest.mark.once
@pytest.mark.parametrize(
    ("language", "by"), [*SAMPLE, *(later(*each) for each in OPENINGS if each not in SAMPLE)]
)
async def test_a_conversation_leads_to_a_complete_item(
    loopwire: Any, backend: Any, sellers: Any, language: str, by: str
) -> None:
    seller = sellers(loopwire, language=language, answer=BY[by], opening=OPENINGS[language, by])
    tab = await seller.begin()
    transcript = await seller.sell()
    assert transcript.state["status"] == "complete"
    item = seller.item()
    assert (item["status"], item["reference"]) == ("complete", transcript.state["reference"])
    assert item["product"] == transcript.state["product"]
    assert {each["element_id"]: each["shown"] for each in item["answers"]} == transcript.state["answers"]
    assert len(item["answers"]) == transcript.state["total"] == transcript.state["position"]
    assert "token" not in item
    (row,) = await items_of(loopwire, backend, seller.talk.session)
    assert (row["id"], row["status"]) == (item["id"], "complete")
    assert len(await answers_of(loopwire, backend, item["id"])) == transcript.state["total"]
    assert_everything_is_told(seller, transcript)
    assert row["token"] not in str(tab.frames)


def assert_everything_is_told(seller: Seller, transcript: Transcript) -> None:
    """The fold is what is stored, nothing waits any more, all four agents had their turn, the card closes it."""
    assert seller.stored() == transcript.messages
    assert not waiting_blocks(transcript)
    assert not transcript.open_texts
    assert not transcript.open_calls
    assert not transcript.steps
    handed = [each["content"]["to"] for each in transcript.messages if each.get("activityType") == "handoff"]
    assert [each.removeprefix("loop_os_ai_submission_") for each in handed] == [
        "product_options_agent",
        "create_item_agent",
        "protocol_agent",
    ]
    cards = [each["content"] for each in transcript.messages if each.get("activityType") == "block"]
    assert cards[-1]["kind"] == "card"
    assert cards[-1]["reference"] == transcript.state["reference"]
    assert [each["kind"] for each in cards].count("card") == 1


@pytest.mark.conformance
@pytest.mark.once
async def test_a_reload_after_the_end_shows_the_same(seller: Seller) -> None:
    await seller.begin()
    transcript = await seller.sell()
    again = await seller.tab()
    assert again.transcript.messages == transcript.messages[-50:]
    assert again.transcript.state == transcript.state
    assert again.transcript.run is not None
    assert again.transcript.run.status == "finished"
