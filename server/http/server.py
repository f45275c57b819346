"""The server process around the application: hardened protocols, and a drain before it exits."""

import asyncio
import logging
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from types import FrameType
from typing import Any, cast

import uvicorn

from server import log as logs
from server.errors import CannotStart
from server.http.forwarded import Forwarded
from server.http.hardened import HardenedHttpProtocol
from server.http.hardened_socket import HardenedSocketProtocol
from server.limits import Limits
from server.protocol.commands import MAX_FRAME
from server.proxies import Proxies
from server.tasks import Tasks
from server.ws.frame_parser import FrameCounts

PING_S = 15
PONG_S = 20
GRACE_S = 3
"""After the drain, which has 25 s: a platform kills after 30."""

log = logging.getLogger(__name__)


def config(app: Any, *, host: str, port: int, trusted_proxies: str, limits: Limits) -> uvicorn.Config:
    """Configure uvicorn: no compression of sockets, no access log (ours has the ids), pings by the protocol."""
    return uvicorn.Config(
        Forwarded(app, Proxies.parse(trusted_proxies)),
        host=host,
        port=port,
        http=HardenedHttpProtocol,
        ws=cast(type[asyncio.Protocol], partial(HardenedSocketProtocol, counts=FrameCounts(limits))),
        ws_max_size=MAX_FRAME,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_S,
        ws_ping_timeout=PONG_S,
        timeout_graceful_shutdown=GRACE_S,
        proxy_headers=False,  # `Forwarded` reads these headers.
        access_log=False,
        log_config=None,
        server_header=False,
        lifespan="off",
    )


class Server(uvicorn.Server):
    """On the first SIGTERM or SIGINT it drains, then stops; on the second it stops at once."""

    _loop: asyncio.AbstractEventLoop

    def __init__(
        self, config: uvicorn.Config, drain: Callable[[], Awaitable[None]], open_at: Callable[[int], None]
    ) -> None:
        """`drain` closes all sockets and waits for what runs; `open_at` gets the port once it is open."""
        super().__init__(config)
        self._drain = drain
        self._open_at = open_at
        self._tasks = Tasks()
        self._asked = False

    async def serve(self, sockets: Any = None) -> None:
        """Serve until a signal or `should_exit` stops it; that is no failure."""
        noisy = logging.getLogger("uvicorn.error")
        noisy.setLevel(logging.WARNING)
        self._loop = asyncio.get_running_loop()
        repeats = logs.RepeatLimit(self._loop.call_later)
        limited = [logging.getLogger(each) for each in ("uvicorn.error", "asyncio")]
        for each in limited:
            each.addFilter(repeats)
        try:
            await super().serve(sockets)
            await self._tasks.aclose()
        finally:
            for each in limited:
                each.removeFilter(repeats)  # The filter uses the clock of this loop, which ends now.

    async def startup(self, sockets: Any = None) -> None:
        """Open the port, then call `open_at`."""
        noisy = logging.getLogger("uvicorn.error")
        noisy.setLevel(logging.CRITICAL)  # CannotStart below words a taken port better.
        try:
            await super().startup(sockets)
        except SystemExit as error:  # The parent class exits when the port is taken.
            raise CannotStart(
                f"Port {self.config.port} of {self.config.host} cannot be opened. Stop who has it, or set PORT."
            ) from error
        finally:
            noisy.setLevel(logging.WARNING)
        if self.started:
            self._expect_answers()
            self._open_at(int(self.servers[0].sockets[0].getsockname()[1]))

    def _expect_answers(self) -> None:
        """End a stream whose client acknowledges nothing, after the time in which a socket has to answer a ping.

        Said to the system once, for all connections to these sockets; only Linux knows how. By tcp(7) it also ends a
        reader whose buffers are full for so long, and we have less patience with that one.
        """
        for listener in (each for server in self.servers for each in server.sockets):
            if hasattr(socket, "TCP_USER_TIMEOUT") and listener.family in (socket.AF_INET, socket.AF_INET6):
                listener.setsockopt(
                    socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * (PING_S + PONG_S))
                )

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to leave. Runs between two instructions of the loop's thread, so it only rings."""
        if self._asked or not self.started:
            self.force_exit = self._asked
            super().handle_exit(sig, frame)
            self._captured_signals.clear()  # Otherwise uvicorn raises the signal again at its end.
            return
        # Set it here and not in the loop: the second signal may arrive before the loop runs.
        self._asked = True
        self._loop.call_soon_threadsafe(self._leave)

    def _leave(self) -> None:
        self._tasks.spawn(self._drain_and_stop(), name="drain")

    async def _drain_and_stop(self) -> None:
        log.info("draining: no new sockets, no new runs")
        try:
            await self._drain()
        finally:
            self.should_exit = True
