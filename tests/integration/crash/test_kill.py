"""Kill -9 at every kind of place of a whole submission: the same client reconnects, and there is one complete item."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.conversation.rows import answers_of, items_of, runs_of
from tests.integration.conversation.seller import Seller, Stubborn, plain, waiting_blocks
from tests.integration.crash.restarting_server import RestartingServer
from tests.parts.sampled import later
from tests.parts.server import Backend
from tests.parts.wait import until_async

CALL, RESULT = "publish.TOOL_CALL_START", "publish.TOOL_CALL_RESULT"

# A conversation has seven messages; the second one passes all four agents and five of the tools.
# Each line is one conversation: at which message it dies where. A run may lose its holder once.
PLANS: dict[str, dict[int, str]] = {
    "the search": {0: f"{CALL}:0", 2: "submit.before_commit"},
    "the confirmed product": {0: f"{RESULT}:0", 1: f"{CALL}:0", 3: "submit.after_commit"},
    "the first handoff": {1: "publish.STEP_STARTED:0", 4: "append.TEXT_MESSAGE_CONTENT:0"},
    "before the item": {1: f"{CALL}:2", 6: "finish.before_commit"},
    "in the item": {1: "append.ACTIVITY_SNAPSHOT:0", 2: "finish.after_commit"},
    "after the item": {1: f"{RESULT}:2", 5: "publish.after_append"},
    "the questions": {1: f"{CALL}:3", 4: "publish.after_published"},
    "the first question": {1: f"{RESULT}:3", 2: f"{CALL}:0"},
    "the last answer": {0: "publish.RUN_STARTED", 6: f"{RESULT}:0"},
    "the end": {1: f"{RESULT}:0", 6: "finish.after_commit"},
}

SAMPLE = ("the confirmed product",)
"""With those of other files each kind of place is tried in each run: around a commit, in a call, in a text."""


@pytest.mark.parametrize("plan", [*SAMPLE, *(later(each) for each in PLANS if each not in SAMPLE)])
async def test_a_conversation_survives_kills_at_every_kind_of_place(
    restarting: RestartingServer, embedded: Backend, at: Callable[[RestartingServer], Seller], plan: str
) -> None:
    await survived(restarting, embedded, at(restarting), PLANS[plan])


ELSEWHERE = [later("in the item"), later("the end")]


@pytest.mark.parametrize("plan", ELSEWHERE)
async def test_a_conversation_survives_kills_over_external_redis_and_database(
    other_restarting: RestartingServer,
    configured: Backend,
    at: Callable[[RestartingServer], Seller],
    plan: str,
) -> None:
    await survived(other_restarting, configured, at(other_restarting), PLANS[plan])


async def survived(
    restarting: RestartingServer, backend: Backend, seller: Seller, plan: dict[int, str]
) -> None:
    """Go through a conversation that dies as planned, and look at what is left."""
    await seller.begin()
    client = Stubborn(seller)
    sent: list[Any] = []
    deaths = restarting.deaths
    while (content := seller.next_message()) is not None:
        if (place := plan.get(len(sent))) is not None:
            restarting.die_at(place)
        sent.append(content)
        await client.say(content)
        await until_async(restarting.died, what=f"the death at {place}")
    await until_async(lambda: restarting.deaths == deaths + len(plan), seconds=120, what="the last new life")
    await client.settled()
    await assert_one_item(restarting, backend, seller, sent)
    assert client.reconnects == len(plan)


async def assert_one_item(
    restarting: RestartingServer, backend: Backend, seller: Seller, sent: list[Any]
) -> None:
    """Everything that was said is there once, in its order; the item is complete; nothing is open."""
    transcript, session = seller.talk.transcript, seller.talk.session
    (item,) = await items_of(restarting.served, backend, session)
    assert item["status"] == "complete"
    assert len(await answers_of(restarting.served, backend, item["id"])) == transcript.state["total"] == 5
    told = await until_async(
        lambda: all_published(restarting, backend, session), what="all ends to be published"
    )
    assert [each["outcome"] for each in told] == ["success"] * len(sent)
    stored = seller.stored()
    assert stored == transcript.messages
    said = [each["metadata"]["loopwire"]["content"] for each in stored if each["role"] == "user"]
    assert said == sent
    fresh = await seller.back(position=False)
    assert fresh.transcript.messages == stored[-50:]
    assert fresh.transcript.state == transcript.state
    assert not waiting_blocks(transcript)


async def all_published(
    restarting: RestartingServer, backend: Backend, session: str
) -> list[dict[str, Any]] | None:
    """Return the runs of a session, once all are finished and published."""
    found = await runs_of(restarting.served, backend, session)
    return found if all(each["published"] and each["status"] == "finished" for each in found) else None


@pytest.mark.conformance
async def test_a_killed_conversation_leaves_the_same_as_an_undisturbed_one(
    restarting: RestartingServer, embedded: Backend, at: Callable[[RestartingServer], Seller]
) -> None:
    calm, shaken = at(restarting), at(restarting)
    await calm.begin()
    expected = await calm.sell()
    await survived(restarting, embedded, shaken, {1: f"{CALL}:1", 3: "append.TEXT_MESSAGE_CONTENT:2"})
    assert plain(shaken.talk.transcript) == plain(expected)
