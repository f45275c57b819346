"""The sender of callbacks and events: it claims what is due, tries again by a schedule, and then gives up.

A process that dies between the post and its note leaves the lease to expire, and another posts again: the receiver
gets it at least once, always under the same `webhook-id`.
"""

import asyncio
import logging
import random
import ssl
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

import httpcore2
from prometheus_client import Counter

from server import __version__
from server.callbacks.guard import Guard, parse_url
from server.callbacks.signing import Secrets, signature_headers
from server.callbacks.sparing_network import SparingNetwork, answer_parts
from server.claim_loop import ClaimLoop
from server.errors import RateLimited, Unavailable, UrlNotAllowed
from server.metrics import CALLBACKS, WEBHOOKS
from server.store.posts import Callback
from server.tasks import Tasks
from server.tracing.trace_context import TraceContext

MINUTE, HOUR = 60.0, 3600.0
SCHEDULE = (
    5.0,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
)
"""Seconds before each further attempt, as Standard Webhooks proposes them: ten attempts in three days."""

TIMEOUT_S = 10.0
LEASE_S = 15.0
POLL_S = 2.0
AT_ONCE = 8
EVENTS_AT_ONCE = 32
"""Posts of events. Each app has a few of them at a time, so that several slow receivers leave room for others."""

LEAVE_S = 1.0
"""Seconds that a leaving instance waits for the answer to its last claim."""

PUT_BACK_S = 5.0
"""Seconds after which a post is due again that could not be made now, and that counts as no attempt."""

MOST_ANSWER = 4096
ANSWER_S = 1.0
"""Bytes of an answer that are read, and seconds, so that its server can finish; only its status counts."""


RUN, SESSION = "x-loopwire-run", "x-loopwire-session"
"""The headers that name the run of a post or an answer, which is the job of a request of a service, and its session."""

DEMO = "x-loopwire-demo"
"""The header that says `true` where the demo model answered."""


@dataclass(frozen=True, slots=True)
class PostContent:
    """The body of a post, and the headers that belong to it."""

    headers: Mapping[str, str]
    body: bytes


log = logging.getLogger(__name__)


class NotPosted(Exception):
    """The name of a receiver could not be looked up now: nothing was sent, and the receiver is not to blame."""


class CallbackQueue(Protocol):
    """The part of the store that a sender uses."""

    async def claim(self, owner: str, lease_s: float) -> Callback | None:
        """Take what is due."""

    async def release(self, callback: Callback) -> None:
        """Give back the posts that were not begun."""

    async def put_back(self, callback: Callback, again_s: float) -> None:
        """Give back what cannot be posted now."""

    async def note_delivered(self, callback: Callback, answer: int) -> None:
        """Note that it was taken."""

    async def note_failed(self, callback: Callback, answer: int | None, again_s: float | None) -> None:
        """Note that it was not."""

    async def forget_address(self, callback: Callback) -> None:
        """Send nothing more there."""


class Sender:
    """One per process that executes runs. Acquired by `start`, released by `aclose`."""

    results: Counter = CALLBACKS
    """Counts the posts."""

    at_once = AT_ONCE
    name = "callbacks"
    gone = frozenset({410})
    """The statuses by which a receiver says that it wants no more."""

    def __init__(
        self,
        outbox: CallbackQueue,
        secrets: Secrets,
        guard: Guard,
        *,
        owner: str,
        schedule: Sequence[float] = SCHEDULE,
        timeout_s: float = TIMEOUT_S,
        lease_s: float = LEASE_S,
        poll_s: float = POLL_S,
        demo: bool = False,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Post as `owner`, `demo` where the demo model answers; without `tls` the system's authorities are trusted."""
        self._demo = demo
        self._outbox = outbox
        self._secrets = secrets
        self._guard = guard
        self._owner = owner
        self._schedule = schedule
        self._timeout_s = timeout_s
        self._lease_s = lease_s
        self._tls = tls
        self._room = asyncio.Semaphore(self.at_once)
        self._posts = Tasks()
        self._loop = ClaimLoop(self, poll_s=poll_s, name=self.name)

    def start(self) -> None:
        """Begin to look for what is due."""
        self._loop.start()

    @property
    def claiming(self) -> bool:
        """Return whether the sender still takes callbacks."""
        return self._loop.running

    def wake(self) -> None:
        """Look for due callbacks now."""
        self._loop.look()

    async def aclose(self) -> None:
        """Claim no more; what is being posted is left to the next sender."""
        await self._loop.aclose(wait_s=LEAVE_S)
        await self._posts.aclose()

    # Calls of the claim loop.

    async def enter(self) -> None:
        """Wait for room."""
        await self._room.acquire()

    def leave(self) -> None:
        """Give the room back."""
        self._room.release()

    async def claim(self) -> Callback | None:
        """Claim a callback that is due."""
        return await self._outbox.claim(self._owner, self._lease_s)

    def begin(self, claimed: Callback) -> None:
        """Post it."""
        self._posts.spawn(self._send(claimed), name=f"callback {claimed.id}")

    async def give_back(self, claimed: Callback) -> None:
        """Let another sender post it."""
        await self._outbox.release(claimed)

    async def _send(self, callback: Callback) -> None:
        try:
            with suppress(Unavailable):  # The callback is sent again when the lease has expired.
                await self._deliver_or_put_back(callback)
        finally:
            self._room.release()

    async def _deliver_or_put_back(self, callback: Callback) -> None:
        try:
            await self.deliver(callback)
        except NotPosted:
            await self._outbox.put_back(callback, PUT_BACK_S)

    async def deliver(self, callback: Callback) -> None:
        """Post it, and note what that led to. Raises Unavailable, and NotPosted."""
        await self.note_answer(callback, await self.post(callback, self._content_of(callback)))

    async def post(self, callback: Callback, content: PostContent) -> int | None:
        """Post a message to the address of the callback; return the status of the answer, None without one.

        Lookups of names are bounded for each host. Raises NotPosted.
        """
        about = {"session_id": callback.session_id}
        try:
            async with asyncio.timeout(self._timeout_s):
                guard = self._guard.for_caller(parse_url(callback.url).host)
                return await self._answer(content, await guard.judge(callback.url), guard)
        except (RateLimited, Unavailable) as error:
            log.info("callback %s waits: too many names are being looked up", callback.id, extra=about)
            raise NotPosted from error
        except UrlNotAllowed:
            log.warning(
                "the guard refuses the address of callback %s: it is not sent", callback.id, extra=about
            )
        # TimeoutError is a kind of OSError, so it comes first.
        except (TimeoutError, httpcore2.TimeoutException):
            log.info("the receiver of callback %s did not answer in time", callback.id, extra=about)
        except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, ssl.SSLError) as error:
            log.info(
                "the receiver of callback %s could not be reached: %s",
                callback.id,
                type(error).__name__,
                extra=about,
            )
        return None

    def _content_of(self, callback: Callback) -> PostContent:
        body, now = callback.body.encode(), int(time.time())
        trace = TraceContext.parse(callback.trace_context)
        headers = {
            "content-type": "application/json",
            **(trace.headers() if trace is not None else {}),
            **signature_headers(self._secrets.of(callback.app), callback.id, now, body),
        }
        if callback.run_id:
            headers |= {RUN: callback.run_id, SESSION: callback.session_id}
            headers |= {DEMO: "true"} if self._demo else {}
        return PostContent(headers, body)

    async def _answer(self, content: PostContent, url: httpcore2.URL, guard: Guard) -> int:
        headers = {"user-agent": f"Loopwire/{__version__}", "connection": "close", **content.headers}
        pool = httpcore2.AsyncConnectionPool(ssl_context=self._tls, network_backend=SparingNetwork(guard))
        async with (
            pool,
            pool.stream("POST", url, headers=list(headers.items()), content=content.body) as response,
        ):
            status = int(response.status)
            with suppress(httpcore2.NetworkError, httpcore2.ProtocolError, TimeoutError):
                read = 0
                async with asyncio.timeout(ANSWER_S):
                    async for part in answer_parts(response):
                        read += len(part)
                        if read >= MOST_ANSWER:
                            break
            return status

    async def note_answer(self, callback: Callback, answer: int | None) -> None:
        """Store what an attempt led to: the status that the app answered with, or None when it did not answer."""
        if answer is not None and 200 <= answer < 300:  # noqa: PLR2004 - a redirect is none of these
            self.results.labels("delivered").inc()
            await self._outbox.note_delivered(callback, answer)
        elif answer in self.gone:
            self.results.labels("gone").inc()
            await self._outbox.forget_address(callback)
        else:
            self.results.labels("refused").inc()
            await self._outbox.note_failed(callback, answer, self.pause_s(callback.attempt))

    def pause_s(self, attempt: int) -> float | None:
        """Return the seconds until the next attempt; spread, so that a receiver does not get all at once."""
        if attempt > len(self._schedule):
            return None
        return self._schedule[attempt - 1] * random.uniform(1.0, 1.2)  # noqa: S311 - no secret


class EventSender(Sender):
    """Posts the events of apps."""

    results = WEBHOOKS
    at_once = EVENTS_AT_ONCE
    name = "events"

    async def _send(self, callback: Callback) -> None:
        await super()._send(callback)
        self.wake()  # The next event of its conversation has waited for this one.
