"""Python at the AG-UI endpoint: httpx with httpx-sse carries what the models of ag-ui-protocol write and read."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any
from uuid import uuid4

import ag_ui.core as agui
import httpx
from httpx_sse import aconnect_sse
from jsonpatch import apply_patch
from pydantic import TypeAdapter

from tests.integration.clients.client import Json, Page, Shown
from tests.parts.wait import PATIENCE_S, until_async

EVENTS: TypeAdapter[Any] = TypeAdapter(agui.Event)


class AguiHttp:
    """A program at the AG-UI endpoint, which folds the few events that it shows."""

    async def open(self, page: Page) -> None:
        """Say nothing yet."""
        self._page, self._thread = page, str(uuid4())
        self._http = httpx.AsyncClient(base_url=page.url, timeout=PATIENCE_S)
        self._ours: Json = {}
        self._called: list[str] = []
        self._running: set[asyncio.Task[None]] = set()
        self._forget()

    async def say(self, text: str) -> None:
        """Say something, and run until no call of the page is open."""
        await until_async(lambda: not self._running, what="the run before")
        self._messages.append(agui.UserMessage(id=str(uuid4()), role="user", content=text))
        await self._begin()

    async def stop(self) -> None:
        """Post a stop."""
        path = f"/v1/sessions/{self._ours['session_id']}/commands"
        body = {"type": "cancel", "id": str(uuid4())}
        (await self._http.post(path, json=body, headers=self._credentials())).raise_for_status()

    async def reload(self) -> None:
        """Forget all but the thread, and the token where there are no cookies; a run that says nothing tells all."""
        await self._leave()
        self._forget()
        self._begin()

    async def shows(self) -> Shown:
        """Look at the fold."""
        talk = [each for each in self._messages if each.role in {"user", "assistant"} and each.content]
        activities = [each for each in self._messages if each.role == "activity"]
        return Shown(
            said=[(each.role, each.content) for each in talk],
            blocks=[each.content for each in activities if each.activity_type == "block"],
            state=self._state,
            session=self._ours.get("session_id", ""),
            called=self._called,
        )

    async def aclose(self) -> None:
        """Leave."""
        await self._leave()
        await self._http.aclose()

    def _forget(self) -> None:
        self._messages: list[Any] = []
        self._state: Json = {}

    def _begin(self) -> asyncio.Task[None]:
        """Run for a client that may leave: then nothing more of it is folded."""
        task = asyncio.create_task(self._run())
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _leave(self) -> None:
        for each in list(self._running):
            each.cancel()
            with suppress(asyncio.CancelledError):
                await each

    def _credentials(self) -> dict[str, str]:
        if self._page.jar or not self._ours:
            return {}
        return {"authorization": f"Bearer {self._ours['resume_token']}"}

    async def _run(self) -> None:
        tools = [agui.Tool(**self._page.tool.declared)] if self._page.tool else []
        body = agui.RunAgentInput(
            thread_id=self._thread,
            run_id=str(uuid4()),
            protocol_version="1.0",
            messages=self._messages,
            tools=tools,
            state={},
            context=[],
            forwarded_props={},
        )
        if not self._page.jar:
            self._http.cookies.clear()
        content = body.model_dump_json(by_alias=True, exclude_none=True)
        headers = {"content-type": "application/json", **self._credentials()}
        url = f"/agui/{self._page.service}"
        last: Any = None
        async with aconnect_sse(self._http, "POST", url, content=content, headers=headers) as stream:
            stream.response.raise_for_status()
            async for each in stream.aiter_sse():
                last = EVENTS.validate_json(each.data)
                self._take(last)
        assert isinstance(last, agui.RunFinishedEvent), last
        open_calls = getattr(last.outcome, "pending_tool_call_ids", None) or []
        for call in open_calls:
            assert self._page.tool is not None
            self._called.append(self._page.tool.declared["name"])
            result = agui.ToolMessage(
                id=str(uuid4()), role="tool", tool_call_id=call, content=self._page.tool.gives
            )
            self._messages.append(result)
        if open_calls:
            await self._run()

    def _take(self, event: Any) -> None:
        match event:
            case agui.RunStartedEvent():
                self._ours = event.metadata["loopwire"]
            case agui.MessagesSnapshotEvent():
                self._messages = list(event.messages)
            case agui.StateSnapshotEvent():
                self._state = event.snapshot
            case agui.StateDeltaEvent():
                self._state = patched(self._state, event.delta)
            case agui.TextMessageStartEvent():
                self._messages.append(
                    agui.AssistantMessage(id=event.message_id, role="assistant", content="")
                )
            case agui.TextMessageContentEvent():
                self._of(event.message_id).content += event.delta
            case agui.ActivitySnapshotEvent():
                fields = {
                    "id": event.message_id,
                    "activity_type": event.activity_type,
                    "content": event.content,
                }
                self._messages = [each for each in self._messages if each.id != event.message_id]
                self._messages.append(agui.ActivityMessage(role="activity", **fields))
            case agui.ActivityDeltaEvent():
                activity = self._of(event.message_id)
                activity.content = patched(activity.content, event.patch)

    def _of(self, id: str) -> Any:
        return next(each for each in reversed(self._messages) if each.id == id)


def patched(document: Json, operations: list[Any]) -> Json:
    """Return a document after the operations of JSON Patch, which the models of ag-ui-protocol parse."""
    found: Json = apply_patch(document, [each.model_dump(by_alias=True) for each in operations])
    return found
