"""The apps whose pages hold conversations, and what each is about: `demo` is built in, others come from a TOML file."""

import base64
import binascii
import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from server.app_identities import AppIdentities
from server.app_theme import AppTheme
from server.errors import CannotStart
from server.languages import LANGUAGES, Language
from server.limits import Pairs, pairs_of
from server.mcp_servers import McpServer, McpTool, ServerName, require_names
from server.web_addresses import base_address, require_origin, require_post_address

DEMO = "demo"
PREFIX = "whsec_"
"""The beginning of secrets of callbacks, by Standard Webhooks."""

EventType = Literal[
    "session.created",
    "session.identified",
    "session.changed",
    "session.person_called",
    "session.operator_joined",
    "session.operator_left",
    "session.deleted",
    "item.created",
    "item.changed",
]
"""The events of conversations and items that a webhook gets."""

SECRET_BYTES = range(24, 65)
Variable = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,127}$")]
"""The name of a variable of the environment."""

Topic = Annotated[str, Field(pattern=r"^[a-z][a-z_]{0,39}$")]
Answer = Annotated[str, Field(min_length=1, max_length=500)]
CoreName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]


class AppsError(CannotStart):
    """The file of apps cannot be used; the message says where and why."""


class CoreAddress(BaseModel):
    """A LoopOS Core over HTTP, and what it is called with."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base_url: str = Field(description="Its base address.")
    token_variable: Variable | None = Field(
        None, description="The variable of the environment that holds its bearer token."
    )
    private_network: bool = Field(
        False, description="It may be at a private address, at any port, and speak plain http."
    )

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        return base_address(value)

    @model_validator(mode="after")
    def _is_public_or_says_so(self) -> Self:
        """Refuse at the start what the guard would refuse at each call."""
        scheme, _, rest = self.base_url.partition("://")
        host = rest.partition("/")[0].rpartition("]")[2]
        if not self.private_network and (scheme != "https" or ":" in host):
            raise ValueError(
                f"{self.base_url} is not https at port 443: private_network = true allows such addresses"
            )
        return self


class App(BaseModel):
    """One embedding customer."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field("", max_length=60, description="What its chat is called, in the head of a frame.")
    service: str = Field("submission", description="The service of a conversation that names none.")
    context: str = Field(
        "",
        max_length=8_000,
        description="LoopOS's loopos_core_context: the business in words, for the agents.",
    )
    answers: Annotated[dict[Topic, dict[Language, Answer]], Field(max_length=30)] = Field(
        {}, description="What is answered to common questions, by topic and language."
    )
    service_answers: Annotated[
        dict[str, Annotated[dict[Topic, dict[Language, Answer]], Field(max_length=30)]], Field(max_length=30)
    ] = Field({}, description="The same of one service, by its name: they stand before those of `answers`.")
    notes: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], Field(max_length=30)
    ] = Field((), description="Texts that its operators send often, offered in the inbox.")
    services: tuple[str, ...] = Field((), description="The services that it may use; none named is all.")
    installable: bool = Field(True, description="Whether a browser may install its page as an app.")
    languages: tuple[Language, ...] = Field(
        (), description="The languages of its conversations, the usual one first; none named is all."
    )
    origins: tuple[str, ...] = Field(
        (), description="Origins of its pages, exact; they may open sockets and show frames."
    )
    requests: Pairs = Field(
        pairs_of("1200/1m"), validate_default=True, description="Requests with its keys, such as 1200/1m."
    )
    requests_per_user: Pairs = Field(
        pairs_of("120/1m"),
        validate_default=True,
        description="The same of one user that its backend names in Loopwire-User.",
    )
    requests_per_service: dict[str, Pairs] = Field(
        {}, description="The same of one service, by its name; one that is not named may be asked for all."
    )
    pictures: Pairs = Field(
        pairs_of("24/10s,96/1m"),
        validate_default=True,
        description="Pictures with its keys, of all its users. Reading one may take a second of a core.",
    )
    approvals: tuple[str, ...] = Field((), description="Tools that ask the person before each call.")
    tool_scopes: tuple[str, ...] = Field(
        (), description="What the tools of its agents may reach, as catalog:read; none named is everything."
    )
    callback_secret: tuple[str, ...] = Field(
        (),
        max_length=2,
        description="What callbacks are signed with: whsec_…, two while one replaces the other.",
    )
    webhook_url: str | None = Field(
        None,
        description="Where events of its conversations and items are posted, signed; without it nowhere.",
    )
    webhook_events: tuple[EventType, ...] = Field(
        (), description="The events that are posted there; none named is all."
    )
    tokens_per_day: int | None = Field(None, ge=1, description="Tokens of all conversations in a day (UTC).")
    visitor_tokens_per_day: int | None = Field(None, ge=1, description="Tokens of one visitor in a day.")
    session_tokens_per_day: int | None = Field(
        2_000_000, ge=1, description="Tokens of one conversation in a day."
    )
    identities: AppIdentities | None = Field(
        None, description="How tokens that say who its users are are verified; without it there are none."
    )
    theme: AppTheme = Field(
        AppTheme(), description="The looks of its chat on other sites; their pages may ask for other colours."
    )
    mcp: dict[ServerName, McpServer] = Field({}, description="MCP servers whose tools its agents get.")

    core_base_url: str | None = Field(
        None, description="The app's LoopOS Core over HTTP; without it the embedded one."
    )
    core_token_variable: Variable | None = Field(
        None, description="The variable of the environment that holds its bearer token."
    )
    core_private_network: bool = Field(
        False, description="It may be at a private address, at any port, and speak plain http."
    )
    other_cores: Annotated[dict[CoreName, CoreAddress], Field(max_length=50)] = Field(
        {}, description="Further LoopOS Cores, by names, that a request to /chat may name by their addresses."
    )

    @field_validator("requests", "requests_per_user", "pictures", mode="before")
    @classmethod
    def _are_rates(cls, value: object) -> object:
        return pairs_of(value)

    @field_validator("requests_per_service", mode="before")
    @classmethod
    def _name_rates(cls, value: object) -> object:
        return {name: pairs_of(rate) for name, rate in value.items()} if isinstance(value, dict) else value

    @field_validator("origins")
    @classmethod
    def _are_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse at the start a value that would let in all callers, or none."""
        for each in value:
            require_origin(each)
        return value

    @model_validator(mode="after")
    def _has_its_own_service(self) -> Self:
        if self.services and self.service not in self.services:
            raise ValueError(f"service {self.service} has to be one of its services")
        return self

    @model_validator(mode="after")
    def _offers_tools_where_it_talks(self) -> Self:
        """Refuse servers for services that the app does not use, and two tools with one name."""
        for name, server in self.mcp.items():
            for service in server.services:
                if self.services and service not in self.services:
                    raise ValueError(f"mcp.{name}: service {service} has to be one of its services")
        require_names(self.mcp)
        return self

    @model_validator(mode="after")
    def _has_each_core_once(self) -> Self:
        if self.core_base_url is None and (self.core_token_variable or self.core_private_network):
            raise ValueError("core_token_variable and core_private_network need a core_base_url")
        addresses = [each.base_url for each in self.cores.values()]
        if twice := {each for each in addresses if addresses.count(each) > 1}:
            raise ValueError(f"{min(twice)} is the address of two Cores")
        return self

    @cached_property
    def cores(self) -> Mapping[str, CoreAddress]:
        """Return the Cores over HTTP by their names; the app's own, if it has one, is named by the empty text."""
        if self.core_base_url is None:
            return self.other_cores
        own = CoreAddress(
            base_url=self.core_base_url,
            token_variable=self.core_token_variable,
            private_network=self.core_private_network,
        )
        return {"": own, **self.other_cores}

    def context_for(self, service: str) -> dict[str, Any]:
        """Return the values that a conversation of the app with this service keeps from its beginning."""
        context: dict[str, Any] = {"loopos_core_context": self.context}
        answers = {**self.answers, **self.service_answers.get(service, {})}
        return context | ({"common_answers": answers} if answers else {})

    def wants(self, event: EventType) -> bool:
        """Return whether its webhook gets events of this type."""
        return self.webhook_url is not None and (not self.webhook_events or event in self.webhook_events)

    @property
    def spoken(self) -> tuple[Language, ...]:
        """Return the languages of its conversations and pages, the usual one first."""
        return self.languages or LANGUAGES

    def language_for(self, wished: Language) -> Language:
        """Return the language of a conversation: the one that is wished, where the app has it."""
        return wished if wished in self.spoken else self.spoken[0]

    @field_validator("callback_secret", mode="before")
    @classmethod
    def _one_or_two(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("webhook_url")
    @classmethod
    def _takes_posts(cls, value: str | None) -> str | None:
        if value is not None:
            require_post_address(value)
        return value

    @model_validator(mode="after")
    def _names_events_for_an_address(self) -> Self:
        if self.webhook_events and self.webhook_url is None:
            raise ValueError("webhook_events need a webhook_url")
        return self

    @field_validator("callback_secret")
    @classmethod
    def _are_keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Refuse at the start what would sign with less than 24 bytes."""
        for each in value:
            try:
                key = base64.b64decode(each.removeprefix(PREFIX), validate=True)
            except binascii.Error:
                key = b""
            if not each.startswith(PREFIX) or len(key) not in SECRET_BYTES:
                raise ValueError(f"a callback_secret is {PREFIX} and the base64 of 24 to 64 bytes")
        return value


_NOTHING_HAPPENS: dict[Language, str] = {
    "pt": "Isto é uma demonstração: nada é comprado, pago ou enviado.",
    "en": "This is a demo. Nothing is bought, paid or shipped.",
    "es": "Esto es una demostración: no se compra, paga ni envía nada.",
    "fr": "Ceci est une démonstration\N{NO-BREAK SPACE}: rien n’est acheté, payé ni envoyé.",
    "de": "Das ist eine Demo: Nichts wird gekauft, bezahlt oder verschickt.",
}

_SENT_BY: dict[Language, str] = {
    "pt": "Numa página a sério, é a loja que diz como se envia ou recolhe.",
    "en": "On a real page the shop says whether an item is sent or picked up.",
    "es": "En una página real, la tienda dice si se envía o se recoge.",
    "fr": "Sur une vraie page, c’est la boutique qui dit si l’article est envoyé ou retiré.",
    "de": "Auf einer echten Seite sagt der Shop, ob verschickt oder abgeholt wird.",
}

BUILT_IN = App(
    answers={
        "cost": {
            "pt": "Criar o anúncio é grátis, e não há comissão.",
            "en": "Listing an item is free, and there is no commission.",
            "es": "Crear el anuncio es gratis y no hay comisión.",
            "fr": "Créer l’annonce est gratuit, et il n’y a pas de commission.",
            "de": "Eine Anzeige anzulegen ist kostenlos, und es gibt keine Provision.",
        },
        **dict.fromkeys(("safe", "paid", "returns"), _NOTHING_HAPPENS),
        "send": {each: f"{said} {_SENT_BY[each]}" for each, said in _NOTHING_HAPPENS.items()},
        "person": {
            "pt": "Isto é uma demonstração: responde um programa, e não há ninguém para passar.",
            "en": "A program answers here. The demo has no person to speak to.",
            "es": "Esto es una demostración: responde un programa, y no hay nadie con quien hablar.",
            "fr": "Ceci est une démonstration\N{NO-BREAK SPACE}: un programme répond, et personne d’autre n’est là.",
            "de": "Das ist eine Demo: Hier antwortet ein Programm, und es gibt keinen Menschen zum Sprechen.",
        },
    },
    context=(
        "Loopwire Demo is a second-hand marketplace in Portugal. It takes used phones, tablets, computers, cameras, "
        "consoles, audio, watches, bicycles, kitchen appliances, baby items and furniture that are in its catalog. "
        "Items are listed by their owners in a conversation: product, options, item, questions about its condition. "
        "Listing is free. The demo neither buys nor ships anything, estimates what similar items sell for where it "
        "has a rule for that, and keeps what is written in the database of this installation."
    ),
)


def load(path: Path | None) -> Mapping[str, App]:
    """Read the apps of a TOML file, one table each, beside the built-in demo; a table `demo` replaces that one."""
    if path is None:
        return {DEMO: BUILT_IN}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AppsError(f"LOOPWIRE_APPS: {path} cannot be read: {error.strerror or error}.") from error
    except ValueError as error:
        raise AppsError(f"{path.name}: this is not TOML: {error}.") from error
    known = {DEMO: BUILT_IN} | {name: _app(path.name, name, table) for name, table in tables.items()}
    origins = apps_of_origins(known)
    for name, app in known.items():
        for each in app.origins:
            if origins[each] != name:
                raise AppsError(f"{path.name}: {each} is an origin of [{name}] and of [{origins[each]}].")
    return known


def apps_of_origins(apps: Mapping[str, App]) -> dict[str, str]:
    """Return the name of the app whose pages are of an origin, by origin."""
    return {origin: name for name, app in apps.items() for origin in app.origins}


def _app(file: str, name: str, table: object) -> App:
    if not isinstance(table, dict):
        raise AppsError(f"{file}: {name} has to be a table, [{name}].")
    try:
        return App.model_validate(table)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = f"{file}: [{name}] {'.'.join(str(each) for each in fault['loc'])}"
        if fault["type"] == "extra_forbidden":
            keys = ", ".join(_model_of(fault["loc"]).model_fields)
            raise AppsError(f"{place}: there is no such key; there are {keys}.") from error
        why = fault["msg"].removeprefix("Value error, ").replace("tuple", "list")
        raise AppsError(f"{place}: {why}.") from error


_IN_SERVER, _IN_TOOL = 3, 5
"""The length of a key's place in `mcp.<name>.<key>`, and in `mcp.<name>.tools.<name>.<key>`."""


def _model_of(place: tuple[int | str, ...]) -> type[BaseModel]:
    """Return what has the keys at a place of an app's table."""
    if place[0] in {"identities", "theme"} and len(place) > 1:
        return AppIdentities if place[0] == "identities" else AppTheme
    if place[0] != "mcp" or len(place) < _IN_SERVER:
        return App
    return McpTool if len(place) == _IN_TOOL else McpServer
