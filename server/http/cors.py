"""CORS: pages of allowed origins may call the API, without cookies."""

from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from server.auth import Origins
from server.errors import Forbidden

OPEN = ("/v1/", "/agui/", "/loopos_ai_", "/chat")
"""The paths that pages of other sites may call; they may not read this server's pages."""

_PREFLIGHT = {
    "access-control-allow-methods": "GET, POST, PATCH",
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


def preflight(scope: Mapping[str, Any], headers: Mapping[str, str], origins: Origins) -> Response | None:
    """Answer a browser that asks before it lets a page call us; None when that is not what this is."""
    asks = scope["method"] == "OPTIONS" and "access-control-request-method" in headers
    if not asks or not scope["path"].startswith(OPEN):
        return None
    if not origins.accepts(scope["scheme"], headers):
        raise Forbidden
    return Response(status_code=204, headers=_PREFLIGHT)


def cors_headers(scope: Mapping[str, Any], headers: Mapping[str, str], origins: Origins) -> dict[str, str]:
    """Return the headers by which a browser hands our answer to a page of an allowed origin."""
    if not scope["path"].startswith(OPEN):
        return {}
    added = {"vary": "origin"}
    if "origin" in headers and origins.accepts(scope["scheme"], headers):
        added |= {
            "access-control-allow-origin": headers["origin"],
            "access-control-expose-headers": _EXPOSED,
        }
    return added
