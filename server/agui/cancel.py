"""The stop of a run over AG-UI, which has none of its own: by the caller's names of thread and message."""

from contextlib import AsyncExitStack
from typing import Annotated

from pydantic import Field
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.agui.input import Id, key_of
from server.agui.request import RequestResolver
from server.endpoints.address_rates import spend_of_address
from server.endpoints.bodies import JsonBody, NoControl, body_of
from server.endpoints.identity import app_of
from server.protocol.commands import Cancel


class CancelRequest(JsonBody):
    """Names the run to stop: that of a message, or that of this id; else the current run of the thread."""

    thread_id: Annotated[Id, NoControl] = Field(alias="threadId")
    run_id: Annotated[Id, NoControl] | None = Field(None, alias="runId")
    """Ours: `metadata.loopwire.run_id` of RUN_STARTED."""
    message_id: Annotated[str, Field(min_length=1, max_length=256), NoControl] | None = Field(
        None, alias="messageId"
    )
    """The caller's id of the last message that began the run."""


def routes(resolver: RequestResolver) -> list[BaseRoute]:
    """POST /agui/{service}/cancel."""
    parts = resolver.parts

    async def cancel(request: Request) -> Response:
        await spend_of_address(request, parts.change_rate)
        service = parts.service(request.path_params["service"], app_of(request))
        body = await body_of(request, CancelRequest)
        async with AsyncExitStack() as spending:
            session = await resolver.find_thread(request, service, body.thread_id, spending)
            message_id = key_of(body.message_id) if body.message_id else None
            run_id = key_of(body.run_id) if body.run_id else None
            ack = await parts.runs.cancel(
                session, Cancel(type="cancel", run_id=run_id, message_id=message_id)
            )
        return JSONResponse({"threadId": body.thread_id, "runId": ack.run_id})

    return [Route("/agui/{service}/cancel", cancel, methods=["POST"])]
