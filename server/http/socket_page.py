"""The page of the socket: the AsyncAPI document, drawn with the fields and an example of each frame."""

import json
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from server.api.openapi.schema_rows import field_rows
from server.endpoints.dependencies import Dependencies
from server.errors import NotFound
from server.html.render import Renderer
from server.http.pages import theme_of
from server.protocol import schema

Json = dict[str, Any]


class SocketPage:
    """Draws the page, and serves the two documents that it is drawn from."""

    def __init__(self, parts: Dependencies, renderer: Renderer) -> None:
        self._parts = parts
        self._renderer = renderer

    def routes(self) -> list[BaseRoute]:
        """GET /docs/socket, and /docs/asyncapi.json beside the /docs/schema.json that it names."""
        return [
            Route("/docs/socket", self._draw),
            Route("/docs/{name}", self._document),
        ]

    async def _draw(self, request: Request) -> Response:
        language = self._parts.language_of(request)
        html = self._renderer.page("socket.html", language, theme=theme_of(request), channels=channels())
        headers = {"cache-control": "no-store", "vary": "Cookie, Accept-Language"}
        return HTMLResponse(html, headers=headers)

    async def _document(self, request: Request) -> Response:
        """Serve a document. Raises NotFound."""
        text = documents().get(request.path_params["name"])
        if text is None:
            raise NotFound
        return Response(text, media_type="application/json")


@cache
def documents() -> dict[str, str]:
    """Return the text of each document by its name."""
    return schema.documents()


@cache
def channels() -> list[Json]:
    """Return what the page shows of each channel: its frames by their sender, those of the client first."""
    document, defined = schema.asyncapi(), schema.json_schema()["$defs"]
    return [
        {
            "address": channel["address"],
            "about": document["info"]["description"],
            "groups": [
                {
                    "action": operation["action"],
                    "frames": [
                        _frame(_name_of(each), channel["messages"][_name_of(each)], defined)
                        for each in operation["messages"]
                    ],
                }
                for operation in document["operations"].values()
                if _name_of(operation["channel"]) == name
            ],
        }
        for name, channel in document["channels"].items()
    ]


def _frame(name: str, message: Json, defined: Json) -> Json:
    """Return what the page shows of a frame."""
    described = defined[_name_of(message["payload"])]
    return {
        "name": name,
        "type": described["properties"].get("type", {}).get("const", ""),
        "meaning": described["description"],
        "example": json.dumps(message["examples"][0]["payload"], ensure_ascii=False, indent=2),
        "rows": field_rows({"components": {"schemas": defined}}, name),
    }


def _name_of(reference: Json) -> str:
    return str(reference["$ref"].rpartition("/")[2])
