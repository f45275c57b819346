"""A server that leaves sends its sockets away one after the other, few of them too."""

import asyncio
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from server.ws.connection import Connection
from server.ws.rooms import MOST_PAUSE_S
from tests.integration.ws.inside import inside


@pytest.mark.once
async def test_three_sockets_are_told_first_and_closed_one_after_the_other(
    tmp_path: Path, parts: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    was, moments = Connection.close, []

    def close(self: Connection, *how: Any) -> Any:
        if self._closing is None:
            moments.append(asyncio.get_running_loop().time())
        return was(self, *how)

    async with inside(tmp_path, **parts) as here:
        tickets = [await asyncio.to_thread(here.visitor.ticket) for _ in range(3)]
        talks = [await here.visitor.open(hello={"ticket": each["ticket"]}) for each in tickets]
        monkeypatch.setattr(Connection, "close", close)
        await here.web._rooms.drain()
        monkeypatch.undo()
        assert [await each.closed() for each in talks] == [1012] * 3
    assert len(moments) == 3
    assert all(after - before >= MOST_PAUSE_S * 0.99 for before, after in pairwise(moments))
    told = [each["after_ms"] for talk in talks for each in talk.frames if each.get("type") == "reconnect"]
    assert len(set(told)) == 3
