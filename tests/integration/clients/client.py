"""The suite's interface to foreign clients: send, stop, reload, and read the shown messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.parts.wait import until_async

Json = dict[str, Any]
Words = tuple[str, str]
"""Who said it, and what."""

YES = "sim"
ENDED = frozenset({"complete", "refused"})
"""The states of a submission in which nothing is asked any more."""
FORM_ANSWERS = {"number": "12", "date": "2021", "text": "uma caixa"}


@dataclass(frozen=True)
class Tool:
    """A tool of a client's page."""

    declared: Json
    gives: str


WHERE = Tool(
    {
        "name": "where",
        "description": "Where the person is.",
        "parameters": {"type": "object", "properties": {}},
    },
    "Porto",
)


@dataclass(frozen=True)
class Page:
    """The place at which a client talks: a service of a server, with a jar of cookies or without."""

    url: str
    service: str
    jar: bool
    tool: Tool | None = None


@dataclass
class Shown:
    """The texts and blocks that a client shows."""

    said: list[Words]
    blocks: list[Json]
    state: Json
    session: str
    called: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def answers(self) -> list[str]:
        """Return the texts of the assistant."""
        return [text for role, text in self.said if role == "assistant"]

    def waits(self) -> bool:
        """Return whether the seller is asked, or the item is finished; the words of an answer may be shown before."""
        return self.next_text() is not None or self.state.get("status") in ENDED

    def next_text(self) -> str | None:
        """Return what a seller who only types says next; None when nothing is asked."""
        asked = [each for each in self.blocks if each["status"] == "open" and "name" in each]
        if not asked or self.state.get("status") in ENDED:
            return None
        block = asked[-1]
        if block["name"] in {"confirm", "options"}:
            return YES
        if block["kind"] == "choices":
            return str(block["choices"][0]["label"])
        return FORM_ANSWERS[block.get("input", "text")]


class Client(Protocol):
    """A published client, and the page around it."""

    async def open(self, page: Page) -> None:
        """Open the page, with nothing said yet."""

    async def say(self, text: str) -> None:
        """Say something; returns when it is answered."""

    async def stop(self) -> None:
        """Stop the answer as this client does."""

    async def reload(self) -> None:
        """Open the page anew with what a page keeps: cookies, or the token of the last answer."""

    async def shows(self) -> Shown:
        """Look at what it shows."""

    async def aclose(self) -> None:
        """End it."""


async def until_shown(client: Client, found: Callable[[Shown], Any], *, what: str) -> Shown:
    """Wait until a client shows something."""

    last: list[Shown] = []

    async def looked() -> bool:
        last[:] = [await client.shows()]
        return bool(found(last[0]))

    try:
        await until_async(looked, what=what)
    except AssertionError as error:
        raise AssertionError(f"{error}: {last}") from None
    return last[0]
