"""A long poll with a body that is out of bounds: it is refused, and no failure of the server."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from server.api.durable_streams.long_poll import LongPoll
from server.api.durable_streams.offsets import LogPosition
from server.errors import LoopwireError, TooLong
from server.http.body_limits import TooSlow


class Rooms:
    """Rooms in which nothing happens."""

    @asynccontextmanager
    async def membership(self, *_: Any) -> AsyncIterator[None]:
        yield


def respond(items: list[bytes], position: LogPosition) -> Any:
    raise AssertionError("nothing was received")


@pytest.mark.parametrize("error", [TooLong("This is more than 64 KiB."), TooSlow()])
async def test_a_body_out_of_bounds_is_refused_and_not_logged(
    error: LoopwireError, caplog: pytest.LogCaptureFixture
) -> None:
    async def receive() -> Any:
        raise error

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    nothing: Any = SimpleNamespace()
    rooms: Any = Rooms()
    poll = LongPoll(rooms, nothing, nothing, nothing, LogPosition(0, 0, ""), seconds=3600, respond=respond)
    with caplog.at_level(logging.INFO):
        await poll({"type": "http"}, receive, send)
    assert sent[0]["status"] == error.status
    assert caplog.records == []
