"""The sender of callbacks: a receiver that is slow takes a few of its posts, and leaves room for others."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any, Protocol

from server.callbacks.guard import Guard, parse_url
from server.callbacks.sender import PUT_BACK_S, CallbackQueue, Sender
from server.callbacks.signing import Secrets
from server.errors import Unavailable, UrlNotAllowed
from server.store.posts import Callback
from server.store.runs.callbacks import receiver_of

POSTS_PER_RECEIVER = 2
"""Posts that a process makes at once to one host for one app."""


class ReceiverQueue(CallbackQueue, Protocol):
    """The outbox of callbacks, whose receivers are many."""

    async def claim(self, owner: str, lease_s: float, full: Collection[str] = ()) -> Callback | None:
        """Take what is due, but for these receivers."""


class CallbackSender(Sender):
    """Posts callbacks."""

    def __init__(
        self, outbox: ReceiverQueue, secrets: Secrets, guard: Guard, *, owner: str, **options: Any
    ) -> None:
        """Post as `owner`; the options are those of every sender."""
        super().__init__(outbox, secrets, guard, owner=owner, **options)
        self._receivers = outbox
        self._under_way: dict[tuple[str, int], tuple[str, str]] = {}
        """The name of each receiver in the outbox, and its host however it is written, by post and attempt."""

    async def claim(self) -> Callback | None:
        """Claim a callback that is due, of a receiver that has room."""
        full = {name for name, host in self._under_way.values() if self._is_full(host)}
        return await self._receivers.claim(self._owner, self._lease_s, full)

    def begin(self, claimed: Callback) -> None:
        """Post it, unless its host is full: the outbox does not know one host that is written in several ways."""
        host = _host_of(claimed)
        if self._is_full(host):
            self._posts.spawn(self._put_back(claimed), name=f"callback {claimed.id} for later")
            return
        self._under_way[claimed.id, claimed.attempt] = receiver_of(claimed), host
        super().begin(claimed)

    def _is_full(self, host: str) -> bool:
        return sum(each == host for _, each in self._under_way.values()) >= POSTS_PER_RECEIVER

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
            self.wake()  # The next callback of this receiver has waited for this one.


def _host_of(callback: Callback) -> str:
    """Return the app of a callback, and the host and port that are connected to."""
    try:
        url = parse_url(callback.url)
    except UrlNotAllowed:
        return receiver_of(callback)
    return f"{callback.app} {url.host.rstrip('.')} {url.port}"
