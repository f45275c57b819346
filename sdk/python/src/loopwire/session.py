"""The work behind a chat: it receives and sends over one wire, follows its runs, and resolves sent frames."""

from __future__ import annotations

import asyncio
import logging
import uuid
from contextlib import suppress
from weakref import WeakSet

from loopwire.access import Access
from loopwire.backoff import pause_before
from loopwire.conversation import Conversation, End, outcome_in
from loopwire.errors import Closed, Garbled, LoopwireError, Refused, Unreachable
from loopwire.events import Events
from loopwire.identity import Identified, Identity, Token
from loopwire.messages import RunView, ours
from loopwire.outbox import Outbox
from loopwire.parts import Result
from loopwire.position import Position
from loopwire.run import Run
from loopwire.tasks import Tasks
from loopwire.tools import ClientTools
from loopwire.wire import Frame, Wire, encode

_REFUSALS = ("unauthorized", "identity_")
"""The codes of a session whose user was refused: it opens again once another one is set."""

log = logging.getLogger("loopwire")


class Session:
    """One session of one client, from its opening to its end."""

    def __init__(
        self, access: Access, session_id: str | None, new: dict[str, str | None], app: str | None = None
    ) -> None:
        """Without a `session_id` one begins, as `new` says: service, language and alias.

        `app` is that of the tokens of `identify`.
        """
        self.id = session_id
        self.access = access
        self._app = app
        self._new = new
        self._tasks, self._outbox = Tasks(), Outbox()
        self.conversation = Conversation()
        self._due, self._ready = asyncio.Event(), asyncio.Event()
        self.wire = Wire(access.socket_url, self._ticket)
        self._runs: WeakSet[Run] = WeakSet()
        self._told = False
        """A snapshot has come."""
        self._unsure = False
        """A snapshot replaced the missed events: runs may have ended without an event here."""
        self.identity = Identity(access, self._tasks, self._switch_user)
        self._events: set[Events] = set()
        self.tools = ClientTools(self._give_result, self._tasks, self.conversation.tell)

    async def open(self, seconds: float) -> None:
        """Connect. Raises Closed when the server refuses, and Unreachable when it does not answer in time.

        Raises Refused when the last answer until then was that this client comes too often.
        """
        for each in (self._receive_frames(), self._send_due()):
            self._tasks.spawn(each)
        try:
            async with asyncio.timeout(seconds):
                await self._ready.wait()
        except TimeoutError as error:
            raise self._late_error() from self.wire.trouble or error
        if self.conversation.failure is not None:
            raise self.conversation.failure

    async def aclose(self) -> None:
        """Leave; what waits for the server raises Closed."""
        self.identity.close()
        if self.conversation.failure is None:
            self._fail(Closed("closed", "This chat was closed."))
        await self._tasks.aclose()
        await self.wire.aclose()
        for each in tuple(self._events):
            await each.aclose()
        await self.access.aclose()

    def known_id(self) -> str:
        """Return the id of the session. Raises Refused before it is open."""
        if self.id is None:
            raise Refused("not_open", "This chat is not open: use `async with`.")
        return self.id

    async def command(self, frame: Frame) -> Frame:
        """Send a frame that has an `id`, and return its ack. Raises Refused and Closed."""
        if self.conversation.failure is not None:
            raise self.conversation.failure
        encode(frame)  # The sender of a frame that cannot be sent gets the error.
        kept = self._outbox.keep(frame)
        self._due.set()
        ack = await asyncio.shield(kept)
        self.tools.ignore(ack.get("ignored_tools"))
        return ack

    async def cancel(self, run_id: str | None = None) -> None:
        """Stop a run, else what runs now."""
        named = {} if run_id is None else {"run_id": run_id}
        await self.command({"type": "cancel", "id": uuid.uuid4().hex, **named})

    def run_of(self, ack: Frame) -> Run:
        """Return the run that an ack names. Raises Garbled where it names none."""
        if not isinstance(ack.get("run_id"), str):
            raise Garbled("an ack of what begins a run has its run_id")
        run = Run(self.conversation, ack["run_id"], ack.get("message_id"), self.cancel, self.tools.held)
        self._runs.add(run)
        if ack.get("dup"):
            self._tasks.spawn(self._find_end(run.id))
        return run

    def go_on(self, asked: str, run_id: str) -> None:
        """Let the runs that asked go on with that of an answer."""
        for each in tuple(self._runs):
            if asked in each.chain:
                each.go_on(run_id)

    def events(self, position: Position) -> Events:
        """Return the log after a position, over a connection of its own that ends with this one at the latest."""
        events = Events(Wire(self.access.socket_url, self._ticket, position), self._events.discard)
        self._events.add(events)
        return events

    async def identify(self, given: Token, app: str | None) -> Identified:
        """Say who talks. Raises LoopwireError."""
        if given is None and self.access.identified is None:
            return Identified(None, self.id)
        return await self.identity.set(given, lambda: self._about(app or self._app))

    def _late_error(self) -> LoopwireError:
        """Return the error of an opening that took too long."""
        trouble, url = self.wire.trouble, self.access.url
        if isinstance(trouble, Refused) and trouble.code == "rate_limited":
            after, words = trouble.retry_after, f"{url}: {trouble.message}"
            return Refused(trouble.code, words, retry=True, retry_after=after, status=trouble.status)
        return Unreachable("unreachable", f"{url}: {trouble or 'no answer'}", retry=True)

    # Background tasks.

    def _about(self, app: str | None) -> dict[str, str | None]:
        """Return what is open; a resume token shows who asks where no cookie does."""
        shown = None if self.access.identified or self.access.visitor else self.access.bearer
        return {"app": app, "session_id": self.id, "resume_token": shown, "service": self._new.get("service")}

    async def _switch_user(self, told: Identified) -> None:
        """Continue as the current user; frames of another conversation than the open one are dropped."""
        anew = told.session != self.id
        if anew:
            self._outbox.fail(Closed("closed", "Somebody else talks now."))
            self.id = told.session
        await self.wire.renew(anew=anew)
        failure = self.conversation.failure
        if failure is not None and failure.code.startswith(_REFUSALS):
            self.conversation.failure = None
            self._tasks.spawn(self._receive_frames())

    async def _ticket(self) -> dict[str, str]:
        ticket, self.id = await self.identity.ticket(self.id, self._new)
        return {"ticket": ticket}

    async def _receive_frames(self) -> None:
        """Receive frames until the end."""
        try:
            while True:
                frame = await self.wire.next()
                try:
                    self._take(frame)
                except (Garbled, AttributeError, LookupError, TypeError, ValueError):
                    log.warning("the server sent what cannot be read", exc_info=True)
                    await self.wire.restart()
        except LoopwireError as failure:
            self._fail(failure)
        except Exception as error:
            log.exception("the session stopped reading")
            self._fail(Closed("internal", repr(error)))

    async def _send_due(self) -> None:
        """Send the frames that are due."""
        try:
            while await self._due.wait():
                self._due.clear()
                if self.wire.opened:
                    for each in self._outbox.take_due():
                        await self.wire.send(each)
        except Exception as error:
            log.exception("the session stopped writing")
            self._fail(Closed("internal", repr(error)))

    def _take(self, frame: Frame) -> None:
        kind = frame.get("type")
        latest = self.conversation.transcript.run
        self.conversation.take(frame)
        if kind == "welcome":
            self.id, self.access.bearer = frame["session_id"], frame["resume_token"]
            self._release()
        elif kind in {"ack", "error"}:
            self._settle(frame)
        elif kind == "queue":
            self._ready.set()
            if self._unsure:
                self._unsure = False
                for each in tuple(self._runs):
                    self._tasks.spawn(self._find_end(each.chain[-1]))
        self._note_run(latest, first=kind == "snapshot" and not self._told)
        if kind == "snapshot":
            self._unsure, self._told = self._told, True

    def _note_run(self, before: RunView | None, *, first: bool) -> None:
        run = self.conversation.transcript.run
        if run is None or run is before:
            return
        if run.parent_run_id is not None:
            # The parent's question was answered, here or elsewhere.
            self.tools.inherit(run.id, run.parent_run_id)
            self.go_on(run.parent_run_id, run.id)
        self._offer_calls(run.id, first=first)

    def _offer_calls(self, run_id: str, *, first: bool = False) -> None:
        """Let the tools run what the latest run waits for, if it is this one and has ended so."""
        run = self.conversation.transcript.run
        if run is not None and run.id == run_id and run.outcome is not None:
            interrupts = run.outcome.get("interrupts") or ()
            self.tools.take_end(run_id, interrupts, self.conversation.transcript, first=first)

    def _settle(self, answer: Frame) -> None:
        if answer["type"] == "ack" and isinstance(answer.get("run_id"), str):
            # Now, and not when the sender looks: the end of the run may be the next frame, or the one before.
            self.tools.own(answer["run_id"])
            self._offer_calls(answer["run_id"])
        after = self._outbox.settle(answer)
        if after is not None:
            asyncio.get_running_loop().call_later(after, self._release, answer["id"])
        self._due.set()

    def _release(self, frame_id: str | None = None) -> None:
        self._outbox.release(frame_id)
        self._due.set()

    def _fail(self, failure: LoopwireError) -> None:
        self._outbox.fail(failure)
        self.conversation.fail(failure)
        self._ready.set()

    async def _give_result(self, call_id: str, content: str) -> None:
        """Send the result of a tool. It is dropped when another client was faster, or the time is over."""
        asked = ours(self.conversation.transcript.find(call_id) or {}).get("run_id")
        frame = {"type": "tool_result", "id": uuid.uuid4().hex, "tool_call_id": call_id, "content": content}
        with suppress(LoopwireError):
            run = self.run_of(await self.command(frame))
            self.go_on(str(asked), run.id)

    async def _find_end(self, run_id: str) -> None:
        """Find out how a run ended that no frame tells of."""
        known, attempt = self.conversation, 0
        while known.end_of(run_id) is None and not known.is_pending(run_id):
            try:
                result = await self._end_of(run_id)
            except LoopwireError as error:
                if not error.retry:
                    return
                attempt += 1
                await asyncio.sleep(pause_before(attempt))
                continue
            if result is not None:
                known.note_end(run_id, End(result))
                known.tell()
            return  # If the run has not ended, its end comes as an event.

    async def _end_of(self, run_id: str) -> Result | None:
        """Return how a run ended, once what was stored shows that it did. Raises LoopwireError.

        The end may be stored and its events still on their way, so the answer of a job alone is no reason to stop
        reading. A later run is: the runs of a session come one after the other.
        """
        seen = await outcome_in(self.access.messages(self.known_id()), run_id)
        if seen is None:
            return None
        try:
            return await self.access.end_of(run_id, seen.text)
        except Refused as refused:
            if refused.retry:
                raise
            return seen
