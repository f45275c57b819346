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


async def joined(operator: Operator, talk: Talk) -> None:
    """Take a conversation over, and wait until the visitor sees it."""
    assert act(operator, talk.session, "join") == 204
    await talk.until(lambda frame: frame.get("event", {}).get("activityType") == "operator")


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


async def test_the_operator_is_told_that_the_visitor_types_and_not_what(
    inbox_server: Office, talk: Talk
) -> None:
    operator = await inbox_server.operator("Eva")
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


@pytest.mark.parametrize("backend", ["configured"], indirect=True, scope="session")
async def test_a_notice_reaches_a_reader_at_another_process(inbox_server: Office, talk: Talk) -> None:
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
            for _ in range(4):
                await begun.send({"type": "typing"})
            refused = await begun.until(lambda frame: frame.get("type") == "error")
        finally:
            await visitor.aclose()
    assert statuses == [204] * 3 + [429] * 2
    assert refused["code"] == "rate_limited"
    assert sum(map(is_typing, begun.frames)) == 3


async def test_of_a_conversation_of_another_app_no_notice_is_taken(inbox_server: Office, talk: Talk) -> None:
    stranger = await inbox_server.operator("Zoe", app="shop")
    answer = stranger.ask("POST", f"/inbox/s/{talk.session}/typing", b"")
    assert (answer.status, json.loads(answer.text)["error"]["code"]) == (404, "not_found")
    answer = stranger.ask("POST", f"/inbox/s/{talk.session}/typing", b"", {"Origin": "https://shop.example"})
    assert answer.status == 403
