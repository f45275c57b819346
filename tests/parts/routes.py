"""The routes of the application, as Starlette looks them up."""

from __future__ import annotations

from typing import Any

from starlette.routing import BaseRoute, Mount, Route

from server.http.application import Application

PARTS = {"/healthz": 20, "/v1/nothing": 30, "/inbox/nothing": 10}
"""An address of each part of the application that has routes of its own, and the fewest routes that it has."""


async def all_routes(application: Application) -> list[Route | Mount]:
    """Return the routes of each part of the application."""
    found: list[Route | Mount] = []
    for path, least in PARTS.items():
        routes = await _routes_behind(application, path)
        assert len(routes) >= least, path
        for each in routes:
            assert isinstance(each, Route | Mount)
            found.append(each)
    return found


async def _routes_behind(application: Application, path: str) -> list[BaseRoute]:
    """Return the routes among which a request for this path is looked up: Starlette names itself in its scope."""

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(_: Any) -> None:
        return

    scope: dict[str, Any] = {
        "type": "http",
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    await application(scope, receive, send)
    routes: list[BaseRoute] = scope["app"].routes
    return routes
