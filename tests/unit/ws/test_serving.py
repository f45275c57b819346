"""What a server makes of the signals that tell it to leave."""

import asyncio
import signal
from typing import Any

from server.rates import Limits
from server.ws.serving import Server, config

WAIT_S = 60


async def test_two_signals_before_the_loop_runs_again_are_two() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Nobody asks."""

    async def drain() -> None:
        await asyncio.Event().wait()

    opened = asyncio.Event()
    server = Server(
        config(app, host="127.0.0.1", port=0, trusted_proxies="", limits=Limits()),
        drain,
        lambda port: opened.set(),
    )
    serving = asyncio.create_task(server.serve())
    await opened.wait()
    for _ in "ab":
        server.handle_exit(signal.SIGTERM, None)
    async with asyncio.timeout(WAIT_S):
        await serving
    assert server.force_exit
