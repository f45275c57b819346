"""The two recoveries of an end: `publish_stored_end` for a committed one, `show_end_before_commit` for one that the
store refuses."""

from server.bus import Bus
from server.errors import InstanceLost
from server.protocol import events
from server.protocol.events import Event
from server.protocol.transcript import Transcript
from server.runs.conversation.paths import path_events
from server.runs.conversation.snapshots import JOINED
from server.runs.execution.ending import end_event, error_event, waiting_ids
from server.runs.execution.opening import start_event, transcript_before_agents
from server.store import Claim, RunWithoutInput, Store, UnpublishedEnd


async def show_end_before_commit(claim: Claim, bus: Bus) -> None:
    """Show the only end that a run can still come to, before it is committed: the store refuses that for now."""
    run, session = claim.run, claim.session
    writer = await bus.writer(
        session.id, fence=run.fence, floor=session.last_seq, reaches=session.published_seq
    )
    try:
        folded = await _read_log(bus, session.id, session.last_seq)
        if not _is_of(folded, run):
            folded = transcript_before_agents(run)
            await writer.publish(
                start_event(run), events.messages_snapshot(folded.messages, scope="run", attempt=run.attempt)
            )
        if folded.runs_on:
            end = error_event(run.id, InstanceLost.code, run.language)
            await writer.publish(*folded.close_events(), end)
    finally:
        await writer.aclose()


async def publish_stored_end(run: UnpublishedEnd, store: Store, bus: Bus) -> None:
    """Close what the log left open and append the end, under a fence of our own. Raises Fenced when another did."""
    fence = await store.runs.adopt(run.id, run.fence)
    session = await store.sessions.load(run.session_id)
    writer = await bus.writer(session.id, fence=fence, floor=session.last_seq)
    try:
        folded = await _read_log(bus, session.id, run.first_seq - 1)
        if not _is_of(folded, run):
            began = start_event(run)
            folded = Transcript.fold([began])  # What is stored has nothing open.
            await writer.publish(began, *await _stored_events(run, store))
        if folded.runs_on:
            waits = await store.interrupts.of_run(run.id)
            outcome = str(run.outcome)
            end = end_event(session.id, run.id, outcome, run.code, language=run.language, interrupts=waits)
            await writer.publish(*folded.close_events(waiting_ids(waits)), end)
        await store.runs.mark_published(run.id, fence)
    finally:
        await writer.aclose()


async def _read_log(bus: Bus, session_id: str, after: int) -> Transcript:
    """Return what the log of a session tells after a seq; nothing where it does not reach back."""
    entries = await bus.reader.read(session_id, after) or []
    return Transcript.fold(entry.event for entry in entries)


def _is_of(folded: Transcript, run: RunWithoutInput) -> bool:
    """Return whether these events begin this run."""
    return folded.run is not None and folded.run.id == run.id


async def _stored_events(run: UnpublishedEnd, store: Store) -> list[Event]:
    """Return the events of a run whose end is committed: its messages, or the new path if it left the active one."""
    if not run.changes_path:
        own = await store.messages.of_run(run.id)
        return [events.messages_snapshot(own, scope="run", attempt=run.attempt)]
    stored = await store.messages.transcript(run.session_id, JOINED)
    return path_events(Transcript.of(stored.messages, {}, older=stored.older), stored.state)
