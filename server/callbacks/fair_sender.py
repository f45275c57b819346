"""A sender whose receivers are named by callers: a slow one, or a caller who names many, leaves room for others."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from server.callbacks.guard import Guard, parse_url
from server.callbacks.sender import AT_ONCE, PUT_BACK_S, CallbackQueue, Sender
from server.callbacks.signing import Secrets
from server.errors import Unavailable, UrlNotAllowed
from server.identity import STRANGER_PREFIXES
from server.store.posts import Callback
from server.store.shares import NONE_FULL, FullShares, receiver_of

POSTS_PER_RECEIVER = 2
"""Posts that a process makes at once to one host for one app."""

POSTS_PER_ORDERER = 2
"""Posts that a process makes at once for one principal: it may name as many hosts as it likes."""


class ReceiverQueue(CallbackQueue, Protocol):
    """An outbox whose receivers are many."""

    async def claim(self, owner: str, lease_s: float, full: FullShares = NONE_FULL) -> Callback | None:
        """Take what is due, but for those whose share is full."""


@dataclass(frozen=True, slots=True)
class _Post:
    """A post that is under way."""

    receiver: str
    """The name in the outbox."""
    host: str
    """The app and the host, however that is written."""
    orderer: str


class FairSender(Sender):
    """Posts to many receivers, and claims for those that have room."""

    posts_per_receiver = POSTS_PER_RECEIVER
    posts_of_strangers = AT_ONCE
    """Posts that a process makes at once for all visitors and callers without a key: one may be many of them."""

    def __init__(
        self, outbox: ReceiverQueue, secrets: Secrets, guard: Guard, *, owner: str, **options: Any
    ) -> None:
        """Post as `owner`; the options are those of every sender."""
        super().__init__(outbox, secrets, guard, owner=owner, **options)
        self._receivers = outbox
        self._under_way: dict[tuple[str, int], _Post] = {}
        """By the id of the post and its attempt."""

    async def claim(self) -> Callback | None:
        """Claim a post that is due, of a receiver and an orderer that have room."""
        return await self._receivers.claim(self._owner, self._lease_s, self._full())

    def _full(self) -> FullShares:
        """Return whose shares are full."""
        posts = self._under_way.values()
        orderers = Counter(each.orderer for each in posts)
        strangers = sum(each.orderer.startswith(STRANGER_PREFIXES) for each in posts)
        return FullShares(
            receivers=frozenset(each.receiver for each in posts if self._is_full(each.host)),
            orderers=frozenset(each for each, count in orderers.items() if count >= POSTS_PER_ORDERER),
            strangers=strangers >= self.posts_of_strangers,
        )

    def begin(self, claimed: Callback) -> None:
        """Post it, unless its host is full: the outbox does not know one host that is written in several ways."""
        host = _host_of(claimed)
        if self._is_full(host):
            self._posts.spawn(self._put_back(claimed), name=f"callback {claimed.id} for later")
            return
        self._under_way[claimed.id, claimed.attempt] = _Post(receiver_of(claimed), host, claimed.orderer)
        super().begin(claimed)

    def _is_full(self, host: str) -> bool:
        return sum(each.host == host for each in self._under_way.values()) >= self.posts_per_receiver

    async def _put_back(self, callback: Callback) -> None:
        try:
            with suppress(Unavailable):  # It is due again when the lease has expired.
                await self._receivers.put_back(callback, PUT_BACK_S)
        finally:
            self.leave()

    async def _send(self, callback: Callback) -> None:
        try:
            await super()._send(callback)
        finally:
            self._under_way.pop((callback.id, callback.attempt), None)
            self.wake()  # The next post of this receiver or orderer has waited for this one.


def _host_of(callback: Callback) -> str:
    """Return the app of a post, and the host and port that are connected to."""
    try:
        url = parse_url(callback.url)
    except UrlNotAllowed:
        return receiver_of(callback)
    return f"{callback.app} {url.host.rstrip('.')} {url.port}"
