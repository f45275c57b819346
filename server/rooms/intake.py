"""The intake of a client's frames: each is validated, committed and acknowledged; nothing here waits for a run."""

import logging
import time

from server.bus import Bus
from server.errors import (
    BadFrame,
    BadJson,
    LoopwireError,
    Malformed,
    RateLimited,
    Unauthorized,
    Unavailable,
    UnknownType,
)
from server.limit_counters import Window, Windows
from server.limits import Limits, Pairs
from server.protocol.commands import (
    SAYING,
    Cancel,
    Edit,
    Feedback,
    Hello,
    Message,
    Parsed,
    Regenerate,
    Resume,
    Switch,
    ToolResult,
    Typing,
    parse_command,
)
from server.protocol.envelope import Ack, Error, FeedbackNotice, TypingNotice
from server.rooms.connection import Connection
from server.rooms.rooms import Rooms
from server.runs import RunCommands
from server.store import FeedbackReason, GivenAnswer, SessionOwner, Store
from server.tracing import Thumb, Tracer

log = logging.getLogger(__name__)


class Intake:
    """Takes commands of any session; one for the whole instance."""

    def __init__(
        self, *, store: Store, bus: Bus, runs: RunCommands, limits: Limits, tracer: Tracer, rooms: Rooms
    ) -> None:
        self.limits = limits
        self._tracer = tracer
        self._store = store
        self._bus = bus
        self._runs = runs
        self._rooms = rooms
        self._messages = Windows(limits.messages_per_session)
        self._repeats = Windows(limits.repeats_per_session)

    async def execute(
        self, session: SessionOwner, command: Parsed, *, language: str, source: str
    ) -> Ack | None:
        """Execute a command and return its ack; None when it needs none. `source` is the socket's id."""
        match command:
            case Message() | Edit() | Regenerate() | Switch():
                return await self._store_message(session, command, language)
            case Cancel():
                return await self._runs.cancel(session, command)
            case Feedback():
                return await self._store_feedback(session, command, source)
            case Typing():
                if await self._has_operator(session.id):
                    await self._bus.notify(session.id, TypingNotice(from_tab=source).encode())
                return None
            case Resume() | ToolResult():
                return await self._runs.resume(session, command.id, _answers_of(command), language)
            case Hello():
                raise BadFrame("The hello was said already.")

    async def _has_operator(self, session_id: str) -> bool:
        """Return whether an operator has taken over; a room asks the database once, then follows events."""
        room = self._rooms.by_session.get(session_id)
        if room is not None and room.operated is not None:
            return room.operated
        stored = (await self._store.sessions.load(session_id)).operator is not None
        if room is None:
            return stored
        if room.operated is None:  # An event that was delivered meanwhile is newer.
            room.operated = stored
        return room.operated

    async def _store_message(
        self, session: SessionOwner, message: Message | Edit | Regenerate | Switch, language: str
    ) -> Ack:
        """Store a message at a pace that people have; one that has to be sent again is none of theirs."""
        self._messages.spend(session.id)
        try:
            ack = await self._submit(session, message, language)
        except Unavailable:
            self._excuse(session.id)
            raise
        if ack.dup:
            self._excuse(session.id)
        if isinstance(message, Message | Edit) and message.tools:
            ignored = self._runs.ignored_tools(session, (each.name for each in message.tools))
            ack = ack.model_copy(update={"ignored_tools": ignored or None})
        return ack

    async def _submit(
        self, session: SessionOwner, message: Message | Edit | Regenerate | Switch, language: str
    ) -> Ack:
        match message:
            case Message():
                return await self._runs.submit(session, message, language)
            case Edit():
                return await self._runs.versions.edit(session, message, language)
            case Regenerate():
                return await self._runs.versions.regenerate(session, message, language)
            case Switch():
                return await self._runs.versions.switch(session, message, language)

    async def _store_feedback(self, session: SessionOwner, given: Feedback, source: str) -> Ack:
        """Store a thumb, then send it to the other tabs and to the trace of its run."""
        why = FeedbackReason(given.reason, (given.comment or "").strip() or None)
        judged = await self._store.messages.feedback(given.message_id, session.principal, given.value, why)
        self._tracer.score(
            Thumb(
                judged.run_id,
                given.message_id,
                given.value,
                judged.created_at,
                judged.trace_context,
                reason=why.reason,
                comment=why.comment,
            )
        )
        notice = FeedbackNotice(message_id=given.message_id, value=given.value, from_tab=source)
        await self._bus.notify(session.id, notice.encode())
        return Ack(id=given.id)

    def _excuse(self, session_id: str) -> None:
        try:
            self._repeats.spend(session_id)
        except RateLimited:
            return
        self._messages.give_back(session_id)


def _answers_of(command: Resume | ToolResult) -> list[GivenAnswer]:
    """Return the answers of a frame; the result of a page's tool is the answer to the interrupt of its call."""
    if isinstance(command, ToolResult):
        return [GivenAnswer("resolved", command.content, call_id=command.tool_call_id)]
    return [
        GivenAnswer(each.status, each.payload, interrupt_id=each.interrupt_id) for each in command.entries
    ]


class SocketIntake:
    """The frames of one socket: each is answered by its ack or its error, and too many bad ones end the socket."""

    __slots__ = ("_bad", "_connection", "_frames", "_intake", "_session", "_too_fast")

    def __init__(self, connection: Connection, session: SessionOwner, intake: Intake) -> None:
        self._connection = connection
        self._session = session
        self._intake = intake
        self._frames = Window(intake.limits.frames_per_socket)
        self._bad: tuple[float, ...] = ()
        self._too_fast: tuple[float, ...] = ()

    async def answer(self, raw: str) -> None:
        """Answer one frame. Raises the error that ends the socket."""
        frame_id: str | None = None
        try:
            command = self._parse(raw)
            frame_id = getattr(command, "id", None)
            if not isinstance(command, SAYING):
                self._frames.spend()
            ack = await self._intake.execute(
                self._session, command, language=self._connection.language, source=self._connection.id
            )
        except LoopwireError as error:
            self._connection.put(Error.of(error, frame_id).encode())
            self._count(error)
        else:
            if ack is not None:
                self._connection.put(ack.encode())

    def _parse(self, raw: str) -> Parsed:
        """Parse a frame; one that is refused here reaches no other limit, so it counts."""
        try:
            return parse_command(raw)
        except LoopwireError as refused:
            try:
                self._frames.spend()
            except RateLimited as limited:
                limited.id = refused.id
                raise
            raise

    def _count(self, error: LoopwireError) -> None:
        """Remember a bad frame; by default the fifth within a minute is the last."""
        if isinstance(error, Unauthorized):
            raise error  # The visitor was revoked.
        now, limit = time.monotonic(), self._intake.limits.bad_frames_per_socket
        if isinstance(error, BadJson | BadFrame | UnknownType):
            self._bad = (*self._bad, now)[-_most(limit) :]
            if _too_many(self._bad, limit):
                raise Malformed
        elif isinstance(error, RateLimited):
            self._too_fast = (*self._too_fast, now)[-_most(limit) :]
            if _too_many(self._too_fast, limit):
                raise RateLimited(retry_after=error.retry_after)


def _most(limit: Pairs) -> int:
    return max(count for count, _ in limit)


def _too_many(times: tuple[float, ...], limit: Pairs) -> bool:
    """Return whether the last of these times used up one of the pairs.

    With a `Window` it is the time after the last.
    """
    return any(len(times) >= count and times[-1] - times[-count] < seconds for count, seconds in limit)
