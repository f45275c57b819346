"""A bench whose tools ask people and pages, and the few steps that every test of them takes."""

import itertools
from dataclasses import dataclass
from typing import Any

from server.agents.tools import tool
from server.agents.tools.ask import ask_user
from server.protocol.commands import ClientTool, Message, TextPart
from server.store import GivenAnswer, Interrupt
from tests.parts.wait import until_async
from tests.unit.agents.teams import Bench, Ctx

_names = itertools.count(1)

QUESTIONS = {
    "type": "object",
    "properties": {
        "size": {"type": "string", "enum": ["S", "M"]},
        "count": {"type": "integer", "minimum": 1},
    },
    "required": ["size"],
}

WHERE = ClientTool(
    name="where", description="Where the page is.", parameters={"type": "object", "properties": {}}
)


class Asking(Bench):
    """`give` happens once and asks a person first; `peek` asks for big words only."""

    def tools(self) -> list[Any]:
        @tool(effect="once", approval=lambda run, a: f"Give {a['what']}?", args=lambda a: {"what": a["what"]})
        async def give(ctx: Ctx, what: str) -> dict[str, str]:
            """Give something away."""
            self.done.append(f"give {what}")
            return {"given": what}

        @tool(effect="read", approval=lambda run, a: "May I?" if a["word"].isupper() else None)
        async def peek(ctx: Ctx, word: str) -> str:
            """Look at a word."""
            self.done.append(f"peek {word}")
            return word

        return [*super().tools(), give, peek, ask_user]


@dataclass
class Asked:
    """One conversation in which something is asked, seen from one screen."""

    here: Any
    session: Any
    screen: Any

    @classmethod
    async def of(cls, here: Any) -> "Asked":
        session = await here.session()
        return cls(here, session, await here.screen(session))

    async def say(self, text: str, *, tools: list[ClientTool] | None = None, ends: int | None = None) -> Any:
        """Say something and wait for the end of its run, or for this many ends."""
        count = self.screen.ends() + 1 if ends is None else ends
        content = [TextPart(type="text", text=text)]
        message = Message(type="message", id=f"a{next(_names)}", content=content, tools=tools)
        ack = await self.here.runs.submit(self.session, message, "en")
        await self.ended(count)
        return ack

    async def answer(self, *given: GivenAnswer, id: str | None = None, ends: int = 1) -> Any:
        """Answer, and wait for the end of the run that goes on."""
        count = self.screen.ends() + ends
        ack = await self.here.runs.resume(self.session, id or f"r{next(_names)}", given, "en")
        await self.ended(count)
        return ack

    async def ended(self, count: int) -> None:
        await until_async(lambda: self.screen.ends() >= count, what=f"{count} ends")

        async def is_published() -> bool:
            running = await self.here.store.runs.running(self.session.id)
            return running is None and not await self.here.store.runs.list_unpublished(0)

        await until_async(is_published, what="the end to be published")

    async def open(self) -> list[Interrupt]:
        """Return what waits."""
        found: list[Interrupt] = await self.here.store.interrupts.open_in(self.session.id)
        return found

    def block(self, interrupt: Interrupt) -> dict[str, Any]:
        """Return the block that asks, as the screen folds it."""
        content: dict[str, Any] = self.screen.folded.message(interrupt.block_id)["content"]
        return content

    def outcome(self) -> Any:
        """Return how the last run ended."""
        return self.screen.folded.run.outcome

    def results(self) -> dict[str, str]:
        """Return the status of each call's result."""
        own = [each for each in self.screen.folded.messages if each["role"] == "tool"]
        return {each["toolCallId"]: each["metadata"]["loopwire"]["status"] for each in own}

    async def agrees(self) -> None:
        """Fold of the live events = stored transcript = snapshot, and every stretch closes what it opened."""
        stored = await self.here.store.messages.transcript(self.session.id)
        assert self.screen.folded.messages == stored.messages
        snapshot = await self.here.runs.snapshot(self.session.id)
        assert snapshot.transcript.messages == stored.messages
        stretches(self.screen.entries)


def stretches(entries: Any) -> None:
    """Between RUN_STARTED and its end nothing stays open."""
    opened: set[str] = set()
    for entry in entries:
        event = entry.event
        kind, _, half = event["type"].rpartition("_")
        name = event.get("messageId") or event.get("toolCallId") or event.get("stepName") or ""
        if event["type"] in {"TEXT_MESSAGE_START", "TOOL_CALL_START", "STEP_STARTED"}:
            assert (kind, name) not in opened
            opened.add(f"{kind} {name}")
        elif event["type"] in {"TEXT_MESSAGE_END", "TOOL_CALL_END", "STEP_FINISHED"}:
            opened.remove(f"{kind} {name}")
        elif event["type"] in {"RUN_FINISHED", "RUN_ERROR"}:
            assert not opened, half


def yes(interrupt: Interrupt, payload: Any = None) -> GivenAnswer:
    return GivenAnswer(
        "resolved", {"approved": True} if payload is None else payload, interrupt_id=interrupt.id
    )


def no(interrupt: Interrupt, reason: str = "") -> GivenAnswer:
    payload = {"approved": False, "reason": reason} if reason else {"approved": False}
    return GivenAnswer("resolved", payload, interrupt_id=interrupt.id)
