"""CORS: pages of allowed origins may call the API, without cookies; others may read why they get no ticket."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from server import patterns
from server.auth import Origins
from server.errors import Forbidden

OPEN = ("/v1/", "/agui/", "/loopos_ai_", "/chat")
"""The paths that pages of other sites may call; they may not read this server's pages."""

TICKETS = "/v1/tickets"
"""The path at which a page of any origin reads its refusal: a client that cannot read it would try again for ever."""

_PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE",
    "access-control-allow-headers": "authorization, content-type, idempotency-key, if-none-match, last-event-id",
    "access-control-max-age": "600",
}

_EXPOSED = ", ".join(
    (
        "etag",
        "location",
        "ratelimit",
        "ratelimit-policy",
        "retry-after",
        "stream-cursor",
        "stream-next-offset",
        "stream-up-to-date",
        "x-loopwire-demo",
        "x-loopwire-resume-token",
        "x-loopwire-run",
        "x-loopwire-session",
        "x-request-id",
    )
)
"""The headers of a response that a page may read besides those that every page may."""

_ORIGIN = patterns.compile(r"null|[a-z][a-z0-9+.-]*://[^\s/*,]+")
"""An origin as browsers write it."""


def preflight(scope: Mapping[str, Any], headers: Mapping[str, str], origins: Origins) -> Response | None:
    """Answer a browser that asks before it lets a page call us; None when that is not what this is."""
    asks = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
    if not asks or not scope["path"].startswith(OPEN):
        return None
    if not origins.accepts(scope["scheme"], headers) and not _reads_refusal(scope, headers):
        raise Forbidden
    return Response(status_code=204, headers=_PREFLIGHT)


def cors_headers(scope: Mapping[str, Any], headers: Mapping[str, str], origins: Origins) -> dict[str, str]:
    """Return the headers by which a browser hands our answer to a page of an allowed origin."""
    if not scope["path"].startswith(OPEN):
        return {}
    added = {"vary": "origin"}
    if "origin" not in headers:
        return added
    if origins.accepts(scope["scheme"], headers):
        added |= {
            "access-control-allow-origin": headers["origin"],
            "access-control-expose-headers": _EXPOSED,
        }
    elif _reads_refusal(scope, headers):
        added["access-control-allow-origin"] = headers["origin"]
    return added


def _reads_refusal(scope: Mapping[str, Any], headers: Mapping[str, str]) -> bool:
    """Return whether this is a page of an origin that is not accepted, which asks for a ticket: it gets 403 alone."""
    return scope["path"] == TICKETS and _ORIGIN.fullmatch(headers.get("origin", "")) is not None
