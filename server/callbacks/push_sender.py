"""The sender of pushes: it posts an operator's message, encrypted, to the push service of each browser of a visitor who
has no page open.

The notification names the operator and not the message, since a locked screen shows notifications to anyone.
"""

import hashlib
import time
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from server.bus.log.entries import BusDown
from server.callbacks.fair_sender import FairSender
from server.callbacks.guard import Guard
from server.callbacks.push_encryption import BrowserKeys, base64url_text, encrypt, point_of, proof_headers
from server.callbacks.sender import HOUR, MINUTE, PostContent
from server.callbacks.signing import Secrets
from server.metrics import PUSHES
from server.protocol.codec import decode_json, encode_json
from server.store import Callback, Pushes, Recipient
from server.store.pushes.outbox import TTL_S
from server.words import say

PUSH_SCHEDULE = (5.0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR)
"""Seconds before each further attempt: seven in nine hours."""

POSTS_PER_SERVICE = 4
"""Pushes that a process posts at once to one host for one app: most visitors have the push service of one vendor."""

TITLE = "Loopwire"
_TOPIC_BYTES = 24

IsHere = Callable[[str], Awaitable[bool]]
"""Tells whether a principal has a socket or a stream open in any process. Raises BusDown."""


@dataclass(frozen=True)
class PushAccess:
    """What the endpoint of subscriptions needs: the public key of this server, and the guard of their addresses."""

    public_key: str
    guard: Guard

    @classmethod
    def of(cls, secrets: Secrets, guard: Guard) -> "PushAccess":
        """Return that of a server with these secrets."""
        return cls(base64url_text(point_of(secrets.push_key())), guard)


class PushSender(FairSender):
    """Posts pushes. Each attempt asks first whether the visitor has come back."""

    posts_per_receiver = POSTS_PER_SERVICE
    results = PUSHES
    name = "pushes"
    gone = frozenset({404, 410})

    def __init__(
        self,
        outbox: Pushes,
        secrets: Secrets,
        guard: Guard,
        *,
        owner: str,
        contact: str,
        is_here: IsHere,
        schedule: Sequence[float] = PUSH_SCHEDULE,
        **options: Any,
    ) -> None:
        """`contact` is the address of the operator, for push services: `mailto:` or `https:`."""
        super().__init__(outbox, secrets, guard, owner=owner, schedule=schedule, **options)
        self._pushes = outbox
        self._key = secrets.push_key()
        self._contact = contact
        self._is_here = is_here

    async def deliver(self, callback: Callback) -> None:
        """Post a push, unless the visitor has a page open or the browser has unsubscribed. Raises Unavailable."""
        recipient = await self._pushes.recipient(callback)
        if recipient is None or await self._sees_it(recipient):
            self.results.labels("needless").inc()
            await self._pushes.note_needless(callback)
            return
        await self.note_answer(callback, await self.post(callback, self._content_for(callback, recipient)))

    async def _sees_it(self, recipient: Recipient) -> bool:
        """Return whether the visitor is there. Without Redis that is not known: the worker of the page decides then."""
        try:
            return await self._is_here(recipient.principal)
        except BusDown:
            return False

    def _content_for(self, callback: Callback, recipient: Recipient) -> PostContent:
        to = BrowserKeys.of(recipient.p256dh, recipient.auth)
        headers = {
            "content-type": "application/octet-stream",
            "content-encoding": "aes128gcm",
            "ttl": str(TTL_S),
            "urgency": "high",
            "topic": topic_of(callback.session_id),
            **proof_headers(self._key, recipient.endpoint, self._contact, int(time.time())),
        }
        return PostContent(headers, encrypt(notification(callback), to))


def notification(callback: Callback) -> bytes:
    """Return what the browser is to show."""
    about = decode_json(callback.body)
    name, language = about["name"], about["language"]
    body = say("push.wrote", language, name=name) if name else say("push.wrote.unnamed", language)
    told = {"title": TITLE, "body": body, "session": callback.session_id, "message": about["message"]}
    return encode_json(told).encode()


def topic_of(session_id: str) -> str:
    """Return the topic by which a push service replaces a message that it still keeps (RFC 8030, section 5.4)."""
    return urlsafe_b64encode(hashlib.sha256(session_id.encode()).digest()[:_TOPIC_BYTES]).decode()
