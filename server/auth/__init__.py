"""Authentication: visitors, the origin of a page, and the tokens that open a session."""

from server.auth.cookies import cookie_value, cookie_values
from server.auth.origins import Origins, headers_of, is_loopback, names_one_host
from server.auth.tokens import TICKET_SECONDS, Grant, Once, ResumeTokens, Tickets
from server.auth.visitors import COOKIE, COOKIE_SECONDS, SECURE_COOKIE, Visitors, cookie_name

__all__ = [
    "COOKIE",
    "COOKIE_SECONDS",
    "SECURE_COOKIE",
    "TICKET_SECONDS",
    "Grant",
    "Once",
    "Origins",
    "ResumeTokens",
    "Tickets",
    "Visitors",
    "cookie_name",
    "cookie_value",
    "cookie_values",
    "headers_of",
    "is_loopback",
    "names_one_host",
]
