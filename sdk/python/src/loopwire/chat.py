"""A conversation with the agents of a Loopwire: what is sent is stored once, what is told comes once and in order."""

from __future__ import annotations

import asyncio
import json
import logging
import mimetypes
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, overload
from weakref import WeakSet

from loopwire.access import Access, Mint
from loopwire.conversation import Conversation, End, outcome_in
from loopwire.errors import Closed, Garbled, LoopwireError, Refused, Unreachable
from loopwire.events import Events
from loopwire.messages import Message, RunView
from loopwire.outbox import Outbox
from loopwire.parts import Ask, Content, Picture, Result, parts_of
from loopwire.position import Position
from loopwire.run import Run
from loopwire.tasks import Tasks
from loopwire.tools import ClientTools
from loopwire.wire import Frame, Wire

OPEN_S = 15.0
PAGE = 50

log = logging.getLogger("loopwire")

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of an answer: `lost` when somebody was faster, or something else was said instead."""

    lost: bool
    run: Run | None = None


class Chat:
    """One conversation, open within `async with`. It comes back by itself after each loss of the network."""

    def __init__(
        self, access: Access, *, session: str | None, open_timeout: float, **new: str | None
    ) -> None:
        """`new` is what a session that begins is given: service, language and alias."""
        self.session = session
        """The id of the session; open it again with `connect(…, session=…, visitor=chat.visitor)`."""
        self._access = access
        self._new = new
        self._open_timeout = open_timeout
        self._tasks = Tasks()
        self._wire = Wire(access.socket_url, self._ticket)
        self._conversation = Conversation()
        self._outbox = Outbox()
        self._due = asyncio.Event()
        self._ready = asyncio.Event()
        self._told = False
        """A snapshot has come."""
        self._unsure = False
        """A snapshot came in place of what was missed: runs may have ended unheard."""
        self._runs: WeakSet[Run] = WeakSet()
        self._events: WeakSet[Events] = WeakSet()
        self._tools = ClientTools(self._give_result, self._tasks, self._conversation.tell)

    # How it opens and closes.

    async def __aenter__(self) -> Self:
        """Connect. Raises Closed when nobody is let in, and Unreachable when nobody is there in time."""
        self._tasks.spawn(self._hear())
        self._tasks.spawn(self._speak())
        try:
            async with asyncio.timeout(self._open_timeout):
                await self._ready.wait()
        except TimeoutError as error:
            trouble = self._wire.trouble
            await self.aclose()
            message = str(trouble or "no answer")
            raise Unreachable("unreachable", f"{self._access.url}: {message}", retry=True) from (
                trouble or error
            )
        except BaseException:
            await self.aclose()
            raise
        if self._conversation.failure is not None:
            failure = self._conversation.failure
            await self.aclose()
            raise failure
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave; nothing is stopped."""
        await self.aclose()

    async def aclose(self) -> None:
        """Leave; what waits for the server raises Closed."""
        if self._conversation.failure is None:
            self._fail(Closed("closed", "This chat was closed."))
        await self._tasks.aclose()
        await self._wire.aclose()
        for each in tuple(self._events):
            await each.aclose()
        await self._access.aclose()

    # What it comes to.

    @property
    def visitor(self) -> str | None:
        """The cookie of this visitor: with it the conversations are found again. It is a secret."""
        return self._access.visitor

    @property
    def is_connected(self) -> bool:
        """Whether the server hears this client now."""
        return self._wire.opened

    @property
    def is_degraded(self) -> bool:
        """Whether answers may come late: a part of the server is away."""
        return self._conversation.degraded

    @property
    def messages(self) -> list[Message]:
        """The last messages in order, as AG-UI has them; one with `metadata.loopwire.open` grows."""
        return list(self._conversation.transcript.messages)

    @property
    def state(self) -> Any:
        """The state of the session, an item's draft for example."""
        return self._conversation.transcript.state

    @property
    def run(self) -> RunView | None:
        """The latest run of the session, whoever began it."""
        return self._conversation.transcript.run

    @property
    def agents(self) -> list[str]:
        """Who works now, the newest last."""
        return list(self._conversation.transcript.steps)

    @property
    def queue(self) -> tuple[dict[str, Any], ...]:
        """The messages that are stored and wait for the runs before them."""
        return self._conversation.queue

    # What is said.

    async def send(self, content: Content, id: str | None = None) -> Run:
        """Send a message; it is stored when this returns. The same id is the same message, however often it is sent.

        While there is no connection it waits, also when nobody waits for it any more.
        """
        tools = self._tools.offered()
        frame: Frame = {"type": "message", "id": id or uuid.uuid4().hex, "content": parts_of(content)}
        ack = await self.command({**frame, "tools": tools} if tools else frame)
        return self._run_of(ack)

    async def answer(self, ask: Ask | str, payload: Any = None, *, cancel: bool = False) -> Answered:
        """Answer what a run waits for, with what its `schema` asks for; `cancel` leaves it unanswered."""
        try:
            ack = await self.command(_answer_frame(ask, payload, cancel=cancel))
        except Refused as refused:
            if refused.code == "answered":
                return Answered(lost=True)
            raise
        run = self._run_of(ack)
        if isinstance(ask, Ask):
            self._go_on(ask.run_id, run.id)
        return Answered(lost=False, run=run)

    def follow(self, run_id: str) -> Run:
        """Follow a run that somebody else began, or that an earlier life of this program did."""
        return self._run_of({"run_id": run_id, "dup": True})

    async def stop(self) -> None:
        """Stop what runs now."""
        await self._cancel()

    async def feedback(self, message_id: str, value: Literal["up", "down"] | None) -> None:
        """Judge a message; None takes it back."""
        frame = {"type": "feedback", "id": uuid.uuid4().hex, "message_id": message_id, "value": value}
        await self.command(frame)

    async def upload(self, picture: str | Path | bytes, media_type: str | None = None) -> Picture:
        """Upload a picture, from a file or from memory, for the content of a message."""
        data = picture if isinstance(picture, bytes) else await asyncio.to_thread(Path(picture).read_bytes)
        guessed = None if isinstance(picture, bytes) else mimetypes.guess_type(Path(picture).name)[0]
        headers = {"content-type": media_type or guessed or "image/*"}
        made = await self._access.session_request(
            "POST", self._known_session(), "/files", content=data, headers=headers
        )
        return Picture(**{name: made[name] for name in Picture.__dataclass_fields__})

    async def command(self, frame: Frame) -> Frame:
        """Send any command that has an `id`, and return its ack; it survives reconnects. Raises Refused and Closed."""
        if self._conversation.failure is not None:
            raise self._conversation.failure
        ack = self._outbox.keep(frame)
        self._due.set()
        return await asyncio.shield(ack)

    @overload
    def tool(self, act: F, /) -> F: ...
    @overload
    def tool(
        self,
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Callable[[F], F]: ...
    def tool(self, act: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
        """Offer a function to the agents: what it returns, or the words of its exception, is the call's result."""

        def offer(given: F) -> F:
            self._tools.add(given, **options)
            return given

        return offer if act is None else offer(act)

    # What was said.

    async def history(self) -> AsyncIterator[Message]:
        """Yield all stored messages, the newest first."""
        before: str | None = None
        while True:
            asked = {"limit": PAGE, **({"before": before} if before else {})}
            page = await self._access.session_request("GET", self._known_session(), "/messages", params=asked)
            for each in reversed(page["messages"]):
                yield each
            before = page["before"]
            if before is None:
                return

    def events(self, after: tuple[str, int] | None = None) -> Events:
        """Read the numbered log itself, after an epoch and a number; without them from a snapshot of now.

        It has a connection of its own, which ends with `aclose`, with `async with`, or with the chat.
        """
        position = Position() if after is None else Position(after[1], after[0])
        events = Events(Wire(self._access.socket_url, self._ticket, position))
        self._events.add(events)
        return events

    # What goes on behind.

    def _known_session(self) -> str:
        if self.session is None:
            raise Refused("not_open", "This chat is not open: use `async with`.")
        return self.session

    async def _ticket(self) -> dict[str, str]:
        ticket, self.session = await self._access.ticket(self.session, **self._new)
        return {"ticket": ticket}

    async def _hear(self) -> None:
        """Take what comes, until the end."""
        try:
            while True:
                frame = await self._wire.next()
                try:
                    self._take(frame)
                except Garbled:
                    await self._wire.restart()
        except LoopwireError as failure:
            self._fail(failure)
        except Exception as error:
            log.exception("reading failed")
            self._fail(Closed("internal", repr(error)))

    async def _speak(self) -> None:
        """Send what is due."""
        try:
            while True:
                await self._due.wait()
                self._due.clear()
                if self._wire.opened:
                    for each in self._outbox.take_due():
                        await self._wire.send(each)
        except Exception as error:
            log.exception("writing failed")
            self._fail(Closed("internal", repr(error)))

    def _take(self, frame: Frame) -> None:
        kind = frame.get("type")
        if kind in {"ack", "error"}:
            self._settle(frame)
            return
        latest = self._conversation.transcript.run
        self._conversation.take(frame)
        if kind == "welcome":
            self.session, self._access.bearer = frame["session_id"], frame["resume_token"]
            self._outbox.release()
            self._due.set()
        elif kind == "queue":
            self._ready.set()
            if self._unsure:
                self._unsure = False
                for each in tuple(self._runs):
                    self._find_end(each.chain[-1])
        self._note_run(latest, first=kind == "snapshot" and not self._told)
        if kind == "snapshot":
            self._unsure, self._told = self._told, True

    def _note_run(self, before: RunView | None, *, first: bool) -> None:
        run = self._conversation.transcript.run
        if run is not None and run is not before:
            self._offer_calls(run.id, first=first)

    def _offer_calls(self, run_id: str, *, first: bool = False) -> None:
        """Let the tools run what the latest run waits for, if it is this one and has ended so."""
        run = self._conversation.transcript.run
        if run is not None and run.id == run_id and run.outcome is not None:
            interrupts = run.outcome.get("interrupts") or ()
            self._tools.take_end(run_id, interrupts, self._conversation.transcript, first=first)

    def _settle(self, answer: Frame) -> None:
        if answer["type"] == "ack" and isinstance(answer.get("run_id"), str):
            # Now, and not when the sender looks: the end of the run may be the next frame, or the one before.
            self._tools.own(answer["run_id"])
            self._offer_calls(answer["run_id"])
        after = self._outbox.settle(answer)
        if after is not None:
            asyncio.get_running_loop().call_later(after, self._release, answer["id"])
        self._due.set()

    def _release(self, frame_id: str) -> None:
        self._outbox.release(frame_id)
        self._due.set()

    def _fail(self, failure: LoopwireError) -> None:
        self._outbox.fail(failure)
        self._conversation.fail(failure)
        self._ready.set()

    def _run_of(self, ack: Frame) -> Run:
        if not isinstance(ack.get("run_id"), str):
            raise Garbled("an ack of what begins a run has its run_id")
        run = Run(self._conversation, ack["run_id"], ack.get("message_id"), self._cancel, self._tools.held)
        self._runs.add(run)
        if ack.get("dup"):
            self._find_end(run.id)
        return run

    def _go_on(self, asked: str, run_id: str) -> None:
        for each in tuple(self._runs):
            if asked in each.chain:
                each.go_on(run_id)
        self._conversation.tell()

    async def _cancel(self, run_id: str | None = None) -> None:
        named = {} if run_id is None else {"run_id": run_id}
        await self.command({"type": "cancel", "id": uuid.uuid4().hex, **named})

    async def _give_result(self, call_id: str, content: str) -> None:
        """Give the result of a tool. Somebody may have been faster, or the time be over: then nobody wants it."""
        transcript = self._conversation.transcript
        call = transcript.find(call_id) or {}
        asked = (call.get("metadata") or {}).get("loopwire", {}).get("run_id")
        frame = {"type": "tool_result", "id": uuid.uuid4().hex, "tool_call_id": call_id, "content": content}
        with suppress(LoopwireError):
            run = self._run_of(await self.command(frame))
            self._go_on(str(asked), run.id)

    def _find_end(self, run_id: str) -> None:
        """Find out how a run ended that no frame tells of."""
        known = self._conversation
        if known.end_of(run_id) is None and not known.is_pending(run_id):
            self._tasks.spawn(self._ask_for_end(run_id))

    async def _ask_for_end(self, run_id: str) -> None:
        known = self._conversation
        try:
            result = await self._access.end_of(run_id, known.words_of(run_id))
        except LoopwireError:
            result = outcome_in(known.transcript, run_id) or Result("finished", known.words_of(run_id))
        if result is not None:
            known.note_end(run_id, End(result))
            known.tell()


def _answer_frame(ask: Ask | str, payload: Any, *, cancel: bool) -> Frame:
    """Return the frame that answers; what a program's tool returned is a frame of its own."""
    new_id = uuid.uuid4().hex
    if isinstance(ask, Ask) and ask.kind == "tool" and not cancel:
        content = payload if isinstance(payload, str) else json.dumps(payload)
        return {"type": "tool_result", "id": new_id, "tool_call_id": ask.tool_call_id, "content": content}
    entry: Frame = {"interrupt_id": ask.id if isinstance(ask, Ask) else ask}
    entry |= {"status": "cancelled"} if cancel else {"status": "resolved", "payload": payload}
    return {"type": "resume", "id": new_id, "entries": [entry]}


def connect(
    url: str,
    *,
    service: str | None = None,
    session: str | None = None,
    alias: str | None = None,
    language: str | None = None,
    token: Mint | None = None,
    visitor: str | None = None,
    key: str | None = None,
    user: str | None = None,
    open_timeout: float = OPEN_S,
) -> Chat:
    """Open a conversation at a Loopwire: `async with loopwire.connect("http://127.0.0.1:8000") as chat`.

    Without more a new visitor begins a new conversation with `service`. `session` opens an earlier one, with the
    `visitor` that began it. `alias` is one's own name of a conversation, which begins where there is none. `token`
    asks one's own server for tickets; `key` is that of an app, which speaks for its `user`.
    """
    access = Access(url, mint=token, visitor=visitor, key=key, user=user)
    return Chat(
        access, session=session, open_timeout=open_timeout, service=service, alias=alias, language=language
    )
