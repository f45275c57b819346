"""The conversation as the HTML sockets of a room see it: one transcript, drawn once per event and language."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Protocol

from server.bus import Entry
from server.html.live_text import LiveTexts, TextAdded, TextChange
from server.html.page import with_feedback
from server.protocol.envelope import Fragment, Snapshot
from server.protocol.event_kinds import OlderMessage, kind_of
from server.protocol.events import Event, messages_snapshot
from server.protocol.messages import is_of_path
from server.protocol.transcript import Transcript
from server.rooms.frames import EventFrames
from server.runs import RunCommands
from server.runs.conversation.snapshots import SHOWN
from server.store import SessionOwner

MESSAGES = 2 * SHOWN
"""Messages from which a run's first event is drawn, however many the room has seen."""

log = logging.getLogger(__name__)


class FragmentRenderer(Protocol):
    """Draws fragments; the renderer of the pages implements it."""

    async def prepare(self, transcript: Transcript, language: str) -> None:
        """Do most of the work of drawing a whole transcript, in turns of the loop."""

    def text_fragment(self, change: TextChange | TextAdded, language: str) -> Fragment:
        """Draw what a piece changed in an open message."""

    def fragments(
        self, transcript: Transcript, event: Event, changed: Sequence[str], language: str, service: str = ""
    ) -> Fragment | None:
        """Draw what an event changed, after the transcript applied it; None when nothing is to be drawn."""


class RoomRenderer:
    """Draws a session. It is empty until a member wants HTML, then starts from a snapshot and follows all events."""

    def __init__(self, session: SessionOwner, runs: RunCommands, fragment_renderer: FragmentRenderer) -> None:
        self._session = session
        self._runs = runs
        self._fragment_renderer = fragment_renderer
        self._starting = asyncio.Lock()
        self._since: list[Entry] | None = None
        self.transcript: Transcript | None = None
        self._seq: int
        self._epoch: str
        """The position of the transcript, which is in the log with this epoch; set with it."""
        self._texts = LiveTexts()

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing to draw from."""
        return self.transcript is None

    def clear(self) -> None:
        """Forget the conversation: no reader wants it, or its position is lost."""
        self.transcript = None
        self._texts = LiveTexts()

    async def begin(self) -> Transcript:
        """Begin at the last delivered event, for members that have seen it and all events before it."""
        async with self._starting:
            while self.transcript is None:
                self._since = []
                try:
                    taken = await self._runs.snapshot(self._session.id)
                finally:
                    since, self._since = self._since, None
                self.transcript, self._seq, self._epoch = taken.transcript, taken.seq, taken.epoch
                for entry in since:
                    self.frames(entry)
            return self.transcript

    def frames(self, entry: Entry) -> EventFrames:
        """Fold an event, and give its frames, drawn if there is something to draw from.

        An event of another path clears the transcript; readers of HTML then get a snapshot, with its cursor and thumbs.
        """
        if self._since is not None:
            self._since.append(entry)
        transcript = self.transcript
        if transcript is None or entry.seq <= self._seq:
            return EventFrames(entry)
        if entry.seq != self._seq + 1 or _is_of_old(entry.event, transcript) or is_of_path(entry.event):
            self.clear()
            return EventFrames(entry)
        kind = kind_of(entry.event)
        if kind.begins_run:
            transcript.trim(MESSAGES)
        changed = transcript.apply(entry.event)
        self._seq, self._epoch = entry.seq, entry.epoch
        if not kind.drawn:
            return self._growth(entry, transcript)
        self._texts.forget(entry.event)
        return EventFrames(entry, lambda language: self._draw(transcript, entry.event, changed, language))

    def _growth(self, entry: Entry, transcript: Transcript) -> EventFrames:
        """Return the frames of a piece of text: the page appends it itself, unless a block ends with it."""
        try:
            change = self._texts.follow(transcript, entry.event)
        except Exception:
            # A fault of the drawing must not keep the text from any client.
            log.exception("following a text failed")
            change = None
        if change is None:  # The path of nearly every token.
            return EventFrames(entry, alike=True)
        return EventFrames(entry, lambda language: self._draw_growth(change, language))

    def _draw_growth(self, change: TextChange | TextAdded, language: str) -> Fragment | None:
        return _try_to_draw("a text", lambda: self._fragment_renderer.text_fragment(change, language))

    async def snapshot(self, language: str) -> Snapshot:
        """Return the last messages at the last delivered event, as events and as HTML, with the reader's thumbs."""
        feedback = await self._runs.feedback(self._session.id)
        await self._fragment_renderer.prepare(await self.begin(), language)
        whole = await self.begin()
        events = whole.snapshot_events(self._session.id, limit=SHOWN)
        shown = Transcript()
        for event in events:
            shown.apply(event)
        hidden = shown.messages and (whole.older or len(whole.messages) > len(shown.messages))
        shown.messages = with_feedback(shown.messages, feedback)
        drawn = self._draw(shown, messages_snapshot([]), [], language)
        return Snapshot(
            epoch=self._epoch,
            seq=self._seq,
            events=events,
            before=str(shown.messages[0]["id"]) if hidden else None,
            content=drawn.content if drawn else None,
            target=drawn.target if drawn else None,
            swap=drawn.swap if drawn else None,
        )

    def _draw(
        self, transcript: Transcript, event: Event, changed: Sequence[str], language: str
    ) -> Fragment | None:
        service = self._session.service
        return _try_to_draw(
            event["type"],
            lambda: self._fragment_renderer.fragments(transcript, event, changed, language, service),
        )


def _try_to_draw(what: str, draw: Callable[[], Fragment | None]) -> Fragment | None:
    """Draw; None when that failed."""
    try:
        return draw()
    except Exception:
        # Blocks and templates are an author's: a fault in one must not keep the event from any client.
        log.exception("drawing %s failed", what)
        return None


def _is_of_old(event: Event, transcript: Transcript) -> bool:
    """Return whether an event changes a message that is no longer here, though some page may show it."""
    return (
        transcript.older
        and kind_of(event).older is OlderMessage.CHANGED
        and transcript.message(event["messageId"]) is None
    )
