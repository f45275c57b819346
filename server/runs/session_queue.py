"""The queue of a session as its readers are shown it: the messages that wait behind the running answer."""

from contextlib import suppress

from server.bus import Bus
from server.errors import Unavailable
from server.protocol.envelope import Queue, QueueItem
from server.store import Store


class SessionQueue:
    """Reads the queues of sessions, and shows them to their readers."""

    def __init__(self, store: Store, bus: Bus) -> None:
        self._store = store
        self._bus = bus

    async def read(self, session_id: str) -> Queue:
        """Return the frame of what waits: empty, without a query, where Redis holds the proof."""
        if await self._bus.idle_proof.idle(session_id):
            return Queue(items=[])
        return await self._read_stored(session_id)

    async def show(self, session_id: str) -> None:
        """Show every socket of the session what waits; losing it is allowed, and no reason to fail what shows it."""
        with suppress(Unavailable):
            await self._bus.notify(session_id, (await self._read_stored(session_id)).encode())

    async def _read_stored(self, session_id: str) -> Queue:
        waiting = await self._store.runs.queue(session_id)
        return Queue(
            items=[
                QueueItem(run_id=one.run_id, message_id=one.message_id, id=one.client_id, text=one.text)
                for one in waiting
                if not one.cancel and one.text
            ]
        )
