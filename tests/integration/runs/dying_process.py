"""`python -m tests.integration.runs.dying_process FOLDER BUS SESSION INTERRUPT [DATABASE]`: answers and dies."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from agents.testing import ScriptedModel

from server.agents.tools import tool
from server.store import GivenAnswer
from tests.integration.runs.asking import Asking
from tests.integration.runs.instances import instance, open_store
from tests.integration.runs.test_take_over import LEASE_S
from tests.unit.agents.teams import Ctx


class DyingAsking(Asking):
    """`give` really gives, and nothing happens after it."""

    def __init__(self, folder: Path) -> None:
        """Write down what was given in this folder."""
        super().__init__()
        self._given = folder / "given"

    def tools(self) -> list[Any]:
        """Return the same tools, but that one."""

        @tool(effect="once", approval=lambda run, a: f"Give {a['what']}?", args=lambda a: {"what": a["what"]})
        async def give(ctx: Ctx, what: str) -> dict[str, str]:
            """Give something away."""
            with self._given.open("a") as file:
                file.write(json.dumps({"what": what}) + "\n")
            os.kill(os.getpid(), signal.SIGKILL)
            return {}

        return [*(each for each in super().tools() if each.name != "give"), give]


async def main(
    folder: Path, bus_url: str, session_id: str, interrupt_id: str, database_url: str | None = None
) -> None:
    """Answer, and wait for the end of this process."""
    nothing = ScriptedModel([])
    async with (
        open_store(database_url, folder) as store,
        instance(store, bus_url, nothing, bench=DyingAsking(folder), lease_s=LEASE_S) as here,
    ):
        session = await store.sessions.load(session_id)
        answer = GivenAnswer("resolved", {"approved": True}, interrupt_id=interrupt_id)
        await here.runs.resume(session, "yes", [answer], "en")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), *sys.argv[2:]))
