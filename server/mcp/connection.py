"""The connection to one MCP server: opened, watched, and opened again after a pause; a fault fails one call.

A server is trusted with nothing: it has a time limit for each step and a budget of bytes, and a fault of it ends the
connection at most. Each call checks again that the tool may be called.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from mcp.client import ClientSession, IncomingMessage
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import (
    CONNECTION_CLOSED,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    Implementation,
    ToolListChangedNotification,
)
from pydantic import ValidationError

from server import __version__
from server.agents.context import Json
from server.agents.run.tool_calls import AnsweredFailure, ToolFailure
from server.callbacks import Guard
from server.errors import Unavailable
from server.limits import Limits
from server.mcp.flood_budget import MOST_MESSAGE, FloodBudget
from server.mcp.listing import ListedTool, list_tools
from server.mcp.results import result_of, size_of
from server.mcp.shares import PrincipalShares
from server.mcp.sparing_dispatcher import SparingDispatcher
from server.mcp.stdio import TOO_LARGE, open_program
from server.mcp.web import open_client
from server.mcp_servers import McpServer
from server.tasks import Backoff, FailureLog, Tasks, happens_within, repeat

START_S = 60.0
"""Seconds for a server to start, to introduce itself and to list its tools; a program may first be downloaded."""

WAIT_S = 5.0
"""Seconds that a call waits for a server whose connection is being made."""

PROBE_S = 5.0
"""Seconds for the answer to a ping, after a call that was not answered in time."""

RETRY_FIRST_S, RETRY_MOST_S = 1.0, 60.0
STEADY_S = 60.0
"""Seconds after which a connection counts as steady: when it ends, the pauses begin with the shortest again."""

AT_ONCE = 16
"""Calls that one server works at; others wait. One principal has fewer of them (`PrincipalShares`)."""

REFUSED = "The tool refuses this call."

LIST_AGAIN_S = 5.0
"""Seconds between a server's notification that its tools have changed, and the next list."""

log = logging.getLogger(__name__)


class ServerConnection:
    """One server of one app. Acquired by `start`, released by `aclose`."""

    def __init__(
        self,
        label: str,
        config: McpServer,
        variables: Mapping[str, str],
        on_listed: Callable[[dict[str, ListedTool]], None],
        limits: Limits,
    ) -> None:
        """`label` is what the log calls it; `variables` are those of the environment that it may have."""
        self._label = label
        self._config = config
        self._variables = variables
        self._on_listed = on_listed
        self._tasks = Tasks()
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._shares = PrincipalShares(limits)
        self._session: ClientSession | None = None
        self._ready = asyncio.Event()
        self._over = asyncio.Event()
        """Set when the open connection cannot be used any more."""
        self._changed = asyncio.Event()
        self._probing = False

    @property
    def is_ready(self) -> bool:
        """Return whether a session with the server is open."""
        return self._session is not None

    def start(self) -> None:
        """Connect, and stay connected."""
        self._tasks.spawn(self._keep(), name=f"mcp {self._label}")

    async def aclose(self) -> None:
        """Disconnect; a server that is a program here is ended."""
        await self._tasks.aclose()

    async def wait_ready(self) -> bool:
        """Wait for the first list of tools, as long as a start may take; return whether the server has sent one."""
        await happens_within(self._ready, START_S)
        return self.is_ready

    async def call(self, tool: str, arguments: Json, principal: str) -> Json:
        """Call a tool for a principal and return what the model reads.

        Raises ToolFailure where the call was not sent, AnsweredFailure where the server refuses it or its answer
        cannot be read, and Unavailable where it is unknown whether the server has acted.
        """
        if tool not in self._config.tools:
            raise ToolFailure("There is no such tool.", code="unknown_tool")
        async with self._shares.turn(principal), self._slots:
            session = await self._wait_for_session()
            try:
                answer = await session.send_request(
                    CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments)),
                    CallToolResult,
                )
            except asyncio.CancelledError:
                self._suspect(session)
                raise
            except MCPError as error:
                if error.error.code == CONNECTION_CLOSED or session is not self._session:
                    self._suspect(session)
                    raise Unavailable from error
                too_large = error.error.code == TOO_LARGE
                self._shares.spend(principal, MOST_MESSAGE if too_large else 0)
                said = "The tool's answer is too large." if too_large else REFUSED
                raise AnsweredFailure(said, code="tool_error") from error
            except (ValidationError, RuntimeError) as error:
                raise AnsweredFailure(
                    "The tool gave no answer that can be read.", code="tool_error"
                ) from error
        self._shares.spend(principal, size_of(answer))
        return result_of(answer)

    async def _wait_for_session(self) -> ClientSession:
        await happens_within(self._ready, WAIT_S)
        if self._session is None:
            raise ToolFailure("This tool cannot be reached now. Go on without it.", code="unavailable")
        return self._session

    def _suspect(self, session: ClientSession) -> None:
        """Look whether the server still answers: a call was given up, or its answer broke off."""
        if not self._probing:
            self._probing = True
            self._tasks.spawn(self._probe(session), name=f"mcp {self._label} probe")

    async def _probe(self, session: ClientSession) -> None:
        try:
            async with asyncio.timeout(PROBE_S):
                await session.send_ping()
        except MCPError as error:
            if error.error.code == CONNECTION_CLOSED and session is self._session:
                self._lose()
        except (TimeoutError, ValidationError, RuntimeError):
            if session is self._session:
                log.warning("MCP server %s does not answer: connecting again", self._label)
                self._lose()
        finally:
            self._probing = False

    def _lose(self) -> None:
        """Retire the connection: no call takes it, and another one is opened."""
        self._session = None
        self._ready.clear()
        self._over.set()

    async def _keep(self) -> None:
        """Connect again and again, with longer pauses until a connection holds."""
        pauses = Backoff(RETRY_FIRST_S, RETRY_MOST_S)

        async def connect_once() -> None:
            began = time.monotonic()
            try:
                await self._connect()
                log.warning("MCP server %s is gone", self._label)
            finally:
                if time.monotonic() - began > STEADY_S:
                    pauses.reset()

        await repeat(connect_once, every_s=pauses.next_s, failures=_ServerFailures(log, self._label))

    async def _connect(self) -> None:
        """Connect once, and return when the connection is over. Raises what the transport raises."""
        self._over.clear()
        async with self._transport() as (read, write):
            session = ClientSession(
                dispatcher=SparingDispatcher(read, write),
                message_handler=self._receive,
                client_info=Implementation(name="loopwire", version=__version__),
            )
            async with session:
                try:
                    async with asyncio.timeout(START_S):
                        await session.initialize()
                        self._adopt(await list_tools(session, self._config.tools))
                    self._session = session
                    self._ready.set()
                    log.info("MCP server %s is connected", self._label)
                    await self._stay(session)
                finally:
                    self._lose()

    async def _stay(self, session: ClientSession) -> None:
        """Wait until the connection is over; list the tools again when the server says that they have changed."""
        listing = Tasks()
        try:
            listing.spawn(self._list_again(session), name=f"mcp {self._label} lists")
            await self._over.wait()
        finally:
            await listing.aclose()

    async def _list_again(self, session: ClientSession) -> None:
        while True:
            await self._changed.wait()
            await asyncio.sleep(LIST_AGAIN_S)
            self._changed.clear()
            try:
                async with asyncio.timeout(START_S):
                    self._adopt(await list_tools(session, self._config.tools))
            except (MCPError, TimeoutError, ValidationError, RuntimeError) as error:
                log.warning("MCP server %s does not list its tools: %s", self._label, _kind(error))

    def _adopt(self, listed: dict[str, ListedTool]) -> None:
        for tool in self._config.tools:
            if tool not in listed:
                log.warning("MCP server %s has no tool %s that can be offered", self._label, tool)
        self._on_listed(listed)

    async def _receive(self, message: IncomingMessage) -> None:
        if isinstance(message, ToolListChangedNotification):
            self._changed.set()

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[tuple[Any, Any]]:
        budget = FloodBudget()
        if self._config.command is not None:
            command = [self._config.command, *self._config.args]
            async with open_program(command, self._variables, budget, self._lose) as streams:
                yield streams
            return
        url = self._config.url or ""
        headers = {name: self._variables[variable] for name, variable in self._config.headers.items()}
        patience = self._config.timeout_s + PROBE_S
        client = open_client(_guard(self._config), budget, self._lose, headers, patience)
        async with (
            client,
            streamable_http_client(url, http_client=client, max_sse_event_size=MOST_MESSAGE) as streams,
        ):
            yield streams


class _ServerFailures(FailureLog):
    """Logs every failure of a server by its class alone: the text is the server's, and may quote what is secret."""

    def note(self, error: Exception) -> None:
        log.warning("MCP server %s cannot be used: %s", self._name, _kind(error))


def _guard(config: McpServer) -> Guard:
    """Return what lets connections through: to public addresses, or to the private one that the operator names."""
    parts = urlsplit(config.url or "")
    if not config.private:
        return Guard()
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return Guard({f"{host}:{parts.port or (443 if parts.scheme == 'https' else 80)}"})


def _kind(error: BaseException) -> str:
    """Return the classes of an error, and of those in a group: never their texts."""
    if isinstance(error, BaseExceptionGroup):
        return ", ".join(sorted({_kind(each) for each in error.exceptions}))
    return type(error).__name__
