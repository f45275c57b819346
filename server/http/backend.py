"""The backend of the web application: the endpoints of the API and of sockets, over the parts that run.

`server.app` alone imports it: it brings the agents and Redis, which the page does not wait for.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from server.agui.anonymous_threads import AnonymousThreads
from server.agui.endpoint import Agui
from server.agui.request import RequestResolver
from server.api import blobs, commands, files, operators, push, sessions, stream, tickets, visitor
from server.api import services as service_routes
from server.api.deep_chat.endpoint import ChatEndpoint
from server.api.deep_chat.socket_endpoint import ChatSocketEndpoint
from server.api.deep_chat.turns import ChatTurns
from server.api.durable_streams import endpoint as durable_streams
from server.api.health import Health
from server.api.identify import Identify
from server.api.requests.endpoint import ServiceRequests
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import ResumeTokens
from server.bus.one_time_values import RedisOneTimeValues
from server.callbacks import Guard
from server.endpoints.app_rates import AppRates
from server.endpoints.caller import Callers
from server.endpoints.dependencies import Dependencies
from server.http.application import Application
from server.http.failures import HANDLERS
from server.http.inbox.access import InboxAccess
from server.http.inbox.endpoint import INBOX, InboxPages
from server.http.key_authentication import KeyAuthentication
from server.http.operator_access import OperatorAccess
from server.http.service_pages import ServicePages
from server.http.socket_page import SocketPage
from server.identities import Verifier
from server.metrics import SOCKETS
from server.openai_clients.endpoint import OpenAiClients
from server.openai_clients.key_holders import KeyHolders
from server.openai_clients.submit import ResponseSubmitter
from server.rooms.admission import Admission
from server.rooms.backlog_watch import BacklogWatch
from server.rooms.intake import Intake
from server.rooms.revocation_watch import End, RevocationWatch
from server.rooms.rooms import Rooms
from server.runs.conversation.snapshots import ConversationSnapshot
from server.settings import Settings
from server.tasks import Tasks
from server.ws.endpoint import Endpoint


class WebBackend:
    """The backend of the web application: the API and the sockets, over the running parts."""

    def __init__(
        self,
        settings: Settings,
        application: Application,
        parts: Dependencies,
        once: RedisOneTimeValues,
        end_runs: Callable[[], Coroutine[Any, Any, None]],
    ) -> None:
        """`end_runs` claims no more runs, and returns when what runs has ended."""
        self._runs, self._end_runs = parts.runs, end_runs
        self.pace = parts.runs.worker.executor.pace
        application.renderer.know(parts.services)
        self.rooms = Rooms(
            bus=parts.bus,
            runs=parts.runs,
            fragment_renderer=application.renderer,
            most_sockets=settings.sockets_per_session,
        )
        tokens = ResumeTokens(settings.secret)
        ends: list[End] = [self.rooms.end_revoked]
        self.revocation_watch = RevocationWatch(
            ends, parts.store.revocations, parts.bus, expire=self.rooms.end_expired
        )
        self._admission = self._admission_of(settings, parts, tokens)
        self._intake = _intake(settings, parts, self.rooms)
        self._origins = application.origins
        self._endpoint = Endpoint(admission=self._admission, intake=self._intake, origins=self._origins)
        self.agui = self._agui(settings, parts, tokens, AnonymousThreads(once, parts.store))
        ends.append(self.agui.end_revoked)
        callers = Callers(settings.secret, parts.store, open_to_all=parts.open_requests)
        self._identify = self._identities(settings, application, parts)
        self._requests = ServiceRequests(parts, self._admission, callers)
        turns, rates = ChatTurns(parts, self._admission, callers), AppRates(parts.counts, parts.apps)
        self._chat = ChatEndpoint(turns)
        self._openai = _openai_clients(settings, parts, rates, self._intake, self._admission)
        ends.append(self._openai.end_revoked)
        self.chat_sockets = ChatSocketEndpoint(
            turns, origins=self._origins, caller_resolver=application.caller_resolver, rates=rates
        )
        ends.append(self.chat_sockets.end_revoked)
        SOCKETS.set_function(lambda: len(self.rooms) + len(self.chat_sockets))
        self._pages = ServicePages(parts, application.renderer, self._requests, settings.public_url)
        self._socket_page = SocketPage(parts, application.renderer)
        self._inbox = self._inbox_pages(settings, application, parts)
        self.backlog_watch = BacklogWatch(self.rooms, parts.runs)
        own = settings.database_url is None or settings.redis_url is None
        self._health = Health(parts, settings.data_dir if own else None)
        self._endpoints = OperatorAccess(self._starlette(parts), parts.store, parts.services)
        self._api: Asgi = KeyAuthentication(
            self._serve_known,
            keys=parts.store.app_keys,
            rates=rates,
            apps=parts.apps,
            secret=settings.secret,
            limits=settings,
        )

    def _admission_of(self, settings: Settings, parts: Dependencies, tokens: ResumeTokens) -> Admission:
        return Admission(
            store=parts.store,
            idle_proof=parts.bus.idle_proof,
            rooms=self.rooms,
            tickets=parts.tickets,
            tokens=tokens,
            revocation_check=self.revocation_watch.may_be_revoked,
            demo=settings.demo,
            limits=settings,
        )

    def _inbox_pages(self, settings: Settings, application: Application, parts: Dependencies) -> InboxPages:
        access = InboxAccess(parts.store, self._origins, application.caller_resolver, settings.public_url)
        return InboxPages(parts, application.renderer, access, self._admission)

    def _identities(self, settings: Settings, application: Application, parts: Dependencies) -> Identify:
        verifier = Verifier(parts.apps, settings.secret, Guard(settings.callback_hosts))
        return Identify(parts, verifier, application.caller_resolver, self._admission, self._origins)

    def _agui(
        self,
        settings: Settings,
        parts: Dependencies,
        tokens: ResumeTokens,
        anonymous_threads: AnonymousThreads,
    ) -> Agui:
        resolver = RequestResolver(
            parts,
            self._admission,
            self._intake,
            self._origins,
            tokens,
            anonymous_threads,
            settings.public_url,
        )
        return Agui(resolver, most_of_session=settings.sockets_per_session)

    async def serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request of the API, or of an operator's pages."""
        if scope["path"] == INBOX or scope["path"].startswith(f"{INBOX}/"):
            await self._inbox(scope, receive, send)
            return
        await self._api(scope, receive, send)

    async def serve_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a socket: ours, or one of Deep Chat."""
        if scope["path"] == "/ws":
            await self._endpoint(scope, receive, send)
        elif scope["path"] == "/chat":
            await self.chat_sockets.admit(scope, receive, send, self._api)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _serve_known(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve whose app, and principal where it has a key, are known."""
        if scope["type"] == "websocket":
            await self.chat_sockets.serve(scope, receive, send)
        else:
            await self._endpoints(scope, receive, send)

    def start(self) -> None:
        """Begin to watch the readers of this process."""
        self.revocation_watch.start()
        self._inbox.start()
        self.backlog_watch.start()

    async def snapshot(self, session_id: str) -> ConversationSnapshot:
        """Return a conversation at one position of its log."""
        return await self._runs.snapshot(session_id)

    async def health(self) -> dict[str, Any]:
        """Return the state of each part."""
        return await self._health.report()

    async def drain(self) -> None:
        """Refuse new sockets, send all clients away, and let what runs come to its end."""
        self._admission.draining = True
        self._inbox.drain()
        tasks = Tasks()
        ending = tasks.spawn(self._end_runs(), name="drain runs")
        await asyncio.gather(self.rooms.drain(), self.chat_sockets.drain())
        await ending
        await self.chat_sockets.cut()
        self.agui.close_for_shutdown()
        self._openai.close_for_shutdown()

    async def aclose(self) -> None:
        """Close what is left of the rooms."""
        await self._inbox.aclose()
        await self.backlog_watch.aclose()
        await self.revocation_watch.aclose()
        await self.rooms.aclose()

    def _starlette(self, parts: Dependencies) -> Asgi:
        return Starlette(routes=self.routes(parts), exception_handlers=HANDLERS)

    def routes(self, parts: Dependencies) -> list[BaseRoute]:
        """Return every route that needs the backend, the pages' too."""
        return [
            *tickets.routes(parts, self._origins),
            *visitor.routes(parts),
            *push.routes(parts),
            *self._identify.routes(),
            *sessions.routes(parts, self._admission, self._origins),
            *operators.routes(parts),
            *blobs.routes(parts, self._admission, self._origins),
            *files.routes(parts, self._admission, self._origins),
            *stream.routes(self._admission, self._origins),
            *durable_streams.routes(parts, self._admission, self._origins),
            *commands.routes(self._admission, self._intake, self._origins),
            *self.agui.routes(),
            *service_routes.routes(parts),
            *self._requests.routes(),
            *self._chat.routes(),
            *self._openai.routes(),
            *self._pages.routes(),
            *self._socket_page.routes(),
        ]


def _intake(settings: Settings, parts: Dependencies, rooms: Rooms) -> Intake:
    return Intake(
        store=parts.store,
        bus=parts.bus,
        runs=parts.runs,
        limits=settings,
        tracer=parts.tracer,
        rooms=rooms,
    )


def _openai_clients(
    settings: Settings, parts: Dependencies, rates: AppRates, intake: Intake, admission: Admission
) -> OpenAiClients:
    submitter, holders = ResponseSubmitter(parts, intake), KeyHolders(parts, settings.secret, rates)
    return OpenAiClients(submitter, holders, admission, most_of_session=settings.sockets_per_session)
