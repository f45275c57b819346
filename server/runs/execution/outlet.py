"""The outlet of a run: it folds each event that it appends or publishes, so what is stored is what readers saw.

The lease's fence guards the checkpoints and the log. The tool ledger has no fence: its key is the call, and no call
with an effect begins once `is_over` is true. The content of references has none either: only an event names it.
"""

from typing import Any

from server.agents.context import ToolLedger
from server.agents.run.types import Stop
from server.bus import LogWriter
from server.protocol.events import Event
from server.protocol.transcript import Transcript
from server.runs.conversation.older_messages import as_change, may_change, recall
from server.runs.conversation.references import References, cut, is_large
from server.runs.crash_points import Point
from server.runs.execution.ending import now_ms
from server.runs.execution.lease import Lease
from server.store import Checkpoint, Claim, Store


class RunOutlet:
    """Gives the events of one claimed run to its transcript here and to the writer of the log."""

    def __init__(
        self, claim: Claim, store: Store, lease: Lease, writer: LogWriter, folded: Transcript, point: Point
    ) -> None:
        """Fold into `folded`, which begins with the messages that the run continues."""
        self.run = claim.run
        self.folded = folded
        self.writer = writer
        self.cost: dict[str, Any] = {}
        """The usage of the run when its agents ended."""
        self._store = store
        self._lease = lease
        self._point = point
        self._references = References(store, claim.session)
        self._postponed: list[Event] = []
        """Events appended as the agents were left, each of which may change an old message that is not read yet."""

    @property
    def cancelled(self) -> Stop:
        """Set when the run must stop at once."""
        return self._lease.cancelled

    @property
    def is_over(self) -> bool:
        """Return whether the run may belong to another process by now."""
        return self._lease.is_over

    @property
    def ledger(self) -> ToolLedger:
        """Return the tool ledger, for the runner."""
        return self._store.ledger

    def append(self, event: Event) -> None:
        """Show a delta at once; it reaches the log within the bus's window."""
        if may_change(event, self.folded):
            self._postponed.append(event)  # This method is synchronous and cannot wait for the read.
            return
        if is_large(event):
            event = cut(event)  # This method is synchronous and cannot wait for the store.
        self.folded.apply(event)
        self.writer.append(event)
        self._point(f"append.{event['type']}")

    async def publish(self, *given: Event) -> None:
        """Write events to the log before any reader sees them; a reference replaces content that is too large."""
        given = await self.recall(await self._references.within(given))
        await self.wait_until_published(given, self.begin_publishing(given))

    async def checkpoint(self, checkpoint: Checkpoint) -> None:
        """Store where a take-over continues, under the fence; insist while the lease lasts."""
        await self._lease.retry_while_held(
            lambda: self._store.runs.checkpoint(self.run.id, self.run.fence, checkpoint)
        )

    async def wait_for_room(self) -> None:
        """Wait while more than 1,024 events are not in the log yet; not while Redis is away."""
        await self.writer.wait_for_room()

    def note_cost(self, usage: dict[str, Any]) -> None:
        """Remember the usage of the run, for the case that the run never gets an end."""
        self.cost = usage

    def messages(self) -> list[dict[str, Any]]:
        """Return the messages this run made or changed: an answer folds the question of an earlier run."""
        revised = (self.folded.message(each) for each in self.folded.revised)
        own = self.folded.run_messages(self.run.id)
        return [*own, *(each for each in revised if each is not None)]

    def now_ms(self) -> int:
        """Return the time in milliseconds since the epoch, for the events' timestamps."""
        return now_ms()

    async def recall(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Read the old messages that these events change, and return the events as they are published."""
        session_id, bodies = self.run.session_id, self._store.messages.bodies
        await recall(
            events, self.folded, lambda ids: self._lease.retry_while_held(lambda: bodies(session_id, ids))
        )
        return tuple([as_change(each, self.folded) for each in events])

    def begin_publishing(self, given: tuple[Event, ...]) -> int:
        """Fold these events and hand them to the log without waiting; return the seq of the last."""
        for event in given:
            self.folded.apply(event)
        return self.writer.begin_publishing(*given)

    async def wait_until_published(self, given: tuple[Event, ...], last: int) -> None:
        """Wait until these events, the last of which has this seq, are in the log and shown."""
        await self.writer.wait_until_published(last)
        for event in given:
            self._point(f"publish.{event['type']}")

    async def publish_postponed(self) -> None:
        """Publish the events that had to wait until the messages that they change were read."""
        await self.publish(*self._postponed)
