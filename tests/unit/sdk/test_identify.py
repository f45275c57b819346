"""A chat whose user becomes known, changes or signs out while it is open."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from loopwire import Closed, Identified, connect
from tests.parts.clock import jump, run_at_once
from tests.parts.wait import until_async
from tests.unit.sdk.api_server import TICKET, ApiServer, Asked, api_server, greet_and_stay, respond_with
from tests.unit.sdk.socket_server import Caller, Json, ack, snapshot, welcome

KNOWN: Json = {"token": "bearer", "user": "ana", "session_id": "ses_1", "expires_in": 600}
OUT: Json = {"token": "bearer", "user": None, "session_id": None}


def respond(*identities: Json) -> Callable[[Asked], bytes]:
    """Give tickets, and each token the next identity."""
    left = list(identities)

    def take(asked: Asked) -> bytes:
        if asked.what == "POST /v1/identify":
            return respond_with(200, left.pop(0))
        return respond_with(200, {**TICKET, "session_id": asked.body.get("session_id", "ses_1")})

    return take


def mint(session: str | None) -> Json:
    return {**TICKET, "session_id": session or "ses_1"}


def said(server: ApiServer) -> list[Json]:
    """Return what was said with each token."""
    return [each.body for each in server.asked if each.what == "POST /v1/identify"]


async def test_identify_sends_the_open_session_with_the_token() -> None:
    async with (
        api_server(respond(KNOWN, KNOWN, OUT)) as server,
        connect(server.url, token=mint, service="chat") as chat,
    ):
        assert await chat.identify("one", app="shop") == Identified("ana", "ses_1")
        assert await chat.identify("two") == Identified("ana", "ses_1")
        assert await chat.identify(None) == Identified(None, None)
        assert said(server) == [
            {"app": "shop", "session_id": "ses_1", "resume_token": "t1", "service": "chat", "token": "one"},
            {"session_id": "ses_1", "service": "chat", "token": "two"},
            {"session_id": "ses_1", "service": "chat", "token": None},
        ]


async def test_identify_names_the_app_of_connect_unless_it_gets_another() -> None:
    async with (
        api_server(respond(KNOWN, KNOWN)) as server,
        connect(server.url, app="shop", token=mint) as chat,
    ):
        await chat.identify("one")
        await chat.identify("two", app="market")
        assert [each["app"] for each in said(server)] == ["shop", "market"]


async def test_a_visitor_is_known_by_the_cookie_and_shows_no_permission() -> None:
    async with (
        api_server(respond(KNOWN)) as server,
        connect(server.url, visitor="loopwire_visitor=v") as chat,
    ):
        await chat.identify("signed")
        assert said(server) == [{"session_id": "ses_1", "token": "signed"}]


async def test_signing_out_an_unknown_visitor_sends_nothing() -> None:
    async with api_server(respond()) as server, connect(server.url) as chat:
        assert await chat.identify(None) == Identified(None, "ses_1")
        assert said(server) == []
        assert len(server.sockets.callers) == 1


async def test_a_conversation_that_stays_the_users_goes_on() -> None:
    heard: list[str] = []

    async def first(caller: Caller) -> None:
        await caller.greet(7)
        await caller.hear()
        await caller.stay()

    async def second(caller: Caller) -> None:
        await caller.say(welcome(7, resumed=True, token="t2"), {"type": "queue", "items": []})
        frame = await caller.hear()
        heard.append(frame["id"])
        await caller.say(ack(frame))
        await caller.stay()

    async with api_server(respond(KNOWN), first, second) as server, connect(server.url) as chat:
        sending = asyncio.ensure_future(chat.send("Hi", "m1"))
        await until_async(lambda: len(chat._session._outbox))
        await chat.identify("signed")
        assert (await sending).id == "run_1"
        hello = server.sockets.callers[1].hello
        assert (hello["ticket"], hello["last_seq"], heard) == ("t", 7, ["m1"])
        ticket = server.asked[-1]
        assert (ticket.what, ticket.body) == ("POST /v1/tickets", {"session_id": "ses_1"})
        assert ticket.headers["authorization"] == "Bearer bearer"


async def test_another_conversation_of_the_user_begins_anew_and_what_waited_is_given_up() -> None:
    async def second(caller: Caller) -> None:
        await caller.say({**welcome(3, resumed=False), "session_id": "ses_2"}, snapshot(3))
        await caller.say({"type": "queue", "items": []})
        await caller.stay()

    identities = [{**KNOWN, "session_id": "ses_2"}]
    async with (
        api_server(respond(*identities), greet_and_stay, second) as server,
        connect(server.url) as chat,
    ):
        sending = asyncio.ensure_future(chat.send("Hi"))
        await until_async(lambda: len(chat._session._outbox))
        assert (await chat.identify("signed")).session == "ses_2"
        assert chat.session == "ses_2"
        with pytest.raises(Closed, match="Somebody else talks now") as closed:
            await sending
        assert closed.value.code == "closed"
        await until_async(lambda: len(server.sockets.callers) == 2 and chat.is_connected)
        assert "last_seq" not in server.sockets.callers[1].hello
        assert server.asked[-1].body == {"session_id": "ses_2"}


async def test_a_chat_whose_user_was_refused_opens_again_as_the_next_user() -> None:
    unauthorized: Json = {"error": {"code": "unauthorized", "message": "Who?", "retry": False}}
    refuse: list[bool] = []

    def take(asked: Asked) -> bytes:
        if asked.what == "POST /v1/identify":
            refuse.clear()
            return respond_with(200, KNOWN)
        return respond_with(401, unauthorized) if refuse else respond_with(200, TICKET)

    async def first(caller: Caller) -> None:
        await caller.greet()
        refuse.append(True)
        await caller.socket.close(4401)

    async with api_server(take, greet_and_stay, first, greet_and_stay) as server, connect(server.url) as chat:
        await chat.identify("one")
        with pytest.raises(Closed) as closed:
            await until_async(lambda: refuse)
            await chat.send("Hi")
        assert closed.value.code == "unauthorized"
        assert await chat.identify("two") == Identified("ana", "ses_1")
        await until_async(lambda: chat.is_connected and len(server.sockets.callers) == 3)
        assert chat._session.conversation.failure is None


def test_a_chat_that_was_closed_asks_for_no_more_tokens() -> None:
    asked: list[float] = []

    def sign() -> str:
        asked.append(asyncio.get_running_loop().time())
        return "signed"

    async def talk() -> None:
        async with api_server(respond(KNOWN, KNOWN)) as server:
            async with connect(server.url) as chat:
                await chat.identify(sign)
                await server.reached(4)
                assert len(asked) == 2
            await jump(10_000)

    run_at_once(talk())
    assert len(asked) == 2
    given: Any = asked[1] - asked[0]
    assert given == pytest.approx(540)
