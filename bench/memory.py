"""Memory of a socket: the growth of the server over many, which all stay open so that nothing is used twice."""

import asyncio
from collections.abc import Awaitable

from bench import figures
from bench.target import SETTLE_S, Asked, Target, ask_all

COME_AND_GO = 50
IDLE, STREAMING = 1000, 100
TOKENS, RATE, STARTS_S = 40, 10, 3.0
LOOK_S = 0.05


async def memory(target: Target) -> None:
    """Sockets that say nothing, the same with compression offered, and sockets while and after text streams."""
    tell = target.figures.tell
    await target.open(COME_AND_GO)
    await target.close()
    before = target.program.resident_bytes()
    await target.open(IDLE)
    idle = await _settled(target)
    tell(figures.IDLE, (idle - before) / IDLE / 1024)
    offering = await target.open(IDLE, deflate=True)
    offered = await _settled(target)
    tell(figures.IDLE_DEFLATE, (offered - idle) / IDLE / 1024)
    tell(figures.DEFLATED, sum(each.wire.deflates for each in offering))
    streaming = await target.open(STREAMING)
    peak, asked = await _peak(
        target, ask_all(target, streaming, f"tokens={TOKENS} rate={RATE}", within_s=STARTS_S)
    )
    tell(figures.STREAMING, (peak - offered) / STREAMING / 1024)
    tell(figures.STREAMED, (await _settled(target) - offered) / STREAMING / 1024)
    target.judge(asked, TOKENS)


async def _settled(target: Target) -> int:
    await asyncio.sleep(SETTLE_S)
    return target.program.resident_bytes()


async def _peak(target: Target, work: Awaitable[list[Asked]]) -> tuple[int, list[Asked]]:
    """Return the most memory that was seen while it worked."""
    doing = asyncio.ensure_future(work)
    peak = 0
    while not doing.done():
        peak = max(peak, target.program.resident_bytes())
        await asyncio.wait([doing], timeout=LOOK_S)
    return peak, await doing
