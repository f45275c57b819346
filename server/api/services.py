"""The services of this server, and the items that their conversations made."""

from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of, principal_of
from server.loopos.cores import OWN


def routes(parts: Dependencies) -> list[BaseRoute]:
    """GET /v1/services, GET /v1/items/{id}."""

    async def services(request: Request) -> Response:
        app = app_of(request)
        shown = [
            {
                "name": each.name,
                "start": each.start,
                "agents": sorted(each.agents()),
                "steps": list(each.steps),
                "tools": [tool.to_json() for tool in parts.runs.tools(app, each.name).values()],
            }
            for each in parts.services_of(app)
        ]
        return JSONResponse({"services": shown, "demo": parts.demo})

    async def item(request: Request) -> Response:
        core = parts.cores.of_request(app_of(request), request.query_params.get("core", OWN))
        found = await core.item(request.path_params["id"], principal_of(request), parts.language_of(request))
        return JSONResponse({key: value for key, value in asdict(found).items() if key != "token"})

    return [Route("/v1/services", services), Route("/v1/items/{id}", item)]
