"""The context of one run, which the SDK hands to every tool: what the tool may read, change and show.

What a tool shows is collected and published in order with the result of its call, in one commit; only progress is
published at once. What a tool showed before it failed is published with its failure.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, TypeVar

from server.identity import VISITOR_PREFIX
from server.languages import Language
from server.protocol.codec import encode_json
from server.protocol.events import ToolStatus
from server.protocol.plain_text import plain_value
from server.protocol.shown_state import MOST_BYTES, PRIVATE
from server.tracing.trace_context import outgoing_headers
from server.words import say

Json = dict[str, Any]

T = TypeVar("T")


class BlockData(Protocol):
    """A typed block: anything of `server.protocol.blocks`."""

    def to_content(self, status: str = "open") -> Json:
        """Return the content of the activity that shows it: kind, data, status."""
        ...


MOST_SOURCES = 200
"""Addresses of pages that one run remembers."""


@dataclass(frozen=True)
class ToolRules:
    """The settings of an app for the tools of its agents."""

    approvals: frozenset[str] = frozenset()
    """Names of tools that ask a person first."""
    scopes: frozenset[str] = frozenset()
    """The scopes that tools may reach; without a name, every scope."""

    def allow(self, scopes: Iterable[str]) -> bool:
        """Return whether a tool with these scopes may be used."""
        return not self.scopes or self.scopes.issuperset(scopes)


NO_RULES = ToolRules()

current_call: ContextVar[str] = ContextVar("current_call", default="")
"""The id of the tool call whose body is running in this task."""

recorded: ContextVar[list[Json] | None] = ContextVar("recorded", default=None)
"""The changes of state and page by the tool that runs in this task, where they must be repeatable without the tool."""


class ConversationSummary(Protocol):
    """One line of the principal's own list of conversations."""

    @property
    def id(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def service(self) -> str: ...
    @property
    def status_line(self) -> str: ...


class Conversations(Protocol):
    """The principal's own conversations, newest first. The store's sessions are one."""

    async def list_summaries(
        self, app: str, principal: str, limit: int, before: str | None = None
    ) -> Sequence[ConversationSummary]:
        """Return at most `limit` conversations of this principal in this app; never another's."""
        ...

    async def owner_of(self, session_id: str) -> str | None:
        """Return the principal of a conversation now: a user may claim a visitor's conversation during a run."""
        ...

    async def call_person(self, session_id: str) -> bool:
        """Let a conversation wait for an operator of its app; false where the app has none."""
        ...


class LedgerRecord(Protocol):
    """The ledger's record of a call: state is intent, done or unknown."""

    @property
    def state(self) -> str: ...
    @property
    def result(self) -> Any: ...
    @property
    def fresh(self) -> bool: ...


class ToolLedger(Protocol):
    """The durable memory of `once` calls; the store's."""

    async def begin(
        self,
        run_id: str,
        call_id: str,
        tool: str,
        effect: str,
        args_hash: str,
        business_key: str | None = None,
    ) -> LedgerRecord:
        """Note the intent; fresh when it was not noted before under this call id or business key."""
        ...

    async def keep_result(self, run_id: str, call_id: str, result: Any) -> None:
        """Keep the result."""
        ...

    async def mark_unknown(self, run_id: str, call_id: str) -> None:
        """Store that it is unknown whether it happened."""
        ...

    async def forget(self, run_id: str, call_id: str) -> None:
        """Forget the intent: the action certainly did not happen."""
        ...


@dataclass(frozen=True)
class CallOutcome:
    """The outcome of a call; `value` is what the tool returned, before any cut."""

    status: ToolStatus
    value: Any
    duration_ms: int


class StateTooLarge(Exception):
    """A tool put more into the session state than fits: a bug of the tool, since every reload sends the state."""


class Effects(Protocol):
    """Collects what a tool shows; it is published with the result of the tool's call."""

    def block(self, content: Json, block_id: str | None) -> str:
        """Queue a block, new or in the place of an earlier one, and return its id."""
        ...

    def close_block(self, block_id: str, answer: Json | None) -> None:
        """Queue the end of a block: answered when there is an answer, else closed."""
        ...

    def state(self, keys: Iterable[str]) -> None:
        """Queue a STATE_DELTA of those of these keys whose value is another one than before."""
        ...


class Emitter(Protocol):
    """Publishes what a run shows; the runner implements it."""

    @property
    def is_over(self) -> bool:
        """Return whether the run may belong to another process by now, so that nothing that happens once may begin."""
        ...

    @property
    def ledger(self) -> ToolLedger:
        """Return the memory of `once` calls."""
        ...

    def note_effect(self, call_id: str, view: Callable[[Any], Json] | None) -> None:
        """Mark the call's outcome as unknown until its end is noted; an unknown one is shown by this view."""
        ...

    def note_call_end(self, call_id: str, outcome: CallOutcome) -> None:
        """Keep how a call ended until its result is published."""
        ...

    def progress(self, call_id: str, fraction: float, label: str, step: str | None) -> None:
        """Publish how far a call is, at most ten times a second; the newest value is always published."""
        ...

    @property
    def effects(self) -> Effects:
        """Return the effects that are published with the result of the current call."""
        ...


def _record(did: str, **what: Any) -> None:
    record = recorded.get()
    if record is not None:
        record.append({"did": did, **what})


@dataclass(frozen=True)
class ChosenForRun:
    """A resource that differs from run to run: by the app, or by what the session was given."""

    choose: Callable[["RunContext"], Any]


@dataclass
class RunContext:
    """One run as its tools see it. Read `state` freely, change it only by `set_state`."""

    session_id: str
    run_id: str
    principal: str
    app: str
    service: str
    language: Language
    conversations: Conversations
    emitter: Emitter
    resources: Mapping[type, Any] = field(default_factory=dict)
    """The service's resources, by the type that it names in `Service.deps`."""
    session_context: Mapping[str, Any] = field(default_factory=dict)
    """The values that the app gave the session when it began."""
    state: Json = field(default_factory=dict)
    private: Json = field(default_factory=dict)
    """Never leaves the server; changed in place; stored with the session state."""
    answers: dict[str, Any] = field(default_factory=dict)
    """The answers of people and browsers to calls that waited, by call id."""
    rules: ToolRules = NO_RULES
    """The settings of this app for tools."""
    page_tools: Sequence[Any] = ()
    """Tools of the sender's page, as the SDK knows them."""
    remote_tools: Callable[[], Sequence[Any]] = tuple
    """Gives the tools of the app's MCP servers, as the SDK knows them."""
    awaited: frozenset[str] = frozenset()
    """Names of tools whose calls wait: the agents have these, whether their server answers or not."""
    input: list[Json] = field(default_factory=list)
    """The content parts of the message that started the run: text and typed answers (clicks)."""
    sources: list[str] = field(default_factory=list)
    """Addresses of the pages that searches of this run found, the first ones first."""

    async def follow_owner(self) -> None:
        """Continue as the user who has claimed the visitor's conversation since the run began, if one has."""
        if self.principal.startswith(VISITOR_PREFIX):
            self.principal = await self.conversations.owner_of(self.session_id) or self.principal

    def resource(self, kind: type[T]) -> T:
        """Return what the service named by this type. Raises KeyError for a type that it did not name.

        What differs from run to run may not be there at the moment: then this raises RunFailed.
        """
        resource = self.resources[kind]
        found: T = resource.choose(self) if isinstance(resource, ChosenForRun) else resource
        return found

    def may_reach(self, scopes: Iterable[str]) -> bool:
        """Return whether a tool with these scopes may be used in this app."""
        return self.rules.allow(scopes)

    def progress(self, fraction: float, label: str, step: str | None = None) -> None:
        """Publish how far the running tool is, computed from work done: 0..1, and a label.

        A label or a step that is a key of the words is published as its sentence, in the language of the run.
        """
        done, words = min(1.0, max(0.0, fraction)), say(label, self.language)
        self.emitter.progress(current_call.get(), done, words, step and say(step, self.language))

    def block(self, block: BlockData, *, instead_of: str | None = None) -> str:
        """Show a block (choices, form, card, ...) after the running tool's call; returns its id.

        `instead_of` is the id of an earlier block of the session that this one replaces in its place.
        """
        content = block.to_content()
        block_id = self.emitter.effects.block(content, instead_of)
        _record("block", content=content, block_id=block_id)
        return block_id

    def close_block(self, block_id: str, answer: Json | None = None) -> None:
        """Close a block shown earlier, by this run or another of the session; idempotent for the reader."""
        self.emitter.effects.close_block(block_id, answer)
        _record("close", block_id=block_id, answer=answer)

    def set_state(self, **changes: Any) -> None:
        """Change session state by top-level keys and publish one STATE_DELTA; None removes the key.

        Raises StateTooLarge, and changes nothing, when the state would be over 64 KiB.
        """
        if PRIVATE in changes:
            raise ValueError("private data goes into RunContext.private")
        changes = plain_value(changes)
        self._require_size(changes)
        _record("state", changes=changes)
        for key, value in changes.items():
            if value is None:
                self.state.pop(key, None)
            else:
                self.state[key] = value
        self.emitter.effects.state(changes)

    def _require_size(self, changes: Json) -> None:
        """Raise unless the value is small enough; removing is always allowed."""
        size = len(encode_json({**self.state, **changes}).encode())
        if size > MOST_BYTES and any(value is not None for value in changes.values()):
            raise StateTooLarge(f"The state would be {size} bytes; the most is {MOST_BYTES}.")

    def add_sources(self, addresses: Iterable[str]) -> None:
        """Remember pages that a search found: an answer may name these as its sources, and no others."""
        new = (each for each in addresses if each not in self.sources)
        self.sources += islice(dict.fromkeys(new), MOST_SOURCES - len(self.sources))

    def trace_headers(self) -> dict[str, str]:
        """Return the headers with which a request to a server of the operator continues the run's trace; empty without
        one.

        Not for servers of others: they would learn which of their requests belong together.
        """
        return outgoing_headers()

    def repeat(self, did: list[Json]) -> None:
        """Do what a recorded body did to state and page: its own traces may have been lost."""
        for deed in did:
            match deed["did"]:
                case "block":
                    self.emitter.effects.block(deed["content"], deed["block_id"])
                case "close":
                    self.emitter.effects.close_block(deed["block_id"], deed["answer"])
                case "state":
                    self.set_state(**deed["changes"])
                case "private":
                    self.private.update(deepcopy(deed["changes"]))
                    for key in deed["gone"]:
                        self.private.pop(key, None)

    def stored_state(self) -> Json:
        """Return state and private part as the session stores them."""
        return deepcopy({**self.state, PRIVATE: self.private} if self.private else self.state)
