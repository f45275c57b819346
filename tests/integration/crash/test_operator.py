"""A process that is killed while an operator's message is stored, published or ended: readers get it exactly once."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Callable
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from server.runs import crash_points
from tests.integration.api.test_app_keys import Program
from tests.integration.conversation.seller import Seller
from tests.integration.crash.restarting_server import RestartingServer
from tests.integration.ws.visitor import Answer
from tests.parts.app_keys import new_key
from tests.parts.sampled import later
from tests.parts.server import Backend
from tests.parts.wait import until_async

PLACES = [
    later(crash_points.AFTER_SUBMIT),
    later("publish.TEXT_MESSAGE_CONTENT"),
    crash_points.BEFORE_FINISH,
    later(crash_points.AFTER_FINISH),
    later(crash_points.AFTER_APPEND),
]


@pytest.mark.parametrize("place", PLACES)
async def test_a_message_of_an_operator_survives_a_kill_at_every_place(
    other_restarting: RestartingServer,
    configured: Backend,
    at: Callable[[RestartingServer], Seller],
    place: str,
) -> None:
    seller = at(other_restarting)
    await seller.begin()
    session = seller.talk.session
    key = new_key(other_restarting.served, configured.environment, "demo", "operator")
    operator = Program(other_restarting.served, key=key)
    message = {"id": "o1", "name": "Ana", "content": "Sim, no sábado."}
    other_restarting.die_at(f"{place}:0")

    async def taken() -> Answer | None:
        try:
            answer = await asyncio.to_thread(
                operator.request, "POST", f"/v1/sessions/{session}/messages", message
            )
        except (OSError, http.client.HTTPException):
            return None
        return answer if answer.status == 200 else None

    ack = await until_async(taken, seconds=120, what="the ack")
    await until_async(other_restarting.died, seconds=120, what="the death")

    async def told() -> list[Any]:
        try:
            seller.talk = await seller.back()
        except (ConnectionClosed, InvalidHandshake, OSError):
            return []
        return [each for each in seller.talk.transcript.messages if each["role"] == "assistant"]

    found = await until_async(told, seconds=120, what="the message to be told")
    assert [(each["id"], each["name"], each["content"]) for each in found] == [
        (ack.body["message_id"], "Ana", "Sim, no sábado.")
    ]

    async def stored() -> list[Any]:
        path = f"/v1/sessions/{session}/messages"
        answer = await asyncio.to_thread(seller.request, "GET", path)
        return answer.body["messages"] if answer.status == 200 else []

    assert [each["id"] for each in await until_async(stored, what="the end")] == [ack.body["message_id"]]
    assert (await taken()).body == {**ack.body, "dup": True}  # type: ignore[union-attr]
