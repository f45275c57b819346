"""What an operator should know although nothing is wrong."""

from server.settings import Settings


def secret_note(settings: Settings) -> str | None:
    """Several processes must sign alike; one alone may keep a secret of its own."""
    if settings.database_url is None or settings.redis_url is None or settings.secret_text is not None:
        return None
    return "set LOOPWIRE_SECRET to the same value in every process, or visitors are strangers to the others"
