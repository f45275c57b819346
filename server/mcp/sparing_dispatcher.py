"""The dispatcher of an MCP session: it counts the values of what the library checks against several models at once.

Those are the parts of a tool's answer, and the messages of a server's own request. Each value that fits none of the
models costs up to 15 µs in one turn of the event loop; the values of all else in a message cost a tenth of that.
"""

from collections.abc import Mapping
from typing import Any

import anyio.abc
from mcp.shared.dispatcher import CallOptions, DispatchContext, OnNotify, OnNotifyIntercept, OnRequest
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp.types import RequestId

from server.mcp.stdio import TOO_LARGE

MOST_CHECKED = 2_000
"""Members and elements of an answer beside its structured content, or of a request: six hundred texts have fewer."""

_UNCHECKED = "structuredContent"


class SparingDispatcher(JSONRPCDispatcher[TransportContext]):
    """Refuses an answer to a call, or a server's request, before the library checks too many values of it."""

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        *,
        _related_request_id: RequestId | None = None,
    ) -> dict[str, Any]:
        """Return the answer to a request. Raises MCPError as the library does, and for too many values."""
        answer = await super().send_raw_request(method, params, opts, _related_request_id=_related_request_id)
        if method == "tools/call":
            _refuse_many({name: its for name, its in answer.items() if name != _UNCHECKED})
        return answer

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Pass on what the server sends, until it sends no more."""

        async def judge(
            context: DispatchContext[TransportContext], method: str, params: Mapping[str, Any] | None
        ) -> dict[str, Any]:
            _refuse_many(params)
            return await on_request(context, method, params)

        await super().run(judge, on_notify, on_notify_intercept, task_status=task_status)


def _refuse_many(value: Any) -> None:
    """Raise MCPError for more members and elements, at any depth, than are checked."""
    count, left = 0, [value]
    while left:
        each = left.pop()
        if isinstance(each, Mapping):
            inner = list(each.values())
        elif isinstance(each, list):
            inner = each
        else:
            continue
        count += len(inner)
        if count > MOST_CHECKED:
            raise MCPError(code=TOO_LARGE, message="too large")
        left.extend(inner)
