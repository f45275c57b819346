"""The prefixes of conversations: what many tests say first is answered once, and the database after it is put back."""

from __future__ import annotations

import json
import pickle
import sqlite3
import weakref
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PAGE = 4096
"""Bytes of a page of SQLite's: a message changes few of them, and each is kept once."""

LOGGED = slice(18, 20)
"""Where a file says that it has a log beside it, which a database in memory cannot have."""

Pages = tuple[bytes, ...]


@dataclass(frozen=True)
class _Known:
    """What has come of a prefix, pickled, and the database after it."""

    told: bytes
    pages: Pages


class Prefixes:
    """Belongs to one database, which one visitor at a time has for themselves.

    The next one finds it as it was at first, unless somebody still holds the one before or has asked for the parts:
    then all is said in full until the test is over. What depends on more than the words said so far (a patch, another
    model, a picture) is left in this way.
    """

    def __init__(self, file: Path) -> None:
        self._file = sqlite3.connect(file)
        self._last: Pages = ()
        self._first = self._look()
        self._now: Pages | None = self._first
        """The pages of the database; None while it is written to, or may be."""
        self._due: Pages | None = None
        """The pages that it is to have before it is read or written."""
        self._known: dict[tuple[str, ...], _Known] = {}
        self._path: tuple[str, ...] | None = None
        self._is_left = False
        self._holder: weakref.ref[object] | None = None

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def begin_test(self) -> None:
        """Forget the visitors of the test before; the database is as it was at first."""
        self._is_left, self._holder = False, None
        self._path, self._due = None, self._first

    def leave(self) -> None:
        """Remember nothing more in this test: somebody else reads or writes."""
        self.settle()
        self._is_left, self._path, self._now = True, None, None

    def settle(self) -> None:
        """Let the database be as it was after what was said."""
        due, self._due = self._due, None
        if due is None or due is self._now:
            return
        whole = bytearray().join(due)
        whole[LOGGED] = b"\1\1"
        with closing(sqlite3.connect(":memory:")) as memory:
            memory.deserialize(whole)
            memory.backup(self._file)
        self._now = self._last = due

    def meet(self, *kind: object) -> Any:
        """Return what was kept of the first visitor of this kind, or None; a prefix begins."""
        if self._is_left or (self._holder and self._holder()):
            self.leave()
            return None
        self._path, self._due = (), self._first
        return self.recall(kind)

    def hold(self, visitor: object) -> None:
        """Take this one for the visitor whose prefix it is."""
        self._holder = weakref.ref(visitor)

    def recall(self, said: object) -> Any:
        """Return what has come of this where it was said before; else None, and the database is ready for it."""
        if self._path is None:
            return None
        self._path = (*self._path, json.dumps(said, sort_keys=True))
        if known := self._known.get(self._path):
            self._due = known.pages
            return pickle.loads(known.told)
        self.settle()
        self._now = None
        return None

    def keep(self, told: object) -> None:
        """Keep what has come of what was said last."""
        if self._path is not None:
            self._now = self._look()
            self._known[self._path] = _Known(pickle.dumps(told), self._now)

    def _look(self) -> Pages:
        """Return the pages of the database; one that is as it was before is the same object."""
        whole = memoryview(self._file.serialize())
        read = [whole[at : at + PAGE] for at in range(0, len(whole), PAGE)]
        last = (*self._last, *[b""] * (len(read) - len(self._last)))
        self._last = tuple(old if old == new else bytes(new) for old, new in zip(last, read, strict=False))
        return self._last
