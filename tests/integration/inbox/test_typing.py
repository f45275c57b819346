"""Notices that a person types: from operator to visitor and back, over instances, in no log, and bounded."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.integration.inbox.conftest import Office
from tests.integration.inbox.test_inbox import frames, until
from tests.integration.ws.visitor import PATIENCE_S, Talk, Visitor
from tests.parts.operators import Operator
from tests.parts.server import served


def is_typing(frame: dict[str, Any]) -> bool:
    """Whether a frame is a notice."""
    return frame.get("type") == "typing"


def act(operator: Operator, session: str, what: str) -> int:
    """Do something as the inbox does it; return the status."""
    return operator.ask("POST", f"/inbox/s/{session}/{what}", b"").status


def is_change(frame: dict[str, Any]) -> bool:
    """Whether an operator joins or leaves by a frame."""
    return bool(frame.get("event", {}).get("activityType") == "operator")


def is_from_visitor(frame: dict[str, Any]) -> bool:
    """Whether a frame is a notice that the visitor types."""
    return is_typing(frame) and "name" not in frame


async def joined(operator: Operator, talk: Talk) -> None:
    """Take a conversation over, and wait until the visitor sees it."""
    assert act(operator, talk.session, "join") == 204
    await talk.until(lambda frame: frame.get("event", {}).get("activityType") == "operator")


@pytest.mark.once
async def test_the_visitor_is_told_who_types_and_no_log_has_it(inbox_server: Office, talk: Talk) -> None:
    operator = await inbox_server.operator("Ines")
    assert act(operator, talk.session, "typing") == 204
    await joined(operator, talk)
    assert not any(map(is_typing, talk.frames)), "who has not taken over is not announced"
    before = talk.seq
    assert act(operator, talk.session, "typing") == 204
    assert await talk.until(is_typing) == {"type": "typing", "name": "Ines"}
    await talk.say("Olá", "m2")
    await talk.finished()
    other = await inbox_server.operator("Rita")
    assert act(other, talk.session, "typing") == 204
    assert act(operator, talk.session, "leave") == 204
    await talk.until(lambda frame: frame.get("event", {}).get("activityType") == "operator")
    assert sum(map(is_typing, talk.frames)) == 1
    numbers = [each["seq"] for each in talk.frames if "event" in each and each["seq"] > before]
    assert numbers == list(range(before + 1, before + 1 + len(numbers)))
    assert "typing" not in await inbox_server.actions(talk.session)


@pytest.mark.once
async def test_the_operator_is_told_that_the_visitor_types_and_not_what(
    inbox_server: Office, talk: Talk
) -> None:
    operator = await inbox_server.operator("Eva")
    await joined(operator, talk)
    async with asyncio.timeout(PATIENCE_S), frames(operator, talk.session) as told:
        await until(told, lambda frame: frame.get("type") == "snapshot")
        await talk.send({"type": "typing", "text": "my secret"})
        refused = await talk.until(lambda frame: frame.get("type") == "error")
        await talk.send({"type": "typing"})
        notice = await until(told, is_typing)
    assert refused["code"] == "bad_frame"
    assert set(notice) == {"type", "from_tab"}
    await talk.say("Olá", "m2")
    assert not any(map(is_typing, talk.frames)), "the socket that types is not told"


@pytest.mark.once
async def test_the_visitors_typing_is_told_only_while_an_operator_has_taken_over(
    inbox_server: Office, talk: Talk, visitor: Visitor
) -> None:
    operator = await inbox_server.operator("Olga")
    reader = await visitor.open(session=talk.session)

    async def type_twice(id: str) -> None:
        """Type over the socket and by POST; the ack of the message shows that the server has taken both frames."""
        await talk.send({"type": "typing"})
        await talk.say("Olá", id)
        bearer = {"authorization": f"Bearer {talk.welcome['resume_token']}"}
        path = f"/v1/sessions/{talk.session}/commands"
        assert visitor.request("POST", path, {"type": "typing"}, headers=bearer).status == 200

    await type_twice("m2")
    await talk.finished()
    said = json.dumps({"id": "o1", "content": "I have not joined."}).encode()
    path, json_body = f"/inbox/s/{talk.session}/messages", {"Content-Type": "application/json"}
    assert operator.ask("POST", path, said, json_body).status == 200
    await talk.until(lambda frame: "I have not joined." in json.dumps(frame))
    await type_twice("m3")
    await talk.finished()
    await joined(operator, talk)
    await talk.send({"type": "typing"})
    await talk.say("Olá", "m4")
    assert act(operator, talk.session, "leave") == 204
    await talk.until(is_change)
    await type_twice("m5")
    await joined(operator, talk)
    assert act(operator, talk.session, "typing") == 204
    await reader.until(lambda frame: is_typing(frame) and "name" in frame)
    assert sum(map(is_from_visitor, reader.frames)) == 1


@pytest.mark.once
async def test_a_socket_that_is_opened_after_the_operator_has_joined_tells_of_typing(
    inbox_server: Office, visitor: Visitor
) -> None:
    operator, ticket = await inbox_server.operator("Rosa"), visitor.ticket()
    assert act(operator, ticket["session_id"], "join") == 204
    talk = await visitor.open(hello={"ticket": ticket["ticket"]})
    assert talk.session == ticket["session_id"]
    async with asyncio.timeout(PATIENCE_S), frames(operator, talk.session) as told:
        await until(told, lambda frame: frame.get("type") == "snapshot")
        await talk.send({"type": "typing"})
        await until(told, is_from_visitor)


@pytest.mark.parametrize("backend", ["configured"], indirect=True, scope="session")
async def test_a_notice_reaches_a_reader_at_another_process(
    inbox_server: Office, talk: Talk, visitor: Visitor
) -> None:
    """An embedded server is the only process of its database."""
    operator = await inbox_server.operator("Nuno")
    await joined(operator, talk)
    with served(inbox_server.environment) as second:
        far = Operator(second, cookie=operator.cookie, headers=operator.headers)
        async with asyncio.timeout(PATIENCE_S), frames(far, talk.session) as told:
            await until(told, lambda frame: frame.get("type") == "snapshot")
            assert act(far, talk.session, "typing") == 204
            assert (await talk.until(is_typing))["name"] == "Nuno"
            await talk.send({"type": "typing"})
            assert "name" not in await until(told, lambda frame: is_typing(frame) and "from_tab" in frame)
            bearer = {"authorization": f"Bearer {talk.welcome['resume_token']}"}
            await talk.socket.close()
            path = f"/v1/sessions/{talk.session}/commands"
            answer = visitor.request("POST", path, {"type": "typing"}, headers=bearer)
            assert answer.status == 200, "no socket of the session is at this process"
            await until(told, is_from_visitor)


@pytest.mark.conformance
@pytest.mark.once
async def test_a_flood_of_notices_meets_the_limit_of_frames(inbox_server: Office, talk: Talk) -> None:
    limits = {"LOOPWIRE_LIMIT_FRAMES_PER_SOCKET": "3/1m"}
    environment = {**inbox_server.environment, **limits}
    environment.pop("DATABASE_URL", None)
    environment.pop("REDIS_URL", None)
    with served(environment) as strict:
        office = Office(strict, environment)
        operator = await office.operator("Vera")
        visitor = Visitor(strict)
        try:
            begun = await visitor.open()
            await begun.say("Olá", "m1")
            await begun.finished()
            assert act(operator, begun.session, "join") == 204
            statuses = [act(operator, begun.session, "typing") for _ in range(5)]
            other = await office.operator("Lia")
            unknown = [act(other, "ses_unknown", "typing") for _ in range(4)]
            for _ in range(4):
                await begun.send({"type": "typing"})
            refused = await begun.until(lambda frame: frame.get("type") == "error")
        finally:
            await visitor.aclose()
    assert statuses == [204] * 3 + [429] * 2
    assert unknown == [404] * 3 + [429], "the limit counts before a conversation is looked for"
    assert refused["code"] == "rate_limited"
    assert sum(map(is_typing, begun.frames)) == 3


@pytest.mark.once
async def test_a_typing_notice_for_a_conversation_of_another_app_is_refused(
    inbox_server: Office, talk: Talk
) -> None:
    stranger = await inbox_server.operator("Zoe", app="shop")
    answer = stranger.ask("POST", f"/inbox/s/{talk.session}/typing", b"")
    assert (answer.status, json.loads(answer.text)["error"]["code"]) == (404, "not_found")
    answer = stranger.ask("POST", f"/inbox/s/{talk.session}/typing", b"", {"Origin": "https://shop.example"})
    assert answer.status == 403
