"""Authentication: visitors, the origin of a page, and the tokens that open a session."""

from server.auth.cookies import cookie_value, cookie_values
from server.auth.frames import FRAME_PREFIX, Frames, FrameVisitor
from server.auth.keys import (
    KEY_PREFIX,
    SCOPES,
    USUAL_SCOPES,
    KeyScope,
    NewKey,
    digest_of,
    id_of_key,
    make_key,
    principal_of_user,
)
from server.auth.origins import Origins, headers_of, is_loopback, names_one_host
from server.auth.tokens import TICKET_SECONDS, Grant, OneTimeValues, ResumeTokens, Tickets
from server.auth.visitors import COOKIE, COOKIE_SECONDS, SECURE_COOKIE, Visitors, cookie_name

__all__ = [
    "COOKIE",
    "COOKIE_SECONDS",
    "FRAME_PREFIX",
    "KEY_PREFIX",
    "SCOPES",
    "SECURE_COOKIE",
    "TICKET_SECONDS",
    "USUAL_SCOPES",
    "FrameVisitor",
    "Frames",
    "Grant",
    "KeyScope",
    "NewKey",
    "OneTimeValues",
    "Origins",
    "ResumeTokens",
    "Tickets",
    "Visitors",
    "cookie_name",
    "cookie_value",
    "cookie_values",
    "digest_of",
    "headers_of",
    "id_of_key",
    "is_loopback",
    "make_key",
    "names_one_host",
    "principal_of_user",
]
