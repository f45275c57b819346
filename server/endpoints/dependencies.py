"""The dependencies of the endpoints, made by the application once, and their common steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from starlette.requests import HTTPConnection, Request

from server.agents.service import Service
from server.apps import App
from server.auth import Tickets, cookie_value
from server.bus import Bus
from server.bus.shared_counts import SharedCounts
from server.callbacks import Guard, PushAccess
from server.endpoints.identity import app_of, counted_caller, principal_of
from server.endpoints.rates import RequestRate
from server.errors import (
    NotFound,
)
from server.languages import Language
from server.limit_counters import WaitingPictures
from server.limits import Limits
from server.loopos.cores import Cores
from server.runs import RunCommands
from server.store import Session, Store
from server.tracing import Tracer
from server.words import choose_language


@dataclass(frozen=True)
class Dependencies:
    """Made by the application once, and shared by all endpoints.

    `open_requests` answers requests of services to a client that has neither a key nor a cookie.
    """

    store: Store
    cores: Cores
    bus: Bus
    counts: SharedCounts
    runs: RunCommands
    services: Mapping[str, Service]
    tickets: Tickets
    apps: Mapping[str, App]
    demo: bool
    open_requests: bool
    language: Language
    guard: Guard
    limits: Limits
    tracer: Tracer
    push: PushAccess | None
    """None where nothing is pushed."""

    @cached_property
    def ticket_rate_of_visitors(self) -> RequestRate:
        """Return the limit on how often each visitor asks for a ticket."""
        return RequestRate("tickets-of-visitor", self.limits.tickets_per_visitor, self.counts)

    @cached_property
    def ticket_rate_of_addresses(self) -> RequestRate:
        """Return the limit on how often each address asks for a ticket."""
        return RequestRate("tickets", self.limits.tickets_per_address, self.counts)

    @cached_property
    def conversation_rate(self) -> RequestRate:
        """Return the limit on how often each address begins a conversation by a ticket, POST /v1/sessions or AG-UI.

        Requests of services and Deep Chat do not spend it. Nearly each of them begins a conversation of its own, so
        their own rate, `requests_per_address`, bounds their conversations too.
        """
        return RequestRate("conversations", self.limits.conversations_per_address, self.counts)

    @cached_property
    def request_rate(self) -> RequestRate:
        """Return the limit on how often each address asks a service, over REST or at `/chat`: both share one limit."""
        return RequestRate("requests", self.limits.requests_per_address, self.counts)

    @cached_property
    def service_rates(self) -> Mapping[str, RequestRate]:
        """Return the limits on how often each address asks one service, by the name of the service."""
        most = self.limits.requests_per_service
        return {name: RequestRate(_rate_name(name), most, self.counts) for name in self.services}

    @cached_property
    def app_service_rates(self) -> Mapping[tuple[str, str], RequestRate]:
        """Return the limits on how often the keys of an app ask one service, by both names, where it sets one."""
        return {
            (app, name): RequestRate(_rate_name(name), most, self.counts)
            for app, own in self.apps.items()
            for name, most in own.requests_per_service.items()
        }

    @cached_property
    def poll_rate(self) -> RequestRate:
        """Return the limit on how often each address asks how far a request is."""
        return RequestRate("polls", self.limits.polls_per_address, self.counts)

    @cached_property
    def run_rate(self) -> RequestRate:
        """Return the limit on how often each address asks for a run over AG-UI."""
        return RequestRate("runs", self.limits.runs_per_address, self.counts)

    @cached_property
    def identity_rate(self) -> RequestRate:
        """Return the limit on how often each address may present a token of an identity."""
        return RequestRate("identities", self.limits.identities_per_address, self.counts)

    @cached_property
    def change_rate(self) -> RequestRate:
        """Return the limit on how often each address changes the title or the language of a conversation."""
        return RequestRate("changes", self.limits.changes_per_address, self.counts)

    @cached_property
    def image_rate(self) -> RequestRate:
        """Return the limit on how many pictures each address sends: reading one costs time."""
        return RequestRate("images", self.limits.images_per_address, self.counts)

    @cached_property
    def app_image_rates(self) -> Mapping[str, RequestRate]:
        """Return the limits on how many pictures the keys of each app send, by its name."""
        return {name: RequestRate("images", own.pictures, self.counts) for name, own in self.apps.items()}

    @cached_property
    def waiting_pictures(self) -> WaitingPictures:
        """Return the bound on pictures that have arrived and wait to be read."""
        limits = self.limits
        return WaitingPictures(
            1024 * limits.waiting_picture_kib_per_address, 1024 * limits.waiting_picture_kib
        )

    def guard_for(self, request: HTTPConnection) -> Guard:
        """Return the guard of the addresses that a request names; its caller's lookups of names are bounded."""
        return self.guard.for_caller(counted_caller(request))

    def service(self, name: str | None, app: str) -> str:
        """Check the name of a service for an app; none means the one that the app is about. Raises NotFound."""
        own = self.apps[app]
        if name is None:
            name = own.service
        if name not in self.services or (own.services and name not in own.services):
            raise NotFound("There is no service of this name.")
        return name

    def services_of(self, app: str) -> list[Service]:
        """Return the services that an app may use."""
        own = self.apps[app].services
        return [each for each in self.services.values() if not own or each.name in own]

    async def new_session(
        self,
        request: Request,
        *,
        service: str | None,
        language: Language | None,
        alias: str | None = None,
        callback_url: str | None = None,
    ) -> Session:
        """Begin a conversation of this visitor, or find the one that it calls by this alias.

        The caller has spent `conversation_rate`.
        """
        app = app_of(request)
        name = self.service(service, app)
        if callback_url is not None:
            await self.guard_for(request).judge(callback_url)
        return await self.store.sessions.create(
            app=app,
            principal=principal_of(request),
            service=name,
            language=self.apps[app].language_for(language or self.language_of(request)),
            alias=alias,
            context=self.apps[app].context_for(name),
            callback_url=callback_url,
        )

    def language_of(self, request: HTTPConnection) -> Language:
        """Choose a language that the app has: the one remembered, else the browser's, else the installation's."""
        accepted = request.headers.get("accept-language", "")
        remembered = cookie_value(request.headers, "language")
        return choose_language(remembered, accepted, self.language, self.apps[app_of(request)].spoken)


def _rate_name(service: str) -> str:
    """Name the limit of one service; other limits have names of their own, without this beginning."""
    return f"service-{service}"
