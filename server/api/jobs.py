"""GET /v1/jobs/{id}: how far a request is, with its steps while they happen, and its response when it is done."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from server.agents.run.request_run import request_of
from server.api.job_steps import JobSteps, ids_of_earlier_calls, step_of_call
from server.bus import BusDown
from server.endpoints.caller import Callers
from server.endpoints.dependencies import Dependencies
from server.protocol.events import Event
from server.store import Run, Session, Unreadable, opened_run

log = logging.getLogger(__name__)


class Jobs:
    """Answers callers who ask about their requests."""

    def __init__(self, parts: Dependencies, callers: Callers) -> None:
        self._parts = parts
        self._callers = callers

    async def answer(self, request: Request) -> Response:
        """Answer how far a request is, to a client that may read its session."""
        caller = self._callers.of(request, request.query_params.get("session_id"))
        run = await self._parts.store.runs.get(request.path_params["id"])
        session = await self._parts.store.sessions.get(run.session_id, caller.principal)
        if session.last_run == run.id and run.status != "finished":  # It ended between the two readings.
            run = await self._parts.store.runs.get(run.id)
        status = job_status(run)
        steps = await self._steps(run, session)
        body: dict[str, Any] = {
            "job_id": run.id,
            "session_id": run.session_id,
            "status": status,
            "created_at": run.created_at,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "progress": steps.progress(),
            "steps": [each.to_json() for each in steps.all_steps()],
            "result": await self._parts.store.runs.response(run.id) if status == "done" else None,
            "error": None if status != "failed" else {"code": run.code or run.outcome},
        }
        return JSONResponse(body)

    async def _steps(self, run: Run, session: Session) -> JobSteps:
        """Return the steps by the log; by what is stored where the log does not reach back to a run that ended."""
        planned = self._agent_plan(run, session)
        if run.status == "queued":
            return JobSteps(planned)
        events = _events_of(run.id, await self._events(run, session))
        is_over = run.status == "finished"
        stored = await self._parts.store.messages.of_run(run.id) if is_over and not events else []
        earlier = ids_of_earlier_calls(events, stored)
        found = await self._parts.store.messages.bodies(session.id, earlier) if earlier else {}
        steps = JobSteps(planned, waited={id: step_of_call(each) for id, each in found.items()})
        for event in events:
            steps.apply(event)
        steps.read_messages(stored)
        if is_over:
            steps.end(run.outcome)
        return steps

    async def _events(self, run: Run, session: Session) -> list[Event]:
        after = max(0, run.first_seq - 1) if run.status == "finished" else session.last_seq
        try:
            found = await self._parts.bus.reader.read(run.session_id, after)
        except BusDown:
            log.warning("a job is told without its steps, the live log is away")
            return []
        return [each.event for each in found or ()]

    def _agent_plan(self, run: Run, session: Session) -> tuple[str, ...]:
        """Return the agents that a request asks, in their order; none for a conversation."""
        service = self._parts.services.get(session.service)
        if service is None or service.contract is None:
            return ()
        try:
            content = opened_run(run, self._parts.store.seal).content
            return tuple(service.contract.route(request_of(service.contract, content)))
        except (Unreadable, ValueError, StopIteration):
            return ()  # Sealed with another secret, or stored by a version whose contract was another.


def _events_of(run_id: str, events: Iterable[Event]) -> list[Event]:
    """Return the events of one run among those of a session."""
    mine, found = False, []
    for event in events:
        if event["type"] == "RUN_STARTED":
            mine = event["runId"] == run_id
        if mine:
            found.append(event)
    return found


def job_status(run: Run) -> str:
    """Return the status of a job: that of its run, whose end is `done` or `failed`."""
    if run.status != "finished":
        return run.status
    return "done" if run.outcome == "success" else "failed"


def job_response(run_id: str, name: str | None, headers: dict[str, str]) -> Response:
    """Return the answer to a request whose response will be posted; `name` is the caller's own of its session."""
    url = f"/v1/jobs/{run_id}?session_id={quote(str(name))}"
    body = {"job_id": run_id, "status": "queued", "session_id": name, "url": url}
    return JSONResponse(body, HTTPStatus.ACCEPTED, headers={**headers, "location": url})
