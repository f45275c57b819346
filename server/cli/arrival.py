"""A database that is not there yet when a process of many starts: it is waited for, and the log says for what."""

import asyncio
import logging
import random
import socket
import time
from typing import Any

from server.errors import CannotStart, Unavailable
from server.settings import Settings
from server.store import Store
from server.store.database import database_url
from server.tasks import Tasks

FIRST_PAUSE_S = 0.25
MOST_PAUSE_S = 5.0
SAY_AGAIN_S = 30.0
"""What nobody mended by then is said once more."""

_REFUSALS = {
    "28P01": "it refuses the password of DATABASE_URL",
    "28000": "it refuses the user of DATABASE_URL",
    "3D000": "it has no database of the name in DATABASE_URL",
}

log = logging.getLogger(__name__)


def insist_on_address(settings: Settings) -> None:
    """Raise CannotStart for an address that no waiting would help."""
    try:
        database_url(settings.database_url, settings.data_dir)
    except Exception as error:
        # SQLAlchemy's own words would quote the address with its password.
        raise CannotStart(
            "DATABASE_URL is not an address such as postgresql://user:password@host:5432/name."
        ) from error


async def first_try(settings: Settings) -> Store:
    """Open the store. Raises Unavailable when the database is not there, CannotStart when it never will be."""
    insist_on_address(settings)
    return await Store.open(settings.database_url, data_dir=settings.data_dir)


async def opened_or_told(settings: Settings) -> Store:
    """Open the store of a process that is alone: what it cannot open, its operator hears at once."""
    try:
        return await first_try(settings)
    except Unavailable as error:
        raise CannotStart(f"The database cannot be opened: {reason_of(error)}.") from error


async def arrived(settings: Settings, leaving: asyncio.Task[Any]) -> Store | None:
    """Open the store as soon as that is possible; None when `leaving` is done before."""
    tasks = Tasks()
    # It says of every try what is said here once.
    noisy = logging.getLogger("server.store.database")
    noisy.setLevel(logging.ERROR)
    try:
        opening = tasks.spawn(_patiently(settings), name="wait for the database")
        both: set[asyncio.Task[Any]] = {opening, leaving}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if opening.done():
            return opening.result()
        return None
    finally:
        noisy.setLevel(logging.NOTSET)
        await tasks.aclose()


async def _patiently(settings: Settings) -> Store:
    pause, said, said_at = FIRST_PAUSE_S, "", 0.0
    while True:
        try:
            store = await first_try(settings)
        except Unavailable as error:
            reason, now = reason_of(error), time.monotonic()
            if reason != said or now - said_at >= SAY_AGAIN_S:
                log.warning("waiting for the database: %s", reason)
                said, said_at = reason, now
        else:
            if said:
                log.info("the database is there")
            return store
        await asyncio.sleep(pause * random.uniform(0.8, 1.2))  # noqa: S311 - spreads processes, no secret
        pause = min(pause * 2, MOST_PAUSE_S)


def reason_of(error: BaseException) -> str:
    """Say why a database could not be opened, without a word of its own: those may quote what is secret."""
    cause: BaseException | None = error.__cause__
    refusal = getattr(getattr(cause, "orig", None), "sqlstate", None)
    if refusal in _REFUSALS:
        return _REFUSALS[refusal]
    if isinstance(cause, socket.gaierror):
        return "the host of DATABASE_URL is not known"
    if isinstance(cause, ConnectionRefusedError):
        return "nobody listens at DATABASE_URL"
    return "it does not answer in time"
