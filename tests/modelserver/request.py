"""One model call as a brain sees it, the same for both dialects of the wire."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Dialect = Literal["responses", "chat"]
Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A function the model may call; a handoff is one too."""

    name: str
    description: str
    parameters: dict[str, Any]
    strict: bool = False

    @property
    def is_handoff(self) -> bool:
        """True for the names that the Agents SDK gives to handoffs."""
        return self.name.startswith("transfer_to_")


@dataclass(frozen=True, slots=True)
class OutputFormat:
    """The JSON schema that the answer has to follow."""

    name: str
    schema: dict[str, Any]
    strict: bool = False


@dataclass(slots=True)
class ModelRequest:
    """One model call. `items` are Responses items, whichever dialect the call came in."""

    dialect: Dialect
    model: str
    stream: bool
    instructions: str | None
    items: list[Item]
    tools: list[ToolSpec] = field(default_factory=list)
    tool_choice: Any = None
    parallel: bool | None = None
    output_format: OutputFormat | None = None
    include_usage: bool = True
    settings: dict[str, Any] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def tool_names(self) -> list[str]:
        """Names of the tools on offer, in the order of the request."""
        return [tool.name for tool in self.tools]

    @property
    def last_user_text(self) -> str:
        """Text of the newest user message, or an empty string."""
        for item in reversed(self.items):
            if item.get("role") == "user":
                return text_of(item)
        return ""

    @property
    def outputs_since_user(self) -> list[Item]:
        """Tool results that came after the newest user message, oldest first."""
        found: list[Item] = []
        for item in reversed(self.items):
            if item.get("role") == "user":
                break
            if item.get("type") == "function_call_output":
                found.insert(0, item)
        return found


def text_of(item: Item) -> str:
    """Return the plain text of a message item."""
    content = item.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if isinstance(part, dict))


class ProviderError(Exception):
    """An error answer in OpenAI's shape."""

    def __init__(
        self, status: int, message: str, *, kind: str, code: str | None = None, **headers: str
    ) -> None:
        """`headers` are sent with the answer, underscores read as dashes."""
        super().__init__(message)
        self.status = status
        self.error = {"message": message, "type": kind, "param": None, "code": code}
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def bad_request(message: str, code: str | None = None) -> ProviderError:
    """Return what a provider answers to a request that it can't read."""
    return ProviderError(400, message, kind="invalid_request_error", code=code)
