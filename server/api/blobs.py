"""What was too large for a conversation's log, for the one whose conversation it is."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server.api.parts import Parts, principal_of
from server.errors import NotFound


def routes(parts: Parts) -> list[BaseRoute]:
    """GET /v1/sessions/{id}/blobs/{blob}: its bytes, to be saved and never to be drawn."""

    async def blob(request: Request) -> Response:
        found = await parts.store.blobs.get(request.path_params["blob"], principal_of(request))
        if found.session_id != request.path_params["id"]:
            raise NotFound
        return Response(
            found.data,
            media_type=found.media_type,
            headers={
                "content-disposition": f'attachment; filename="{found.id}"',
                "content-security-policy": "default-src 'none'; sandbox",
                "cache-control": "no-store",
                "x-content-type-options": "nosniff",
            },
        )

    return [Route("/v1/sessions/{id}/blobs/{blob}", blob)]
