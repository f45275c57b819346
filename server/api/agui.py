"""The AG-UI door: POST RunAgentInput, and the answer is one run as AG-UI 1.0 events; the conversation stays ours."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Protocol

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server import __version__
from server.api.agui_answer import Answer, lines_of
from server.api.agui_input import RunAgentInput, Said, input_of, key_of, message_of, text_of
from server.api.agui_stretch import Names
from server.api.doors import hello_of
from server.api.parts import Parts, address_of, principal_of
from server.api.shield import Asgi, Receive, Scope, Send
from server.apps import DEMO
from server.auth import Grant, Origins, ResumeTokens
from server.errors import LoopwireError, NotFound, NothingNew, Unavailable
from server.protocol import events as ev
from server.store import Session
from server.tasks import Tasks
from server.ws.admission import AGAIN_S, CAPABILITIES, Admission
from server.ws.intake import Intake

HEADERS = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class Body(Protocol):
    """What a response streams."""

    def lines(self) -> AsyncGenerator[bytes]:
        """Give the lines, some at a time."""
        ...

    def gone(self) -> None:
        """Hear that nobody reads them any more."""
        ...

    def leave(self) -> None:
        """Hear that the server goes."""
        ...


class Agui:
    """Serves AG-UI's clients; acquired by the application, released by `leave`."""

    def __init__(
        self, parts: Parts, *, admission: Admission, intake: Intake, origins: Origins, tokens: ResumeTokens
    ) -> None:
        """Answer nobody yet."""
        self._parts = parts
        self._admission = admission
        self._intake = intake
        self._origins = origins
        self._tokens = tokens
        self._answers: set[Body] = set()

    def __len__(self) -> int:
        """Count the answers that go on."""
        return len(self._answers)

    def routes(self) -> list[BaseRoute]:
        """POST and GET /agui/{service}."""
        return [
            Route("/agui/{service}", self._run, methods=["POST"]),
            Route("/agui/{service}", self._capabilities, methods=["GET"]),
        ]

    def leave(self) -> None:
        """End the answers that go on: their callers ask another server for the same runs."""
        for each in self._answers:
            each.leave()

    async def _run(self, request: Request) -> Asgi:
        if self._admission.draining:
            raise Unavailable(retry_after=AGAIN_S)
        service = self._parts.service(request.path_params["service"])
        body = await input_of(request)
        if not body.new_messages():
            return Streamed(Refused(body, NothingNew()), set())
        session, language, told = await self._who(request, service, body.thread_id)
        said = await self._unsent(session, body.new_messages())
        ack = await self._intake.take(session, message_of(said), language=language, source="")
        names = Names(
            session_id=session.id,
            run_id=str(ack.run_id if ack else ""),
            thread=body.thread_id,
            run=body.run_id,
            parent=body.parent_run_id,
            sent=body.sent(),
            told={"session_id": session.id, "run_id": ack.run_id if ack else None, **told},
        )
        new = [{"id": each.id, "role": "user", "content": text_of(each)} for each in body.new_messages()]
        parts = self._parts
        answer = Answer(names, new=new, store=parts.store, bus=parts.bus, runs=parts.runs)
        return Streamed(answer, self._answers)

    async def _who(self, request: Request, service: str, thread: str) -> tuple[Session, str, dict[str, Any]]:
        """Find the session that the caller means, its language, and what it needs to come back.

        A visitor's cookie leads to the session that it calls by this thread, which may be new. A bearer leads to its
        own session, which then has this name too. Raises what refuses the caller.
        """
        sessions = self._parts.store.sessions
        if "authorization" not in request.headers:
            try:
                session = await sessions.by_alias(DEMO, principal_of(request), service, thread)
            except NotFound:
                session = await self._parts.new_session(request, service=service, language=None, alias=thread)
            return session, session.language, {}
        origins = self._origins.possible(request.scope["scheme"], request.headers)
        with self._admission.stranger(address_of(request)):
            grant: Grant = await self._admission.granted(hello_of(request), *origins)
            session = await self._admission.session(grant)
        if session.service != service or not await sessions.called(session, thread):
            raise NotFound
        return session, grant.language or session.language, {"resume_token": self._tokens.issue(grant)}

    async def _unsent(self, session: Session, said: list[Said]) -> list[Said]:
        """The last message, and those before it that were never sent: their run may have failed with no answer."""
        if len(said) == 1:
            return said
        known = {key_of(said[-1].id)}
        taken = await self._parts.runs.snapshot(session.id)
        known |= {str(ev.ours(each).get("client_id")) for each in taken.transcript.messages}
        known |= {each.client_id for each in await self._parts.store.runs.queue(session.id)}
        return [*(each for each in said[:-1] if key_of(each.id) not in known), said[-1]]

    async def _capabilities(self, request: Request) -> Response:
        """AG-UI's AgentCapabilities of a service: what stands in `getCapabilities` of a client's agent."""
        service = self._parts.services[self._parts.service(request.path_params["service"])]
        state = {**CAPABILITIES["state"], "persistentState": True}
        return JSONResponse(
            {
                **CAPABILITIES,
                "identity": {"name": service.name, "type": "loopwire", "version": __version__},
                "state": state,
                "custom": {"loopwire": {"agents": sorted(service.agents()), "demo": self._parts.demo}},
            }
        )


class Refused:
    """An answer without a run, which says why there is none."""

    def __init__(self, body: RunAgentInput, error: LoopwireError) -> None:
        """Answer this request with this error."""
        started = ev.run_started(body.thread_id, body.run_id)
        self._events = [{**started, "metadata": {}}, ev.run_error(error.message, error.code)]

    async def lines(self) -> AsyncGenerator[bytes]:
        """Say it."""
        yield lines_of(self._events)

    def gone(self) -> None:
        """Nothing goes on."""

    def leave(self) -> None:
        """Nothing goes on."""


class Streamed:
    """The response of an answer, to its end or until nobody reads it."""

    def __init__(self, body: Body, among: set[Body]) -> None:
        """Stream this, and be `among` those that go on meanwhile."""
        self._body = body
        self._among = among

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Send the lines as they come, and listen whether somebody is still there."""
        tasks = Tasks()
        tasks.spawn(self._listen(receive), name="agui reader")
        self._among.add(self._body)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            async with aclosing(self._body.lines()) as lines:
                async for each in lines:
                    await send({"type": "http.response.body", "body": each, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self._among.discard(self._body)
            await tasks.aclose()

    async def _listen(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._body.gone()
