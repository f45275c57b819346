"""Conversations as their last finished run left them, in the memory of this process: the newest part of each."""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from server.protocol.messages import first_waiting
from server.protocol.order import whole_calls

MESSAGES = 100
"""Messages that a run and a snapshot begin with. A snapshot shows 50, and what one message and the runs that answer
its interrupts may say is fewer; what waits is kept however long ago it began."""

READ = 2 * MESSAGES
"""Messages that are read for a run: with what waits it may begin with more than the newest."""

ENTRY_BYTES = 1024
"""The bytes of a conversation besides its messages and items: the entry, its lists, its ids."""

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The shown messages and the model's history, up to the end of one run. It is never changed in place."""

    last_run: str | None
    messages: list[Json]
    history: list[Json] | None
    """The model's last items, one more than it may read where there are so many; None where they were not read."""
    older: bool
    """The conversation has messages before these."""
    bytes: int
    """Memory that it takes."""

    @classmethod
    def read(
        cls, last_run: str | None, messages: list[Json], history: list[Json] | None, *, older: bool
    ) -> Conversation:
        """Return a conversation as it was read: nothing of it is held elsewhere."""
        held = ENTRY_BYTES + sum(map(memory_of, messages)) + sum(map(memory_of, history or []))
        return cls(last_run, messages, history, older, held)

    @property
    def items(self) -> list[Json]:
        """Return the model's items, for a run: it has read what it continues."""
        assert self.history is not None  # noqa: S101
        return self.history

    def after(
        self, run_id: str, messages: list[Json], items: Sequence[Json], *, older: bool, most_items: int
    ) -> Conversation:
        """Return the same after one more run, which left these messages and added these items.

        What both have is not measured again, so that a run costs what it added.
        """
        first = whole_calls(messages, min(max(0, len(messages) - MESSAGES), first_waiting(messages)))
        shown, history = messages[first:], newest([*self.items, *items], most_items)
        held = self.bytes + _difference(self.messages, shown) + _difference(self.items, history)
        return Conversation(run_id, shown, history, older or first > 0, held)


class ConversationCache:
    """The conversations used last. The caller names the last run of the database: an older state is not returned."""

    def __init__(self, most_bytes: int) -> None:
        self._kept: OrderedDict[str, Conversation] = OrderedDict()
        self._most = most_bytes
        self.bytes = 0
        """Memory that all of them take."""

    def __len__(self) -> int:
        """Count them."""
        return len(self._kept)

    def __iter__(self) -> Iterator[Conversation]:
        """Walk over them, the one used last at the end."""
        return iter(self._kept.values())

    def __getitem__(self, session_id: str) -> Conversation:
        """Return the conversation of a session as it is kept. Raises KeyError when it is not."""
        return self._kept[session_id]

    def clear(self) -> None:
        """Forget them all; the database has them."""
        self._kept.clear()
        self.bytes = 0

    def get(self, session_id: str, last_run: str) -> Conversation | None:
        """Return the conversation as that run left it."""
        found = self._kept.get(session_id)
        if found is None or found.last_run != last_run:
            return None
        self._kept.move_to_end(session_id)
        return found

    def put(self, session_id: str, conversation: Conversation) -> None:
        """Keep this instead of what was kept before; those used longest ago go when all take too much."""
        before = self._kept.pop(session_id, None)
        self._kept[session_id] = conversation
        self.bytes += conversation.bytes - (before.bytes if before else 0)
        while self.bytes > self._most:
            self.bytes -= self._kept.popitem(last=False)[1].bytes


def newest(items: list[Json], most: int) -> list[Json]:
    """Return the last items, one more than a run may read: then it sees that there are older ones."""
    return items[-most - 1 :]


def memory_of(value: Any) -> int:
    """Return the bytes of a plain JSON value with all that it holds, but for keys, which are shared texts."""
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        return size + sum(map(memory_of, value.values()))
    if isinstance(value, list):
        return size + sum(map(memory_of, value))
    return size


def _difference(before: Sequence[Json], after: Sequence[Json]) -> int:
    """Return how many bytes more the second list's values take, where most are those of the first."""
    old, new = {id(each) for each in before}, {id(each) for each in after}
    more = sum(memory_of(each) for each in after if id(each) not in old)
    return more - sum(memory_of(each) for each in before if id(each) not in new)
