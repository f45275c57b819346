"""Permissions to read and write a session: tickets that work once, and the resume token that the welcome returns."""

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, Protocol, Self
from uuid import uuid4

import jwt
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError, model_validator

from server.errors import Forbidden, Unauthorized, Unavailable

TICKET_SECONDS = 30
RESUME_SECONDS = 15 * 60
CALLER_SECONDS = 30 * 24 * 3600
"""Seconds of a token for a program that keeps no cookie: it is all that leads the program back to its conversation."""
MAX_TOKEN = 4096
LEEWAY_SECONDS = 5

_ISSUER = "loopwire"
_AUDIENCE = "loopwire.resume"
_Id = Annotated[StrictStr, Field(min_length=1)]
_NEWER = ("identity", "since", "until", "trace")
"""Fields of grants that earlier versions do not know."""


class _Claims(BaseModel):
    """The claims of a resume token, with their types; PyJWT has compared the times with the clock by then."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    aud: Literal["loopwire.resume"]
    iss: Literal["loopwire"]
    sub: _Id
    sid: _Id
    jti: _Id
    iat: StrictInt
    exp: StrictInt
    org: StrictStr | None = None
    lng: StrictStr = ""
    rdr: StrictStr = ""
    app: StrictStr = ""
    svc: StrictStr = ""
    spk: StrictStr = ""
    idn: StrictStr = ""
    snc: StrictInt = 0
    unt: StrictInt = 0
    use: Literal["", "caller"] = ""

    @model_validator(mode="after")
    def _lives_no_longer_than_issued(self) -> Self:
        """Refuse a lifetime that `issue` never gives."""
        if not 0 < self.exp - self.iat <= (CALLER_SECONDS if self.use else RESUME_SECONDS):
            raise ValueError
        return self


class OneTimeValues(Protocol):
    """Values that can be taken once: kept by all instances together, lost after their time."""

    async def put(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value for a while. Raises Unavailable when it cannot be kept."""

    def keep(self, key: str, value: bytes, *, seconds: int) -> None:
        """Keep a value in this instance alone. Raises Unavailable when there are too many."""

    async def read(self, key: str) -> bytes | None:
        """Return the value and keep it; None when there is none. Raises Unavailable."""

    async def pop(self, key: str) -> bytes | None:
        """Return the value and forget it in one step; None when there is none. Raises Unavailable."""


@dataclass(frozen=True, slots=True)
class Grant:
    """The grant of a ticket or resume token: one session of one principal, from one origin."""

    session_id: str
    principal: str
    origin: str | None
    """The one that it is good for; None is any that the server lets in, and programs, which name none."""
    language: str
    """The one that was asked for; empty where it is the session's."""
    reader: str = ""
    """The socket or stream that the token was given to: what is sent with it comes from there."""
    app: str = ""
    service: str = ""
    spoken: str = ""
    """The session's, in a resume token: its value in the database when the token was issued."""
    identity: str = ""
    """The id of the identity of a user, by which it is revoked; empty for others."""
    since: int = 0
    """The issue time of a user's identity, in seconds since the epoch: a later revocation ends it. 0 for visitors."""
    until: int = 0
    """The time at which the identity ends, in seconds since the epoch; 0 where it does not."""
    trace: str = ""
    """The trace that the ticket's request belongs to, and so what its socket sends; a resume token has none."""


class Tickets:
    """One-use permissions to open a socket, good for 30 seconds; only their hash is kept."""

    def __init__(self, once: OneTimeValues) -> None:
        self._once = once

    async def issue(self, grant: Grant) -> str:
        """Make a ticket. Raises Unavailable when it cannot be kept."""
        value = _value(grant)
        ticket = secrets.token_urlsafe(32)
        try:
            await self._once.put(_key(ticket), value, seconds=TICKET_SECONDS)
        except Unavailable:
            # Redis may have stored the first ticket all the same: it is never issued, since it would work twice.
            ticket = secrets.token_urlsafe(32)
            self._once.keep(_key(ticket), value, seconds=TICKET_SECONDS)
        return ticket

    async def give_back(self, ticket: str, grant: Grant) -> None:
        """Let a ticket that was used for nothing be used, for as long as a new one; it is lost with Redis away."""
        with suppress(Unavailable):
            await self._once.put(_key(ticket), _value(grant), seconds=TICKET_SECONDS)

    async def redeem(self, ticket: str, *origins: str | None) -> Grant:
        """Use a ticket up, which is of one of these origins. Raises Unauthorized, or Forbidden when it is not."""
        value = await self._once.pop(_key(ticket))
        if value is None:
            raise Unauthorized
        return _check_origin(Grant(**json.loads(value)), origins)


class ResumeTokens:
    """Signed permissions to come back to one's session: for a quarter of an hour, for a caller of AG-UI 30 days."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"resume token", "sha256")

    def issue(self, grant: Grant, *, for_caller: bool = False) -> str:
        """Make a token."""
        now = int(time.time())
        ends = now + (CALLER_SECONDS if for_caller else RESUME_SECONDS)
        claims = {
            **({"use": "caller"} if for_caller else {}),
            # A token of a user who is known by an identity does not outlive it.
            "exp": min(ends, grant.until) if grant.until else ends,
            "iss": _ISSUER,
            "aud": _AUDIENCE,
            "sub": grant.principal,
            "sid": grant.session_id,
            "org": grant.origin,
            "lng": grant.language,
            "rdr": grant.reader,
            "app": grant.app,
            "svc": grant.service,
            "spk": grant.spoken,
            **({"idn": grant.identity, "snc": grant.since, "unt": grant.until} if grant.since else {}),
            "iat": now,
            "jti": uuid4().hex,
        }
        return jwt.encode(claims, self._key)

    def verify(self, token: str, *origins: str | None) -> Grant:
        """Read a token of one of these origins. Raises Unauthorized, or Forbidden when it is not."""
        if len(token) > MAX_TOKEN:
            raise Unauthorized
        try:
            claims = _Claims.model_validate(self._decode(token))
        except (jwt.InvalidTokenError, ValidationError, UnicodeEncodeError) as error:
            raise Unauthorized from error
        about = (claims.lng, claims.rdr, claims.app, claims.svc, claims.spk)
        identity = (claims.idn, claims.snc, claims.unt)
        return _check_origin(Grant(claims.sid, claims.sub, claims.org, *about, *identity), origins)

    def _decode(self, token: str) -> dict[str, Any]:
        """Read the claims of a token that we signed and that is in its time; `_Claims` judges what they say."""
        return jwt.decode(
            token,
            self._key,
            algorithms=["HS256"],
            audience=_AUDIENCE,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "iat"]},
        )


def _value(grant: Grant) -> bytes:
    """Return a grant as it is kept; what is empty of these is left out, as instances of earlier versions read it."""
    kept = {name: value for name, value in asdict(grant).items() if value or name not in _NEWER}
    return json.dumps(kept).encode()


def _key(ticket: str) -> str:
    return "lw:ticket:" + hashlib.sha256(ticket.encode()).hexdigest()


def _check_origin(grant: Grant, origins: Collection[str | None]) -> Grant:
    """Refuse a grant that is for another origin than these, or a client that comes from no possible one.

    A grant without an origin was asked for by a program, such as the server of a page. A thief of it has a
    program too, from which nothing is kept by asking for an origin.
    """
    if not origins or (grant.origin is not None and grant.origin not in origins):
        raise Forbidden
    return grant
