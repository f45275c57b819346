"""The conversations of clients that name none: each is found by the messages that a request brings.

A LoopOS client may send the whole chat in `messages` and no `session_id`. Two customers who share an address
or a key may have sent and received the same texts: their conversations stand at one place, and each message moves one
of them. A message that finds no conversation at its place is a repetition, where a conversation has gone on to the next
place. Otherwise the message begins a conversation.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from starlette.requests import HTTPConnection

from server.api.deep_chat.body import ChatRequest
from server.api.deep_chat.client_history import (
    NOTHING,
    AssistantText,
    ClientHistory,
    assistant_text,
    read_history,
)
from server.api.deep_chat.whole_answers import streamed_text
from server.endpoints.caller import ApiCaller, Callers
from server.errors import NotFound
from server.html.deep_chat import deep_chat_messages, with_person
from server.images import Picture
from server.protocol.content_parts import TEXT
from server.protocol.ids import new_id
from server.store import Session, Standing, Store

FindSession = Callable[[HTTPConnection, ChatRequest, str], Awaitable[Session]]
"""Returns the session to which a caller gives this name; begins one where there is none."""


@dataclass(frozen=True)
class ChatTurn:
    """A message of a chat and the session that it belongs to."""

    session: Session
    name: str
    """The caller's name of the session."""
    id: str
    """The id of the message: the same id again is the same turn."""
    earlier: tuple[str, ...] = ()
    """The earlier texts of the user that the session does not have."""
    is_known: bool = True
    """Whether the id may be that of an earlier message."""
    is_marked: bool = False
    """Whether the HTML of the answer bears the name, since the client has given none."""


def place_id(place: str, pictures: Sequence[Picture]) -> str:
    """Return the id of a message at a place, and of these pictures, in at most 64 characters."""
    digest = hashlib.sha256()
    for each in pictures:
        digest.update(hashlib.sha256(each.data).digest())
    return f"told:{place}" + (f":{digest.hexdigest()[:16]}" if pictures else "")


class NamelessChats:
    """Finds and begins conversations."""

    def __init__(self, store: Store, callers: Callers, service: str, find_session: FindSession) -> None:
        self._store = store
        self._callers = callers
        self._service = service
        self._find_session = find_session

    async def find_turn(
        self, caller: HTTPConnection, given: ChatRequest, key: str | None, pictures: Sequence[Picture]
    ) -> ChatTurn:
        """Return the turn that a request is; `key` is the caller's own id of it. Raises what `find_session` does.

        A place in the history identifies a message by its words alone; pictures distinguish messages of equal words.
        """
        history = await asyncio.to_thread(read_history, given)  # It may have 10 MiB.
        owner = self._callers.owner(caller)
        id = key or place_id(history.place, pictures)
        name = await self._name_by_key(caller, key) if key is not None else None
        name = name or await self._name_by_mark(caller, owner, history)
        # A mark of a session that is gone does not stand for another one.
        if name is None and history.name is None:
            name = await self._go_on(owner, history)
        if name is not None:
            session = await self._find_session(caller, given, name)
            earlier: tuple[str, ...] = ()
            if key is not None:
                await self._note_key(caller, key, session)
                earlier = history.earlier if await self._begins_with(session, id) else ()
            return ChatTurn(session, name, id, earlier, is_marked=True)
        name = key or new_id("req")
        session = await self._find_session(caller, given, name)
        await self._store.chat_places.put(
            owner.app, owner.principal, self._service, history.place, session.id
        )
        return ChatTurn(session, name, id, history.earlier, is_marked=True)

    async def _name_by_key(self, caller: HTTPConnection, key: str) -> str | None:
        """Return the name of the session of a request that had this key."""
        who = await self._callers.of(caller, self._service, key)
        try:
            session = await self._store.sessions.by_alias(who.app, who.principal, self._service, key)
        except NotFound:
            return None
        return await self._store.caller_names.name_of(session, key)

    async def _name_by_mark(
        self, caller: HTTPConnection, owner: ApiCaller, history: ClientHistory
    ) -> str | None:
        """Return the name in HTML that we sent, if the caller has a session of it: it counts as a session_id."""
        if history.name is None:
            return None
        who = await self._callers.of(caller, self._service, history.name)
        try:
            session = await self._store.sessions.by_alias(who.app, who.principal, self._service, history.name)
        except NotFound:
            return None
        where = owner.app, owner.principal, self._service
        await self._store.chat_places.put(*where, history.place, session.id, went_on=True)
        return history.name

    async def _note_key(self, caller: HTTPConnection, key: str, session: Session) -> None:
        who = await self._callers.of(caller, self._service, key)
        await self._store.caller_names.add(who.app, who.principal, key, session)

    async def _begins_with(self, session: Session, id: str) -> bool:
        """Return whether a message, or its repetition, begins a conversation with the user's earlier texts."""
        sent = await self._store.runs.find_sent(session.id, [id])
        if id not in sent:
            return not await self._store.runs.has_any(session.id)
        content = (await self._store.runs.get(sent[id])).content
        return [each["type"] for each in content].count(TEXT) > 1

    async def _go_on(self, owner: ApiCaller, history: ClientHistory) -> str | None:
        """Move the conversation that a message continues to the place after the message; return its name."""
        places, where = self._store.chat_places, (owner.app, owner.principal, self._service)
        standing = await places.standing(*where, list(history.before))
        meant = [each for each in standing if await self._was_said(each, history.before[each.place])]
        if len(meant) > 1 and any(each.has_pictures for each in meant):
            meant = []  # The words do not show whose pictures they are.
        for found in meant:
            if await places.move(*where, found, history.place):
                return found.name
        if not history.before:
            return None
        # Where one began here, this is as well the first message of another customer.
        standing = await places.standing(*where, [history.place])
        return next((each.name for each in standing if each.went_on), None)

    async def _was_said(self, found: Standing, said: tuple[AssistantText, ...]) -> bool:
        """Return whether one of the texts is the newest answer of a conversation, whole or as it was streamed."""
        if found.last_run is None:
            return NOTHING in said
        session = await self._store.sessions.load(found.session_id)
        run = await self._store.runs.get(found.last_run)
        messages = await self._store.messages.of_run(run.id)
        answer = assistant_text(
            with_person(deep_chat_messages(messages, session.language), run.kind, session.language)
        )
        streamed = assistant_text([{"text": streamed_text(messages, run.kind, session.language)}])
        return any(each.is_of(answer) or each.is_of(streamed) for each in said)
