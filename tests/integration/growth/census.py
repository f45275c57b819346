"""The census of live objects by type, so that growth has a name."""

import asyncio
import gc
from collections import Counter

OURS = ("server.", "uvicorn.", "websockets.", "redis.", "agents.", "_asyncio.")
PLAIN = {
    "builtins.coroutine",
    "builtins.generator",
    "builtins.async_generator",
    "builtins.frame",
    "collections.deque",
}


def census() -> Counter[str]:
    """Count what Loopwire, its libraries and the loop have alive after all garbage is gone; and the tasks.

    Not timers: asyncio keeps cancelled ones until their time has come.
    """
    gc.collect()
    names = (_name(each) for each in gc.get_objects())
    found = Counter(each for each in names if each.startswith(OURS) or each in PLAIN)
    found["tasks"] = len(asyncio.all_tasks())
    return found


def grown(before: Counter[str], after: Counter[str], *, by: int) -> dict[str, int]:
    """Return what has grown by so many or more."""
    return {name: count - before[name] for name, count in after.items() if count - before[name] >= by}


def _name(each: object) -> str:
    kind = type(each)
    return f"{kind.__module__}.{kind.__qualname__}"
