"""Who is talking, from which page, and what they may open."""

from server.auth.grants import TICKET_SECONDS, Grant, Once, ResumeTokens, Tickets
from server.auth.origins import Origins, headers_of, is_loopback
from server.auth.visitors import COOKIE, COOKIE_SECONDS, Visitors

__all__ = [
    "COOKIE",
    "COOKIE_SECONDS",
    "TICKET_SECONDS",
    "Grant",
    "Once",
    "Origins",
    "ResumeTokens",
    "Tickets",
    "Visitors",
    "headers_of",
    "is_loopback",
]
