"""GET /v1/jobs/{id}: the state of a request, its steps while it runs, and its response when it is done."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from server.agents.run.request_run import request_of
from server.api.requests.job_steps import JobSteps, ids_of_earlier_calls, step_of_call
from server.api.requests.step_cache import FoldedJob, StepCache
from server.bus import BusDown, Entry, entries_of_run
from server.callbacks.sender import DEMO, SESSION
from server.endpoints.address_rates import spend_of_address
from server.endpoints.caller import ApiCaller, Callers
from server.endpoints.dependencies import Dependencies
from server.errors import NotFound
from server.store import Run, Session, Unreadable, opened_run

log = logging.getLogger(__name__)


class Jobs:
    """Answers callers who ask about their requests."""

    def __init__(self, parts: Dependencies, callers: Callers) -> None:
        self._parts = parts
        self._callers = callers
        self._step_cache = StepCache()

    async def answer(self, request: Request) -> Response:
        """Answer how far a request is, to a client that may read its session. Raises RateLimited."""
        await spend_of_address(request, self._parts.poll_rate)
        asked = request.query_params.get("session_id")
        callers = self._callers.meant(request, asked)
        run = await self._parts.store.runs.get(request.path_params["id"])
        session = await self._session(run, callers)
        if session.last_run == run.id and run.status != "finished":  # The run ended between the two readings.
            run = await self._parts.store.runs.get(run.id)
        status = job_status(run)
        steps = await self._steps(run, session)
        body: dict[str, Any] = {
            "job_id": run.id,
            "session_id": await self._parts.store.caller_names.name_of(session, asked) or session.id,
            "loopwire_session": session.id,
            "status": status,
            "created_at": run.created_at,
            "started_at": run.started_at,
            "ended_at": run.ended_at,
            "progress": steps.progress(),
            "steps": [each.to_json() for each in steps.all_steps()],
            "result": await self._parts.store.runs.response(run.id) if status == "done" else None,
            "error": None if status != "failed" else {"code": run.code or run.outcome},
        }
        return JSONResponse(body, headers={DEMO: "true"} if self._parts.demo else None)

    async def _session(self, run: Run, callers: Sequence[ApiCaller]) -> Session:
        """Return the session of a run, which is of one of these. Raises NotFound and Unauthorized."""
        *others, last = callers
        for each in others:
            with suppress(NotFound):
                return await self._parts.store.sessions.get(run.session_id, each.principal)
        return await self._parts.store.sessions.get(run.session_id, last.principal)

    async def _steps(self, run: Run, session: Session) -> JobSteps:
        """Return the steps: the kept ones with the events since then, else all of them from the store."""
        if run.status == "queued":
            return JobSteps(self._agent_plan(run, session))
        return await self._followed_steps(run) or await self._read_steps(run, session)

    async def _followed_steps(self, run: Run) -> JobSteps | None:
        """Return the kept steps with the events since then; None where none are kept, or the log has begun anew."""
        kept = self._step_cache.get(run.id)
        if kept is None:
            return None
        if kept.is_over:
            return kept.steps
        entries = await self._entries(run, kept.seq)
        if entries is None or not kept.follow(run.id, entries):
            self._step_cache.forget(run.id)
            return None
        if run.status == "finished":
            kept.is_over = True
            kept.steps.finish_run(run.outcome)
        return kept.steps

    async def _read_steps(self, run: Run, session: Session) -> JobSteps:
        """Read the steps from the log; from what is stored where the log does not reach back to a run that ended."""
        is_over = run.status == "finished"
        entries = await self._entries(run, max(0, run.first_seq - 1) if is_over else session.last_seq)
        mine = entries_of_run(run.id, entries or ())
        events = [each.event for each in mine]
        stored = await self._parts.store.messages.of_run(run.id) if is_over and not events else []
        earlier = ids_of_earlier_calls(events, stored)
        found = await self._parts.store.messages.bodies(session.id, earlier) if earlier else {}
        waited = {id: step_of_call(each) for id, each in found.items()}
        steps = JobSteps(self._agent_plan(run, session), waited=waited)
        for event in events:
            steps.apply(event)
        steps.read_messages(stored)
        if is_over:
            steps.finish_run(run.outcome)
        if mine and steps.planned:  # The calls of a conversation may have begun in an earlier run.
            self._step_cache.keep(run.id, FoldedJob(steps, mine[-1].seq, is_over))
        return steps

    async def _entries(self, run: Run, after: int) -> list[Entry] | None:
        """Return what the session's log has after an event; None where it does not reach back, or is away."""
        try:
            return await self._parts.bus.reader.read(run.session_id, after)
        except BusDown:
            log.warning("a job is answered without its newest steps, the live log is unavailable")
            return None

    def _agent_plan(self, run: Run, session: Session) -> tuple[str, ...]:
        """Return the agents that a request asks, in their order; none for a conversation."""
        return self._step_cache.plan_of(run.id, lambda: self._read_plan(run, session))

    def _read_plan(self, run: Run, session: Session) -> tuple[str, ...]:
        service = self._parts.services.get(session.service)
        if service is None or service.contract is None:
            return ()
        try:
            content = opened_run(run, self._parts.store.seal).content
            return tuple(service.contract.route(request_of(service.contract, content)))
        except (Unreadable, ValueError, StopIteration):
            return ()  # Sealed with another secret, or stored by a version whose contract was another.


def job_status(run: Run) -> str:
    """Return the status of a job: that of its run, whose end is `done` or `failed`."""
    if run.status != "finished":
        return run.status
    return "done" if run.outcome == "success" else "failed"


def job_response(run_id: str, name: str | None, headers: dict[str, str]) -> Response:
    """Return the answer to a request whose response will be posted; `name` is the caller's own of its session."""
    url = f"/v1/jobs/{run_id}?session_id={quote(str(name))}"
    ours = {"loopwire_session": headers[SESSION], "url": url}
    body = {"job_id": run_id, "status": "queued", "session_id": name, **ours}
    return JSONResponse(body, HTTPStatus.ACCEPTED, headers={**headers, "location": url})
