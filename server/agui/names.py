"""The ids that an AG-UI caller uses for the things of its conversation, and the messages that it has."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from server.protocol.events import ours


@dataclass(frozen=True, slots=True)
class Names:
    """The caller's names: its thread and run, and its own ids of the messages that it has sent."""

    session_id: str
    run_id: str
    thread: str
    run: str
    first_run: str = ""
    """The run before ours that the answer tells too, as one with it."""
    parent: str | None = None
    principal: str = ""
    """The principal of the session."""
    sent: Mapping[str, str] = field(default_factory=dict)
    """The caller's id of every message, by our key of it."""
    results: Mapping[str, str] = field(default_factory=dict)
    """The caller's id of the result of every call that it has answered itself."""
    texts: Mapping[str, int] = field(default_factory=dict)
    """The hash of the text of every assistant message that it has, by its id of the message."""
    reads_1_0: bool = True
    """Whether its schemas are those of AG-UI 1.0; older ones reject a whole answer for an outcome that is new."""
    language: str = "en"
    """The language of the conversation."""
    writes_blocks: bool = False
    """Whether it draws no blocks, and gets them as texts."""
    server: str = ""
    """The address of this server as the caller knows it."""
    told: Mapping[str, Any] = field(default_factory=dict)
    """Our own data for the start of the answer."""
    _known: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Find its ids at once, for `has` is asked of every message."""
        object.__setattr__(self, "_known", frozenset(self.sent.values()))

    def of(self, message: dict[str, Any]) -> str:
        """Return the caller's id of a message: its own for what it sent, else ours."""
        if message["role"] == "tool" and message["toolCallId"] in self.results:
            return self.results[message["toolCallId"]]
        key = str(ours(message).get("client_id") or message["id"])
        return self.sent.get(key, key)

    def covers(self, run_id: str) -> bool:
        """Return whether the answer contains this run."""
        return run_id in {self.run_id, self.first_run}

    def has(self, message: dict[str, Any]) -> bool:
        """Return whether the caller sent the message."""
        return self.of(message) in self._known

    def has_whole(self, message: dict[str, Any]) -> bool:
        """Return whether the caller sent the message with all of its text.

        An answer that the caller left early is cut.
        """
        if not self.has(message):
            return False
        whole = message.get("content") if message["role"] == "assistant" else None
        return whole is None or self.texts.get(self.of(message), hash(whole)) == hash(whole)

    def has_read(self, message: dict[str, Any]) -> bool:
        """Return whether the caller read the message in an answer: it has such a message under the server's id, its own
        results under its own ids.
        """
        return message["role"] != "user" and message["id"] in self.sent

    def rename_message(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the message as the caller gets it in a snapshot, under its id."""
        own = {key: value for key, value in ours(message).items() if key != "open"}
        return {**message, "id": self.of(message), "metadata": {"loopwire": own}}
