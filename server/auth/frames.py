"""The visitors of frames on other sites: a token that the frame keeps in memory, and a cookie of its own.

The same kind of token speaks for a user that an app's own token has named (`POST /v1/identify`): both end together.
No cookie names a user: a page that is loaded again says anew who its user is.

A browser that blocks the cookies of other sites sends a frame none. So the page of a frame gets a token, which names
the visitor and the app, and sends it as bearer with each request. No cookie is needed for anything that it does.

The cookie only leads a reloaded frame back to its visitor. Its name is not that of the page's cookie, its signature
does not count as that one's, and nothing reads it but the page of the frame, and the question of a new visitor's frame
whether there is one: a site that embeds a frame could make a browser send it, but learns nothing and changes nothing by
that. Over HTTPS it is `SameSite=None; Partitioned`, so that each embedding site has a visitor of its own. Over plain
HTTP it is `Lax`: there a frame on another site has none.
"""

import hmac
import time
from dataclasses import dataclass
from typing import Annotated, Literal, Self

import jwt
from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError, model_validator

from server.auth.visitors import COOKIE_SECONDS, Visitors, cookie_name
from server.errors import TwoVisitors, Unauthorized
from server.identity import USER_PREFIX, Identity

FRAME_PREFIX = "lwf_"
"""The beginning of tokens of frames, which tells them from tickets, resume tokens and keys."""

FRAME_SECONDS = 30 * 24 * 3600
FRAME_COOKIE = "loopwire_frame"
MOST_FRAME_TOKEN = 2048

_ISSUER = "loopwire"
_AUDIENCE = "loopwire.frame"
_Text = Annotated[StrictStr, Field(min_length=1)]


class _FrameClaims(BaseModel):
    """The claims of a frame's token, with their types; PyJWT has compared the times with the clock by then."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    aud: Literal["loopwire.frame"]
    iss: Literal["loopwire"]
    sub: Annotated[StrictStr, Field(pattern=r"^(vis|usr)_")]
    app: _Text
    iat: StrictInt
    exp: StrictInt
    idn: StrictStr = ""
    snc: StrictInt = 0

    @model_validator(mode="after")
    def _names_a_user_by_an_identity(self) -> Self:
        """Refuse a user without an identity: nothing would revoke it."""
        if self.sub.startswith(USER_PREFIX) != bool(self.idn):
            raise ValueError
        return self

    @property
    def identity(self) -> Identity | None:
        """Return the identity of a user."""
        return Identity(self.idn, self.snc, self.exp) if self.idn else None


@dataclass(frozen=True, slots=True)
class FrameVisitor:
    """The principal that talks in a frame, and the frame's app; a visitor has no identity."""

    principal: str
    app: str
    identity: Identity | None = None


class Frames:
    """Signs and reads the tokens and the cookies of frames."""

    def __init__(self, secret: bytes) -> None:
        self._key = hmac.digest(secret, b"frame token", "sha256")
        self._cookies = Visitors(secret, cookie=FRAME_COOKIE, purpose="frame")

    def new(self, app: str) -> FrameVisitor:
        """Invent the visitor of a frame."""
        return FrameVisitor(self._cookies.new(), app)

    def token(self, visitor: FrameVisitor) -> str:
        """Return a token for the frame's memory."""
        now, identity = int(time.time()), visitor.identity
        claims: dict[str, str | int] = {
            "iss": _ISSUER,
            "aud": _AUDIENCE,
            "sub": visitor.principal,
            "app": visitor.app,
            "iat": now,
            "exp": now + FRAME_SECONDS,
        }
        if identity is not None:
            claims |= {"exp": identity.ends_at, "idn": identity.id, "snc": identity.issued_at}
        return FRAME_PREFIX + jwt.encode(claims, self._key)

    def read_token(self, token: str) -> FrameVisitor:
        """Return whose token this is. Raises Unauthorized."""
        return self._read(token)

    def read_ended_token(self, token: str) -> FrameVisitor:
        """Return whose token this was, however long ago it ended. Raises Unauthorized for one that is not ours."""
        return self._read(token, verify_exp=False)

    def _read(self, token: str, *, verify_exp: bool = True) -> FrameVisitor:
        if not token.startswith(FRAME_PREFIX) or len(token) > MOST_FRAME_TOKEN:
            raise Unauthorized
        try:
            claims = _FrameClaims.model_validate(
                jwt.decode(
                    token.removeprefix(FRAME_PREFIX),
                    self._key,
                    algorithms=["HS256"],
                    audience=_AUDIENCE,
                    options={"verify_exp": verify_exp},
                )
            )
        except (jwt.InvalidTokenError, ValidationError, UnicodeEncodeError) as error:
            raise Unauthorized from error
        return FrameVisitor(claims.sub, claims.app, claims.identity)

    def visitor_of_cookie(self, header: str, app: str, *, secure: bool) -> FrameVisitor | None:
        """Return the visitor of a `Cookie` header; none where it names none, or two."""
        try:
            principal = self._cookies.visitor_of(header, secure=secure)
        except TwoVisitors:
            return None
        return None if principal is None else FrameVisitor(principal, app)

    def cookie(self, visitor: FrameVisitor, *, secure: bool) -> str:
        """Return the `Set-Cookie` that leads a reloaded frame back to its visitor."""
        site = "SameSite=None; Secure; Partitioned" if secure else "SameSite=Lax"
        pair = f"{cookie_name(secure=secure, cookie=FRAME_COOKIE)}={self._cookies.sign(visitor.principal)}"
        return f"{pair}; Max-Age={COOKIE_SECONDS}; Path=/; HttpOnly; {site}"
