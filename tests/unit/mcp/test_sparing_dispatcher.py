"""A server's own requests: one with many values is refused before the library checks it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from mcp.shared.dispatcher import DispatchContext
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCRequest, JSONRPCResponse

from server.mcp.sparing_dispatcher import MOST_CHECKED, SparingDispatcher
from server.mcp.stdio import TOO_LARGE


@pytest.mark.parametrize("more", [0, 1])
async def test_a_request_of_the_server_with_too_many_values_is_not_checked(more: int) -> None:
    to_client, read = anyio.create_memory_object_stream[SessionMessage | Exception](1)
    write, from_client = anyio.create_memory_object_stream[SessionMessage](1)
    checked: list[str] = []

    async def check(_: DispatchContext[Any], method: str, __: Mapping[str, Any] | None) -> dict[str, Any]:
        checked.append(method)
        return {}

    async def ignore(*_: Any) -> None:
        """Take no notification."""

    params = {"messages": [{"role": "user", "content": [0] * (MOST_CHECKED - 5 + more)}], "maxTokens": 1}
    request = JSONRPCRequest(jsonrpc="2.0", id=1, method="sampling/createMessage", params=params)
    async with anyio.create_task_group() as tasks, to_client, from_client:
        tasks.start_soon(SparingDispatcher(read, write).run, check, ignore)
        await to_client.send(SessionMessage(request))
        answer = (await from_client.receive()).message
        tasks.cancel_scope.cancel()
    if more:
        assert isinstance(answer, JSONRPCError) and answer.error.code == TOO_LARGE
    else:
        assert isinstance(answer, JSONRPCResponse)
    assert checked == ["sampling/createMessage"] * (1 - more)
