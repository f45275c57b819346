"""Content that was too large for a conversation's log, served to the owner of the conversation."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server.auth import Origins
from server.endpoints.authorize import reader_of
from server.endpoints.dependencies import Dependencies
from server.errors import NotFound
from server.rooms.admission import Admission


def routes(parts: Dependencies, admission: Admission, origins: Origins) -> list[BaseRoute]:
    """GET /v1/sessions/{id}/blobs/{blob}: its bytes, to be saved and never to be drawn.

    The caller is known by the cookie, or by a bearer as at the stream: a page of another origin has no cookie of ours.
    """

    async def blob(request: Request) -> Response:
        found = await parts.store.blobs.get(
            request.path_params["blob"], await reader_of(request, admission, origins)
        )
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
