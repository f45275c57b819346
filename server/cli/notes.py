"""Notes for the operator beyond the log lines of each part."""

from pathlib import Path

from server.settings import Settings


def secret_note(settings: Settings) -> str | None:
    """Return the note that several processes need one secret; one alone may keep a secret of its own."""
    if settings.database_url is None or settings.redis_url is None or settings.secret_text is not None:
        return None
    return "set LOOPWIRE_SECRET to the same value in every process, or visitors are strangers to the others"


def open_note(settings: Settings) -> str | None:
    """Return the note that strangers can spend the tokens of a real model."""
    if settings.demo or not settings.open_requests:
        return None
    return "LOOPWIRE_OPEN_REQUESTS=1: anyone who reaches this server asks the model over REST, without a key"


def folder_trouble(settings: Settings, error: Exception) -> str | None:
    """Return the note that an error is about the data folder; None when it is not."""
    if not isinstance(error, OSError) or not error.filename:
        return None
    folder, about = settings.data_dir, Path(error.filename)
    if not about.is_relative_to(folder) and not folder.is_relative_to(about):
        return None
    return f"The data folder {folder} cannot be written ({error.strerror}): set LOOPWIRE_DATA_DIR to one that can."
