"""Requests of services over REST: each is a run of a session, answered at its end or by a callback."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.agents.contract import RequestContract, ServiceRequest
from server.agents.service import Service
from server.api.requests.body import in_language_of, read_body
from server.api.requests.jobs import Jobs, job_response
from server.endpoints.address_rates import hold_pictures, spend_images, spend_request
from server.endpoints.answers.request_headers import idempotency_key, run_headers
from server.endpoints.answers.run_follower import MORE_THAN_RUN_S, RunFollower
from server.endpoints.bodies import name_field
from server.endpoints.caller import ApiCaller, Callers
from server.endpoints.dependencies import Dependencies
from server.endpoints.identity import app_of
from server.endpoints.picture_storage import KEEP_IMAGES_S, store_picture
from server.errors import LOOPOS_INTERNAL, Busy, QueueFull, RunFailed, Unavailable
from server.field_words import leaves, line_with_label, units_of
from server.images import Picture, images_of
from server.languages import nearest_language
from server.protocol.content_parts import INPUT
from server.protocol.ids import new_id
from server.rooms.admission import AGAIN_S, Admission
from server.runs.conversation.pictures import image_part
from server.store import Run, SessionOwner, UnstoredSession
from server.store.rows import Json
from server.words import readable, say

KEEP_PRIVATE_S = 3600.0
"""Seconds that pictures of documents are kept: as long as a run may wait, run and be taken over. They are encrypted."""

RUN_AGAIN_S = 5
"""Seconds after which a request is worth repeating whose model or Core was busy or away, or whose process ended."""

MOST_TEXT = 4_000
"""Characters of a request that its conversation shows."""

WORDS_BESIDES = frozenset({"error", "loopos_core_context", "messages"})
"""Free words of a request; of a service with private fields its conversation does not show them either."""

STORED = "stored"
"""What stands for a picture in the content of a run: its bytes are stored as a blob."""


class ServiceRequests:
    """The endpoints of the services that answer requests."""

    def __init__(self, parts: Dependencies, admission: Admission, callers: Callers) -> None:
        self._parts = parts
        self._admission = admission
        self._callers = callers

    def routes(self) -> list[BaseRoute]:
        """Return each service's own path, and GET /v1/jobs/{id}."""
        answering = [(each, each.contract) for each in self._parts.services.values() if each.contract]
        return [
            *(
                Route(each.path, self._endpoint(service, each), methods=["POST"])
                for service, each in answering
            ),
            Route("/v1/jobs/{id}", Jobs(self._parts, self._callers).answer, methods=["GET"]),
        ]

    def _endpoint(self, service: Service, contract: RequestContract) -> Any:
        async def answer(request: Request) -> Response:
            return await self._answer(request, service, contract)

        return answer

    async def admit(self, request: Request, service: Service) -> None:
        """Count a request for its caller, before its body is read. Raises RateLimited and Unavailable."""
        if self._admission.draining:
            raise Unavailable(retry_after=AGAIN_S)
        await spend_request(request, self._parts, service.name)

    async def _answer(self, request: Request, service: Service, contract: RequestContract) -> Response:
        await self.admit(request, service)
        self._callers.require_known(request)
        self._parts.service(service.name, app_of(request))
        given = await read_body(request, contract.request)
        if isinstance(given, Response):
            return given
        given = in_language_of(self._parts.apps[app_of(request)], given)
        key = idempotency_key(request)
        # A caller with a callback or an idempotency key needs a name by which it finds the session again.
        name = given.session_id or key or (new_id("req") if given.callback_url else None)
        caller = await self._callers.of(request, service.name, name)
        given, pictures = await self._take_pictures(request, given)
        session = await self._session(caller, service, given, name, pictures)
        content = await self._content(session, service, given, pictures)
        run_id = await self._submit(session, service, given, content, key)
        headers = run_headers(self._parts, session, run_id)
        if given.callback_url is not None:
            return job_response(run_id, name, headers)
        return await self._response(session, run_id, service.limits.seconds + MORE_THAN_RUN_S, headers)

    async def begin(self, request: Request, service: Service, given: ServiceRequest) -> SessionOwner:
        """Begin a conversation of a visitor with an admitted request; its answer is shown there.

        Raises what refuses it.
        """
        given = in_language_of(self._parts.apps[app_of(request)], given)
        given, pictures = await self._take_pictures(request, given)
        caller = await self._callers.of(request, service.name, None)
        session = await self._session(caller, service, given, None, pictures)
        content = await self._content(session, service, given, pictures)
        await self._submit(session, service, given, content)
        return session

    async def _take_pictures(
        self, request: Request, given: ServiceRequest
    ) -> tuple[ServiceRequest, list[Picture]]:
        """Judge the address of the callback and read the pictures; return the request without their bytes, and them.

        Raises what is wrong with one, and RateLimited or Unavailable for too many.
        """
        guard = self._parts.guard_for(request)
        with hold_pictures(request, self._parts, given.images) as held:
            if given.callback_url is not None:
                with name_field("callback_url"):
                    await guard.judge(given.callback_url)
            await spend_images(request, self._parts, len(given.images))
            with name_field("images"):
                pictures = await images_of(given.images, guard, held)
        return given.model_copy(update={"images": [STORED] * len(given.images)}), pictures

    async def _session(
        self,
        caller: ApiCaller,
        service: Service,
        given: ServiceRequest,
        name: str | None,
        pictures: Sequence[Picture],
    ) -> SessionOwner:
        """Begin the conversation of a request, or find the one of this name.

        One without a name is stored together with its run; with pictures it is stored before them.
        Of a service with private fields the session keeps no words: its run reads them in its sealed data.
        """
        said = {
            "loopos_core_context": getattr(given, "loopos_core_context", None),
            "session_extra_data": given.session_extra_data,
        }
        said = {} if is_private(service) else {field: each for field, each in said.items() if each}
        language = nearest_language(given.language)
        context = {**self._parts.apps[caller.app].context_for(service.name), "session_extra_data": {}}
        if name is None and not pictures:
            return UnstoredSession(
                id=new_id("ses"),
                app=caller.app,
                principal=caller.principal,
                service=service.name,
                language=language,
                context=context | said,
            )
        return await self._parts.store.sessions.create(
            app=caller.app,
            principal=caller.principal,
            service=service.name,
            language=language,
            alias=name,
            context=context,
            said=said,
            request=True,
        )

    async def _content(
        self, session: SessionOwner, service: Service, given: ServiceRequest, pictures: Sequence[Picture]
    ) -> list[Json]:
        """Return the content of a request's run; its pictures are stored for a while, and named there.

        Of a service with private fields the pictures are sealed. A picture's id follows from its bytes, so that a
        repeated request has the same content.
        """
        store, contract = self._parts.store, service.contract
        private = contract.private | WORDS_BESIDES if contract and contract.private else frozenset()
        about = contract.about(given) if contract and contract.about else ""
        part = input_part(service.name, given, nearest_language(given.language), private, about)
        parts, keep_s = [part], KEEP_PRIVATE_S if private else KEEP_IMAGES_S
        for each in pictures:
            blob = await store_picture(store, session, each, keep_s, sealed=bool(private))
            picture = image_part(session.id, blob, each.width, each.height)
            if private:
                del picture["url"]  # The conversation shows no picture.
            parts.append(picture)
        return parts

    async def _submit(
        self,
        session: SessionOwner,
        service: Service,
        given: ServiceRequest,
        content: list[Json],
        key: str | None = None,
    ) -> str:
        """Store a request and return the id of its run; the same key again is the same run. Raises QueueFull.

        Where that one failed and is worth repeating, it is a new run.
        """
        with refused_with_429():
            return await self._parts.runs.submit_request(
                session,
                key or new_id("req"),
                content=content,
                language=nearest_language(given.language),
                callback_url=given.callback_url,
                private=is_private(service),
                is_request=True,
                waited_ms=int(1000 * service.limits.seconds),
            )

    async def _response(
        self, session: SessionOwner, run_id: str, seconds: float, headers: dict[str, str]
    ) -> Response:
        """Wait for the end of a run, at most so many seconds, and answer with it."""
        latest = time.monotonic() + seconds
        end = await self._parts.runs.wait_for_end_here(run_id, seconds)
        if end is not None and end.outcome == "success" and end.response is not None:
            return JSONResponse(end.response, headers=headers)
        async with RunFollower(self._parts, session, latest - time.monotonic()) as follower:
            run = await follower.wait(run_id, again=True)
        if run.outcome == "success":
            response = await self._parts.store.runs.response(run.id)
            if response is not None:
                return JSONResponse(response, headers=headers)
        status, body = failure_of(run)
        return JSONResponse(body, status, headers=headers | retry_headers(status))


def is_private(service: Service) -> bool:
    """Return whether what a service is asked and answers is encrypted at rest."""
    return bool(service.contract and service.contract.private)


def failure_of(run: Run) -> tuple[HTTPStatus, dict[str, Any]]:
    """Return what a request is answered whose run gave no response; a run that has no end yet took too long."""
    if run.status != "finished" or run.code == "limit":
        return HTTPStatus.GATEWAY_TIMEOUT, {
            "error": {"code": "timeout", "message": "The answer took too long."}
        }
    if run.outcome == "cancelled":
        return HTTPStatus.CONFLICT, {"error": {"code": "cancelled", "message": "The request was stopped."}}
    error = next((each for each in RunFailed.__subclasses__() if each.code == run.code), None)
    if error is None or error.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        return HTTPStatus.INTERNAL_SERVER_ERROR, LOOPOS_INTERNAL
    told: dict[str, Any] = {"code": error.code, "message": error.text}
    if error.status == HTTPStatus.SERVICE_UNAVAILABLE:
        told["retry_after"] = RUN_AGAIN_S
    return HTTPStatus(error.status), {"error": told}


def retry_headers(status: HTTPStatus) -> dict[str, str]:
    """Return the header that says when a request is worth repeating whose run failed with this status."""
    return {"retry-after": str(RUN_AGAIN_S)} if status == HTTPStatus.SERVICE_UNAVAILABLE else {}


@contextmanager
def refused_with_429() -> Iterator[None]:
    """Refuse what finds the queue of its session full so that LoopOS's clients send it again. Raises QueueFull."""
    try:
        yield
    except Busy as busy:
        raise QueueFull(retry_after=busy.retry_after or RUN_AGAIN_S) from None


def input_part(
    service: str, given: ServiceRequest, language: str, private: frozenset[str] = frozenset(), about: str = ""
) -> dict[str, Any]:
    """Return the content of a request's run: what people read of it, its title, and the data for its agents."""
    read = {**given.for_models(), "language": None}
    lines = list(leaves(read, language, without=private, units=units_of(type(given))))
    text = "\n".join(line_with_label(label, value, language) for label, value in lines)[:MOST_TEXT]
    name = say(f"service.{service}.title", language)
    about = (about or (lines[0][1] if lines else "")).split("\n")[0]
    title = f"{readable(service) if name.startswith('service.') else name} · {about}" if about else name
    data = given.model_dump(mode="json", exclude={"callback_url"})
    data["images"] = [STORED] * len(given.images)
    return {"type": INPUT, "text": text, "title": title[:60], "data": data}
