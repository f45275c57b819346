"""Admission lets a reader in by its ticket or token, gives it a place, and counts who is not known yet."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from server import log as logs
from server.auth import Grant, ResumeTokens
from server.errors import Forbidden, NotFound, RateLimited, Unauthorized, Unavailable
from server.identity import claimed_from, identities_of
from server.limits import Limits
from server.protocol.commands import Hello
from server.rooms.admission import Admission
from server.rooms.connection import Connection
from server.rooms.member import Reader
from server.store import Session, SessionOwner
from tests.integration.ws.inside import Inside, inside, rested
from tests.integration.ws.test_reconnect import opened
from tests.unit.rooms.recording_writer import RecordingWriter

pytestmark = pytest.mark.once

ADDRESS, ANOTHER = "203.0.113.1", "203.0.113.2"
SHOP, FOREIGN = "https://shop.example", "https://other.example"
NEW = Hello(type="hello")


class Gate:
    """An admission over the parts of a running server, and what it asked about revocations."""

    def __init__(self, here: Inside, **limits: Any) -> None:
        self.store, self.rooms, self.tickets = (
            here.ready.parts.store,
            here.web.rooms,
            here.ready.parts.tickets,
        )
        self.tokens = ResumeTokens(b"secret")
        self.asked: list[set[str]] = []
        self.suspected: set[str] = set()
        self.admission = Admission(
            store=self.store,
            idle_proof=here.ready.parts.bus.idle_proof,
            rooms=self.rooms,
            tickets=self.tickets,
            tokens=self.tokens,
            revocation_check=self._may_be_revoked,
            demo=True,
            limits=Limits(**limits),
        )

    def _may_be_revoked(self, *subjects: str) -> bool:
        self.asked.append(set(subjects))
        return not self.suspected.isdisjoint(subjects)

    async def session(self, principal: str = "vis_1") -> Session:
        sessions = self.store.sessions
        return await sessions.create(app="loopwire", principal=principal, service="submission", language="pt")

    async def join(self, session: SessionOwner, grant: Grant) -> tuple[RecordingWriter, Any, Any]:
        writer = RecordingWriter()
        connection = Connection(writer, html=False, language="pt")
        return writer, *await self.admission.join_room(connection, session, grant, NEW)


def granted(session: SessionOwner, **more: Any) -> Grant:
    return Grant(session.id, more.pop("principal", session.principal), SHOP, "pt", **more)


@pytest.fixture
async def here(parts: dict[str, str], tmp_path: Path) -> AsyncIterator[Inside]:
    """Yield a quick server."""
    async with inside(tmp_path, capacity=8, **parts) as running:
        yield running


@pytest.mark.conformance
async def test_unidentified_sockets_of_an_address_are_limited(here: Inside) -> None:
    admission = Gate(here, unidentified_per_address=2).admission
    admission.enter(ADDRESS)
    with pytest.raises(KeyError), admission.unauthenticated_socket(ADDRESS):
        admission.enter(ANOTHER)
        for full in (ADDRESS, ADDRESS):
            with pytest.raises(Unavailable):
                admission.enter(full)
        raise KeyError
    with admission.unauthenticated_socket(ADDRESS), pytest.raises(Unavailable):
        admission.enter(ADDRESS)
    admission.forget_unauthenticated_socket(ADDRESS)
    admission.enter(ADDRESS)
    admission.enter(ADDRESS)


@pytest.mark.conformance
async def test_a_leaving_server_lets_nobody_in_and_says_when_another_does(here: Inside) -> None:
    gate = Gate(here)
    gate.admission.draining = True
    with pytest.raises(Unavailable) as refused:
        gate.admission.enter(ADDRESS)
    assert refused.value.retry_after == 2
    session = await gate.session()
    writer, room, member = await gate.join(session, granted(session))
    assert [each["type"] for each in writer.frames()][-1] == "reconnect"
    assert writer.closed == (1012, "drain")
    await gate.admission.release_place(room, member)


async def test_a_hello_allows_what_its_ticket_or_token_was_given_for(here: Inside) -> None:
    gate = Gate(here)
    grant = granted(await gate.session(), app="loopwire", service="submission", spoken="pt")
    ticket, token = await gate.tickets.issue(grant), gate.tokens.issue(grant)
    by_token = Hello(type="hello", resume_token=token)
    assert await gate.admission.read_grant(Hello(type="hello", ticket=ticket), SHOP, FOREIGN) == grant
    assert await gate.admission.read_grant(by_token, FOREIGN, SHOP) == grant
    with pytest.raises(Forbidden):
        await gate.admission.read_grant(by_token, FOREIGN)
    other = await gate.tickets.issue(grant)
    with pytest.raises(Forbidden):
        await gate.admission.read_grant(Hello(type="hello", ticket=other), FOREIGN)
    for nothing in (NEW, Hello(type="hello", ticket=ticket)):
        with pytest.raises(Unauthorized):
            await gate.admission.read_grant(nothing, SHOP)


async def test_a_ticket_is_given_back_when_it_may_be_shown_again(here: Inside) -> None:
    gate = Gate(here)
    grant = granted(await gate.session())
    ticket = await gate.tickets.issue(grant)
    hello = Hello(type="hello", ticket=ticket)
    for error, given_back in ((Unavailable(), True), (NotFound(), False)):
        assert await gate.admission.read_grant(hello, SHOP) == grant
        with pytest.raises(type(error)):
            async with gate.admission.spending(hello, grant):
                raise error
        if not given_back:
            with pytest.raises(Unauthorized):
                await gate.admission.read_grant(hello, SHOP)
    with pytest.raises(Unavailable):
        async with gate.admission.spending(Hello(type="hello", resume_token="r"), grant):
            raise Unavailable


async def test_a_session_is_found_without_the_database_unless_someone_is_suspected(here: Inside) -> None:
    talk = await opened(here)
    await talk.say("Quero vender um iPhone 13", "c1")
    await talk.finished()
    await rested(here)
    gate, proof = Gate(here), here.ready.parts.bus.idle_proof
    stored = await gate.store.sessions.load(talk.session)
    owner = SessionOwner(stored.id, stored.app, stored.principal, stored.service, "en")
    known = {"app": stored.app, "service": stored.service, "spoken": "en"}
    assert await gate.admission.find_session(granted(stored, **known)) == owner
    own = {stored.id, stored.principal}
    assert gate.asked == [own | {claimed_from(stored.id, stored.principal)}]
    user = granted(stored, **known, since=1, identity="jti_1")
    assert await gate.admission.find_session(user) == owner
    assert gate.asked[-1] == own | {identities_of(stored.principal), "jti_1"}
    assert await gate.admission.find_session(granted(stored, **known, since=1)) == owner
    assert gate.asked[-1] == own | {identities_of(stored.principal)}
    for named in ({"app": stored.app}, {"spoken": "en"}, {}):
        assert await gate.admission.find_session(granted(stored, **named)) == stored
    for suspected in gate.asked[0]:
        gate.suspected = {suspected}
        assert await gate.admission.find_session(granted(stored, **known)) == stored
    gate.suspected = set()
    await proof.withdraw("jti_1")
    assert await gate.admission.find_session(user) == stored
    assert await gate.admission.find_session(granted(stored, **known)) == owner
    await proof.withdraw(stored.id)
    assert await gate.admission.find_session(granted(stored, **known)) == stored


async def test_a_user_whose_identity_is_revoked_gets_no_session(here: Inside) -> None:
    gate = Gate(here)
    session = await gate.session("usr_1")
    assert await gate.admission.session(granted(session, since=1, identity="jti_2")) == session
    await gate.store.revocations.revoke("jti_1")
    for identity, since in (("jti_1", 1), ("jti_2", 1)):
        with pytest.raises(Unauthorized):
            await gate.admission.session(granted(session, since=since, identity=identity))
        await gate.store.revocations.revoke_all_of("usr_1")
    later = granted(session, since=1 << 33, identity="jti_2")
    assert await gate.admission.session(later) == session
    assert await gate.admission.session(granted(session)) == session
    with pytest.raises(NotFound):
        await gate.admission.session(granted(session, principal="vis_2"))


async def test_a_reader_is_welcomed_with_its_token_and_is_known_by_its_names(here: Inside) -> None:
    gate = Gate(here)
    session = await gate.session("usr_1")
    grant = granted(session, since=1, identity="jti_1", until=1 << 33)
    logs.session_id.set(None)
    writer, room, member = await gate.join(session, grant)
    welcome = writer.frames()[0]
    token = gate.tokens.verify(welcome.pop("resume_token"), SHOP)
    about = {"app": session.app, "service": session.service, "spoken": "pt"}
    assert token == replace(grant, reader=member.connection.id, **about)
    assert welcome == {
        "type": "welcome",
        "session_id": session.id,
        "epoch": member.epoch,
        "seq": member.seq,
        "resumed": False,
        "heartbeat_ms": 15_000,
        "resume_window": 120,
        "capabilities": {
            "transport": {"streaming": True, "websocket": True, "resumable": True},
            "multiAgent": {"supported": True, "handoffs": True},
            "tools": {"supported": True},
            "state": {"snapshots": True, "deltas": True},
        },
        "demo": True,
    }
    assert member.epoch
    assert member.reader == Reader("usr_1", identity="jti_1", until=1 << 33)
    assert logs.session_id.get() == session.id
    writer, _, operator = await gate.join(session, granted(session, principal="key_a"))
    assert writer.frames()[0]["resume_token"] == ""
    assert operator.reader == Reader(operator="key_a")
    for each in (member, operator):
        assert gate.rooms.by_session[session.id] is room
        await gate.admission.release_place(room, each)
    assert session.id not in gate.rooms.by_session


async def test_a_reader_that_may_replace_no_other_is_refused_at_a_full_session(here: Inside) -> None:
    gate = Gate(here)
    session, other = await gate.session(), await gate.session()
    grant, operator = granted(session), granted(session, principal="key_a")
    for _ in range(5):
        gate.admission.require_place(session, grant)
        await gate.join(session, grant)
    gate.admission.require_place(session, operator)
    gate.admission.require_place(other, granted(other))
    with pytest.raises(RateLimited) as refused:
        gate.admission.require_place(session, grant)
    assert refused.value.retry_after == 5
    assert refused.value.message != RateLimited.text


async def test_a_reader_that_could_not_join_leaves_no_place_taken(
    here: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(here)
    session = await gate.session()

    async def unavailable(*_: Any) -> None:
        raise Unavailable

    monkeypatch.setattr(here.ready.parts.runs, "queue", unavailable)
    with pytest.raises(Unavailable):
        await gate.join(session, granted(session))
    assert session.id not in gate.rooms.by_session


async def test_a_membership_of_a_room_ends_with_its_block(here: Inside) -> None:
    gate = Gate(here)
    session = await gate.session()
    writer = RecordingWriter()
    connection = Connection(writer, html=False, language="pt")
    with pytest.raises(KeyError):
        async with gate.admission.membership(connection, session, granted(session), NEW):
            (member,) = gate.rooms.by_session[session.id].members
            assert member.connection is connection
            assert writer.frames()[0]["type"] == "welcome"
            raise KeyError
    assert session.id not in gate.rooms.by_session
