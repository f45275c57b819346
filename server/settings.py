"""The only reader of the environment: every setting, its name and its default."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from server.languages import Language
from server.limits import Limits
from server.proxies import Proxies
from server.web_addresses import require_origin

_SECRET_FILE = "secret"  # noqa: S105 - a file's name.
_SECRET_CHARACTERS = 16
_OURS = "LOOPWIRE_"
_OPENAI = re.compile(r"https://([\w-]+\.)?api\.openai\.com(:443)?(/|$)")
_ORIGIN = r"https?://(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?"
_CONTACT = re.compile(r"mailto:[^\s@]+@[^\s@]+|https://[^\s/]+(/\S*)?")
_SERVERS = {
    "public_url": (re.compile(f"{_ORIGIN}/?"), "https://loopwire.example"),
    "search_url": (re.compile(f"{_ORIGIN}(/[\\w./-]*)?"), "http://searxng.internal:8080"),
}

_CONFIG = SettingsConfigDict(frozen=True, extra="ignore", populate_by_name=True, env_ignore_empty=True)


def _require_hosts(text: str) -> None:
    """Raise ValueError for what would silently allow nothing."""
    for each in _split_list(text):
        host, _, port = each.rpartition(":")
        if not host or "/" in host or not port.isdigit():
            raise ValueError(f"{each!r} is not a host with its port such as hooks.internal:8080")


def _hosts_of(value: object) -> object:
    if not isinstance(value, str):
        return value
    _require_hosts(value)
    return frozenset(_split_list(value.lower()))


def _require_contact(value: str) -> str:
    """Refuse what push services would refuse with each message."""
    if not _CONTACT.fullmatch(value):
        raise ValueError(f"{value!r} is not an address such as mailto:ops@shop.example")
    return value


def _split_list(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


Contact = Annotated[str, AfterValidator(_require_contact)]
Hosts = Annotated[frozenset[str], NoDecode, BeforeValidator(_hosts_of)]
"""`host:port` of servers that may be anywhere and speak plain HTTP."""


class Settings(BaseSettings, Limits):
    """The settings of an operator; names in `alias` are the environment's. The limits are declared in `limits`."""

    model_config = _CONFIG

    host: str = Field("127.0.0.1", alias="HOST")
    """The address at which the page is served; `0.0.0.0` for all of the machine."""
    port: int = Field(8000, alias="PORT", ge=0, le=65535)
    """The port of the page; 0 takes a free one."""
    database_url: str | None = Field(None, alias="DATABASE_URL")
    """`postgresql://user:password@host/name`. Without it SQLite in the data folder."""
    redis_url: str | None = Field(None, alias="REDIS_URL")
    """Redis 7.0 or newer, or Valkey: `redis://`, `rediss://` or `unix://`. Without it an embedded Valkey."""
    openai_api_key: SecretStr | None = Field(None, alias="OPENAI_API_KEY")
    """The key of a real model. Without it the demo model answers."""
    openai_base_url: str | None = Field(None, alias="OPENAI_BASE_URL")
    """Another server that speaks OpenAI's API, such as `https://models.example/v1`."""
    langfuse_public_key: str | None = Field(None, alias="LANGFUSE_PUBLIC_KEY")
    """Tracing to Langfuse: every run with its model calls, tools and handoffs. It needs both keys."""
    langfuse_secret_key: SecretStr | None = Field(None, alias="LANGFUSE_SECRET_KEY")
    """The other key of Langfuse."""
    langfuse_url: str = Field(
        "https://cloud.langfuse.com", validation_alias=AliasChoices("LANGFUSE_BASE_URL", "LANGFUSE_HOST")
    )
    """The address of Langfuse."""
    otlp_endpoint: str | None = Field(None, alias="OTEL_EXPORTER_OTLP_ENDPOINT")
    """Tracing without Langfuse: the same to any collector, by OTLP over HTTP. OpenTelemetry's own `OTEL_*` apply."""

    model: str = Field("gpt-5.6-luna", alias="LOOPWIRE_MODEL")
    """The model's name."""
    model_api: Literal["responses", "chat"] = Field("responses", alias="LOOPWIRE_MODEL_API")
    """The dialect of the model's server: `responses` or `chat`."""
    show_reasoning: bool = Field(False, alias="LOOPWIRE_SHOW_REASONING")
    """1 shows [summaries of the model's reasoning](services.md#reasoning) in services that do not say otherwise. Only
    with `responses`, and a model that reasons: another one may refuse each request."""
    search_url: str | None = Field(None, alias="LOOPWIRE_SEARCH_URL")
    """A search server that speaks SearXNG's JSON API, such as `http://searxng.internal:8080`: what the tool
    `web_search` asks ([who searches](services.md#search-on-the-web))."""
    model_search_given: bool | None = Field(None, alias="LOOPWIRE_MODEL_SEARCH")
    """1 lets the model's server search, by the hosted tool `web_search` of the Responses API; 0 never. Without it 1
    with OpenAI's own API, where each search costs a fee, 0 with other servers. A search server comes before it."""
    model_silence_seconds: float = Field(30, alias="LOOPWIRE_MODEL_SILENCE_SECONDS", gt=0)
    """Seconds without a byte after which a request to the model has failed."""
    data_dir: Path = Field(Path("data"), alias="LOOPWIRE_DATA_DIR")
    """The folder of the database, the live log and the signing secret of a server without other settings."""
    apps: Path | None = Field(None, alias="LOOPWIRE_APPS")
    """A TOML file of apps: service, context, approvals, callback secret, budgets ([example](apps.md)). Without
    it the app `demo`."""
    prices: Path | None = Field(None, alias="LOOPWIRE_PRICES")
    """A TOML file of the prices of models, instead of the one that comes along ([costs](operations.md#costs))."""
    secret_text: SecretStr | None = Field(None, alias="LOOPWIRE_SECRET")
    """Signs cookies and resume tokens, at least 16 characters, the same for all processes. Without it one is
    made in the data folder."""
    allowed_origins_text: str = Field("", alias="LOOPWIRE_ALLOWED_ORIGINS")
    """Further origins that may open sockets, exact, comma-separated."""
    open_requests_given: bool | None = Field(None, alias="LOOPWIRE_OPEN_REQUESTS")
    """1 answers requests of services over REST and `/chat` to all callers, 0 to apps' keys and visitors of the page
    alone. Without it 1 with the demo model, 0 with a real one, whose tokens cost money."""
    public_url: str | None = Field(None, alias="LOOPWIRE_PUBLIC_URL")
    """`https://loopwire.example`, without a path: what the links of blocks begin with over AG-UI. Without it
    the `Host` and scheme of the request."""
    callback_hosts: Hosts = Field(frozenset(), alias="LOOPWIRE_CALLBACK_HOSTS")
    """`host:port`, comma-separated, to which callbacks may go in a private network, by http too. All others
    are public, https, port 443."""
    push_contact: Contact | None = Field(None, alias="LOOPWIRE_PUSH_CONTACT")
    """`mailto:` or `https:`, where push services reach the operator; without it nothing is
    [pushed](operators.md#push)."""
    push_hosts: Hosts = Field(frozenset(), alias="LOOPWIRE_PUSH_HOSTS")
    """The same as `LOOPWIRE_CALLBACK_HOSTS`, of push services."""
    flush_ms_given: int | None = Field(None, alias="LOOPWIRE_FLUSH_MS", ge=0, le=1000)
    """Milliseconds for which text may wait before it is written to Redis. Without it 20 with `REDIS_URL`, else 50."""
    demo_delay_ms: int = Field(30, alias="LOOPWIRE_DEMO_DELAY_MS", ge=0, le=5000)
    """Milliseconds that the demo model waits after each word; 250 leaves time to try the queue, a stop, a reload."""
    workers_in_web: bool = Field(True, alias="LOOPWIRE_WORKERS_IN_WEB")
    """0 leaves runs to separate `worker` processes."""
    runs_at_once: int = Field(64, alias="LOOPWIRE_RUNS_AT_ONCE", ge=1, le=4096)
    """Runs that one process executes at the same time; the others wait in the database."""
    sockets_per_session: int = Field(5, alias="LOOPWIRE_SOCKETS_PER_SESSION", ge=1, le=10_000)
    """Sockets, streams and AG-UI answers of one conversation that are open on a process; the oldest goes for a
    new one."""
    conversation_cache_mb: int = Field(64, alias="LOOPWIRE_CONVERSATION_CACHE_MB", ge=0, le=65_536)
    """MiB in which a process keeps the newest part of the conversations used last."""
    lease_seconds: float = Field(10, alias="LOOPWIRE_LEASE_SECONDS", ge=3, le=3600)
    """Seconds for which a process has a run without renewing it, 3 to 3,600; after a crash another takes over then."""
    drain_seconds: float = Field(25, alias="LOOPWIRE_DRAIN_SECONDS", ge=0)
    """Seconds that running answers get when a process gets SIGTERM; then another process takes them over."""
    metrics_port: int | None = Field(None, alias="LOOPWIRE_METRICS_PORT", ge=1, le=65535)
    """The port of `/metrics` for Prometheus, one for each process; without it there is none
    ([what it tells](operations.md#metrics))."""
    metrics_host: str = Field("127.0.0.1", alias="LOOPWIRE_METRICS_HOST")
    """The address of that port."""
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", alias="LOOPWIRE_LOG_LEVEL")
    """`DEBUG`, `INFO`, `WARNING` or `ERROR`."""
    trusted_proxies: str = Field("", alias="LOOPWIRE_TRUSTED_PROXIES")
    """Addresses and networks of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed
    ([examples](operations.md#proxies-and-https))."""
    secure_cookies: bool = Field(False, alias="LOOPWIRE_SECURE_COOKIES")
    """1 behind HTTPS: cookies for HTTPS alone, and for this very host."""
    language: Language = Field("pt", alias="LOOPWIRE_LANGUAGE")
    """The language of visitors whose browser asks for none that the server speaks."""
    trace_content: bool = Field(False, alias="LOOPWIRE_TRACE_CONTENT")
    """1 puts the texts of conversations into the traces, with secrets and personal data masked."""

    @field_validator("host")
    @classmethod
    def _host_is_no_url(cls, value: str) -> str:
        """Refuse what would look like a taken port."""
        if not re.fullmatch(r"[\w.-]+", value):
            try:
                ip_address(value)
            except ValueError:
                raise ValueError(
                    f"{value!r} is not a name or an address such as 127.0.0.1; the port stands in PORT"
                ) from None
        return value

    @field_validator("secret_text")
    @classmethod
    def _secret_is_long(cls, value: SecretStr | None) -> SecretStr | None:
        """Refuse what can be guessed."""
        if value is not None and len(value.get_secret_value()) < _SECRET_CHARACTERS:
            raise ValueError(f"it needs at least {_SECRET_CHARACTERS} characters")
        return value

    @field_validator("allowed_origins_text")
    @classmethod
    def _origins_are_exact(cls, value: str) -> str:
        """Refuse at the start a value that would open the socket to every site."""
        for origin in _split_list(value):
            require_origin(origin)
        return value

    @field_validator("public_url", "search_url")
    @classmethod
    def _are_servers(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Refuse what no path can be put behind."""
        shape, example = _SERVERS[info.field_name or ""]
        if value is not None and not shape.fullmatch(value):
            raise ValueError(f"{value!r} is not the address of a server such as {example}")
        return value.rstrip("/") if value is not None else None

    @field_validator("trusted_proxies")
    @classmethod
    def _proxies_are_addresses(cls, value: str) -> str:
        """Refuse a value that would trust no proxy, or every address."""
        Proxies.parse(value)
        return value

    @model_validator(mode="after")
    def _keys_of_langfuse_come_together(self) -> Self:
        """Refuse half a configuration: its operator believes that runs are traced."""
        if (self.langfuse_public_key is None) != (self.langfuse_secret_key is None):
            raise ValueError("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY are set together or not at all")
        return self

    @property
    def traces(self) -> bool:
        """Return whether runs are traced, because Langfuse or a collector is named."""
        return self.langfuse_secret_key is not None or self.otlp_endpoint is not None

    @property
    def flush_ms(self) -> int:
        """Return how many ms the log may lag behind what this process shows; an embedded one has no other readers."""
        return self.flush_ms_given if self.flush_ms_given is not None else 20 if self.redis_url else 50

    @property
    def model_search(self) -> bool:
        """Return whether the model's server searches the web itself, because it is OpenAI's or the operator says so."""
        own = _OPENAI.match(self.openai_base_url or "https://api.openai.com") is not None
        wished = own if self.model_search_given is None else self.model_search_given
        return wished and not self.demo and self.model_api == "responses" and self.search_url is None

    @property
    def open_requests(self) -> bool:
        """Return whether requests over REST are answered to a client without a key and a visitor's cookie."""
        return self.demo if self.open_requests_given is None else self.open_requests_given

    @property
    def demo(self) -> bool:
        """Return whether the built-in demo model is in use, because no key is set."""
        return self.openai_api_key is None

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Return the origins besides our own that may open sockets and call the API."""
        return frozenset(_split_list(self.allowed_origins_text))

    @cached_property
    def secret(self) -> bytes:
        """Return the signing secret: the configured one, else one made once in the data folder."""
        if self.secret_text is not None:
            return self.secret_text.get_secret_value().encode()
        return _read_or_make_secret(self.data_dir / _SECRET_FILE)


def names() -> frozenset[str]:
    """Return the names in the environment that are ours alone."""
    aliases = (each.alias or "" for each in Settings.model_fields.values())
    return frozenset(each for each in aliases if each.startswith(_OURS))


def environment_secret(name: str) -> str | None:
    """Return the value of a variable that the file of apps names; None when it is not set, or empty."""
    return os.environ.get(name) or None


def strange_names() -> list[str]:
    """Return what is set under a name like ours that no setting has."""
    return sorted(each for each in os.environ if each.startswith(_OURS) and each not in names())


def variables(needed: Iterable[str]) -> dict[str, str]:
    """Return what the environment has of variables that a file of the operator names."""
    return {name: os.environ[name] for name in needed if name in os.environ}


def _read_or_make_secret(path: Path) -> bytes:
    """Read the secret, or make it; two processes starting at once agree on one."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_hex(32))
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
    return path.read_text().strip().encode()
