"""One socket of Deep Chat: its messages become runs like any others, and the answers are sent in their order."""

import asyncio
import logging
from collections import deque
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass
from typing import Any

from starlette.requests import HTTPConnection

from server import log as logs
from server.api.deep_chat.body import ChatBody, ChatRequest, read_chat_request
from server.api.deep_chat.early_messages import EarlyMessages, is_progress
from server.api.deep_chat.errors import failure_of_chat, refusal_of_chat
from server.api.deep_chat.nameless_chats import ChatTurn
from server.api.deep_chat.turns import ChatTurns
from server.asgi import Receive
from server.endpoints.answers.run_follower import RunFollower
from server.endpoints.app_rates import REFUSAL, AppRates
from server.endpoints.identity import app_of, has_key, principal_of
from server.endpoints.rates import require_allowed
from server.endpoints.sockets import next_text
from server.errors import (
    BadFrame,
    BadJson,
    Busy,
    Internal,
    LoopwireError,
    Malformed,
    RateLimited,
    Unavailable,
)
from server.html.deep_chat import with_person
from server.identity import identities_of
from server.limit_counters import Window
from server.protocol.codec import encode_json
from server.protocol.ids import new_id
from server.rooms.connection import Connection
from server.rooms.rooms import LEAVING
from server.store import Session
from server.tasks import Tasks

_KNOWN = ("app", "principal", "newcomer", "keyed", "counted_user", "require_key", "secure_cookies")
"""The caller's state from the handshake."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class PendingAnswer:
    """An answer that waits to be sent."""

    session: Session
    run_id: str
    follower: RunFollower
    watching: AsyncExitStack


class ChatSocket:
    """Acquired by the endpoint after the handshake, released by the end of `serve`."""

    def __init__(
        self, connection: Connection, caller: HTTPConnection, turns: ChatTurns, rates: AppRates, language: str
    ) -> None:
        self.connection = connection
        self.session: Session | None = None
        """The conversation of the last message."""
        self.language = language
        self._caller = caller
        self._state = {name: each for name, each in caller.scope["state"].items() if name in _KNOWN}
        self._turns = turns
        self._rates = rates
        limits = turns.parts.limits
        self._bad, self._too_fast = Window(limits.bad_frames_per_socket), Window(limits.bad_frames_per_socket)
        self._most = limits.queued_per_session + 1
        self._unnamed: Session | None = None
        """The conversation of the messages that name none: it is as long as the socket."""
        self.answers: deque[PendingAnswer] = deque()
        """The answers that are still to be sent; the first of them is being sent now."""
        self._more = asyncio.Event()
        self._taking = False
        """Whether a message is being stored."""
        self._leaving = False

    async def serve(self, receive: Receive) -> None:
        """Take messages until the client leaves. Raises Gone, NotTextError and what ends the socket."""
        tasks = Tasks()
        tasks.spawn(self._tell_all(), name="chat socket")
        try:
            while True:
                await self._take(await next_text(receive))
        finally:
            await tasks.aclose()
            for each in self.answers:
                await each.watching.aclose()

    def close_when_sent(self) -> None:
        """Close once nothing is left to send: a client that comes back to another instance gets no answer again."""
        self._leaving = True
        self._close_when_told()

    def cut(self) -> None:
        """Close now; what runs goes on elsewhere, and the conversation has its answer."""
        if self.answers:
            self._put(refusal_of_chat(Unavailable(), self.language))
        self.connection.close(*LEAVING)

    def concerns(self, subject: str) -> bool:
        """Return whether this is the caller, or the conversation of its last message."""
        session, caller = self.session, principal_of(self._caller)
        named = (session.id, session.principal) if session is not None else ()
        return subject in (caller, identities_of(caller), *named)

    # Messages of the client.

    async def _take(self, raw: str) -> None:
        """Take one message. Nothing here waits for its answer."""
        self._taking = True
        caller = self._caller_again()
        try:
            await self._spend(caller)
            given = self._turns.in_language(caller, await read_chat_request(raw.encode()))
            given = given.model_copy(update={"callback_url": None})
            self.language = given.language
            await self._store(caller, given)
        except LoopwireError as error:
            self._count(error)
            self._put(refusal_of_chat(error, self.language))
        finally:
            self._taking = False
        self._close_when_told()

    def _caller_again(self) -> HTTPConnection:
        """Return the caller as a new request's: what is noted of a message ends with it."""
        return HTTPConnection({**self._caller.scope, "state": dict(self._state)})

    async def _spend(self, caller: HTTPConnection) -> None:
        """Count a message for its app, user or address, before anything of it is read.

        Raises RateLimited, and UnknownKey for a key that was revoked since the handshake.
        """
        if has_key(caller):
            await caller.state.require_key()
            require_allowed(await self._rates.spend(app_of(caller), caller.state.counted_user), REFUSAL)
        await self._turns.spend(caller)
        self._turns.require_known(caller)
        if len(self.answers) >= self._most:
            raise Busy

    async def _store(self, caller: HTTPConnection, given: ChatRequest) -> None:
        body = ChatBody(given)
        pictures = await self._turns.read_pictures(caller, body)
        given = body.request
        session = self.session = await self._find_session(caller, given)
        logs.session_id.set(session.id)
        follower = self._turns.follower(session)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(follower)
            turn = ChatTurn(session, given.session_id or "", new_id("req"), is_known=False)
            run_id = await self._turns.submit(turn, given, pictures)
            self.answers.append(PendingAnswer(session, run_id, follower, stack.pop_all()))
        self._more.set()

    async def _find_session(self, caller: HTTPConnection, given: ChatRequest) -> Session:
        if given.session_id is not None:
            return await self._turns.find_session(caller, given, given.session_id)
        if self._unnamed is None:
            self._unnamed = await self._turns.find_session(caller, given, None)
        return self._unnamed

    def _count(self, error: LoopwireError) -> None:
        """Count a message that cannot be read or exceeds the rate; by default the fifth in a minute ends the socket."""
        if isinstance(error, BadJson | BadFrame):
            self._bad.add()
            try:
                self._bad.check()
            except RateLimited:
                raise Malformed from None
        elif isinstance(error, RateLimited):
            self._too_fast.add()
            self._too_fast.check()

    # Answers.

    async def _tell_all(self) -> None:
        """Send the answers, one after the other."""
        while True:
            await self._more.wait()
            self._more.clear()
            while self.answers:
                answer = self.answers[0]
                await self._tell(answer)
                self.answers.popleft()
                await answer.watching.aclose()
            self._close_when_told()

    async def _tell(self, answer: PendingAnswer) -> None:
        """Send one answer, or the error in its place."""
        try:
            await self._tell_messages(answer)
        except LoopwireError as error:
            self._put(refusal_of_chat(error, self.language))
        except Exception:
            # One answer among others on this socket: the client gets an error in its place, and the socket stays.
            log.exception("answer of a chat socket failed")
            self._put(refusal_of_chat(Internal(), self.language))

    async def _tell_messages(self, answer: PendingAnswer) -> None:
        """Send each message when it is complete and the run goes on, and the rest at the end."""
        language, store = answer.session.language, self._turns.parts.store
        early = EarlyMessages(language)
        async with aclosing(answer.follower.bursts(answer.run_id, is_progress)) as bursts:
            async for burst in bursts:
                for each in early.pop_complete(burst):
                    self._put(each)
        run = await store.runs.get(answer.run_id)
        if run.outcome in ("success", "interrupt"):
            told = early.finish(await store.messages.of_run(run.id))
            self._put(with_person(told, run.kind, language))
        else:
            self._put(failure_of_chat(run, language)[1])

    def _close_when_told(self) -> None:
        if self._leaving and not self.answers and not self._taking:
            self.connection.close(*LEAVING)

    def _put(self, told: Any) -> None:
        self.connection.put(encode_json(told).encode())
