"""Requests of services over REST: each is a run of a session, answered at once, as a stream, or posted when it ends."""

import asyncio
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.agents.contract import RequestContract, ServiceRequest
from server.agents.service import Service
from server.bus import Entry
from server.errors import BadJson, LoopwireError, RunFailed, Unavailable
from server.languages import nearest_language
from server.limit_counters import Windows
from server.protocol.commands import Cancel
from server.protocol.ids import new_id
from server.requests.caller import ApiCaller, Callers
from server.requests.dependencies import (
    Dependencies,
    UnsupportedMediaType,
    address_of,
    require_few_containers,
)
from server.rooms.admission import AGAIN_S, Admission
from server.store import Run, Session

MOST_FAULTS = 20
"""Faults of one body that its answer names."""

PATIENCE_S = 5.0
"""So much longer than its run may take a request waits: for its turn, and for the end to be stored."""

LOOK_S = 2.0
"""How often a waiting request looks at the database, beside hearing of the end."""

ENDS = frozenset({"RUN_FINISHED", "RUN_ERROR"})
INTERNAL = {"error": "Internal Server Error"}
RUN, SESSION, DEMO = "x-loopwire-run", "x-loopwire-session", "x-loopwire-demo"


class EndWatcher:
    """Watches a session for the end of a run; what it hears is a reason to look, and no truth."""

    def __init__(self) -> None:
        self.moved = asyncio.Event()

    def deliver(self, entries: Sequence[Entry]) -> None:
        """Hear of events."""
        if any(each.event["type"] in ENDS for each in entries):
            self.moved.set()

    def control(self, frame: bytes) -> None:
        """Hear nothing of these."""

    def resync(self) -> None:
        """Look again: something may have been missed."""
        self.moved.set()

    def drop(self) -> None:
        """Look again: nothing will be heard any more."""
        self.moved.set()


class ServiceRequests:
    """The endpoints of the services that answer requests."""

    def __init__(self, parts: Dependencies, admission: Admission, callers: Callers) -> None:
        self._parts = parts
        self._admission = admission
        self._callers = callers
        self._rate = Windows(parts.limits.requests_per_address)

    def routes(self) -> list[BaseRoute]:
        """Each service's own path, and GET /v1/jobs/{id}."""
        answering = [(each, each.contract) for each in self._parts.services.values() if each.contract]
        return [
            *(
                Route(each.path, self._endpoint(service, each), methods=["POST"])
                for service, each in answering
            ),
            Route("/v1/jobs/{id}", self._job, methods=["GET"]),
        ]

    def _endpoint(self, service: Service, contract: RequestContract) -> Any:
        async def answer(request: Request) -> Response:
            try:
                return await self._answer(request, service, contract)
            except LoopwireError as error:
                if error.status != HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise
                return JSONResponse(INTERNAL, HTTPStatus.INTERNAL_SERVER_ERROR)

        return answer

    async def _answer(self, request: Request, service: Service, contract: RequestContract) -> Response:
        if self._admission.draining:
            raise Unavailable(retry_after=AGAIN_S)
        self._rate.spend(address_of(request))
        given = await read_request(request, contract)
        if isinstance(given, Response):
            return given
        # Who is told of the end elsewhere has a name to ask for the job by.
        name = given.session_id or (new_id("req") if given.callback_url else None)
        caller = self._callers.of(request, name)
        session = await self._session(caller, service, given, name)
        if given.callback_url is not None:
            await self._parts.guard.judge(given.callback_url)
        run_id = await self._submit(session, service, given)
        known = {RUN: run_id, SESSION: session.id, **({DEMO: "true"} if self._parts.demo else {})}
        if given.callback_url is not None:
            url = f"/v1/jobs/{run_id}?session_id={quote(str(name))}"
            body = {"job_id": run_id, "status": "queued", "session_id": name, "url": url}
            return JSONResponse(body, HTTPStatus.ACCEPTED, headers={**known, "location": url})
        run = await self._wait(session, run_id, service.limits.seconds + PATIENCE_S)
        return await self._response(run, known)

    async def _session(
        self, caller: ApiCaller, service: Service, given: ServiceRequest, name: str | None
    ) -> Session:
        context = {
            "loopos_core_context": getattr(given, "loopos_core_context", None)
            or self._parts.apps[caller.app].context,
            "session_extra_data": given.session_extra_data or {},
        }
        return await self._parts.store.sessions.create(
            app=caller.app,
            principal=caller.principal,
            service=service.name,
            language=nearest_language(given.language),
            alias=name,
            context=context,
        )

    async def _submit(self, session: Session, service: Service, given: ServiceRequest) -> str:
        data = given.model_dump(mode="json", exclude={"callback_url"})
        content = [{"type": "input", "text": text_of_request(given), "data": data}]
        language = nearest_language(given.language)
        return await self._parts.runs.submit_request(
            session, new_id("req"), content, language, given.callback_url
        )

    async def _wait(self, session: Session, run_id: str, seconds: float) -> Run:
        """Wait for the end of a run. After so many seconds the run is stopped and given as it stands."""
        watcher, runs = EndWatcher(), self._parts.store.runs
        deadline = asyncio.get_running_loop().time() + seconds
        await self._parts.bus.hub.watch(session.id, watcher)
        try:
            while (run := await runs.get(run_id)).status != "finished":
                left = deadline - asyncio.get_running_loop().time()
                if left <= 0:
                    await self._parts.runs.cancel(session, Cancel(type="cancel", run_id=run_id))
                    return run
                try:
                    async with asyncio.timeout(min(left, LOOK_S)):
                        await watcher.moved.wait()
                except TimeoutError:
                    pass
                watcher.moved.clear()
            return run
        finally:
            self._parts.bus.hub.unwatch(session.id, watcher)

    async def _response(self, run: Run, headers: dict[str, str]) -> Response:
        if run.outcome == "success":
            response = await self._parts.store.runs.response(run.id)
            if response is not None:
                return JSONResponse(response, headers=headers)
        status, body = failure_of(run)
        return JSONResponse(body, status, headers=headers)

    async def _job(self, request: Request) -> Response:
        """Answer how far a request is, to whoever may read its session."""
        caller = self._callers.of(request, request.query_params.get("session_id"))
        run = await self._parts.store.runs.get(request.path_params["id"])
        await self._parts.store.sessions.get(run.session_id, caller.principal)
        status = (
            run.status if run.status != "finished" else {"success": "done"}.get(run.outcome or "", "failed")
        )
        body: dict[str, Any] = {
            "job_id": run.id,
            "session_id": run.session_id,
            "status": status,
            "created_at": run.created_at,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "result": await self._parts.store.runs.response(run.id) if status == "done" else None,
            "error": None if status != "failed" else {"code": run.code or run.outcome},
        }
        return JSONResponse(body)


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
        return HTTPStatus.INTERNAL_SERVER_ERROR, INTERNAL
    return HTTPStatus(error.status), {"error": {"code": error.code, "message": error.text}}


async def read_request(request: Request, contract: RequestContract) -> ServiceRequest | Response:
    """Read the body of a request; the answer is 422 in LoopOS's shape where fields are wrong or missing.

    Raises UnsupportedMediaType, BadJson, and TooLong for too many lists and objects.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" or "content-encoding" in request.headers:
        raise UnsupportedMediaType
    raw = b"".join([part async for part in request.stream()])
    require_few_containers(raw)
    try:
        given = contract.request.model_validate_json(raw or b"{}")
        contract.route(given)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)[:MOST_FAULTS]
        if faults[0]["type"] == "json_invalid":
            raise BadJson from None
        detail = [
            {"loc": ["body", *each["loc"]], "msg": each["msg"], "type": each["type"]} for each in faults
        ]
        return JSONResponse({"detail": detail}, HTTPStatus.UNPROCESSABLE_ENTITY)
    return given


def text_of_request(given: ServiceRequest) -> str:
    """Return what people read of a request in its conversation: its fields, a line each."""
    lines = [f"{name}: {_short(value)}" for name, value in given.for_models().items() if name != "language"]
    return "\n".join(lines)[:4000]


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_short(each)}" for name, each in value.items() if each not in (None, ""))
    if isinstance(value, list):
        return ", ".join(map(_short, value))
    return str(value)
