"""Clients in JavaScript, each in a Node process of its own that tests/parts/clients/driver.mjs leads."""

from __future__ import annotations

import asyncio
import itertools
import json
from asyncio.subprocess import PIPE, Process
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.integration.clients.client import Json, Page, Shown, Words
from tests.parts.agui_client import LONGEST_LINE, NODE
from tests.parts.missing import skip_missing
from tests.parts.wait import PATIENCE_S

FOLDER = Path(__file__).parents[2] / "parts/clients"
AI_SDK = FOLDER.parent / "ai_sdk"


class NodeClient:
    """A client that is a module in a folder of tests/parts."""

    def __init__(self, module: Path, installed: Path) -> None:
        """Start nothing yet; `installed` is the folder of its package."""
        self._module = module
        self._installed = installed
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._process: Process | None = None

    async def open(self, page: Page) -> None:
        """Start the process and open its page."""
        if not self._installed.exists():
            is_large = self._installed.is_relative_to(FOLDER)
            skip_missing(self._module.stem, "make conformance" if is_large else "make parts")
        self._process = await asyncio.create_subprocess_exec(
            NODE, FOLDER / "driver.mjs", self._module, stdin=PIPE, stdout=PIPE, limit=LONGEST_LINE
        )
        self._reading = asyncio.create_task(self._read())
        options = {"url": f"{page.url}/agui/{page.service}", "threadId": str(uuid4()), "jar": page.jar}
        await self._do("open", **options, **({"tool": asdict(page.tool)} if page.tool else {}))

    async def say(self, text: str) -> None:
        """Say something; returns when it is answered."""
        await self._do("say", text=text)

    async def stop(self) -> None:
        """Press its button."""
        await self._do("stop")

    async def stop_elsewhere(self) -> None:
        """Press the button of a second tab."""
        await self._do("stopElsewhere")

    async def reload(self) -> None:
        """Open the page anew."""
        await self._do("reload")

    async def shows(self) -> Shown:
        """Look at what it shows."""
        shown = await self._do("shows")
        return Shown(
            said=words_of(shown["messages"]),
            blocks=[each["content"] for each in shown["blocks"]],
            state=shown["state"] or {},
            session=shown.get("session") or "",
            called=shown["called"],
            complaints=shown["complaints"],
        )

    async def aclose(self) -> None:
        """End the process."""
        if self._process is None:
            return
        self._process.kill()
        await self._process.wait()
        await self._reading

    async def _do(self, command: str, **fields: Any) -> Json:
        assert self._process is not None
        assert self._process.stdin is not None
        number = next(self._ids)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._process.stdin.write(json.dumps({"id": number, "do": command, **fields}).encode() + b"\n")
        return await asyncio.wait_for(self._waiting[number], PATIENCE_S)

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            told = json.loads(line)
            waiting = self._waiting.pop(told["id"])
            if waiting.done():
                continue
            if "failed" in told:
                waiting.set_exception(AssertionError(told["failed"]))
            else:
                waiting.set_result(told["done"])
        for each in self._waiting.values():
            each.cancel()


def words_of(messages: list[Json]) -> list[Words]:
    """Return the words of both sides; the content of a message is a text or a list of parts."""
    found: list[Words] = []
    for each in messages:
        if each["role"] not in {"user", "assistant"}:
            continue
        content = each.get("content") or []
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        found += [(each["role"], part["text"]) for part in parts if part["type"] == "text" and part["text"]]
    return found
