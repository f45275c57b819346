"""OpenAI's endpoints: each response is one run of a conversation, and each service is a model."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server.agents.service import Service
from server.asgi import Asgi
from server.endpoints.answers.open_answers import AnswerPlace, OpenAnswers
from server.endpoints.answers.request_headers import run_headers
from server.endpoints.answers.run_follower import MORE_THAN_RUN_S, RunFollower
from server.endpoints.answers.streamed_answer import StreamedAnswer
from server.endpoints.identity import app_of
from server.errors import Unavailable
from server.openai_clients.body import ResponseBody, response_body_of
from server.openai_clients.key_holders import KeyHolders
from server.openai_clients.refusals import InvalidValue, ModelNotFound
from server.openai_clients.response import ResponseReader
from server.openai_clients.stream import FROM_THE_START, ResponseStream
from server.openai_clients.submit import ResponseSubmitter
from server.protocol.commands import Cancel
from server.rooms.admission import AGAIN_S, Admission
from server.store import Run, Session

_TRUE, _FALSE = frozenset({"true", "True", "1"}), frozenset({"false", "False", "0", ""})


class OpenAiClients:
    """Serves OpenAI's clients; acquired by the application, released by `close_for_shutdown`."""

    def __init__(
        self, submitter: ResponseSubmitter, holders: KeyHolders, admission: Admission, *, most_of_session: int
    ) -> None:
        self._submitter = submitter
        self._holders = holders
        self._admission = admission
        self._parts = submitter.parts
        self._reader = ResponseReader(self._parts.store, demo=self._parts.demo)
        self.open_streams = OpenAnswers(most_of_session, self._parts.limits.answers_per_visitor)

    def routes(self) -> list[BaseRoute]:
        """Return the paths of OpenAI's clients, with `/v1` as their base."""
        return [
            Route("/v1/models", self._models, methods=["GET"]),
            Route("/v1/models/{model}", self._model, methods=["GET"]),
            Route("/v1/responses", self._create, methods=["POST"]),
            Route("/v1/responses/{id}", self._retrieve, methods=["GET"]),
            Route("/v1/responses/{id}/cancel", self._cancel, methods=["POST"]),
        ]

    def close_for_shutdown(self) -> None:
        """End the streams that go on: their clients ask another server for the rest."""
        self.open_streams.close_for_shutdown()

    def end_revoked(self, subject: str) -> None:
        """End the streams of this principal, or in this session, for good."""
        self.open_streams.end_revoked(subject)

    # Models.

    async def _models(self, request: Request) -> Response:
        self._holders.require_key(request)
        shown = [_model_json(each) for each in self._talking(request)]
        return JSONResponse({"object": "list", "data": shown})

    async def _model(self, request: Request) -> Response:
        self._holders.require_key(request)
        return JSONResponse(_model_json(self._service(request, request.path_params["model"])))

    def _talking(self, request: Request) -> list[Service]:
        """Return the services of the app that hold conversations; the others take requests at paths of their own."""
        return [each for each in self._parts.services_of(app_of(request)) if each.contract is None]

    def _service(self, request: Request, name: str) -> Service:
        found = next((each for each in self._talking(request) if each.name == name), None)
        if found is None:
            names = ", ".join(each.name for each in self._talking(request))
            raise ModelNotFound(f"There is no such model. A model is a service: {names}.", field="model")
        return found

    # Responses.

    async def _create(self, request: Request) -> Response | Asgi:
        """Store the user's input, and answer with the response, or with its events as they happen."""
        self._require_staying()
        self._holders.require_key(request)
        body = await response_body_of(request)
        service = self._service(request, body.model)
        principal = await self._holders.principal(request, body.person())
        known = await self._conversation(request, body, principal)
        if body.stream:
            place = self.open_streams.place()
            try:
                place.admit(known[0].principal if known else principal, known[0].id if known else "")
                run, session = await self._submitter.submit(request, body, service, principal, known)
            except BaseException:
                # Every end of the request, a cancellation too, must free its place.
                place.exit()
                raise
            return self._stream(run, session, FROM_THE_START, place)
        run, session = await self._submitter.submit(request, body, service, principal, known)
        if not body.background:
            body = body.model_copy(update={"input": ""})  # Its pictures are not held while the run goes on.
            run = await self._wait(run, session, service.limits.seconds + MORE_THAN_RUN_S)
        headers = run_headers(self._parts, session, run.id)
        told = await self._reader.read(run, session)
        told |= {"background": bool(body.background), "previous_response_id": body.previous_response_id}
        return JSONResponse(told, headers=headers)

    async def _conversation(
        self, request: Request, body: ResponseBody, principal: str
    ) -> tuple[Session, Run | None] | None:
        """Return the conversation that goes on, with the run that the client has seen; None for a new one."""
        named = body.session_id()
        run: Run | None = None
        if body.previous_response_id is not None:
            if named is not None:
                raise InvalidValue("Name one of conversation and previous_response_id.", field="conversation")
            run, session = await self._holders.response(request, body.previous_response_id, principal)
        elif named is not None:
            session = await self._holders.session(request, named, principal)
            if session.last_run is not None:
                run = await self._parts.store.runs.get(session.last_run)
        else:
            return None
        if session.service != body.model:
            raise InvalidValue(f"This conversation is one of the model {session.service}.", field="model")
        return session, run

    async def _retrieve(self, request: Request) -> Response | Asgi:
        """Answer with the state of a response, or with its events after a number."""
        self._holders.require_key(request)
        wants_stream = _flag(request, "stream")
        after = _number(request, "starting_after")
        run, session = await self._holders.response(request, request.path_params["id"])
        if not wants_stream:
            return JSONResponse(await self._reader.read(run, session))
        self._require_staying()
        place = self.open_streams.place()
        place.admit(session.principal, session.id)
        return self._stream(run, session, after, place)

    async def _cancel(self, request: Request) -> Response:
        """Stop a response; one that has ended stays as it is."""
        self._holders.require_key(request)
        run, session = await self._holders.response(request, request.path_params["id"])
        await self._parts.runs.cancel(session, Cancel(type="cancel", run_id=run.id))
        run = await self._wait(run, session, MORE_THAN_RUN_S)
        return JSONResponse(await self._reader.read(run, session))

    def _stream(self, run: Run, session: Session, after: int, place: AnswerPlace) -> Asgi:
        stream = ResponseStream(
            run, session, after, store=self._parts.store, bus=self._parts.bus, reader=self._reader
        )
        place.enter(stream)
        return StreamedAnswer(stream, place)

    async def _wait(self, run: Run, session: Session, seconds: float) -> Run:
        """Return a run at its end; one that takes longer is stopped, and returned as it is."""
        async with RunFollower(self._parts, session, seconds) as follower:
            return await follower.wait(run.id, again=True)

    def _require_staying(self) -> None:
        if self._admission.draining:
            raise Unavailable(retry_after=AGAIN_S)


def _model_json(service: Service) -> dict[str, object]:
    return {"id": service.name, "object": "model", "created": 0, "owned_by": "loopwire"}


def _flag(request: Request, name: str) -> bool:
    value = request.query_params.get(name, "")
    if value not in _TRUE | _FALSE:
        raise InvalidValue(f"{name} is true or false.", field=name)
    return value in _TRUE


def _number(request: Request, name: str) -> int:
    value = request.query_params.get(name)
    if value is None:
        return FROM_THE_START
    if not (value.isascii() and value.isdigit() and len(value) <= 15):  # noqa: PLR2004 - what JavaScript holds.
        raise InvalidValue(f"{name} is the sequence_number of an event.", field=name)
    return int(value)
