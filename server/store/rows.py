"""The rows of the store: frozen sessions, runs and tool calls. Times are ms since the epoch."""

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from server.protocol.commands import AnswerStatus

Json = dict[str, Any]
RunStatus = Literal["queued", "running", "finished"]

ROOT = ""
"""The parent of the first message of a conversation, where None is the active leaf."""


@dataclass(frozen=True, slots=True)
class SessionOwner:
    """The principal and the purpose of a conversation: enough to admit its readers, and to accept their messages."""

    id: str
    app: str
    principal: str
    service: str
    language: str


@dataclass(frozen=True, slots=True)
class UnstoredSession(SessionOwner):
    """A conversation that is stored with its first run, in one transaction."""

    context: Json


@dataclass(frozen=True, slots=True)
class Session(SessionOwner):
    """One conversation of one principal with one service."""

    title: str | None
    agent: str | None
    state: Json
    context: Json
    fence: int
    last_seq: int
    last_run: str | None
    status: str
    """The status line of the last finished run: waiting, done, stopped, failed or empty."""
    active_leaf: str | None
    """The last message of the branch that is shown; new runs follow it."""
    callback_url: str | None
    """The address to which the end of each run is posted."""
    created_at: int
    updated_at: int
    operator: Json | None = None
    """The operator who has joined, `{"key", "name", "since"}`: the agents are silent until it leaves."""

    @property
    def published_seq(self) -> int:
        """Return the seq that a whole log reaches when the end of the last run is published: one more than stored."""
        return self.last_seq if self.last_run is None else self.last_seq + 1


@dataclass(frozen=True, slots=True)
class Summary:
    """One line of a principal's list of conversations."""

    id: str
    title: str | None
    service: str
    status_line: str
    """running while a run waits or works, else the session's own: waiting, done, stopped, failed or empty."""
    item: Json | None
    """`{"reference", "price"}` of the item, from the state under the same keys; `price` is null where there is none."""
    updated_at: int


@dataclass(frozen=True, slots=True)
class AppSession:
    """One line of the list of an app's conversations."""

    id: str
    title: str | None
    service: str
    language: str
    status: Literal["running", "waits", "idle"]
    """running while a run waits or works, waits while something is asked of the visitor, else idle."""
    operator: Json | None
    """`{"name", "since"}` of the operator who has joined."""
    created_at: int
    updated_at: int

    @property
    def cursor(self) -> str:
        """Return the cursor of the lines after this one."""
        return f"{self.updated_at}-{self.id}"


@dataclass(frozen=True, slots=True)
class OperatorAction:
    """An action of an operator, who has a key of that scope."""

    id: str
    app: str
    key_id: str
    session_id: str | None
    action: str
    at: int


@dataclass(frozen=True, slots=True)
class RunWithoutInput:
    """A run without the JSON of its input, so that nothing of its row can be unreadable."""

    id: str
    session_id: str
    kind: str
    """`agent`, or `note` where no model is asked."""
    outcome: str | None
    code: str | None
    attempt: int
    fence: int
    language: str
    parent_run_id: str | None
    first_seq: int
    """The seq at which the run begins in the log; 0 until it has finished."""
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class UnpublishedEnd(RunWithoutInput):
    """A finished run whose end may not be in the log."""

    changes_path: bool
    """Whether the run has left the active path."""


@dataclass(frozen=True, slots=True)
class Run(RunWithoutInput):
    """One input, and how far its execution is."""

    status: RunStatus
    published: bool
    message_id: str
    client_id: str
    content: list[Json]
    cancel: bool
    created_at: int
    started_at: int | None
    tools: list[Json] | None = None
    """The tools of the sender's page for this run, each `{name, description, parameters}`."""
    callback_url: str | None = None
    """The address to which the response of a request is posted."""
    trace_context: str | None = None
    """The trace of another system that the input belongs to: a traceparent, and after a space a tracestate."""
    branch: Json | None = None
    """The change of the active path: `{"version_of": id}` adds a version of a message, `{"switch_to": id}` shows it."""


@dataclass(frozen=True, slots=True)
class Interrupt:
    """A call that waits for a person or a browser until `expires_at`."""

    id: str
    call_id: str
    kind: Literal["approval", "form", "tool"]
    tool: str
    message: str
    schema: Json
    """The JSON Schema of an answer."""
    block_id: str | None
    expires_at: int


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer as the client sent it: named by its interrupt or, for a tool of the browser, by its call."""

    status: AnswerStatus
    payload: Any
    interrupt_id: str | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True)
class Queued:
    """A message that waits for its run to be claimed."""

    run_id: str
    message_id: str
    client_id: str
    text: str
    content: list[Json]
    cancel: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The point at which a take-over continues: the SDK's run state, and the messages shown up to it."""

    run_state: str | None
    messages: list[Json]
    state: Json
    items: list[Json]
    agent: str | None


@dataclass(frozen=True, slots=True)
class Branch:
    """The message at which a run leaves the active path, and the state with which it continues there."""

    parent: str | None
    """The message that its own follow; None before the first one."""
    versions: list[str]
    """The versions of the message that it adds one to, oldest first, without the new one; empty for a switch."""
    state: Json | None
    """The session's state after the parent, None where it was not kept."""
    agent: str | None
    """The agent that had the conversation then."""
    kept: bool
    """Whether an act that happens once was done after the message of which this is a version."""
    left: Json | None = None
    """The session's state on the path that is left; None where it was not read."""
    first: str | None = None
    """The text of the message with which the new path begins; None where the run writes it, or it is not read."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A run that the caller holds until its lease ends; `takeover` when another holder had begun it."""

    run: Run
    session: Session
    takeover: bool
    checkpoint: Checkpoint | None
    alone: bool
    """As it was claimed, nothing else waited in the session's queue, and its principal was welcome."""
    asked: float
    """The time of the request, by `time.monotonic()`: its lease began no earlier, however late the answer is."""
    branch: Branch | None = None
    """The place at which it leaves the active path; None for a run that continues the path."""


@dataclass(frozen=True, slots=True)
class OperatorChange:
    """An action of an operator on a session: a message, a note for the agents alone, a join, or a leave."""

    kind: Literal["say", "whisper", "join", "leave"]
    key_id: str
    name: str | None

    @property
    def has_words(self) -> bool:
        """Return whether the message counts in the limits of messages."""
        return self.kind in ("say", "whisper")


@dataclass(frozen=True, slots=True)
class Claimant:
    """The process that would execute a run at once, and the length of its lease."""

    owner: str
    lease_s: float


@dataclass(frozen=True, slots=True)
class Submitted:
    """The result of a submission: `queued` counts the runs of the session ahead of it; `claim` is its run as ours."""

    run_id: str
    message_id: str
    dup: bool
    queued: int
    claim: Claim | None = None
    stopped: tuple[str, ...] = ()
    """Runs at work that this one stops."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """The answer to a renewal: whether the caller still has the lease, and whether its user stopped the run."""

    alive: bool
    cancel: bool


@dataclass(frozen=True, slots=True)
class Stopped:
    """The result of a cancel."""

    run_id: str
    state: RunStatus


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of a run, committed in one transaction."""

    outcome: str
    code: str | None
    messages: list[Json]
    """New messages in order, and changed ones of earlier runs; a known id is replaced in its place."""
    state: Json
    items: list[Json]
    """The model's history that this run adds."""
    agent: str | None
    usage: Json = field(default_factory=dict)
    first_seq: int = 0
    last_seq: int = 0
    title: str | None = None
    status_line: str = ""
    parent: str | None = None
    """The message that the new ones follow, when it is not the active leaf: this begins another branch. `ROOT` is the
    beginning."""
    interrupts: list[Interrupt] = field(default_factory=list)
    """The interrupts that the run waits for, when its outcome is `interrupt`."""
    resume: Checkpoint | None = None
    """The checkpoint that the run with their answers begins from."""
    response: Json | list[Json] | None = None
    """The response to a request."""
    request: bool = False
    """The run executes a request of a service over REST, which is sent to no webhook."""
    trace_context: str | None = None
    """The span that a callback names as its parent; without it the run's own `trace_context`."""
    private: bool = False
    """The response is encrypted at rest."""


class StoredTranscript(NamedTuple):
    """The active path's messages of finished runs, and the seq of the log that they reach to."""

    messages: list[Json]
    state: Json
    last_seq: int
    last_run: str | None
    older: bool = False
    """The path has messages before these."""


@dataclass(frozen=True, slots=True)
class JudgedMessage:
    """The message that got a thumb: its run, and when it was stored (ms since 1970)."""

    run_id: str
    created_at: int
    trace_context: str | None
    """The run's."""


@dataclass(frozen=True, slots=True)
class FeedbackReason:
    """The reason of a judgement: its name, and what the person wrote beside it."""

    reason: str | None = None
    comment: str | None = None


NO_REASON = FeedbackReason()


class Page(NamedTuple):
    """Some messages, oldest first; `cursor` asks for those before them, None at the beginning."""

    messages: list[Json]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The ledger's record of a tool call: `fresh` when the call may happen now, since it was not noted before."""

    state: Literal["intent", "done", "unknown"]
    result: Any
    fresh: bool


@dataclass(frozen=True, slots=True)
class MessagePicture:
    """A picture of a message without its bytes; width and height are in pixels."""

    id: str
    media_type: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Blob:
    """A stored file with its bytes."""

    id: str
    media_type: str
    data: bytes
    sha256: str
    session_id: str | None
    created_at: int
