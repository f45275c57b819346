"""Two operating-system processes: what one writes, the other's viewers get once and in order, and a kill shows."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from tests.contract.bus.viewer import Holder, Viewer
from tests.parts.wait import until_async

ROOT = Path(__file__).parents[3]
HOLDER = """
import asyncio, json, sys
from server.bus import Bus
from tests.contract.bus.viewer import Holder, Stored

async def main():
    url, session_id, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    bus = Bus(url)
    await bus.start()
    holder = await Holder.claim(bus, Stored(session_id))
    print(json.dumps(holder.writer.cursor.epoch), flush=True)
    for value in range(count):
        holder.append(value)
        if value % 7 == 0:
            await asyncio.sleep(0.002)
    await holder.publish(count)
    print("done", flush=True)
    await asyncio.to_thread(sys.stdin.readline)

asyncio.run(main())
"""


@pytest.fixture
async def elsewhere(valkey, stored):
    """Start a process that holds the session and streams; it ends with the test."""
    processes = []

    async def start(count: int):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", HOLDER, valkey.url, stored.session_id, str(count)),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        processes.append(process)
        stored.fence += 1
        return process, json.loads(await process.stdout.readline())

    yield start
    for process in processes:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_a_viewer_in_another_process_gets_everything_once_and_in_order(new_bus, stored, elsewhere):
    bus = await new_bus()
    viewer = await Viewer(bus, stored).open()
    process, _ = await elsewhere(3000)
    await viewer.sees(list(range(3001)))
    assert viewer.seen == list(range(1, 3002))
    assert viewer.snapshots == 1
    assert await process.stdout.readline() == b"done\n"


@pytest.mark.parametrize(
    ("ended", "revived"), [(signal.SIGKILL, None), (signal.SIGSTOP, signal.SIGCONT)], ids=["killed", "paused"]
)
async def test_a_killed_or_paused_holder_is_followed_by_another_and_changes_nothing_more(
    new_bus, stored, elsewhere, ended, revived
):
    bus = await new_bus()
    viewer = await Viewer(bus, stored).open()
    process, epoch = await elsewhere(100_000)
    await until_async(lambda: len(viewer.items) > 200)
    process.send_signal(ended)
    holder = await Holder.claim(bus, stored)
    said = list(holder.items)
    assert said == list(range(len(said)))
    await holder.publish(-1)
    if revived:
        process.send_signal(revived)
    holder.append(-2)
    await holder.publish(-3)
    await viewer.sees([*said, -1, -2, -3])
    assert viewer.snapshots == 1
    # A client that sat on the other process and saw more than it could write, and one that did not.
    assert await bus.reader.replay(stored.session_id, epoch, len(said) + 1) is None
    assert len(await bus.reader.replay(stored.session_id, epoch, len(said))) == 3
