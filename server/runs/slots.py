"""The slots of this process: how many runs it executes at once, and the work that has to end before it may stop."""

import asyncio


class Slots:
    """Counts the work here: runs, each of which has a slot, and messages that are being stored, which have none."""

    def __init__(self) -> None:
        self._room = asyncio.Semaphore(0)
        self._busy = 0
        self.idle = asyncio.Event()
        self.idle.set()

    def open(self, capacity: int) -> None:
        """Make room for so many runs at once."""
        self._room = asyncio.Semaphore(capacity)

    @property
    def full(self) -> bool:
        """Return whether a run would have to wait for its slot."""
        return self._room.locked()

    async def enter(self) -> None:
        """Take a slot for one run."""
        await self._room.acquire()
        self.note_busy()

    def leave(self) -> None:
        """Give the slot back."""
        self._room.release()
        self.note_done()

    def note_busy(self) -> None:
        """Note that work has begun, with a slot or without."""
        self._busy += 1
        self.idle.clear()

    def note_done(self) -> None:
        """Note that such work is done."""
        self._busy -= 1
        if not self._busy:
            self.idle.set()
