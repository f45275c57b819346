"""Tells an end that was committed by a holder which died before it could tell it."""

from server.bus import Bus
from server.protocol import events
from server.protocol.transcript import Transcript
from server.runs.ending import end_event
from server.store import Run, Store


async def tell_untold(run: Run, store: Store, bus: Bus) -> None:
    """Close what the log left open and append the end, under a fence of our own. Raises Fenced when another did."""
    fence = await store.runs.adopt(run.id, run.fence)
    session = await store.sessions.load(run.session_id)
    writer = await bus.writer(session.id, fence=fence, floor=session.last_seq)
    try:
        entries = await bus.read(session.id, max(0, run.first_seq - 1)) or []
        folded = Transcript.of([], {})
        for entry in entries:
            folded.apply(entry.event)
        if folded.run is None or folded.run.id != run.id:
            await writer.commit(
                events.run_started(session.id, run.id, attempt=run.attempt, kind=run.kind),
                events.messages_snapshot(
                    await store.messages.of_run(run.id), scope="run", attempt=run.attempt
                ),
            )
        if folded.run is None or folded.run.status == "running":
            await writer.commit(
                *folded.close_events(), end_event(session.id, run.id, run.outcome or "error", run.code)
            )
        await store.runs.told(run.id, fence)
    finally:
        await writer.aclose()
