"""A process that is suspended beyond its lease during calls: the end of the runs, and the effects of the calls."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from server.store import Store
from tests.integration.runs.instances import instance, open_store
from tests.integration.runs.suspended import LEASE_S, WAYS, Standing, brain
from tests.parts import process
from tests.parts.server import clean_environment, started
from tests.parts.wait import paced, until_async

LONG_LEASE_S = 60
"""The lease of the process that takes over. A busy machine must not take its runs away too."""

START_S = 180
"""A process starts, and begins all its calls, within this time even on a busy machine."""


class Stopped:
    """Another process over the same parts, which stands still in the middle of its calls."""

    def __init__(self, folder: Path, child: Any) -> None:
        """Read in this folder what it does."""
        self.folder = folder
        self._child = child

    def stands(self) -> bool:
        """Return whether it stands still."""
        assert self._child.poll() is None, self.log()
        return "\nState:\tT" in Path(f"/proc/{self._child.pid}/status").read_text()

    async def go_on(self) -> None:
        """Let it go on until it has seen that its time is over."""
        assert self.stands()
        os.kill(self._child.pid, signal.SIGCONT)
        await until_async(
            lambda: f"{len(WAYS)} leases not renewed in time" in self.log(), what="the lost leases"
        )

    async def leave(self) -> None:
        """Let it do what it has to, and end."""
        (self.folder / "leave").touch()
        await until_async(lambda: self._child.poll() is not None, what="the end of the process")
        assert self._child.poll() == 0, self.log()

    def sessions(self) -> dict[str, str]:
        """Return the id of the session of each way."""
        found: dict[str, str] = json.loads((self.folder / "sessions").read_text())
        return found

    def given(self) -> list[str]:
        """Return what was given away, by any process."""
        return sorted((self.folder / "given").read_text().split())

    def log(self) -> str:
        """Return what it has said."""
        return (self.folder / "log").read_text()


@contextmanager
def stopping(folder: Path, *where: str | None) -> Iterator[Stopped]:
    argv = ["tests.integration.runs.suspended", str(folder), *filter(None, where)]
    child = started(argv, log=folder / "log", env=clean_environment(), fresh=False)
    try:
        yield Stopped(folder, child)
    finally:
        process.kill_group(child)


async def stored_in(store: Store, sessions: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    """Return the messages of each way, when its run was ended well and told by another than the first attempt."""
    stored = {}
    for way, id in sessions.items():

        async def over(id: str = id) -> bool:
            return await store.runs.running(id) is None and not await store.runs.list_unpublished(0)

        await until_async(over, what=f"the end of {way}")
        stored[way] = (await store.messages.transcript(id)).messages
        run = await store.runs.get(stored[way][0]["metadata"]["loopwire"]["run_id"])
        assert (run.outcome, run.published, run.fence > 1) == ("success", True, True)
    return stored


def results(stored: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Return how each call ended, as people are told."""
    messages = [each for own in stored.values() for each in own if each["role"] == "tool"]
    return {each["toolCallId"]: each["metadata"]["loopwire"]["status"] for each in messages}


@pytest.mark.parametrize("column", ["configured"], indirect=True)
async def test_a_holder_that_comes_back_changes_nothing_of_what_the_next_attempt_did(
    tmp_path, live_url, durable_url
):
    async with open_store(durable_url, tmp_path) as store:
        with stopping(tmp_path, live_url, durable_url) as there:
            await until_async(there.stands, what="the process to stand still", seconds=START_S)
            sessions = there.sessions()
            async with instance(
                store, live_url, brain(), bench=Standing(tmp_path), lease_s=LONG_LEASE_S
            ) as here:
                screens = [await here.screen(await store.sessions.load(each)) for each in sessions.values()]
                before = await stored_in(store, sessions)
                assert there.stands()
                await there.go_on()
                await there.leave()
                assert await stored_in(store, sessions) == before
                assert results(before) == {**dict.fromkeys(WAYS, "unknown"), "second": "done"}
                assert there.given() == sorted({*WAYS, "second"} - {"refuses", "before"})
                assert [each.ends() for each in screens] == [1] * len(WAYS)
                for way in WAYS:
                    snapshot = await here.runs.snapshot(sessions[way])
                    assert snapshot.transcript.messages == before[way]


@pytest.mark.conformance
@pytest.mark.parametrize("column", ["embedded"], indirect=True)
async def test_a_lone_process_that_resumes_leaves_its_runs_to_its_next_attempt(
    tmp_path, live_url, durable_url
):
    with stopping(tmp_path, live_url, durable_url) as there:
        await until_async(there.stands, what="the process to stand still", seconds=START_S)
        await paced(LEASE_S)
        await there.go_on()
        await there.leave()
    async with open_store(durable_url, tmp_path) as store:
        stored = await stored_in(store, there.sessions())
    given = Counter(there.given())
    assert set(results(stored)) == {*WAYS, "second"}
    for call, status in results(stored).items():
        assert given[call] <= 1
        assert status in ("done", "unknown")
        assert status == "unknown" or given[call] == 1, "what is told as done was done"
