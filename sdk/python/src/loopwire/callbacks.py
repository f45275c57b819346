"""Callbacks and webhooks of Loopwire: their signatures by Standard Webhooks, and each of them once."""

from __future__ import annotations

import base64
import binascii
import hmac
import inspect
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from loopwire.errors import BadSignature

TOLERANCE_S = 300.0
MOST_IDS = 10_000
FINISHED = "run.finished"
EVENTS = ("session.", "item.")
OK, ELSEWHERE, REFUSED = 204, 409, 400

Secrets = str | Sequence[str]
"""`whsec_…`; while it changes both, in any order."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The end of a run, as it was posted. `id` is that of the callback, which may come more than once."""

    id: str
    session_id: str
    run_id: str
    service: str
    outcome: str
    """`success`, `cancelled`, `error` (then `code` says which) or `interrupt`: it waits for a person."""
    agent: str | None = None
    code: str | None = None
    status: str | None = None
    state: Mapping[str, Any] = field(default_factory=dict, hash=False)
    messages: Sequence[Mapping[str, Any]] = field(default=(), hash=False)
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """All fields as the server sent them."""


@dataclass(frozen=True, slots=True)
class Posted:
    """The result of a request of a service: `body` is its response, or `{error, job_id}` of one that failed."""

    id: str
    body: Any = field(hash=False)


@dataclass(frozen=True, slots=True)
class WebhookEvent:
    """An event of a conversation or an item, as it was posted. `id` is that of the event, which may come again."""

    id: str
    type: str
    """Such as `session.created` or `item.changed`; later versions of the server may have more."""
    timestamp: str
    session_id: str
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """All fields as the server sent them."""


Told = RunEnded | Posted | WebhookEvent


class Seen(Protocol):
    """The ids that were taken. Several processes share one of their own, such as a table."""

    def __contains__(self, id: str, /) -> bool: ...

    def add(self, id: str, /) -> None:
        """Remember an id."""


class Recent:
    """The ids of the last callbacks of this process."""

    def __init__(self) -> None:
        self._ids: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, id: str, /) -> bool:
        return id in self._ids

    def add(self, id: str, /) -> None:
        """Remember an id, and forget the oldest when there are too many."""
        self._ids.setdefault(id)
        while len(self._ids) > MOST_IDS:
            self._ids.popitem(last=False)


def verify(
    headers: Mapping[str, str],
    body: bytes,
    secret: Secrets,
    *,
    tolerance: float = TOLERANCE_S,
    now: float | None = None,
) -> Told:
    """Return what was posted. Raises BadSignature for what was not signed with a secret within the tolerance."""
    told = {name.lower(): value for name, value in headers.items()}
    try:
        id, stamp, signatures = (told[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
        sent_at = int(stamp)
    except (KeyError, ValueError) as error:
        raise BadSignature("The headers of a callback are missing.") from error
    if abs((time.time() if now is None else now) - sent_at) > tolerance:
        raise BadSignature("This callback is too old, or from the future.")
    signed = f"{id}.{stamp}.".encode() + body
    wanted = [hmac.digest(_key_of(each), signed, "sha256") for each in _several(secret)]
    given = [_decoded(each.removeprefix("v1,")) for each in signatures.split() if each.startswith("v1,")]
    if not any([hmac.compare_digest(one, other) for one in wanted for other in given]):  # noqa: C419  # All, for time.
        raise BadSignature("This callback was not signed with this secret.")
    return _parse_notification(id, body)


class Callback:
    """A function that is called for each callback, once; it is made by `callback`."""

    def __init__(
        self,
        act: Callable[[Any], Any],
        secret: Secrets,
        seen: Seen,
        tolerance: float,
    ) -> None:
        self._act = act
        self._secret = secret
        self._seen = seen
        self._tolerance = tolerance
        self._busy: set[str] = set()

    async def take(self, headers: Mapping[str, str], body: bytes) -> int:
        """Take a request, and return the status to answer. What the function raises is raised: it comes again then."""
        ended = self._new_in(headers, body)
        if isinstance(ended, int):
            return ended
        self._busy.add(ended.id)
        try:
            made = self._act(ended)
            if inspect.isawaitable(made):
                await made
            self._seen.add(ended.id)
        finally:
            self._busy.discard(ended.id)
        return OK

    def take_sync(self, headers: Mapping[str, str], body: bytes) -> int:
        """Do the same without a loop; the function is a plain one. Raises TypeError where it is not."""
        if inspect.iscoroutinefunction(self._act):
            raise TypeError("An async function is called by `await callback.take(…)`.")
        ended = self._new_in(headers, body)
        if isinstance(ended, int):
            return ended
        self._busy.add(ended.id)
        try:
            self._act(ended)
            self._seen.add(ended.id)
        finally:
            self._busy.discard(ended.id)
        return OK

    def _new_in(self, headers: Mapping[str, str], body: bytes) -> Told | int:
        """Return what a request tells, or the status of one that is refused, is known, or is at work here."""
        try:
            ended = verify(headers, body, self._secret, tolerance=self._tolerance)
        except BadSignature:
            return REFUSED
        if ended.id in self._busy:
            return ELSEWHERE
        return OK if ended.id in self._seen else ended


def callback(
    secret: Secrets, *, seen: Seen | None = None, tolerance: float = TOLERANCE_S
) -> Callable[[Callable[[Any], Any]], Callback]:
    """Make a function the receiver of an app's callbacks: `status = await handle.take(headers, body)`.

    Without `seen` the last 10,000 ids are remembered in this process.
    """
    for each in _several(secret):
        _key_of(each)  # An invalid secret raises here, not with the first callback.
    known = Recent() if seen is None else seen

    def decorate(act: Callable[[Any], Any]) -> Callback:
        return Callback(act, secret, known, tolerance)

    return decorate


def _several(secret: Secrets) -> Sequence[str]:
    return [secret] if isinstance(secret, str) else secret


def _key_of(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error as error:
        raise ValueError("A secret is whsec_ and base64.") from error


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""


def _is_event(told: Any) -> bool:
    """Return whether this is an event; a response that is posted can have a `type` of its own."""
    if not isinstance(told, dict) or not str(told.get("type")).startswith(EVENTS):
        return False
    return isinstance(told.get("timestamp"), str) and "session_id" in (told.get("data") or ())


def _parse_notification(id: str, body: bytes) -> Told:
    try:
        told = json.loads(body)
        if _is_event(told):
            data = told["data"]
            return WebhookEvent(id, told["type"], told["timestamp"], data["session_id"], data)
        if not isinstance(told, dict) or told.get("type") != FINISHED:
            return Posted(id, told)
        data = told["data"]
        return RunEnded(
            id,
            data["session_id"],
            data["run_id"],
            data["service"],
            data["outcome"],
            data.get("agent"),
            data.get("code"),
            data.get("status"),
            data.get("state") or {},
            data.get("messages") or (),
            data,
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise BadSignature("This callback has not the form of one.") from error
