"""The watch on the conversations of apps: one query a second for all operators here who have the inbox open."""

import asyncio
import logging
from collections.abc import Collection, Iterator
from contextlib import contextmanager

from server.store import Store
from server.tasks import FailureLog, Tasks, repeat

LOOK_S = 1.0

log = logging.getLogger(__name__)


class InboxWatch:
    """Acquired by `start`, released by `aclose`. It queries nothing while no operator listens."""

    def __init__(self, store: Store) -> None:
        self._inbox = store.inbox
        self._tasks = Tasks()
        self._listeners: dict[asyncio.Event, frozenset[str]] = {}
        self._known: dict[str, int] = {}

    def start(self) -> None:
        """Look from time to time."""
        failures = FailureLog(log, "looking for changed conversations", unavailable=logging.WARNING)
        self._tasks.spawn(repeat(self._look, every_s=LOOK_S, failures=failures), name="inbox watch")

    async def aclose(self) -> None:
        """Stop looking."""
        await self._tasks.aclose()

    @contextmanager
    def listen(self, apps: Collection[str]) -> Iterator[asyncio.Event]:
        """Yield an event that is set whenever a conversation of these apps has changed."""
        event = asyncio.Event()
        self._listeners[event] = frozenset(apps)
        try:
            yield event
        finally:
            del self._listeners[event]

    async def _look(self) -> None:
        apps = frozenset().union(*self._listeners.values())
        if not apps:
            return
        found = await self._inbox.newest_changes(apps)
        changed = {app for app, at in found.items() if self._known.get(app) != at}
        self._known = found
        for event, watched in self._listeners.items():
            if watched & changed:
                event.set()
