"""Is the process alive, and may it be given work?"""

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.api.parts import Parts
from server.errors import Unavailable


def routes(parts: Parts, draining: Callable[[], bool]) -> list[BaseRoute]:
    """GET /readyz. Without Redis it is degraded, yet ready: nothing stored needs it."""

    async def ready(_: Request) -> Response:
        database = await _answers(parts)
        told = {
            "ready": database and not draining(),
            "database": database,
            "degraded": parts.bus.degraded,
            "draining": draining(),
            "demo": parts.demo,
        }
        return JSONResponse(told, status_code=200 if told["ready"] else 503)

    return [Route("/readyz", ready)]


async def _answers(parts: Parts) -> bool:
    try:
        await parts.store.ping()
    except Unavailable:
        return False
    return True
