"""A SQLite file belongs to one process: a second one is refused at its start."""

import sys
from pathlib import Path
from typing import IO

from server.errors import CannotStart

if sys.platform == "win32":
    import msvcrt

    def _take(file: IO[str]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _take(file: IO[str]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class DatabaseInUse(CannotStart):  # no suffix `Error`: the name says what is wrong
    """Another process serves from this SQLite file."""


class FileLock:
    """Held from `Store.open` to `Store.aclose`; the operating system releases it when the process dies."""

    def __init__(self, database: Path) -> None:
        """Take the lock of the database file at `path` at once. Raises DatabaseInUse."""
        database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = database.with_name(database.name + ".lock").open("a+")
        try:
            _take(self._file)
        except OSError as error:
            self._file.close()
            raise DatabaseInUse(
                f"Another Loopwire process is already using {database}. SQLite serves one process: stop the other one, "
                "choose another folder with LOOPWIRE_DATA_DIR, "
                "or set DATABASE_URL to a PostgreSQL database to run several."
            ) from error

    def release(self) -> None:
        """Let the next process in."""
        self._file.close()
