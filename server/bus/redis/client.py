"""The one way to Redis: redis-py with no hidden retries, short time limits and a bounded pool."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha1
from pathlib import Path
from typing import Any

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.driver_info import DriverInfo
from redis.exceptions import ConnectionError as LinkError
from redis.exceptions import NoScriptError, RedisError

from server.bus.log.entries import BusDown
from server.bus.redis.pipeline import Caller, ClientPipeline, Pipeline, Word
from server.errors import CannotStart

FAKE = "fake://"
"""The scheme of the stand-in without a server: one process only, nothing survives it."""

TIMEOUT_S = 1.0

DRIVER = DriverInfo()
"""The name and version that redis-py gives to Redis. Without it each connection reads them from the disk again."""

_fakes: dict[str, Any] = {}


def require_address(url: str) -> None:
    """Raise CannotStart for an address that no waiting would help. It is never quoted: it may hold a password."""
    try:
        if not url.startswith(FAKE):
            pool: Any = _single(url)
            pool.make_connection()
    except (ValueError, TypeError, RedisError) as error:
        scheme, _, rest = url.partition("://")
        if {"sentinel", "cluster"} & set(scheme.lower().split("+")) or "," in rest.rpartition("@")[2]:
            raise CannotStart(
                "REDIS_URL is one address (redis://, rediss:// or unix://). Addresses of Redis Sentinel or Cluster "
                "are not taken: failover belongs behind the address, in a managed service or a proxy."
            ) from error
        raise CannotStart("REDIS_URL is not an address such as redis://user:password@host:6379/0.") from error


def connect_subscriber(url: str) -> Redis:
    """Return a client for one subscribed connection: its reader has its own time limits."""
    if url.startswith(FAKE):
        return _fake(url)
    return Redis.from_pool(_single(url))


def connect_link(url: str) -> Caller:
    """Return a connection of its own for scripts and signals; every call ends within a second."""
    if url.startswith(FAKE):
        return ClientPipeline(_fake(url))
    return Pipeline(_single(url), timeout_s=TIMEOUT_S)


def _single(url: str) -> ConnectionPool:
    """Make the pool of one connection whose user has time limits of its own."""
    pool = ConnectionPool.from_url(
        url,
        socket_timeout=None,
        socket_connect_timeout=TIMEOUT_S,
        # No error is retried: redis-py would reconnect by itself, also while another task reconnects.
        retry=Retry(NoBackoff(), 0, supported_errors=()),
        protocol=2,
        driver_info=DRIVER,
    )
    return _with_link_errors(pool)


def _with_link_errors(pool: ConnectionPool) -> ConnectionPool:
    """Let a connection that was reset since its last use fail as every other does, and once.

    uvloop refuses to write to it with a RuntimeError, which redis-py hands on as it is: the holder of a run would
    take it for a bug of ours and leave the run to its lease. asyncio keeps the cause in a second future, which it logs
    as never retrieved when the garbage collector happens to finalize that future before the future's owner.
    """
    kind: Any = pool.connection_class

    class LinkErrorConnection(kind):  # type: ignore[misc]  # TCP, TLS or Unix, as the URL says.
        async def send_packed_command(self, *args: Any, **options: Any) -> None:
            try:
                await super().send_packed_command(*args, **options)
            except RuntimeError as exc:
                raise LinkError from exc

        async def disconnect(self, *args: Any, **options: Any) -> None:
            reader, writer = getattr(self, "_reader", None), getattr(self, "_writer", None)
            await super().disconnect(*args, **options)
            if reader is not None and writer is not None and reader.exception() is not None:
                with suppress(OSError):
                    await writer.wait_closed()  # At once: the connection is lost.

    pool.connection_class = LinkErrorConnection
    return pool


@contextmanager
def failures_as_down() -> Iterator[None]:
    """Turn whatever goes wrong between us and Redis into the one error that callers know.

    On Python 3.11 the client's `wait_for` loses a cancellation that comes with the reply: it is raised again here.
    """
    task: Any = asyncio.current_task()
    before = task.cancelling()
    try:
        yield
    except (RedisError, OSError, TimeoutError) as exc:
        raise BusDown from exc
    if task.cancelling() > before:
        raise asyncio.CancelledError


class Script:
    """A Lua script of this folder, run by its hash; it is sent again to a server that has forgotten it."""

    def __init__(self, link: Caller, name: str) -> None:
        self._link = link
        self._source = (Path(__file__).parents[1] / "lua" / f"{name}.lua").read_text()
        self._hash = sha1(self._source.encode(), usedforsecurity=False).hexdigest()

    async def __call__(self, keys: Sequence[Word], args: Sequence[Word]) -> Any:
        """Run it; raises BusDown."""
        with failures_as_down():
            try:
                return await self._link.call("EVALSHA", self._hash, len(keys), *keys, *args)
            except NoScriptError:
                return await self._link.call("EVAL", self._source, len(keys), *keys, *args)


def _fake(url: str) -> Redis:
    import fakeredis  # noqa: PLC0415 - opens an adapter by URL; no other process pays for its import.

    server = _fakes.setdefault(url, fakeredis.FakeServer())
    fake: Redis = fakeredis.FakeAsyncRedis(server=server, protocol=2)
    return fake
