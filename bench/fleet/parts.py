"""What two instances share while they are measured: a Valkey and a PostgreSQL, and how they are started."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit, urlunsplit

import asyncpg  # type: ignore[import-untyped]

from bench.fleet.dialects import ORIGIN
from bench.programs import RUNS_AT_ONCE, Program, start
from tests.parts import postgres, process
from tests.parts.redis import REDIS_SERVER, valkey_binary
from tests.parts.wait import until

PAIR = ("raw", "redis-py", "loopwire")
"""The floor, the plain way, and ours."""

_MODULES = {"raw": "bench.fleet.raw", "redis-py": "bench.fleet.plain"}


@dataclass(frozen=True)
class Shared:
    """The running parts."""

    redis_url: str
    redis: subprocess.Popen[bytes]
    database_url: str

    async def transactions(self) -> int:
        """Return how many transactions the database has done; told up to ten seconds late."""
        connection = await asyncpg.connect(self.database_url)
        try:
            return int(
                await connection.fetchval(
                    "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database WHERE datname = current_database()"
                )
            )
        finally:
            await connection.close()


@contextmanager
def shared(folder: str) -> Iterator[Shared]:
    """Start both, with a database of Loopwire's own."""
    binaries, server = postgres.binaries(), valkey_binary() or REDIS_SERVER
    if binaries is None or server is None:
        raise SystemExit("Two instances need PostgreSQL and a Valkey or Redis server: `make parts`.")
    place = Path(folder)
    argv = [str(server), "--port", "0", "--unixsocket", str(place / "redis.sock"), "--dir", folder]
    argv += ["--appendonly", "yes", "--save", "", "--daemonize", "no"]
    redis = process.start(argv, log=place / "redis.log")
    cluster = postgres.Cluster(binaries)
    try:
        cluster.start()
        until(cluster.answers, seconds=120, what="PostgreSQL to answer")
        until((place / "redis.sock").exists, seconds=60, what="Redis to listen")
        postgres.execute(cluster.url, "CREATE DATABASE bench TEMPLATE template0")
        database_url = urlunsplit(urlsplit(cluster.url)._replace(path="/bench"))
        yield Shared(f"unix://{place / 'redis.sock'}", redis, database_url)
    finally:
        cluster.close()
        process.stop(redis)


def instance(name: str, number: int, parts: Shared, base_url: str, folder: str, log: IO[bytes]) -> Program:
    """Start one instance of a pair."""
    common = {"OPENAI_BASE_URL": base_url, "REDIS_URL": parts.redis_url}
    if name != "loopwire":
        return start(["-m", _MODULES[name], "PORT"], common, path=None, log=log)
    settings = common | {
        "OPENAI_API_KEY": "k",
        "DATABASE_URL": parts.database_url,
        "LOOPWIRE_SECRET": "the same for both instances",
        "LOOPWIRE_ALLOWED_ORIGINS": ORIGIN,
        "LOOPWIRE_TRUSTED_PROXIES": "127.0.0.1",
        "LOOPWIRE_DATA_DIR": str(Path(folder, f"data-{number}")),
        "LOOPWIRE_SOCKETS_PER_SESSION": "64",
        "LOOPWIRE_RUNS_AT_ONCE": str(RUNS_AT_ONCE),
    }
    return start(["-m", "server", "web"], settings, path="/readyz", log=log)
