"""Tells an end that was committed by a holder which died before it could tell it; closes what nobody answered."""

import logging

from server.bus import Bus
from server.errors import Unavailable
from server.protocol import events
from server.protocol.transcript import Transcript
from server.runs.ending import end_event, kept_of
from server.runs.opening import started
from server.store import Run, Store

log = logging.getLogger(__name__)


MOST_ROUNDS = 20
"""Readings of what is due in one sweep: the rest waits for the next one, behind the ends that are to be told."""


async def expire_due(store: Store) -> bool:
    """Close the interrupts whose time is over; true when there are notes to tell it."""
    told = False
    left: set[str] = set()
    for _ in range(MOST_ROUNDS):
        due = await store.interrupts.due(left)
        for session_id in due:
            try:
                closed = await store.interrupts.expire(session_id) is not None
            except Unavailable:
                log.warning("expiry put off, database unavailable")
                return told
            except Exception:
                # It is due first the next time too: the others must not wait behind it for ever.
                log.exception("expiry failed", extra={"session_id": session_id})
                closed = False
            told |= closed
            if not closed:
                left.add(session_id)
        if not due:
            break
    return told


async def remove_old(store: Store) -> None:
    """Remove the files whose time is over, which could not be read any more, and the callbacks settled long ago."""
    for what, removing in (
        ("expired files", store.blobs.sweep),
        ("settled callbacks", store.callbacks.sweep),
    ):
        try:
            removed = await removing()
        except Unavailable:
            log.warning("%s stay, database unavailable", what)
            return
        except Exception:
            log.exception("%s stay", what)
            continue
        if removed:
            log.info("%d %s removed", removed, what)


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
                started(run),
                events.messages_snapshot(
                    await store.messages.of_run(run.id), scope="run", attempt=run.attempt
                ),
            )
        if folded.run is None or folded.run.status == "running":
            waits = await store.interrupts.of_run(run.id) if run.outcome == "interrupt" else []
            end = end_event(session.id, run.id, run.outcome or "error", run.code, interrupts=waits)
            await writer.commit(*folded.close_events(kept_of(waits)), end)
        await store.runs.told(run.id, fence)
    finally:
        await writer.aclose()
