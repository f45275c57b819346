"""The transport to an MCP server that is a program: one JSON message a line, bounded; other lines are ignored.

It takes the place of the library's own, which keeps a line of any length in memory and lets a server outlive us.
"""

import asyncio
import logging
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import ErrorData, JSONRPCError, jsonrpc_message_adapter

from server.mcp.flood_budget import LINE_COST, MOST_MESSAGE, Flood, FloodBudget
from server.mcp.message_values import MessageValues
from server.tasks import Tasks

SUPERVISOR = Path(__file__).with_name("supervisor.py")
CHUNK = 16 * 1024
LEAVE_S = 2.5
"""Seconds for the supervisor to end its server: those that it waits itself, and a little more."""

KILLED_S = 1.0
"""For the exit status of a process that was killed."""

TOO_LARGE = -32_999
"""Loopwire's code of the error that replaces an answer of more than 1 MiB, or of too many values."""

_ANSWER_TO = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,12})\s*,')
"""The head of an answer that names its request first; others that are too long are answered by the clock."""

_INHERITED = ("HOME", "LANG", "LOGNAME", "PATH", "TMPDIR", "USER")
"""The variables of this process's environment that every server gets: never a key."""

log = logging.getLogger(__name__)

Incoming = MemoryObjectSendStream[SessionMessage | Exception]
Outgoing = MemoryObjectReceiveStream[SessionMessage]
Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


def inherited_variables() -> tuple[str, ...]:
    """Return the names of the variables that every server gets."""
    return _INHERITED


@asynccontextmanager
async def open_program(
    command: list[str], environment: Mapping[str, str], budget: FloodBudget, on_end: Callable[[], None]
) -> AsyncIterator[Streams]:
    """Start a server and give the streams of its messages; `on_end` is called when it sends nothing more.

    On the way out the server is ended, with all that it started. Raises OSError where no process can be made.
    """
    life, ours = os.pipe()
    try:
        process = await _start(command, environment, life)
    except BaseException:
        # A cancellation too must close our end of the pipe.
        os.close(ours)
        raise
    finally:
        os.close(life)
    to_session, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, from_session = anyio.create_memory_object_stream[SessionMessage](0)
    tasks = Tasks()
    try:
        tasks.spawn(_read_lines(process, to_session, budget, on_end), name="mcp reads")
        tasks.spawn(_write_lines(process, from_session, on_end), name="mcp writes")
        yield read, write
    finally:
        try:
            await tasks.aclose()
        finally:
            for stream in (read, write, to_session, from_session):
                stream.close()
            os.close(ours)
            await _end(process)


async def _start(command: list[str], environment: Mapping[str, str], life: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", str(SUPERVISOR), str(life), *command),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environment),
        pass_fds=(life,),
        start_new_session=True,
        limit=CHUNK,
    )


async def _end(process: asyncio.subprocess.Process) -> None:
    """Wait for the supervisor, which ends the server now that its pipes are closed; kill the group when it does not."""
    assert process.stdin is not None and process.stdout is not None  # noqa: S101 - they are pipes
    process.stdin.close()
    try:
        async with asyncio.timeout(LEAVE_S):
            while await process.stdout.read(CHUNK):
                pass  # The transport reports the end of a pipe only while it reads.
            await process.wait()
    except TimeoutError:
        log.warning("an MCP server did not end in time, and is killed")
    finally:
        _kill(process)
        # A cancellation, or a daemon of the server that holds its output, leaves the pipes open.
        process._transport.close()  # type: ignore[attr-defined]  # asyncio has no public way to it.
        # Until its exit status is read, the process is a zombie.
        with suppress(TimeoutError):
            async with asyncio.timeout(KILLED_S):
                await process.wait()


def _kill(process: asyncio.subprocess.Process) -> None:
    """Kill the supervisor with its server, unless they have ended."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


async def _read_lines(
    process: asyncio.subprocess.Process, to_session: Incoming, budget: FloodBudget, on_end: Callable[[], None]
) -> None:
    """Pass on each message until the server closes its output, or sends too much."""
    output = process.stdout
    assert output is not None  # noqa: S101 - it was started with a pipe
    line, whole, values = bytearray(), True, MessageValues(budget)
    try:
        while chunk := await output.read(CHUNK):
            budget.spend(len(chunk))
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                budget.spend(LINE_COST)
                line += end
                if whole:
                    pass_on = _hand_on if values.are_few(bytes(line)) else _refuse
                    await pass_on(bytes(line), to_session)
                line, whole = bytearray(), True
            if whole:
                line += rest
            if len(line) > MOST_MESSAGE:
                await _refuse(bytes(line[:256]), to_session)
                line, whole = bytearray(), False
    except Flood as flood:
        log.warning("an MCP server sends too much: %s", flood)
        _kill(process)
    except (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        pass
    finally:
        to_session.close()
        on_end()


async def _hand_on(line: bytes, to_session: Incoming) -> None:
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except (ValueError, RecursionError):
        return  # Text that a server prints beside its messages.
    await to_session.send(SessionMessage(message))


async def _refuse(line: bytes, to_session: Incoming) -> None:
    """Answer a call whose result is too long in the server's place, where the head of the result has the call's id."""
    found = _ANSWER_TO.match(line)
    if found is not None:
        error = ErrorData(code=TOO_LARGE, message="too large")
        await to_session.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=int(found[1]), error=error)))


async def _write_lines(
    process: asyncio.subprocess.Process, from_session: Outgoing, on_end: Callable[[], None]
) -> None:
    pipe = process.stdin
    assert pipe is not None  # noqa: S101 - it was started with a pipe
    try:
        async for each in from_session:
            pipe.write(each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await pipe.drain()
    except (OSError, anyio.ClosedResourceError):
        on_end()
