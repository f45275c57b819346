"""The MCP servers that an app's table names: how each is reached, which agents get it, and what its tools may do."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator, model_validator

from server import patterns

MOST_TOOL_NAME = 64
"""Characters of a function's name that models' servers take."""

_VARIABLE = patterns.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEADER = patterns.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_OWN_HEADERS = frozenset(
    {"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "last-event-id"}
)
"""Headers that the connection sets itself, as it does every `mcp-…`."""

_NO_FUNCTION_NAME = patterns.compile(r"[^A-Za-z0-9_-]")

ServerName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{0,31}$")]
ToolName = Annotated[str, StringConstraints(min_length=1, max_length=128)]


Effect = Literal["read", "idempotent", "once"]
"""The effect of a repeated call of a tool; `once` is never repeated by itself."""


class McpTool(BaseModel):
    """One tool that the agents may call, and what a call of it means."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    effect: Effect = Field(
        "once", description="What a repeated call would mean; `once` is never repeated by itself."
    )
    approval: bool | None = Field(
        None, description="Whether a person is asked before each call; unless set, for all but `read`."
    )
    args: tuple[str, ...] | None = Field(
        None, description="Arguments that a browser may see; none unless set, all of them in an approval."
    )
    result: bool = Field(False, description="Whether a browser may see the beginning of the result.")

    @property
    def asks(self) -> bool:
        """Return whether a person is asked before each call."""
        return self.effect != "read" if self.approval is None else self.approval


class McpServer(BaseModel):
    """One server: a program that is started here (`command`), or one that is reached by HTTP (`url`)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    services: tuple[str, ...] = Field(min_length=1, description="The services whose agents get its tools.")
    tools: dict[ToolName, McpTool] = Field(
        min_length=1, description="The tools that may be called, by their names there; others never are."
    )
    command: str | None = Field(None, min_length=1, description="The program that speaks MCP by stdio.")
    args: tuple[str, ...] = Field((), description="Its arguments.")
    env: tuple[str, ...] = Field((), description="Names of variables of our environment that it gets.")
    url: str | None = Field(None, description="The address that speaks MCP by streamable HTTP.")
    headers: dict[str, str] = Field(
        {}, description="Headers of each request, each with the variable that holds its value."
    )
    private: bool = Field(False, description="Whether the address may be private, and plain http.")
    timeout_s: float = Field(20.0, gt=0, le=120, description="Seconds after which a call has failed.")

    @field_validator("env")
    @classmethod
    def _are_variables(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            if not _VARIABLE.fullmatch(each):
                raise ValueError(
                    f"{each!r} is not the name of a variable; its value stands in the environment"
                )
        return value

    @field_validator("headers")
    @classmethod
    def _take_their_values_from_variables(cls, value: dict[str, str]) -> dict[str, str]:
        for name, variable in value.items():
            lower = name.lower()
            if not _HEADER.fullmatch(name) or lower in _OWN_HEADERS or lower.startswith("mcp-"):
                raise ValueError(f"{name!r} is no header that can be set here")
            if not _VARIABLE.fullmatch(variable):
                # The value itself is not quoted: it may be the secret.
                raise ValueError(f"{name} names the variable that holds its value, such as WEATHER_TOKEN")
        return value

    @field_validator("url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        try:
            parts = urlsplit(value)
            odd = (
                parts.scheme not in ("http", "https")
                or not parts.hostname
                or parts.fragment
                or parts.port == 0
            )
        except ValueError:
            odd = True
        if odd:
            raise ValueError("it has to be an address such as https://tools.example/mcp")
        if "@" in parts.netloc:
            raise ValueError("a password stands in a header, not in the address")
        return value

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("it needs either command or url")
        if self.command is None and (self.args or self.env):
            raise ValueError("args and env belong to a command")
        if self.url is None and (self.headers or self.private):
            raise ValueError("headers and private belong to a url")
        if self.url is not None and not self.private and not _is_public_form(self.url):
            raise ValueError("a public address is https at port 443; private = true allows others")
        return self

    @property
    def variables(self) -> frozenset[str]:
        """Return the variables of the environment that it needs."""
        return frozenset((*self.env, *self.headers.values()))


def _is_public_form(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" and parts.port in (None, 443)


def model_name(server: str, tool: str) -> str:
    """Return the name by which models call a tool: the server's name before its own."""
    return f"{server}_{_NO_FUNCTION_NAME.sub('_', tool)}"


def mcp_scope(server: str) -> str:
    """Return the scope of all tools of a server."""
    return f"mcp:{server}"


def named_tools(servers: dict[str, McpServer]) -> Iterator[tuple[str, str, str]]:
    """Yield each tool of an app's servers: the name by which models call it, its server, its name there."""
    for server, its in servers.items():
        for tool in its.tools:
            yield model_name(server, tool), server, tool


def require_names(servers: dict[str, McpServer]) -> None:
    """Raise ValueError where two tools would have one name, or one has a name that no model can call."""
    found: dict[str, str] = {}
    for name, server, tool in named_tools(servers):
        place = f"{server}.tools.{tool}"
        if len(name) > MOST_TOOL_NAME:
            raise ValueError(f"{place}: the name {name!r} has more than {MOST_TOOL_NAME} characters")
        if name in found:
            raise ValueError(f"{place} and {found[name]} would both be called {name!r}; rename a server")
        found[name] = place
