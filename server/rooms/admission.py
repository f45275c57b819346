"""Admission to a room: the grant behind a ticket or token, the welcome, and the place in the room."""

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

from server import log as logs
from server.auth import Grant, ResumeTokens, Tickets
from server.bus import IdleProof
from server.errors import LoopwireError, RateLimited, Replaced, Unauthorized, Unavailable
from server.identity import claimed_from, identities_of
from server.limit_counters import UnauthenticatedSockets
from server.limits import Limits
from server.protocol.commands import Hello
from server.protocol.envelope import Welcome
from server.rooms.connection import Connection
from server.rooms.member import Member, Reader
from server.rooms.room import Room
from server.rooms.rooms import Rooms
from server.store import Session, SessionOwner, Store

HEARTBEAT_MS = 15_000
RESUME_WINDOW_S = 120
AGAIN_S = 2
"""A leaving server's clients come back after this: another one is there by then, or the next one here."""

FULL_S = 5
"""Seconds before a reader retries when the session has as many readers as it may."""

CAPABILITIES: dict[str, Any] = {
    "transport": {"streaming": True, "websocket": True, "resumable": True},
    "multiAgent": {"supported": True, "handoffs": True},
    "tools": {"supported": True},
    "state": {"snapshots": True, "deltas": True},
}

log = logging.getLogger(__name__)


class Admission:
    """One for all endpoints of an instance, so that they share their counts."""

    def __init__(
        self,
        *,
        store: Store,
        idle_proof: IdleProof,
        rooms: Rooms,
        tickets: Tickets,
        tokens: ResumeTokens,
        revocation_check: Callable[..., bool],
        demo: bool,
        limits: Limits,
    ) -> None:
        """Let in a client that has a ticket or token; `draining` refuses newcomers.

        Where `revocation_check` is true of the session or a subject, the database is asked and not Redis.
        """
        self._store = store
        self._idle_proof = idle_proof
        self._rooms = rooms
        self._tickets = tickets
        self._tokens = tokens
        self._may_be_revoked = revocation_check
        self._demo = demo
        self._unauthenticated_sockets = UnauthenticatedSockets(limits.unidentified_per_address)
        self.draining = False

    def enter(self, address: str) -> None:
        """Count a client that is not identified yet. Raises Unavailable when there are too many, or while draining."""
        if self.draining:
            raise Unavailable(retry_after=AGAIN_S)
        self._unauthenticated_sockets.enter(address)

    def forget_unauthenticated_socket(self, address: str) -> None:
        """Count the socket no longer: it is authenticated or gone."""
        self._unauthenticated_sockets.leave(address)

    @contextmanager
    def unauthenticated_socket(self, address: str) -> Iterator[None]:
        """Count a client for as long as it takes to identify it."""
        self.enter(address)
        try:
            yield
        finally:
            self.forget_unauthenticated_socket(address)

    async def read_grant(self, hello: Hello, *origins: str | None) -> Grant:
        """See what a hello allows to a page of one of these origins. Raises Unauthorized or Forbidden."""
        if hello.ticket is not None:
            return await self._tickets.redeem(hello.ticket, *origins)
        if hello.resume_token is not None:
            return self._tokens.verify(hello.resume_token, *origins)
        raise Unauthorized

    async def find_session(self, grant: Grant) -> SessionOwner:
        """Return the session that was granted, from a resume token that Redis confirms, or else from the database.

        Raises NotFound, and Unauthorized when the principal was revoked.
        """
        subjects = _subjects_of(grant)
        if (
            grant.app
            and grant.spoken
            and not self._may_be_revoked(grant.session_id, *subjects)
            and await self._idle_proof.holds(grant.session_id, *subjects)
        ):
            return SessionOwner(grant.session_id, grant.app, grant.principal, grant.service, grant.spoken)
        return await self.session(grant)

    @asynccontextmanager
    async def spending(self, hello: Hello, grant: Grant) -> AsyncIterator[None]:
        """Give the ticket of a hello back when what it was used for is refused for now: it may be asked again."""
        try:
            yield
        except LoopwireError as error:
            if error.retry and hello.ticket is not None:
                await self._tickets.give_back(hello.ticket, grant)
            raise

    async def session(self, grant: Grant) -> Session:
        """Load the session that was granted. Raises what `find_session` does."""
        session = await self._store.sessions.get(grant.session_id, grant.principal)
        if grant.since:
            await self._store.revocations.require(grant.principal, grant.identity, grant.since)
        return session

    def require_place(self, session: SessionOwner, grant: Grant) -> None:
        """Refuse a reader that may replace no other. Raises RateLimited when the session has as many as it may."""
        room = self._rooms.by_session.get(session.id)
        if room is not None and room.is_full(operator=grant.principal != session.principal):
            raise RateLimited(Replaced.text, retry_after=FULL_S)

    def resume_token(self, session: SessionOwner, grant: Grant, reader: str = "") -> str:
        """Issue what the reader of a session shows next time."""
        about: dict[str, Any] = {"app": session.app, "service": session.service, "spoken": session.language}
        return self._tokens.issue(replace(grant, reader=reader, **about))

    async def join_room(
        self, connection: Connection, session: SessionOwner, grant: Grant, hello: Hello
    ) -> tuple[Room, Member]:
        """Give a reader its place; the caller calls `release_place` at the end."""

        own = grant.principal == session.principal  # An operator comes back with its key.

        def greet(resumed: bool, seq: int, epoch: str) -> bytes:
            return Welcome(
                session_id=session.id,
                epoch=epoch,
                seq=seq,
                resumed=resumed,
                heartbeat_ms=HEARTBEAT_MS,
                resume_window=RESUME_WINDOW_S,
                resume_token=self.resume_token(session, grant, connection.id) if own else "",
                capabilities=CAPABILITIES,
                demo=self._demo,
            ).encode()

        # The context is that of this reader's task, which ends with the reader.
        logs.session_id.set(session.id)
        member, room = Member(connection, _reader_of(grant, own=own)), self._rooms.open(session)
        log.info("reader %s open, %s", connection.id, "html" if connection.html else "json")
        try:
            await room.join(member, hello, greet)
        except BaseException:
            # A cancellation too must not leave a member in the room that nothing removes.
            await self._rooms.remove(room, member)
            raise
        if self.draining:
            self._rooms.dismiss(member)
        return room, member

    @asynccontextmanager
    async def membership(
        self, connection: Connection, session: SessionOwner, grant: Grant, hello: Hello
    ) -> AsyncIterator[None]:
        """Give a reader its place for the time of a block."""
        room, member = await self.join_room(connection, session, grant, hello)
        try:
            yield
        finally:
            await self.release_place(room, member)

    async def release_place(self, room: Room, member: Member) -> None:
        """Take the place of a reader back."""
        await self._rooms.remove(room, member)
        log.info("reader %s closed", member.connection.id)


def _subjects_of(grant: Grant) -> list[str]:
    """Return by what a grant ends when it is revoked, besides its session."""
    claimed = claimed_from(grant.session_id, grant.principal)
    user = [identities_of(grant.principal), grant.identity] if grant.since else [claimed]
    return [grant.principal, *filter(None, user)]


def _reader_of(grant: Grant, *, own: bool) -> Reader:
    """Return the reader of a grant: the session's principal, or an operator by its key."""
    if not own:
        return Reader(operator=grant.principal)
    return Reader(grant.principal, identity=grant.identity, until=grant.until)
