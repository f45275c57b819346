"""The file modes of an installation: a note for each file that other users of the machine may open."""

import stat
from collections.abc import Iterator
from pathlib import Path

from server.settings import Settings
from server.store.engine.database import database_url

OTHERS = 0o077
"""The permissions of all users but the owner."""


def access_notes(settings: Settings) -> Iterator[str]:
    """Name the folder and the files of this installation that other users of the machine may open.

    A file that stands in a folder of ours needs no sentence of its own: without access to the folder it is closed too.
    """
    folder = settings.data_dir
    if _is_open(folder):
        yield (
            f"the data folder {folder} is open to other users of this machine (mode {_mode(folder):04o}): "
            f"run `chmod 700 {folder}`"
        )
    database = (
        Path(database_url(settings.database_url, folder).database or "") if _has_file(settings) else None
    )
    if database is None or database.parent.resolve() == folder.resolve() or not _is_open(database.parent):
        return
    for path in (database.with_name(database.name + suffix) for suffix in ("", "-wal", "-shm")):
        if _is_open(path):
            yield (
                f"the database {path} is open to other users of this machine (mode {_mode(path):04o}): "
                f"run `chmod 600 {path}`"
            )


def _has_file(settings: Settings) -> bool:
    return (settings.database_url or "").startswith("sqlite")


def _is_open(path: Path) -> bool:
    return bool(_mode(path) & OTHERS)


def _mode(path: Path) -> int:
    """Return the permissions; none where there is nothing, or where it may not be read."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0
