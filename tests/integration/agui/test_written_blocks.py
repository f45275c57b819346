"""A caller that draws no blocks: questions reach it as texts with numbered options, and numbers answer them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from server.protocol.events import ours
from tests.integration.agui.caller import FORM_ANSWERS, MOST_MESSAGES, Caller, body_of
from tests.integration.conversation.seller import waiting_blocks
from tests.parts.agui_client import Json, Ran
from tests.parts.server import Served

pytestmark = pytest.mark.once

NewCaller = Callable[..., Caller]


async def begun(caller: NewCaller, at: Served, **options: str) -> Caller:
    """Return a caller that names in its address that it draws no blocks."""
    new = caller(at, **{key: value for key, value in options.items() if key != "thread"})
    thread = options.get("thread", new.thread)
    await new.begin(thread=thread, url=f"{at.url}/agui/{new.service}?blocks=text")
    return new


def last_words(ran: Ran) -> str:
    return str(next(each["content"] for each in reversed(ran.messages) if each["role"] == "assistant"))


def blocks_of(ran: Ran) -> list[Json]:
    """Return everything of a block that reached the client."""
    told = [each for each in ran.events if each.get("activityType") == "block"]
    return told + [each for each in ran.messages if each.get("activityType") == "block"]


class _Stored:
    def __init__(self, messages: list[Json]) -> None:
        self.messages = messages


@pytest.mark.conformance
async def test_a_sale_is_completed_by_numbers_alone(loopwire: Served, caller: NewCaller) -> None:
    seller = await begun(caller, loopwire)
    ran = await seller.say("Polly Magic")
    reloaded = await begun(caller, loopwire, cookie=seller.cookie, thread=seller.thread)
    again = await reloaded.client.ran(reloaded.agent)
    assert again.error is None
    assert last_words(again) == last_words(ran)
    for _ in range(MOST_MESSAGES):
        assert (ran.error, blocks_of(ran)) == (None, [])
        if ran.after["state"].get("status") == "complete":
            break
        (asked,) = waiting_blocks(_Stored(seller.stored(seller.session(ran))))  # type: ignore[arg-type]
        for number, choice in enumerate(asked.get("choices", ()), 1):
            assert f"{number}. {choice['label']}" in last_words(ran)
        text = "1" if asked["kind"] == "choices" else FORM_ANSWERS[asked.get("input", "text")]
        ran = await seller.say(text)
    assert ran.after["state"]["status"] == "complete"
    assert ran.after["state"]["item_id"]
    clicks = [each for each in seller.stored(seller.session(ran)) if each["role"] == "user"]
    assert "1" not in [each["content"] for each in clicks], "a number is stored as the words of its option"


async def test_a_number_that_is_sent_again_is_the_same_click(loopwire: Served, caller: NewCaller) -> None:
    seller = caller(loopwire, service="submission?blocks=text")
    seller.request("GET", "/v1/sessions")
    thread = seller.thread
    first = seller.post(body_of(thread, "r1", ("m1", "Polly Magic")))
    assert not [each for each in first if each.get("activityType") == "block"]
    pressed = seller.post(body_of(thread, "r2", ("m2", "1")))
    again = seller.post(body_of(thread, "r3", ("m2", "1")))
    assert ours(again[0])["run_id"] == ours(pressed[0])["run_id"] != ours(first[0])["run_id"]


async def test_an_unknown_form_of_blocks_is_refused(loopwire: Served, caller: NewCaller) -> None:
    seller = caller(loopwire, service="submission?blocks=html")
    refused = seller.request("POST", f"/agui/{seller.service}", body_of("t", "r", ("m", "Polly Magic")))
    assert (refused.status, refused.body["error"]["code"]) == (400, "bad_frame")
    known = seller.request("GET", "/agui/submission").body["custom"]["loopwire"]["blocks"]
    assert known == ["activity", "text"]
