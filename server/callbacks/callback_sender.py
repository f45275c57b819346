"""The sender of callbacks: a receiver that is slow takes a few of its posts, and leaves room for others."""

from collections import Counter
from collections.abc import Collection
from typing import Any, Protocol

from server.callbacks.guard import Guard
from server.callbacks.sender import CallbackQueue, Sender
from server.callbacks.signing import Secrets
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
        self._under_way: Counter[str] = Counter()

    async def claim(self) -> Callback | None:
        """Claim a callback that is due, of a receiver that has room."""
        full = [name for name, posts in self._under_way.items() if posts >= POSTS_PER_RECEIVER]
        return await self._receivers.claim(self._owner, self._lease_s, full)

    def begin(self, claimed: Callback) -> None:
        """Post it."""
        self._under_way[receiver_of(claimed)] += 1
        super().begin(claimed)

    async def _send(self, callback: Callback) -> None:
        try:
            await super()._send(callback)
        finally:
            self._under_way[receiver_of(callback)] -= 1
            self._under_way += Counter()  # Forgets the receivers that have none.
            self.wake()  # The next callback of this receiver has waited for this one.
