"""A visitor who leaves has no access any more: sockets of every instance, tickets, resume tokens, copied cookies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from server.auth import tokens
from server.rooms.revocation_watch import ASK_S, RevocationWatch
from tests.integration.ws.inside import Inside, inside, rested
from tests.integration.ws.visitor import PATIENCE_S, Talk, Visitor
from tests.parts.server import Served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once


@pytest.fixture
async def visitor(quick: Served) -> AsyncIterator[Visitor]:
    """Yield a new visitor."""
    new = Visitor(quick)
    yield new
    await new.aclose()


async def closed(talk: Talk) -> int:
    """Return how the server ended the socket."""
    async with asyncio.timeout(PATIENCE_S):
        with suppress(ConnectionClosed):
            while True:
                await talk.socket.recv()
    return int(talk.socket.close_code or 0)


async def refused(visitor: Visitor, **hello: object) -> int:
    """Say hello in vain."""
    socket = await visitor.socket()
    await socket.send(json.dumps({"type": "hello", **hello}))
    return await closed(Talk(socket))


async def opened(here: Inside, **body: str) -> Talk:
    """Open a socket to a server of this very loop."""
    ticket = await asyncio.to_thread(here.visitor.ticket, **body)
    return await here.visitor.open(hello={"ticket": ticket["ticket"]})


async def test_a_visitor_who_leaves_is_closed_everywhere_and_its_credentials_open_nothing(
    visitor: Visitor,
) -> None:
    first, second = await visitor.open(), await visitor.open()
    assert first.session != second.session
    ticket, old = visitor.ticket(session_id=first.session)["ticket"], visitor.cookie
    left = visitor.request("DELETE", "/v1/visitor")
    assert left.status == 204
    assert [await closed(each) for each in (first, second)] == [4401, 4401]
    assert await refused(visitor, ticket=ticket) == 4401
    assert await refused(visitor, resume_token=first.welcome["resume_token"]) == 4401
    visitor.cookie = old
    assert visitor.request("GET", f"/v1/sessions/{first.session}").status == 404
    await visitor.open()
    assert visitor.cookie != old  # Another visitor, who owned nothing.


async def test_a_deleted_conversation_ends_its_sockets_and_no_others(visitor: Visitor) -> None:
    gone, kept = await visitor.open(), await visitor.open()
    stranger = visitor.stranger()
    assert stranger.request("DELETE", f"/v1/sessions/{gone.session}").status == 404
    assert visitor.request("DELETE", f"/v1/sessions/{gone.session}").status == 204
    assert await closed(gone) == 4404
    assert visitor.request("DELETE", f"/v1/sessions/{gone.session}").status == 404
    assert await refused(visitor, resume_token=gone.welcome["resume_token"]) == 4404
    await kept.say("olá", "c1")
    await kept.finished()


async def test_a_revocation_whose_signal_was_lost_is_found_by_polling(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with inside(tmp_path, **parts) as here:
        store, bus = here.ready.parts.store, here.ready.parts.bus
        talk = await opened(here)
        revoking = RevocationWatch([here.web.rooms.end_revoked], store.revocations, bus, ask_s=0.02)
        revoking.start()
        await until_async(lambda: not revoking.may_be_revoked(), what="the revocations to be known")
        await store.revocations.revoke((await store.sessions.load(talk.session)).principal)
        assert await closed(talk) == 4401
        await revoking.aclose()
    assert ASK_S * 1.2 < 60  # What is promised.


async def test_an_error_does_not_end_the_polling_of_revocations(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with inside(tmp_path, **parts) as here:
        store, bus = here.ready.parts.store, here.ready.parts.bus
        talk = await opened(here)
        since, failed, ended = store.revocations.since, list[int](), list[str]()

        async def failing(at: int) -> tuple[list[str], int]:
            if not revoking.may_be_revoked() and not failed:
                failed.append(at)
                raise KeyError("a row that nobody can read")
            return await since(at)

        monkeypatch.setattr(store.revocations, "since", failing)
        revoking = RevocationWatch(
            [ended.append, here.web.rooms.end_revoked], store.revocations, bus, ask_s=0.02
        )
        revoking.start()
        await until_async(lambda: bool(failed), what="the error")
        principal = (await store.sessions.load(talk.session)).principal
        await store.revocations.revoke(principal)
        assert await closed(talk) == 4401
        assert principal in ended
        await revoking.aclose()


async def test_a_revocation_that_could_not_be_carried_out_is_tried_again(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with inside(tmp_path, **parts) as here:
        store, bus = here.ready.parts.store, here.ready.parts.bus
        tried = []

        def failing(subject: str) -> None:
            tried.append(subject)
            if len(tried) == 1:
                raise KeyError("a socket that nobody can close")

        revoking = RevocationWatch([failing], store.revocations, bus, ask_s=0.02)
        revoking.start()
        await until_async(lambda: not revoking.may_be_revoked(), what="the revocations to be known")
        await store.revocations.revoke("vis_1")
        await until_async(lambda: tried[:2] == ["vis_1"] * 2, what="the second attempt")
        await revoking.aclose()


async def test_a_message_of_a_revoked_writer_closes_its_socket_unstored(
    tmp_path: Path, parts: dict[str, str]
) -> None:
    async with inside(tmp_path, **parts) as here:
        store = here.ready.parts.store
        talk = await opened(here)
        await store.revocations.revoke((await store.sessions.load(talk.session)).principal)
        await talk.send({"type": "message", "id": "c1", "content": [{"type": "text", "text": "olá"}]})
        assert await closed(talk) == 4401
        assert await store.runs.queue(talk.session) == []


async def test_a_socket_outlives_its_token_as_its_visitor_may_get_another(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "RESUME_SECONDS", -2 * tokens.LEEWAY_SECONDS)
    async with inside(tmp_path, **parts) as here:
        talk = await opened(here)
        assert await refused(here.visitor, resume_token=talk.welcome["resume_token"]) == 4401
        assert (await talk.say("olá", "c1"))["type"] == "ack"
        assert (await opened(here, session_id=talk.session)).session == talk.session


@pytest.mark.conformance
async def test_a_server_that_has_closed_leaves_no_task(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    async with inside(tmp_path, capacity=1) as here:
        talk = await opened(here)
        await talk.say("olá", "m1")
        await rested(here)
    assert asyncio.all_tasks() == before
