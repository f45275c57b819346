"""Conversations without a server: real runner, real tools, a real SQLite store, the demo model; typing or clicking."""

import time
from dataclasses import dataclass, field, replace
from typing import Any

from agents import Model

from server.agents.model.providers import OneModel, Provider
from server.agents.run.runner import AgentRunner, Result, RunInput
from server.agents.run.types import Stop
from server.demo import DemoModel
from server.loopos.core import Core, EmbeddedCore
from server.loopos.pictures import Pictures
from server.protocol import events as ev
from server.protocol.commands import parts_text
from server.protocol.ids import new_id
from server.protocol.transcript import Transcript
from server.runs.conversation.pictures import pictures_of
from server.services import services
from server.store import Claim, Finish, Store
from tests.unit.demo.prefixes import Prefixes

Event = dict[str, Any]

PLAIN = ("text", "answer")
"""The parts of a message that mean the same in each test."""


@dataclass
class Outlet:
    """Keeps every event and folds it, as the live session would."""

    claim: Claim
    store: Store
    transcript: Transcript
    events: list[Event] = field(default_factory=list)
    cancelled: Stop = field(default_factory=Stop)
    is_over: bool = False

    @property
    def ledger(self) -> Any:
        return self.store.ledger

    def append(self, event: Event) -> None:
        self.events.append(event)
        self.transcript.apply(event)

    async def publish(self, *given: Event) -> None:
        for event in given:
            self.append(event)

    async def checkpoint(self, checkpoint: Any) -> None:
        await self.store.runs.checkpoint(self.claim.run.id, self.claim.run.fence, checkpoint)

    async def wait_for_room(self) -> None:
        return None

    def note_cost(self, usage: dict[str, Any]) -> None:
        return

    def messages(self) -> list[dict[str, Any]]:
        return self.transcript.run_messages(self.claim.run.id)

    def now_ms(self) -> int:
        return int(time.time() * 1000)


@dataclass
class Reply:
    """The effects of one message."""

    result: Result
    events: list[Event]

    @property
    def text(self) -> str:
        """Return all that was said."""
        starts = [
            e["messageId"]
            for e in self.events
            if e["type"] == "TEXT_MESSAGE_START" and e["role"] == "assistant"
        ]
        said = dict.fromkeys(starts, "")
        for event in self.events:
            if event["type"] == "TEXT_MESSAGE_CONTENT" and event["messageId"] in said:
                said[event["messageId"]] += event["delta"]
        return "\n".join(said.values())

    @property
    def calls(self) -> list[str]:
        """Return the tools called, in order."""
        return [event["toolCallName"] for event in self.events if event["type"] == "TOOL_CALL_START"]

    @property
    def handoffs(self) -> list[str]:
        """Return where it was handed on to, in short."""
        return [_short(e["content"]["to"]) for e in self.events if e.get("activityType") == "handoff"]

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """Return the blocks shown, with their ids."""
        shown = [e for e in self.events if e["type"] == "ACTIVITY_SNAPSHOT" and e["activityType"] == "block"]
        return [{"id": each["messageId"], **each["content"]} for each in shown]


def _short(agent: str) -> str:
    names = {
        "identification": "identification",
        "options": "options",
        "create": "registration",
        "protocol": "questions",
    }
    return next((short for part, short in names.items() if part in agent), "chat")


class RunnerHarness:
    """The parts that all visitors share; one that has `prefixes` gives them up when a test asks for store or Core."""

    prefixes: Prefixes | None = None

    def __init__(
        self, store: Store, core: Core, model: Model | None = None, provider: Provider | None = None
    ) -> None:
        self.own_store, self.own_core = store, core
        self.services = services()
        asked = provider or OneModel(model or DemoModel(delay=0))
        self.runner = AgentRunner(
            asked, self.services, conversations=store.sessions, resources={Core: core, Pictures: store.blobs}
        )

    @classmethod
    async def over(
        cls, store: Store, model: Model | None = None, provider: Provider | None = None
    ) -> "RunnerHarness":
        """Return the parts over a store, with the demo model unless another one is given."""
        return cls(store, await EmbeddedCore.open(store.database, store.webhooks), model, provider)

    @property
    def store(self) -> Store:
        """Return the store, for what its owner does with it."""
        if self.prefixes:
            self.prefixes.leave()
        return self.own_store

    @property
    def core(self) -> Core:
        """Return the Core in the same manner."""
        if self.prefixes:
            self.prefixes.leave()
        return self.own_core

    async def visitor(
        self, language: str = "pt", service: str = "submission", **context: Any
    ) -> "HarnessVisitor":
        """A new person with a conversation of their own."""
        prefixes = self.prefixes
        if prefixes and (known := prefixes.meet(language, service, context)):
            visitor = HarnessVisitor(self, *known, language)
        else:
            principal = new_id("vis")
            session = await self.own_store.sessions.create(
                app="demo", principal=principal, service=service, language=language, context=context
            )
            visitor = HarnessVisitor(self, session.id, principal, language)
            if prefixes:
                prefixes.keep((session.id, principal))
        if prefixes:
            prefixes.hold(visitor)
        return visitor


class HarnessVisitor:
    """One person in one conversation."""

    def __init__(self, harness: RunnerHarness, session_id: str, principal: str, language: str) -> None:
        self.harness, self.session_id, self.principal, self.language = (
            harness,
            session_id,
            principal,
            language,
        )
        self.replies: list[Reply] = []
        self.transcript = Transcript.of([], {})

    async def say(self, text: str) -> Reply:
        """Type a message."""
        return await self.send([{"type": "text", "text": text}])

    async def click(self, name: str, value: str, label: str = "") -> Reply:
        """Click in the block that is open."""
        block = next((b for b in reversed(self.open_blocks()) if b["name"] == name), None) or {
            "id": "blk_none"
        }
        part = {
            "type": "answer",
            "block_id": block["id"],
            "name": name,
            "value": value,
            "label": label or value,
        }
        return await self.send([part])

    def open_blocks(self) -> list[dict[str, Any]]:
        """Return the blocks that wait, as the page shows them now."""
        shown = [
            m
            for m in self.transcript.messages
            if m.get("role") == "activity" and m.get("activityType") == "block"
        ]
        blocks = [{"id": m["id"], **m["content"]} for m in shown]
        return [block for block in blocks if block["status"] == "open" and "name" in block]

    async def send(self, content: list[dict[str, Any]], *, kept: int | None = None) -> Reply:
        """Send a message through store, claim, runner and the stored end of the run.

        `kept` is how many replies stand before it, as where an earlier message is edited.
        """
        prefixes = self.harness.prefixes
        if prefixes and (kept is not None or not all(each["type"] in PLAIN for each in content)):
            prefixes.leave()
        if prefixes and (known := prefixes.recall(content)):
            reply, self.transcript = known
        else:
            reply = await self.answer_in_full(content, kept)
            if prefixes:
                prefixes.keep((reply, self.transcript))
        self.replies.append(reply)
        return reply

    async def answer_in_full(self, content: list[dict[str, Any]], kept: int | None) -> Reply:
        """Let the message be answered by the model, whether or not it was said before."""
        store = self.harness.own_store
        await store.runs.submit(
            session_id=self.session_id,
            principal=self.principal,
            client_id=new_id("cli"),
            content=content,
            language=self.language,
        )
        claim = await store.runs.claim("harness", 30)
        assert claim is not None and claim.session.id == self.session_id
        run = claim.run
        outlet = Outlet(claim, store, self.transcript)
        outlet.append(ev.run_started(self.session_id, run.id, attempt=run.attempt))
        outlet.append(ev.text_start(run.message_id, "user", content=content))
        outlet.append(ev.text_content(run.message_id, parts_text(content)))
        outlet.append(ev.text_end(run.message_id))
        service = self.harness.services[claim.session.service]
        history, session = await store.messages.history(self.session_id), claim.session
        if kept is not None:
            before = [each.result for each in self.replies[:kept]]
            history = [item for each in before for item in each.items]
            session = replace(session, state=before[-1].state, agent=before[-1].agent)
        turn = RunInput(run, session, service, history, claim.checkpoint, 30)
        turn = replace(turn, pictures=await pictures_of(turn.items(), claim.session, store))
        result = await self.harness.runner.run(turn, outlet)
        for event in outlet.transcript.close_events():
            outlet.append(event)
        outlet.append(ev.run_finished(self.session_id, run.id, {"type": result.outcome}))
        title, line = service.status(result.state)
        await store.runs.finish(run.id, run.fence, Finish(
            outcome=result.outcome, code=result.code, messages=outlet.messages(), state=result.state,
            items=result.items, agent=result.agent, usage=result.usage, title=title, status_line=line,
        ))  # fmt: skip
        await store.runs.mark_published(run.id, run.fence)
        return Reply(result, outlet.events)

    @property
    def state(self) -> dict[str, Any]:
        """Return the session's state as it is stored."""
        return self.replies[-1].result.state if self.replies else {}

    async def items(self) -> list[Any]:
        """Return what this person has made."""
        if prefixes := self.harness.prefixes:
            prefixes.settle()
        return list(await self.harness.own_core.items(self.principal, limit=20))


async def talk(harness: RunnerHarness, language: str, *said: str) -> HarnessVisitor:
    """Return a new visitor who has said this."""
    visitor = await harness.visitor(language)
    for text in said:
        await visitor.say(text)
    return visitor


def legend(visitor: HarnessVisitor) -> str:
    """Return the words of the only question that waits."""
    (asked,) = visitor.open_blocks()
    return str(asked.get("legend") or asked.get("label"))
