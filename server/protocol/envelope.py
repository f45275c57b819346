"""The envelope of an event on the wire, and the control frames, which are no events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from server.errors import LoopwireError

_BATCH = b'{"batch":['


@dataclass(frozen=True, slots=True)
class Fragment:
    """A piece of HTML, where it goes and how; only sockets of `loopwire.v1.html` get it."""

    content: str
    target: str
    swap: str


class ControlFrame(BaseModel):
    """A frame without seq: it is not in the log, and losing it is allowed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def encode(self) -> bytes:
        """Return the JSON of the frame; what has no value is left out."""
        return self.model_dump_json(exclude_none=True).encode()


class Welcome(ControlFrame):
    """The first frame after a hello: the session's position and how to reconnect."""

    type: Literal["welcome"] = "welcome"
    session_id: str
    epoch: str = Field(description="Epoch of the position; changes when the log is lost or taken over.")
    seq: int = Field(description="Number of the last event before this connection's first frame.")
    resumed: bool = Field(description="True when a replay follows, false when a snapshot does.")
    heartbeat_ms: int = Field(description="The server pings this often.")
    resume_window: int = Field(description="Seconds after a loss for which a replay is promised.")
    resume_token: str = Field(description="Accepted by a hello in place of a ticket; keep it in memory only.")
    capabilities: dict[str, Any] = Field(description="AG-UI 1.0 agent capabilities.")
    demo: bool = Field(description="True while the built-in demo model answers.")


class Snapshot(ControlFrame):
    """The whole conversation: the client replaces all that it has."""

    type: Literal["snapshot"] = "snapshot"
    epoch: str
    seq: int = Field(description="The first live event after this frame is seq + 1.")
    events: list[dict[str, Any]]
    before: str | None = Field(None, description="Cursor of older messages, when there are any.")
    content: str | None = Field(None, description="The conversation as HTML, for loopwire.v1.html.")
    target: str | None = None
    swap: str | None = None


class QueueItem(BaseModel):
    """A message that is stored and waits for the runs before it; `id` is its frame's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    message_id: str
    id: str
    text: str


class Queue(ControlFrame):
    """The messages that wait, in order; replaces the last such frame."""

    type: Literal["queue"] = "queue"
    items: list[QueueItem]


class Ack(ControlFrame):
    """The client's frame is committed. Sending it again gives the same ack with `dup`."""

    type: Literal["ack"] = "ack"
    id: str | None = None
    dup: bool | None = None
    run_id: str | None = None
    message_id: str | None = None
    ignored_tools: list[str] | None = Field(
        None, description="Tools of the frame that no agent gets: the service has tools of these names."
    )


class Error(ControlFrame):
    """A client's frame was refused, or something failed that the client should know."""

    type: Literal["error"] = "error"
    code: str
    message: str
    id: str | None = None
    retry: bool = False
    retry_after: float | None = Field(None, description="Seconds to wait before the same frame.")

    @classmethod
    def of(cls, error: LoopwireError, id: str | None = None) -> Error:
        """Show an error; `id` is used when the error does not know which frame it answers."""
        return cls(
            code=error.code,
            message=error.message,
            id=error.id or id,
            retry=error.retry,
            retry_after=error.retry_after,
        )


class Reconnect(ControlFrame):
    """The server leaves: it will close the socket with 1012, come back after this time."""

    type: Literal["reconnect"] = "reconnect"
    after_ms: int


class Close(ControlFrame):
    """The last event of a stream: what the close frame of a socket would say."""

    type: Literal["close"] = "close"
    code: int = Field(description="A close code, as a socket is closed with.")
    reason: str


class Degraded(ControlFrame):
    """Answers may come late: live streaming between instances is interrupted, or no worker takes up what this session
    said. Nothing stored is lost. A welcome ends it until it comes again."""

    type: Literal["degraded"] = "degraded"
    on: bool


class TypingNotice(ControlFrame):
    """The visitor or an operator types in this session. It is not stored and has no end: a reader shows it for some
    seconds, or until the message is there."""

    type: Literal["typing"] = "typing"
    from_tab: str | None = Field(None, description="Socket of this session whose user types.")
    name: str | None = Field(None, description="The operator who types; absent where the visitor does.")


class FeedbackNotice(ControlFrame):
    """Another reader of this session judged a message; without a value, the judgement was taken back."""

    type: Literal["feedback"] = "feedback"
    message_id: str
    value: Literal["up", "down"] | None = None
    from_tab: str | None = Field(None, description="Socket of this session whose user judged.")


def sender_of(frame: bytes) -> str | None:
    """Return the socket that caused a control frame, which knows already what it says; None if the frame names none."""
    sender: str | None = json.loads(frame).get("from_tab")
    return sender


def durable(
    seq: int,
    event_json: bytes,
    *,
    epoch: str | None = None,
    first: int | None = None,
    fragment: Fragment | None = None,
) -> bytes:
    """Frame an event by joining bytes. `first` is given when the frame stands for several events."""
    if epoch is None and first is None and fragment is None:  # The path of every token.
        return b'{"seq":%d,"event":%b}' % (seq, event_json)
    parts = [b'{"seq":', str(seq).encode(), b',"event":', event_json]
    if epoch is not None:
        parts += (b',"epoch":', json.dumps(epoch).encode())
    if first is not None and first != seq:
        parts += (b',"from":', str(first).encode())
    if fragment is not None:
        for name in ("content", "target", "swap"):
            value = json.dumps(getattr(fragment, name), ensure_ascii=False)
            parts += (b',"', name.encode(), b'":', value.encode())
    parts.append(b"}")
    return b"".join(parts)


def batch(frames: Sequence[bytes]) -> bytes:
    """Frame a replay, which the client applies in one go."""
    return _BATCH + b",".join(frames) + b"]}"


def frames_of_batch(frame: bytes) -> bytes:
    """Return the frames of a replay with commas between them; another frame as it is."""
    return frame[len(_BATCH) : -2] if frame.startswith(_BATCH) else frame
