"""`python -m tests.integration.runs.suspended FOLDER BUS [DATABASE]`: is suspended in the middle of many calls.

The process says one thing in one session for each way that a call may go on when its process does, and stops itself
while all those calls are under way. The folder gets the ids of the sessions, and what was really given.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call

from server.agents.context import ToolLedger
from server.agents.service import RunLimits
from server.agents.tools import ToolFailure, tool
from server.store.rows import LedgerEntry
from tests.integration.runs.instances import instance, open_store, rested
from tests.parts.wait import until_async
from tests.unit.agents.teams import Bench, Ctx

LEASE_S = 5
TIMEOUT_S = 3
"""What a call may take that hangs: it is over when the lease is."""

WAYS = ("returns", "refuses", "breaks", "thread", "before", "two", "hangs")
"""What becomes of a call: `before` has stored its intent and not begun, after `two` comes another one. The one that
hangs stops the process."""


def brain() -> ScriptedModel:
    """Return a model that makes the call that it was told to, and then says what it read of its results."""

    def answer(asked: Any) -> list[Any]:
        outputs = [each["output"] for each in asked.input if each.get("type") == "function_call_output"]
        if outputs:
            return [assistant_message(" | ".join(outputs))]
        (way,) = [each["content"] for each in asked.input if each.get("role") == "user"]
        made = [way, "second"] if way == "two" else [way]
        name = "hang" if way == "hangs" else "give"
        return [function_call(name, {"what": each}, call_id=each) for each in made]

    return ScriptedModel([ModelStep.respond(answer) for _ in range(99)])


class Standing(Bench):
    """Tools that really give, which can be read in a file; each call of the process that stands goes its way."""

    def __init__(self, folder: Path, *, stands: bool = False) -> None:
        """Write down what was given in this folder."""
        super().__init__(limits=RunLimits(parallel_tools=1))
        self.under_way: set[str] = set()
        self._given = folder / "given"
        self._goes_on = asyncio.Event()
        self._stands = stands

    def tools(self) -> list[Any]:
        """Return one that gives, and one that never answers."""

        @tool(effect="once", timeout_s=60)
        async def give(ctx: Ctx, what: str) -> dict[str, str]:
            """Give something away."""
            refuses = what == "refuses" and self._stands
            if not refuses:
                self._note(what)
            if what in WAYS and what != "before":
                await self.stand(what)
            if refuses:
                raise ToolFailure("There is none.", code="none")
            if what == "breaks":
                raise RuntimeError("the connection was reset")
            return {"given": what}

        @tool(effect="once", timeout_s=TIMEOUT_S)
        async def hang(ctx: Ctx, what: str) -> None:
            """Give something away, and never say so."""
            self._note(what)
            self.stop()
            await asyncio.Event().wait()

        return [give, hang]

    async def stand(self, what: str) -> None:
        """Stand in the middle of this call until the process has stood still."""
        if not self._stands:
            return
        self.under_way.add(what)
        await self._goes_on.wait()
        if what == "thread":
            await asyncio.to_thread(str)

    def stop(self) -> None:
        """Suspend the process until the test resumes it."""
        if self._stands:
            os.kill(os.getpid(), signal.SIGSTOP)
        self._goes_on.set()
        self._stands = False

    def _note(self, what: str) -> None:
        with self._given.open("a") as file:
            file.write(f"{what}\n")


class Intents:
    """A ledger whose answer to `before` comes when the process has stood still: the intent is stored."""

    def __init__(self, ledger: ToolLedger, bench: Standing) -> None:
        """Stand as the bench does."""
        self._ledger = ledger
        self._bench = bench

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    async def begin(self, run_id: str, call_id: str, *about: Any) -> LedgerEntry:
        """Note an intent."""
        entry: Any = await self._ledger.begin(run_id, call_id, *about)
        if call_id == "before":
            await self._bench.stand(call_id)
        return entry  # type: ignore[no-any-return]


async def main(folder: Path, bus_url: str, database_url: str | None = None) -> None:
    """Begin every way, and stay until a file asks to leave."""
    bench = Standing(folder, stands=True)
    async with open_store(database_url, folder) as store:
        store.ledger = Intents(store.ledger, bench)  # type: ignore[assignment]
        async with instance(store, bus_url, brain(), bench=bench, lease_s=LEASE_S, capacity=99) as here:
            sessions = {way: await here.session() for way in WAYS}
            (folder / "sessions").write_text(json.dumps({way: each.id for way, each in sessions.items()}))
            for way in WAYS[:-1]:
                await here.say(sessions[way], way)
            await until_async(lambda: len(bench.under_way) == len(WAYS) - 1, what="the calls")
            await here.say(sessions["hangs"], "hangs")
            await until_async((folder / "leave").exists, what="the test to let it leave")
            await rested(here)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
