"""The way out of a run as the tests see it: every event is validated, kept and folded, like the real one does."""

import asyncio
import copy
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from ag_ui.core import Event as AgUiEvent
from agents import Model
from pydantic import TypeAdapter

from server.agents.context import NO_RULES, ToolRules
from server.agents.model.providers import OneModel, Provider, model_settings
from server.agents.run.runner import AgentRunner, Result, RunInput
from server.agents.run.types import Stop
from server.agents.service import Service
from server.agents.tools.remote import RemoteTools
from server.protocol import events as ev
from server.protocol.commands import parts_text
from server.protocol.transcript import Transcript
from server.store.rows import Checkpoint, Interrupt, LedgerEntry, Run, Session
from tests.parts.wait import PATIENCE_S

_ANY = TypeAdapter(AgUiEvent)
_ids = itertools.count(1)


class Memory:
    """A ledger that lives as long as the test: the durable one is the store's, with its own contract tests."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], LedgerEntry] = {}
        self.keys: dict[str, tuple[str, str]] = {}
        self.asked: list[tuple[str, str | None]] = []

    async def begin(
        self,
        run_id: str,
        call_id: str,
        tool: str,
        effect: str,
        args_hash: str,
        business_key: str | None = None,
    ) -> LedgerEntry:
        self.asked.append((call_id, business_key))
        place = (run_id, call_id)
        if business_key and business_key in self.keys:
            place = self.keys[business_key]
        if place in self.rows:
            return replace(self.rows[place], fresh=False)
        if business_key:
            self.keys[business_key] = place
        self.rows[place] = LedgerEntry("intent", None, False)
        return LedgerEntry("intent", None, True)

    async def keep_result(self, run_id: str, call_id: str, result: Any) -> None:
        self.rows[run_id, call_id] = LedgerEntry("done", result, False)

    async def forget(self, run_id: str, call_id: str) -> None:
        del self.rows[run_id, call_id]
        self.keys = {key: place for key, place in self.keys.items() if place != (run_id, call_id)}

    async def mark_unknown(self, run_id: str, call_id: str) -> None:
        self.rows[run_id, call_id] = LedgerEntry("unknown", None, False)


class Crash(BaseException):
    """The process dies here."""


@dataclass
class Recorder:
    """An outlet that keeps everything. `on` is asked at every event and checkpoint, and may raise."""

    run_id: str
    session_id: str
    content: list[dict[str, Any]]
    ledger: Memory = field(default_factory=Memory)
    is_over: bool = False
    cancelled: Stop = field(default_factory=Stop)
    on: Callable[[dict[str, Any]], None] | None = None
    on_checkpoint: Callable[[Checkpoint], None] | None = None
    events: list[dict[str, Any]] = field(default_factory=list)
    committed: list[int] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    transcript: Transcript = field(default_factory=lambda: Transcript.of([], {}))
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self, checkpoint: Checkpoint | None = None, attempt: int = 1) -> None:
        """Send what precedes the runner's events: the run's start and the user's message."""
        self._take(ev.run_started(self.session_id, self.run_id, attempt=attempt))
        if checkpoint is not None:
            self._take(ev.messages_snapshot(checkpoint.messages, scope="run", attempt=attempt))
            return
        self._take(ev.text_start("msg_user", "user", content=self.content))
        self._take(ev.text_content("msg_user", parts_text(self.content)))
        self._take(ev.text_end("msg_user"))

    def end(self, result: Result) -> None:
        """Send what follows them."""
        kept = {each.call_id for each in result.interrupts}
        for event in self.transcript.close_events(kept):
            self._take(event)
        if result.outcome == "error":
            self._take(ev.run_error("It failed.", result.code or "internal"))
        else:
            outcome: dict[str, Any] = {"type": result.outcome}
            if result.outcome == "interrupt":
                outcome["interrupts"] = [_told(each) for each in result.interrupts]
            usage = [result.usage] if result.usage else None
            self._take(ev.run_finished(self.session_id, self.run_id, outcome, usage))

    def _take(self, event: dict[str, Any]) -> None:
        _ANY.validate_python(event)
        self.events.append(event)
        self.transcript.apply(copy.deepcopy(event))
        self.changed.set()
        if self.on is not None:
            self.on(event)

    def append(self, event: dict[str, Any]) -> None:
        self._take(event)

    async def publish(self, *given: dict[str, Any]) -> None:
        await asyncio.sleep(0)
        for event in given:
            self._take(event)
        self.committed.append(len(self.events))

    async def checkpoint(self, checkpoint: Checkpoint) -> None:
        await asyncio.sleep(0)
        self.checkpoints.append(copy.deepcopy(checkpoint))
        if self.on_checkpoint is not None:
            self.on_checkpoint(checkpoint)

    async def wait_for_room(self) -> None:
        return

    def note_cost(self, usage: dict[str, Any]) -> None:
        return

    def messages(self) -> list[dict[str, Any]]:
        return self.transcript.run_messages(self.run_id)

    def now_ms(self) -> int:
        return 1_800_000_000_000

    async def until(self, reached: Callable[[], bool]) -> None:
        """Wait for a state of what has been told."""
        async with asyncio.timeout(PATIENCE_S):
            while not reached():
                self.changed.clear()
                await self.changed.wait()

    def types(self) -> list[str]:
        """Return the runner's events by type, deltas of one message merged."""
        told = [event["type"] for event in self.events if event.get("messageId") != "msg_user"]
        names = [name for name in told if not name.startswith("RUN_")]
        return [name for name, _ in itertools.groupby(names)]

    def of(self, type_: str) -> list[dict[str, Any]]:
        """Return the events of a type."""
        return [event for event in self.events if event["type"] == type_]

    def text(self) -> str:
        """Return all that agents said."""
        return "".join(e["delta"] for e in self.of("TEXT_MESSAGE_CONTENT") if e["messageId"] != "msg_user")


def _told(each: Interrupt) -> dict[str, Any]:
    shown = {"expires_at": each.expires_at, "kind": each.kind, "block_id": each.block_id}
    return ev.interrupt(each.id, each.call_id, each.message, each.schema, **shown)


class NoConversations:
    """A person without other conversations."""

    async def owner_of(self, session_id):
        return None

    async def call_person(self, session_id):
        return False

    async def list_summaries(
        self, app: str, principal: str, limit: int, before: str | None = None
    ) -> list[Any]:
        return []


def session_row(**changes: Any) -> Session:
    """Return a stored session."""
    row = Session(
        id="ses_1",
        app="demo",
        principal="pri_1",
        service="test",
        language="pt",
        title=None,
        agent=None,
        state={},
        context={},
        fence=1,
        last_seq=0,
        last_run=None,
        status="",
        active_leaf=None,
        callback_url=None,
        created_at=0,
        updated_at=0,
    )
    return replace(row, **changes)


def run_row(content: list[dict[str, Any]], **changes: Any) -> Run:
    """Return a claimed run."""
    row = Run(
        id=f"run_{next(_ids)}",
        session_id="ses_1",
        kind="agent",
        status="running",
        published=False,
        outcome=None,
        code=None,
        attempt=1,
        fence=1,
        message_id="msg_user",
        client_id="c1",
        content=content,
        language="pt",
        parent_run_id=None,
        cancel=False,
        first_seq=1,
        created_at=0,
        started_at=0,
        ended_at=None,
    )
    return replace(row, **changes)


@dataclass
class Play:
    """One service, one model and what happens when a message comes."""

    service: Service
    model: Model | Provider
    history: list[dict[str, Any]] = field(default_factory=list)
    state: dict[str, Any] = field(default_factory=dict)
    context: dict[str, Any] = field(default_factory=dict)
    agent: str | None = None
    deadline_s: float = 20.0
    ledger: Memory = field(default_factory=Memory)
    resources: dict[type, Any] = field(default_factory=dict)
    remote: RemoteTools | None = None
    rules: ToolRules = NO_RULES
    result: Result | None = None

    def runner(self) -> AgentRunner:
        """Return a runner as a process has it."""
        provider = self.model if isinstance(self.model, Provider) else OneModel(self.model, "scripted")
        return AgentRunner(
            provider,
            {self.service.name: self.service},
            conversations=NoConversations(),
            resources=self.resources,
            settings=model_settings(first_delay_s=0.01),
            remote=self.remote,
            rules={"demo": self.rules},
        )

    def prepare(
        self, text: str = "olá", *, content: list[dict[str, Any]] | None = None, **changes: Any
    ) -> tuple[RunInput, Recorder]:
        """Return a turn and its way out."""
        run = run_row(content or [{"type": "text", "text": text}], **changes)
        turn = RunInput(
            run=run,
            session=session_row(state=dict(self.state), context=self.context, agent=self.agent),
            service=self.service,
            history=list(self.history),
            checkpoint=None,
            deadline_s=self.deadline_s,
        )
        return turn, Recorder(run.id, "ses_1", run.content, ledger=self.ledger)

    async def say(self, text: str = "olá", **kwargs: Any) -> Recorder:
        """Return one message, to its end."""
        turn, out = self.prepare(text, **kwargs)
        return await self.go(turn, out)

    async def go(self, turn: RunInput, out: Recorder) -> Recorder:
        """Run a turn and keep what a session would keep."""
        out.open(turn.checkpoint, turn.run.attempt)
        self.result = await self.runner().run(turn, out)
        out.end(self.result)
        self.history += self.result.items
        self.state, self.agent = self.result.state, self.result.agent
        return out
