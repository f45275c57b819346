"""A whole submission by AG-UI's own client: every answer passes its checks, and it knows what we know."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.protocol.events import ours
from tests.integration.agui.caller import MOST_MESSAGES, Caller, body_of, events_in, next_text, told
from tests.integration.conversation.seller import waiting_blocks
from tests.parts.agui_client import Ran
from tests.parts.server import Served

NewCaller = Callable[..., Caller]


async def sell(caller: Caller) -> list[Ran]:
    """Go through the whole conversation; returns its runs."""
    runs: list[Ran] = []
    text: str | None = "Polly Magic"
    while text is not None:
        assert len(runs) < MOST_MESSAGES
        runs.append(await caller.say(text))
        text = next_text(runs[-1])
    return runs


@pytest.mark.once
async def test_a_submission_ends_with_a_complete_item_that_the_client_knows(
    loopwire: Served, caller: NewCaller
) -> None:
    seller = caller(loopwire)
    await seller.begin()
    runs = await sell(seller)
    for ran in runs:
        assert ran.error is None
        assert ran.types()[:2] == ["RUN_STARTED", "STATE_SNAPSHOT"]
        assert ran.events[0]["threadId"] == seller.thread == ran.after["threadId"]
        assert ran.events[0]["protocolVersion"] == "1.0"
        assert ran.types()[-1] == "RUN_FINISHED"
        assert ran.outcome == "success"
        assert ran.pending_calls == []
    session = seller.session(runs[0])
    assert {seller.session(each) for each in runs} == {session}
    last = runs[-1]
    assert last.after["state"]["status"] == "complete"
    assert last.after["state"] == seller.request("GET", f"/v1/sessions/{session}").body["state"]
    stored = seller.stored(session)
    card = next(each["content"] for each in stored if "link" in (each.get("content") or ""))
    assert card["link"].startswith("/items/")
    card["link"] = loopwire.url + card["link"]  # A client of AG-UI is no page of the server.
    assert [told(each) for each in last.messages] == stored
    seen = {kind for each in runs for kind in each.types()}
    assert seen >= {"STEP_STARTED", "TOOL_CALL_RESULT", "STATE_DELTA", "ACTIVITY_SNAPSHOT"}
    handoffs = [each for each in last.messages if each.get("activityType") == "handoff"]
    assert {each["content"]["status"] for each in handoffs} == {"done"}
    assert "MESSAGES_SNAPSHOT" not in seen
    assert len({ours(each.events[0])["run_id"] for each in runs}) == len(runs)
    said = [(each["id"], each["content"]) for each in stored if each["role"] == "user"]
    secure = {"authorization": f"Bearer {ours(last.events[0])['resume_token']}", "x-forwarded-proto": "https"}
    again = events_in(seller.opened(body_of(seller.thread, "again", said[-1]), secure).read())
    links = [each["content"].get("link") for each in again if each["type"] == "ACTIVITY_SNAPSHOT"]
    assert card["link"].replace("http:", "https:") in links


@pytest.mark.once
async def test_the_value_of_a_choice_as_text_is_a_click(loopwire: Served, caller: NewCaller) -> None:
    """A caller that shows the options and sends the text of one has pressed it, also when sent again."""
    seller = caller(loopwire)
    await seller.begin()
    asked = waiting_blocks(await seller.say("iPhone"))[-1]
    choice = asked["choices"][1]
    assert choice["value"] != choice["label"]
    id = await seller.add(choice["value"])
    ran = await seller.client.wait(seller.client.begin(seller.agent))
    assert ran.error is None
    session = seller.session(ran)
    assert ran.after["state"]["product"] == choice["label"]
    said = next(each for each in seller.stored(session) if each["id"] == id)
    assert said["content"] == choice["label"]
    folded = next(each for each in seller.stored(session) if each["id"] == asked["id"])
    assert folded["content"]["answer"]["value"] == choice["value"]
    again = seller.post(body_of(seller.thread, "again", (id, choice["value"])))
    assert ours(again[0])["run_id"] == ours(ran.events[0])["run_id"]
    assert again[-1]["type"] == "RUN_FINISHED"
