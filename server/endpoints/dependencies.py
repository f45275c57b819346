"""The dependencies of the endpoints, and their common steps: read a body, know the visitor, count requests."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import HTTPConnection, Request

from server.agents.service import Service
from server.apps import DEMO, App
from server.auth import Tickets, cookie_value
from server.bus import Bus
from server.bus.shared_counts import SharedCounts
from server.callbacks import Guard
from server.endpoints.rates import RequestRate, spend
from server.errors import (
    BadFrame,
    BadJson,
    LoopwireError,
    NotFound,
    TooLong,
    TwoVisitors,
    UnsupportedMediaType,
)
from server.html.words import choose_language
from server.languages import Language
from server.limits import Limits
from server.loopos.cores import Cores
from server.prices import NANO
from server.protocol.field_errors import describe_fault, first_error
from server.protocol.plain_text import has_control, plain_text
from server.proxies import counted_address
from server.runs import RunCommands
from server.store import Session, SessionCost, Store, shown_operator
from server.tracing import Tracer

MOST_CONTAINERS = 40_000
"""Lists and objects of one body: each is an object to make, to judge and to let go of, for two bytes."""

_text = re.compile(rb'"(?>[^"\\]+|\\.)*+"', re.DOTALL)
"""A text of a JSON text. Nothing is tried twice, so the time grows with the text."""


def _make_plain(value: Any) -> Any:
    """Refuse what the stores cannot hold, and drop what no page may show."""
    if not isinstance(value, str):
        return value
    if "\0" in value:
        raise ValueError("a text may not hold NUL (U+0000)")
    return plain_text(value)


def _refuse_control_characters(value: str) -> str:
    """Refuse an id with control characters: without them it would be another id."""
    if has_control(value):
        raise ValueError("an id, a name or an address may not hold control characters")
    return value


PlainText = BeforeValidator(_make_plain)
"""For a text of a body: it is made plain first, and measured then."""

NoControl = AfterValidator(_refuse_control_characters)
"""For an id, a name or an address in a body."""


class JsonBody(BaseModel):
    """The JSON body of a request, closed and strict.

    Each text of it is PlainText, or NoControl where it is compared; deeper ones are judged as frames.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


B = TypeVar("B", bound=JsonBody)


@dataclass(frozen=True)
class Dependencies:
    """Made by the application once, and shared by all endpoints.

    `open_requests` answers requests of services to whoever has neither a key nor a cookie.
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

    @cached_property
    def ticket_rate_of_visitors(self) -> RequestRate:
        """How often each visitor asks for a ticket."""
        return RequestRate("tickets-of-visitor", self.limits.tickets_per_visitor, self.counts)

    @cached_property
    def ticket_rate_of_addresses(self) -> RequestRate:
        """How often each address asks for a ticket."""
        return RequestRate("tickets", self.limits.tickets_per_address, self.counts)

    @cached_property
    def conversation_rate(self) -> RequestRate:
        """How often each address begins a conversation by a ticket, POST /v1/sessions or AG-UI.

        Requests of services and Deep Chat do not spend it. Nearly each of them begins a conversation of its own, so
        their own rate, `requests_per_address`, bounds their conversations too.
        """
        return RequestRate("conversations", self.limits.conversations_per_address, self.counts)

    @cached_property
    def request_rate(self) -> RequestRate:
        """How often each address asks a service, over REST or at `/chat`: both ask a model, and share one limit."""
        return RequestRate("requests", self.limits.requests_per_address, self.counts)

    @cached_property
    def run_rate(self) -> RequestRate:
        """How often each address asks for a run over AG-UI."""
        return RequestRate("runs", self.limits.runs_per_address, self.counts)

    @cached_property
    def change_rate(self) -> RequestRate:
        """How often each address changes the title or the language of a conversation."""
        return RequestRate("changes", self.limits.changes_per_address, self.counts)

    @cached_property
    def image_rate(self) -> RequestRate:
        """How many pictures each address, or each app for its users, sends: reading one costs time."""
        return RequestRate("images", self.limits.images_per_address, self.counts)

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
            await self.guard.judge(callback_url)
        return await self.store.sessions.create(
            app=app,
            principal=principal_of(request),
            service=name,
            language=self.apps[app].language_for(language or self.language_of(request)),
            alias=alias,
            context=self.apps[app].session_context,
            callback_url=callback_url,
        )

    def language_of(self, request: HTTPConnection) -> Language:
        """Choose a language that the app has: the one remembered, else the browser's, else the installation's."""
        accepted = request.headers.get("accept-language", "")
        wished = choose_language(cookie_value(request.headers, "language"), accepted, self.language)
        return self.apps[app_of(request)].language_for(wished)


def principal_of(request: HTTPConnection) -> str:
    """Return the principal that the visitor middleware found. Raises TwoVisitors."""
    principal: str | None = request.state.principal
    if principal is None:
        raise TwoVisitors
    return principal


def operated_session(request: HTTPConnection) -> Session | None:
    """Return the session that an operator of its app asks for; None where no operator asks."""
    session: Session | None = getattr(request.state, "operated", None)
    return session


def is_operator(request: HTTPConnection) -> bool:
    """Whether a key of scope `operator` opened this request."""
    return getattr(request.state, "operator_key", None) is not None


def operator_key(request: HTTPConnection) -> str:
    """Return the id of the key by which an operator asks."""
    key_id: str = request.state.operator_key
    return key_id


def reader_name(request: HTTPConnection) -> str:
    """Say who reads: the principal itself, or an operator's key, which gets no token of the principal."""
    return principal_of(request) if operated_session(request) is None else operator_key(request)


def is_newcomer(request: HTTPConnection) -> bool:
    """Whether the visitor was invented for this request: it came without a cookie of ours."""
    newcomer: bool = request.state.newcomer
    return newcomer


def app_of(request: HTTPConnection) -> str:
    """Return the app that a request belongs to: that of its key, else that of its page's origin."""
    app: str = getattr(request.state, "app", DEMO)
    return app


def has_key(request: HTTPConnection) -> bool:
    """Whether an app's own program asks: its requests are counted for the app and its user, not for an address."""
    keyed: bool = getattr(request.state, "keyed", False)
    return keyed


async def spend_of_address(request: HTTPConnection, rate: RequestRate) -> None:
    """Count a request for its address, unless it was counted for an app. Raises RateLimited."""
    if not has_key(request):
        await spend(request, (rate, address_of(request)))


async def spend_images(request: HTTPConnection, parts: Dependencies, count: int) -> None:
    """Count pictures before they are read. Raises RateLimited."""
    counted = f"app {app_of(request)}" if has_key(request) else address_of(request)
    if count:
        await spend(request, (parts.image_rate, counted), by=count)


def address_of(request: HTTPConnection) -> str:
    """Return the address that limits count; behind a trusted proxy that is the client's own."""
    return counted_address(request.client.host) if request.client else ""


def refusal_of(fault: ErrorDetails) -> LoopwireError:
    """Return the error of a body that has this fault."""
    return BadFrame(f"This body does not have the right fields: {describe_fault(fault)}.")


def require_few_containers(raw: bytes) -> None:
    """Raise TooLong for a JSON text with too many lists and objects."""
    if _containers(raw) > MOST_CONTAINERS:
        raise TooLong("This has too many lists and objects.")


def _containers(raw: bytes) -> int:
    """Count the lists and objects of a JSON text; where they are few, brackets within texts count too."""
    count = raw.count(b"[") + raw.count(b"{")
    if count <= MOST_CONTAINERS:
        return count
    bare = _text.sub(b"", raw)
    return bare.count(b"[") + bare.count(b"{")


async def body_of(
    request: Request, model: type[B], refusal: Callable[[ErrorDetails], LoopwireError] = refusal_of
) -> B:
    """Read a JSON body. Raises the error of its kind, which `refusal` makes of its first fault.

    The caller spends a rate before: judging a body costs more than sending it.
    """
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != "application/json" or "content-encoding" in request.headers:
        raise UnsupportedMediaType
    # `request.body()` would keep the bytes until the request ends, which over AG-UI is the end of the answer.
    raw = b"".join([part async for part in request.stream()])
    require_few_containers(raw)
    try:
        return model.model_validate_json(raw or b"{}")
    except ValidationError as error:
        fault = first_error(error)
        raise BadJson if fault["type"] == "json_invalid" else refusal(fault) from None


def cost_json(cost: SessionCost) -> dict[str, Any]:
    """Show what a session cost, in units of each currency; runs whose cost is unknown are counted apart."""
    amounts = {currency: nano / NANO for currency, nano in sorted(cost.nano.items())}
    return {"amounts": amounts, "unpriced_runs": cost.unpriced_runs}


def session_json(session: Session) -> dict[str, Any]:
    """Show a session to its principal: private state stays here."""
    return {
        "id": session.id,
        "service": session.service,
        "language": session.language,
        "title": session.title,
        "status": session.status,
        "agent": session.agent,
        "state": {key: value for key, value in session.state.items() if not key.startswith("_")},
        "created_at": session.created_at,
        "updated_at": session.updated_at,
        "operator": None if session.operator is None else shown_operator(session.operator),
    }
