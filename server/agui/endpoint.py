"""The AG-UI endpoint: POST RunAgentInput, answered by one run as AG-UI 1.0 events; the conversation stays ours."""

from collections.abc import AsyncGenerator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from server import __version__
from server.agui import cancel
from server.agui.answer import RunAnswer, lines_of
from server.agui.input import RunAgentInput, input_of
from server.agui.request import BLOCKS, RequestResolver
from server.asgi import Asgi
from server.endpoints.address_rates import spend_of_address
from server.endpoints.answers.open_answers import OpenAnswers
from server.endpoints.answers.streamed_answer import StreamedAnswer
from server.endpoints.identity import app_of
from server.errors import LoopwireError, NothingNew, Unavailable
from server.protocol import events as ev
from server.rooms.admission import AGAIN_S, CAPABILITIES
from server.words import ended_sentence


class Agui:
    """Serves AG-UI's clients; acquired by the application, released by `close_for_shutdown`."""

    def __init__(self, resolver: RequestResolver, *, most_of_session: int) -> None:
        self._resolver = resolver
        self.parts = resolver.parts
        self.open_answers = OpenAnswers(most_of_session, resolver.parts.limits.answers_per_visitor)

    def routes(self) -> list[BaseRoute]:
        """POST and GET /agui/{service}, and the stop of a run."""
        return [
            *cancel.routes(self._resolver),
            Route("/agui/{service}", self._run, methods=["POST"]),
            Route("/agui/{service}", self._capabilities, methods=["GET"]),
        ]

    def close_for_shutdown(self) -> None:
        """End the answers that go on: their callers ask another server for the same runs."""
        self.open_answers.close_for_shutdown()

    def end_revoked(self, subject: str) -> None:
        """End the answers of this principal, or in this session, for good."""
        self.open_answers.end_revoked(subject)

    async def _run(self, request: Request) -> Asgi:
        if self._resolver.admission.draining:
            raise Unavailable(retry_after=AGAIN_S)
        await spend_of_address(request, self.parts.run_rate)
        parts = self.parts
        service = parts.service(request.path_params["service"], app_of(request))
        body = await input_of(request)
        place = self.open_answers.place()
        try:
            names = await self._resolver.commit(request, service, body, place.admit)
        except NothingNew as error:
            place.exit()
            return StreamedAnswer(RefusedAnswer(body, error, parts.language_of(request)), place)
        except BaseException:
            # Every end of the request, a cancellation too, must free its place.
            place.exit()
            raise
        answer = RunAnswer(names, store=parts.store, bus=parts.bus, runs=parts.runs)
        place.enter(answer)
        return StreamedAnswer(answer, place)

    async def _capabilities(self, request: Request) -> Response:
        """Return AG-UI's AgentCapabilities of a service: the result of `getCapabilities` of a client's agent."""
        service = self.parts.services[self.parts.service(request.path_params["service"], app_of(request))]
        state = {**CAPABILITIES["state"], "persistentState": True}
        thinks = self.parts.runs.shows_reasoning(service)
        return JSONResponse(
            {
                **CAPABILITIES,
                "identity": {"name": service.name, "type": "loopwire", "version": __version__},
                "state": state,
                "reasoning": {"supported": thinks, "streaming": thinks},
                "tools": {**CAPABILITIES["tools"], "clientProvided": service.client_tools},
                "humanInTheLoop": {"supported": True, "approvals": True, "interrupts": True},
                "custom": {
                    "loopwire": {
                        "agents": sorted(service.agents()),
                        "blocks": list(BLOCKS),
                        "demo": self.parts.demo,
                    }
                },
            }
        )


class RefusedAnswer:
    """An answer without a run, which says why there is none."""

    def __init__(self, body: RunAgentInput, error: LoopwireError, language: str) -> None:
        started = ev.run_started(body.thread_id, body.run_id)
        message = ended_sentence(error.code, language) or error.message
        self._events = [{**started, "metadata": {}}, ev.run_error(message, error.code)]

    async def lines(self) -> AsyncGenerator[bytes]:
        """Yield the events of the failure."""
        yield lines_of(self._events)

    def release_reader(self) -> None:
        """Do nothing: no run goes on."""
