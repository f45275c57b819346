"""The input and the result of a run, and the interface by which its events leave."""

import asyncio
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from server.agents.context import ToolLedger
from server.agents.run.history import Item, user_item
from server.agents.service import Service
from server.protocol.events import Event
from server.store.rows import Checkpoint, Interrupt, Run, Session

Outcome = Literal["success", "cancelled", "error", "interrupt"]


@dataclass(frozen=True)
class RunInput:
    """The input of a run, with everything the agents need to answer it."""

    run: Run
    session: Session
    service: Service
    history: list[Item]
    checkpoint: Checkpoint | None
    deadline_s: float
    pictures: dict[str, str] = field(default_factory=dict)
    """The pictures that the items name, as data URLs by their ids."""

    def items(self) -> list[Item]:
        """Return the input for a model: the conversation, the steps of the run so far, and its input."""
        done = self.checkpoint.items if self.checkpoint else []
        return [*self.history, *done, user_item(self.run.content)]


@dataclass
class Result:
    """The end of a run, and what the run adds. `items` begin with the user's and contain no torn calls."""

    outcome: Outcome
    code: str | None
    items: list[Item]
    agent: str | None
    usage: dict[str, Any] = field(default_factory=dict)
    """Token counts by their AG-UI names; empty when no model was asked."""
    interrupts: list[Interrupt] = field(default_factory=list)
    """The interrupts that the run waits for, when its outcome is `interrupt`."""
    resume: Checkpoint | None = None
    """The checkpoint that the run with their answers begins from."""
    state: dict[str, Any] = field(default_factory=dict)
    """The session state to store, with its private part."""
    response: dict[str, Any] | None = None
    """The response to a request."""


class Stop:
    """A stop flag. Like `asyncio.Event`, but it allocates nothing until a task waits for it."""

    __slots__ = ("_said", "_waiter")

    def __init__(self) -> None:
        self._said = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Set the flag, for good."""
        self._said = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def is_set(self) -> bool:
        """Return whether the flag is set."""
        return self._said

    def waiter(self) -> asyncio.Future[None]:
        """Return a future that is done once the flag is set; all callers share it, and none may cancel it."""
        if self._waiter is None:
            self._waiter = asyncio.get_running_loop().create_future()
            if self._said:
                self._waiter.set_result(None)
        return self._waiter


class Outlet(Protocol):
    """Takes a run's events, which it appends or publishes.

    All methods but `now_ms` may raise Fenced; then no event may follow.
    """

    @property
    def cancelled(self) -> Stop:
        """Set when the run must stop at once."""
        ...

    @property
    def is_over(self) -> bool:
        """Return whether the run may belong to another process by now, so that nothing that happens once may begin."""
        ...

    @property
    def ledger(self) -> ToolLedger:
        """Return the memory of `once` calls."""
        ...

    def append(self, event: Event) -> None:
        """Show a delta at once and write it to the log soon; it may be lost with this process."""
        ...

    async def publish(self, *given: Event) -> None:
        """Write these events to the log after everything before them, then show them; return when both are done."""
        ...

    async def checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store where a take-over continues. Raises Unavailable when the store refuses for too long."""
        ...

    async def wait_for_room(self) -> None:
        """Wait while too many events were appended or published that the log does not have yet."""
        ...

    def note_cost(self, usage: dict[str, Any]) -> None:
        """Take what the run has cost when it leaves the agents, however it does; names are AG-UI's."""
        ...

    def messages(self) -> list[dict[str, Any]]:
        """Return this run's messages as folded so far: what a checkpoint keeps."""
        ...

    def now_ms(self) -> int:
        """Return the time in milliseconds since the epoch."""
        ...
