"""The headers of a request that becomes a run: its idempotency key, and the names of its run and its session."""

from starlette.requests import Request

from server import patterns
from server.callbacks.sender import DEMO, RUN, SESSION
from server.endpoints.dependencies import Dependencies
from server.errors import BadFrame
from server.store import SessionOwner

_KEY = patterns.compile(r"[A-Za-z0-9_.:-]{1,64}")


def idempotency_key(request: Request) -> str | None:
    """Return the caller's own id of a request, by which a repetition is known. Raises BadFrame."""
    key = request.headers.get("idempotency-key")
    if key is not None and not _KEY.fullmatch(key):
        raise BadFrame("An Idempotency-Key has 1 to 64 letters, digits, or one of _ . : -")
    return key


def run_headers(parts: Dependencies, session: SessionOwner, run_id: str) -> dict[str, str]:
    """Return the headers that name the run and the session of an answer, and the demo model where it answers."""
    return {RUN: run_id, SESSION: session.id, **({DEMO: "true"} if parts.demo else {})}
