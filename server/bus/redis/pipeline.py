"""The one connection for scripts and signals: commands are pipelined, answers are read in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from itertools import chain
from typing import Any, Protocol

import hiredis
from redis.asyncio import ConnectionPool, Redis
from redis.exceptions import ConnectionError as LinkError
from redis.exceptions import ResponseError

from server.bus.redis.drain_parser import beyond
from server.tasks import Tasks

Word = str | bytes | int | float

TURNS = 4
"""Turns of the loop after the end of a time limit in which an answer that has arrived is still read.

A process that stood still beyond the limit finds both at once. The answer is read in the first turn, given to its
caller in the second, and the caller goes on in the third.
"""


class Caller(Protocol):
    """Sends a command and returns its answer."""

    async def call(self, *command: Word) -> Any:
        """Return the answer; raises RedisError, OSError or TimeoutError."""
        ...

    async def aclose(self) -> None:
        """Close the connection. Pending calls fail."""
        ...


class Pipeline:
    """Sends every command at most once. Connects when it is needed, and anew after any failure.

    The barriers of every run wait for this round trip, for which redis-py's client takes several times the CPU.
    redis-py still does what is hard: to connect (TLS, password, database) and to parse answers.
    """

    def __init__(self, pool: ConnectionPool, *, timeout_s: float) -> None:
        self._pool = pool
        self._timeout_s = timeout_s
        self._opening = asyncio.Lock()
        self._tasks = Tasks()
        self._line: _Line | None = None

    async def call(self, *command: Word) -> Any:
        """Return the answer. One that does not come in time ends the connection, unless others were answered meanwhile.

        Then the connection is slow. Later calls get their answers sooner over this connection than over a new one.
        """
        line = self._line
        answered = line.answered if line is not None else 0
        try:
            async with asyncio.timeout(None) as limit:
                timer = asyncio.get_running_loop().call_later(self._timeout_s, _end, limit, TURNS)
                try:
                    if line is None or not line.connected:
                        line = await self._open()
                        answered = line.answered
                    return await line.call(hiredis.pack_command(command))  # type: ignore[arg-type]  # Any tuple.
                finally:
                    timer.cancel()
        except TimeoutError:
            if line is not None and line.answered == answered:
                line.reading.cancel()
            raise

    async def aclose(self) -> None:
        """Close."""
        await self._tasks.aclose()
        if self._line is not None:  # The reader task was cancelled before its first step.
            await self._line.connection.disconnect(nowait=True)

    async def _open(self) -> _Line:
        async with self._opening:
            if self._line is None or not self._line.connected:
                connection: Any = self._pool.make_connection()  # type: ignore[no-untyped-call]
                try:
                    await connection.connect()
                except BaseException:
                    # A cancellation too would leave a socket that nothing else closes.
                    await connection.disconnect(nowait=True)
                    raise
                line = self._line = _Line(connection)
                line.reading = self._tasks.spawn(self._read(line), name="bus.link")
            return self._line

    async def _read(self, line: _Line) -> None:
        """Give each answer to the call that waits for it, until the connection ends."""
        try:
            await line.read()
        finally:
            line.fail_waiting()
            await line.connection.disconnect(nowait=True)


def _end(limit: asyncio.Timeout, turns: int) -> None:
    """End a time limit after so many turns of the loop."""
    loop = asyncio.get_running_loop()
    if turns:
        loop.call_soon(_end, limit, turns - 1)
        return
    with suppress(RuntimeError):  # It was left meanwhile.
        limit.reschedule(loop.time())


class _Line:
    """One connection, and the calls that wait for its answers, in the order of their commands."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.reading: asyncio.Task[None]
        self.answered = 0
        """The number of answers so far."""
        self._waiting: deque[asyncio.Future[Any]] = deque()

    @property
    def connected(self) -> bool:
        """Return whether the connection can be used. A lost one must not be used, since redis-py would connect it anew.

        Its reader is about to end with it, and nothing would close the new one.
        """
        return bool(self.connection.is_connected)

    async def call(self, packed: bytes) -> Any:
        """Send and wait."""
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        # The command is written before the first await, so the answers come in the order of the commands.
        await self.connection.send_packed_command(packed, check_health=False)
        return await answer

    async def read(self) -> None:
        """Read until there is no connection any more."""
        while True:
            try:
                found = await self.connection.read_response()
            except ResponseError as refused:
                found = refused
            except (LinkError, OSError):
                return
            for each in chain((found,), beyond(self.connection)):
                if isinstance(each, LinkError):
                    return
                self._answer(each)

    def _answer(self, found: Any) -> None:
        """Give the oldest command its answer."""
        self.answered += 1
        answer = self._waiting.popleft()
        if answer.done():  # The caller has given up.
            return
        if isinstance(found, Exception):
            answer.set_exception(found)
        else:
            answer.set_result(found)

    def fail_waiting(self) -> None:
        """Fail every command that waits for an answer."""
        while self._waiting:
            answer = self._waiting.popleft()
            if not answer.done():
                answer.set_exception(LinkError())
                answer.exception()  # Mark the exception as retrieved, since the caller may have given up.


class ClientPipeline:
    """The same by way of a client, for the stand-in without a server, which has no connection to hold."""

    def __init__(self, client: Redis) -> None:
        self._client = client

    async def call(self, *command: Word) -> Any:
        """Return the answer."""
        return await self._client.execute_command(*command)  # type: ignore[no-untyped-call]

    async def aclose(self) -> None:
        """Do nothing: this client opens no connection of its own."""
