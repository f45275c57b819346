"""The frames of one event, each made at most once however many sockets get it."""

from collections.abc import Callable

from server.bus import Entry
from server.protocol.envelope import Fragment, durable

Draw = Callable[[str], Fragment | None]
"""Draws the event's fragment in a language."""


class Frames:
    """Plain, with the epoch, or with a fragment in one of the languages."""

    def __init__(self, entry: Entry, draw: Draw | None = None) -> None:
        """Make nothing yet."""
        self.entry = entry
        self._draw = draw
        self._made: dict[tuple[str | None, bool], bytes] = {}
        self._fragments: dict[str, Fragment | None] = {}

    def frame(self, *, html: str | None, with_epoch: bool) -> bytes:
        """Give the frame for a socket: `html` is the language of its fragments, None without."""
        fragment = self._fragment(html)
        key = (html if fragment else None, with_epoch)
        if key not in self._made:
            epoch = self.entry.epoch if with_epoch else None
            self._made[key] = durable(self.entry.seq, self.entry.json, epoch=epoch, fragment=fragment)
        return self._made[key]

    def _fragment(self, language: str | None) -> Fragment | None:
        if language is None or self._draw is None:
            return None
        if language not in self._fragments:
            self._fragments[language] = self._draw(language)
        return self._fragments[language]
