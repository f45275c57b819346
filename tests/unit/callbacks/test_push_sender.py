"""The sender of pushes asks who a push is for before each attempt, and counts what it does not send."""

from __future__ import annotations

from typing import Any

import pytest

from server.callbacks import Guard, PushAccess, PushSender, Secrets
from server.callbacks.sender import LEASE_S, PostContent
from server.errors import Unavailable
from server.metrics import REGISTRY
from server.store import Callback, Recipient
from server.store.shares import NONE_FULL, FullShares

PUSH = Callback(
    id="psh_1",
    session_id="ses_1",
    run_id="",
    app="demo",
    url="",
    body='{"message":"msg_1","language":"en","name":"Ana"}',
    attempt=1,
    trace_context=None,
)


class Pushes:
    """Keeps what it is told of a push, whose recipient it knows or not."""

    def __init__(self, recipient: Recipient | None, *, away: bool = False) -> None:
        self.known, self.away = recipient, away
        self.needless: list[Callback] = []
        self.claims: list[tuple[str, float, FullShares]] = []

    async def claim(self, owner: str, lease_s: float, full: FullShares) -> Callback | None:
        self.claims.append((owner, lease_s, full))
        return PUSH

    async def recipient(self, push: Callback) -> Recipient | None:
        return self.known

    async def note_needless(self, push: Callback) -> None:
        if self.away:
            raise Unavailable
        self.needless.append(push)


class Unsent(PushSender):
    """A sender that posts nothing."""

    async def post(self, given: Callback, content: PostContent) -> int | None:
        raise AssertionError("nothing is to be posted")


def sender(pushes: Any) -> PushSender:
    async def is_here(principal: str) -> bool:
        return principal == "vis_here"

    secrets = Secrets({}, b"s" * 32)
    return Unsent(pushes, secrets, Guard(), owner="me", contact="mailto:ops@shop.example", is_here=is_here)


def needless() -> float:
    return REGISTRY.get_sample_value("loopwire_pushes_total", {"result": "needless"}) or 0


HERE = Recipient("vis_here", "https://push.example/1", "", "")


@pytest.mark.parametrize("recipient", [None, HERE], ids=["unsubscribed", "here"])
async def test_a_push_that_nobody_waits_for_is_not_posted_and_is_counted(recipient: Recipient | None) -> None:
    pushes, before = Pushes(recipient), needless()
    await sender(pushes).deliver(PUSH)
    assert (pushes.needless, needless()) == ([PUSH], before + 1)


async def test_a_push_that_is_not_posted_is_counted_though_it_cannot_be_noted() -> None:
    before = needless()
    with pytest.raises(Unavailable):
        await sender(Pushes(HERE, away=True)).deliver(PUSH)
    assert needless() == before + 1


def test_the_address_of_a_subscription_is_judged_by_the_guard_that_pushes_go_through() -> None:
    guard = Guard(["push.example:8443"])
    assert PushAccess.of(Secrets({}, b"s" * 32), guard).guard is guard


async def test_a_push_is_claimed_in_the_name_of_its_sender() -> None:
    pushes = Pushes(None)
    assert await sender(pushes).claim() == PUSH
    assert pushes.claims == [("me", LEASE_S, NONE_FULL)]
