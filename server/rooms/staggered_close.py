"""The staggered close of the readers of a draining server, so that they do not all reconnect at once."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import TypeVar

SPREAD_S = 3.0
"""Over this time a leaving server sends its sockets away."""

MOST_PAUSE_S = 0.5
"""Between two of them, when they are few; a lone one goes at once."""

T = TypeVar("T")


async def take_turns(readers: Sequence[T], spread_s: float = SPREAD_S) -> AsyncGenerator[T]:
    """Yield each reader when it is its turn to be sent away, the first at once."""
    clock, pause = asyncio.get_running_loop().time, min(spread_s / max(len(readers) - 1, 1), MOST_PAUSE_S)
    begun = clock()
    for place, reader in enumerate(readers):
        # Sleep until a fixed time for each: delays of single pauses would add up over thousands.
        await asyncio.sleep(max(begun + place * pause - clock(), 0))
        yield reader
