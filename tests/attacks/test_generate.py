"""The addresses of generated requests lead to every route of the application."""

from __future__ import annotations

from pathlib import Path

from server import __version__
from tests.attacks.generate import PATHS
from tests.integration.ws.inside import inside
from tests.parts.routes import all_routes

NAMES = {"session": "ses_1", "item": "itm_1", "text": "x", "service": "chat"}


async def test_generated_requests_lead_to_every_route(tmp_path: Path) -> None:
    known = [each.format(**NAMES) for each in PATHS if each != "/{text}"]
    known.append(f"/static/sdk@{__version__}/x")  # What is generated in place of a version is never one.
    async with inside(tmp_path) as here:
        routes = await all_routes(here.application)
    assert [each.path for each in routes if not any(each.path_regex.match(one) for one in known)] == []
