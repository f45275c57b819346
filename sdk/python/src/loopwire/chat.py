"""A conversation with the agents of a Loopwire: a sent message is stored once, an event arrives once and in order."""

from __future__ import annotations

import asyncio
import json
import mimetypes
import uuid
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar, overload

from loopwire.access import Access, Mint
from loopwire.errors import Refused
from loopwire.events import Events
from loopwire.identity import Identified, Token
from loopwire.messages import Message, RunView
from loopwire.parts import Ask, Content, Picture, parts_of
from loopwire.position import Position
from loopwire.run import Listening, Run
from loopwire.session import Session
from loopwire.wire import Frame

MOST_CONTEXT = 8_192
"""Bytes of what a program says that it shows."""

Reason = Literal["wrong", "unhelpful", "unsafe", "other"]
"""Why an answer was not useful."""

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Answered:
    """The status of an answer: `lost` when another client answered first, or a message was sent instead."""

    lost: bool
    run: Run | None = None


class Chat:
    """One conversation, open within `async with`. It comes back by itself after each loss of the network."""

    def __init__(self, session: Session, *, open_timeout: float) -> None:
        self._session = session
        self._open_timeout = open_timeout
        self._context: dict[str, Any] | None = None

    async def __aenter__(self) -> Self:
        """Connect. Raises Closed for good, Refused where the rate is spent, Unreachable when nobody answers in time."""
        try:
            await self._session.open(self._open_timeout)
        except BaseException:
            await self.aclose()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave; nothing is stopped."""
        await self.aclose()

    async def aclose(self) -> None:
        """Leave; what waits for the server raises Closed."""
        await self._session.aclose()

    # The state of the conversation.

    @property
    def session(self) -> str | None:
        """Return the id of the session; `connect(…, session=…, visitor=chat.visitor)` opens it again."""
        return self._session.id

    @property
    def visitor(self) -> str | None:
        """Return the cookie of this visitor: with it the conversations are found again. It is a secret."""
        return self._session.access.visitor

    @property
    def is_connected(self) -> bool:
        """Return whether this client is connected to the server now."""
        return self._session.wire.opened

    @property
    def is_degraded(self) -> bool:
        """Return whether answers may come late: a part of the server is away."""
        return self._session.conversation.degraded

    @property
    def messages(self) -> list[Message]:
        """Return the last messages in order, as AG-UI has them; one with `metadata.loopwire.open` grows."""
        return list(self._session.conversation.transcript.messages)

    @property
    def state(self) -> Any:
        """Return the state of the session, an item's draft for example."""
        return self._session.conversation.transcript.state

    @property
    def run(self) -> RunView | None:
        """Return the latest run of the session, of any client."""
        return self._session.conversation.transcript.run

    @property
    def agents(self) -> list[str]:
        """Return who works now, the newest last."""
        return list(self._session.conversation.transcript.steps)

    @property
    def queue(self) -> tuple[dict[str, Any], ...]:
        """Return the messages that are stored and wait for the runs before them."""
        return self._session.conversation.queue

    # Sending.

    async def send(self, content: Content, id: str | None = None) -> Run:
        """Send a message; it is stored when this returns. The same id is the same message, however often it is sent.

        While there is no connection it waits, also when nobody waits for it any more.
        """
        frame: Frame = {"type": "message", "id": id or uuid.uuid4().hex, "content": parts_of(content)}
        return self._session.run_of(await self.command(frame | self._offer()))

    async def edit(self, message_id: str, content: Content, id: str | None = None) -> Run:
        """Send another version of a message of this person, which takes its place; what runs is stopped.

        Raises Refused with `not_found`, `not_editable` or `too_many_versions`, and as `send` does.
        """
        frame: Frame = {"type": "edit", "id": id or uuid.uuid4().hex, "message_id": message_id}
        frame["content"] = parts_of(content)
        return self._session.run_of(await self.command(frame | self._offer()))

    async def regenerate(self, message_id: str, id: str | None = None) -> Run:
        """Have a message answered once more, named by its own id or that of its answer. Raises as `edit` does."""
        frame = {"type": "regenerate", "id": id or uuid.uuid4().hex, "message_id": message_id}
        return self._session.run_of(await self.command(frame))

    async def switch(self, message_id: str, id: str | None = None) -> Run:
        """Show another version of a message, with what followed it; what runs is stopped. Raises as `edit` does."""
        frame = {"type": "switch", "id": id or uuid.uuid4().hex, "message_id": message_id}
        return self._session.run_of(await self.command(frame))

    async def answer(self, ask: Ask | str, payload: Any = None, *, cancel: bool = False) -> Answered:
        """Answer what a run waits for, with what its `schema` asks for; `cancel` leaves it unanswered.

        The run that asked goes on with what follows, for those who read it or wait for it.
        """
        try:
            ack = await self.command(_answer_frame(ask, payload, cancel=cancel))
        except Refused as refused:
            if refused.code == "answered":
                return Answered(lost=True)
            raise
        run = self._session.run_of(ack)
        if isinstance(ask, Ask):
            self._session.go_on(ask.run_id, run.id)
        return Answered(lost=False, run=run)

    def follow(self, run_id: str) -> Run:
        """Follow a run that another client or an earlier process of this program began."""
        return self._session.run_of({"run_id": run_id, "dup": True})

    async def stop(self) -> None:
        """Stop what runs now."""
        await self._session.cancel()

    async def identify(self, token: Token, *, app: str | None = None) -> Identified:
        """Say who talks: a token that your server signed, or what asks it for one and is asked again in time.

        None signs out. The open conversation goes on where it is the user's by then, else the user's newest is opened.
        `app` says of which app the token is, that of `connect` unless given. Raises Refused with the server's code.
        """
        return await self._session.identify(token, app)

    async def feedback(
        self,
        message_id: str,
        value: Literal["up", "down"] | None,
        *,
        reason: Reason | None = None,
        comment: str | None = None,
    ) -> None:
        """Judge a message; None takes it back. A "down" may say why; a comment has at most 500 characters."""
        frame = {"type": "feedback", "id": uuid.uuid4().hex, "message_id": message_id, "value": value}
        why = {"reason": reason, "comment": comment}
        await self.command(frame | {name: said for name, said in why.items() if said is not None})

    async def upload(self, picture: str | Path | bytes, media_type: str | None = None) -> Picture:
        """Upload a picture, from a file or from memory, for the content of a message."""
        data = picture if isinstance(picture, bytes) else await asyncio.to_thread(Path(picture).read_bytes)
        guessed = None if isinstance(picture, bytes) else mimetypes.guess_type(Path(picture).name)[0]
        headers = {"content-type": media_type or guessed or "image/*"}
        made = await self._session.access.session_request(
            "POST", self._session.known_id(), "/files", content=data, headers=headers
        )
        return Picture(**{name: made[name] for name in Picture.__dataclass_fields__})

    async def command(self, frame: Frame) -> Frame:
        """Send any command that has an `id`, and return its ack; it survives reconnects. Raises Refused and Closed."""
        return await self._session.command(frame)

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
        effect: bool = False,
    ) -> Callable[[F], F]: ...
    def tool(self, act: F | None = None, /, **options: Any) -> F | Callable[[F], F]:
        """Offer a function to the agents: what it returns, or the words of its exception, is the call's result.

        One with an `effect` changes something: the person is asked before each call.
        """

        def offer(given: F) -> F:
            self._session.tools.add(given, **options)
            return given

        return offer if act is None else offer(act)

    def set_context(self, context: Mapping[str, Any] | None) -> None:
        """Say what the program shows: the next messages carry it to the agents, as data. None says nothing.

        Raises ValueError for more than 8 kB, and TypeError for what is no JSON.
        """
        made = (
            None
            if context is None
            else json.dumps(dict(context), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        )
        if made is not None and len(made.encode()) > MOST_CONTEXT:
            raise ValueError(f"a context has at most {MOST_CONTEXT} bytes")
        self._context = None if made is None else json.loads(made)

    def listen(self) -> Listening:
        """Read the parts of all runs from now on, of any client: `async for part in chat.listen()`."""
        return Listening(self._session.conversation)

    def _offer(self) -> Frame:
        """Return what a message carries besides what is said: tools, and what the program shows."""
        offered: Frame = {"tools": self._session.tools.declarations(), "context": self._context}
        return {name: each for name, each in offered.items() if each}

    # Reading.

    async def history(self) -> AsyncIterator[Message]:
        """Yield all stored messages, the newest first."""
        async for each in self._session.access.messages(self._session.known_id()):
            yield each

    def events(self, after: tuple[str, int] | None = None) -> Events:
        """Read the numbered log itself, after an epoch and a number; without them from a snapshot of now.

        It has a connection of its own, which ends with `aclose`, with `async with`, or with the chat.
        """
        return self._session.events(Position() if after is None else Position(after[1], after[0]))


def _answer_frame(ask: Ask | str, payload: Any, *, cancel: bool) -> Frame:
    """Return the frame that answers; what a program's tool returned is a frame of its own."""
    new_id = uuid.uuid4().hex
    if isinstance(ask, Ask) and ask.kind == "tool" and not cancel:
        content = payload if isinstance(payload, str) else json.dumps(payload)
        return {"type": "tool_result", "id": new_id, "tool_call_id": ask.tool_call_id, "content": content}
    entry: Frame = {"interrupt_id": ask.id if isinstance(ask, Ask) else ask}
    entry |= {"status": "cancelled"} if cancel else {"status": "resolved", "payload": payload}
    return {"type": "resume", "id": new_id, "entries": [entry]}


def connect(  # noqa: PLR0913 - all by name; each says who talks, or what is opened.
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
    app: str | None = None,
    open_timeout: float = 15.0,
) -> Chat:
    """Open a conversation at a Loopwire: `async with loopwire.connect("http://127.0.0.1:8000") as chat`.

    Without more a new visitor begins a new conversation with `service`. `session` opens an earlier one, with the
    `visitor` that began it. `alias` is one's own name of a conversation, which begins where there is none. `token`
    asks one's own server for tickets; `key` is that of an app, which speaks for its `user`. `app` is the name of the
    app whose tokens `Chat.identify` gets; the app of a conversation follows from the ticket or the key.
    `open_timeout` is in seconds.
    """
    access = Access(url, mint=token, visitor=visitor, key=key, user=user)
    new = {"service": service, "alias": alias, "language": language}
    return Chat(Session(access, session, new, app), open_timeout=open_timeout)
