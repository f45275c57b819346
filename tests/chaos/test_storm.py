"""A slice of the fault suite: half a minute of faults on two web and two worker processes, and nothing is broken."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys

import pytest

from tests.parts.forking import NURSERY

_ALONE = ("--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh")


def _in_a_network_of_its_own(command: list[str]) -> list[str]:
    """The storm makes and pulls network cables: a browser of another test would drop what it loads meanwhile."""
    unshare = shutil.which("unshare")
    if unshare is None or shutil.which("ip") is None:
        return command
    possible = subprocess.run([unshare, *_ALONE, "true"], capture_output=True, check=False).returncode == 0
    return [unshare, *_ALONE, *command] if possible else command


@pytest.mark.timeout(1500)
async def test_a_storm_of_faults_breaks_no_promise() -> None:
    command = _in_a_network_of_its_own([sys.executable, "-m", "tests.chaos", "--slice"])
    # The nursery of the other tests forks its servers in their network, from where no proxy of the storm is reached.
    environment = {name: value for name, value in os.environ.items() if name != NURSERY}
    storm = await asyncio.create_subprocess_exec(
        *command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env=environment,
    )
    told, _ = await storm.communicate()
    assert storm.returncode == 0, told.decode()
