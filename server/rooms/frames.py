"""The frames of one event, each made at most once however many readers get it, ready for the transport."""

from collections.abc import Callable

from server.bus import Entry
from server.protocol.envelope import Fragment, durable
from server.rooms.frame_writer import Framing, text_frame

Draw = Callable[[str], Fragment | None]
"""Draws the event's fragment in a language."""


class EventFrames:
    """Plain, with the epoch, or with a fragment in one of the languages."""

    __slots__ = ("_draw", "_fragments", "_made", "alike", "entry", "plain")

    def __init__(self, entry: Entry, draw: Draw | None = None, *, alike: bool = False) -> None:
        self.entry = entry
        self.alike = alike
        """Nothing is to be drawn: a reader of fragments gets the plain frame too."""
        self.plain = text_frame(durable(entry.seq, entry.json))
        self._draw = draw
        self._made: dict[tuple[str | None, bool, Framing], bytes] | None = None
        self._fragments: dict[str, Fragment | None] | None = None

    def frame(self, *, html: str | None, with_epoch: bool, framing: Framing = text_frame) -> bytes:
        """Return the frame for a reader: `html` is the language of its fragments, None without."""
        fragment = self._fragment(html)
        if fragment is None and not with_epoch and framing is text_frame:
            return self.plain
        if self._made is None:
            self._made = {}
        key = (html if fragment else None, with_epoch, framing)
        if key not in self._made:
            epoch = self.entry.epoch if with_epoch else None
            payload = durable(self.entry.seq, self.entry.json, epoch=epoch, fragment=fragment)
            self._made[key] = framing(payload, self.entry.epoch, self.entry.seq)
        return self._made[key]

    def is_drawn(self, html: str | None) -> bool:
        """Return whether a reader who wants fragments in this language, or none, gets one."""
        return self._fragment(html) is not None

    def _fragment(self, language: str | None) -> Fragment | None:
        if language is None or self._draw is None:
            return None
        if self._fragments is None:
            self._fragments = {}
        if language not in self._fragments:
            self._fragments[language] = self._draw(language)
        return self._fragments[language]
