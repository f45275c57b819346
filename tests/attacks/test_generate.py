"""The addresses of generated requests lead to every route of the application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.routing import BaseRoute, Mount, Route

from server import __version__
from server.http.application import Application
from tests.attacks.generate import PATHS
from tests.integration.ws.inside import inside

NAMES = {"session": "ses_1", "item": "itm_1", "text": "x", "service": "chat"}
PARTS = {"/healthz": 20, "/v1/nothing": 30, "/inbox/nothing": 10}
"""An address of each part of the application that has routes of its own, and the fewest routes that it has."""


async def routes_behind(application: Application, path: str) -> list[BaseRoute]:
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


async def test_no_route_is_forgotten(tmp_path: Path) -> None:
    known = [each.format(**NAMES) for each in PATHS if each != "/{text}"]
    known.append(f"/static/sdk@{__version__}/x")  # What is generated in place of a version is never one.
    missing = []
    async with inside(tmp_path) as here:
        for path, least in PARTS.items():
            routes = await routes_behind(here.application, path)
            assert len(routes) >= least, path
            for each in routes:
                assert isinstance(each, Route | Mount)
                if not any(each.path_regex.match(one) for one in known):
                    missing.append(each.path)
    assert missing == []
