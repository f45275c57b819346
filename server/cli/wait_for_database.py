"""The wait of a starting process for a database that is not there yet, with the reason in the log."""

import asyncio
import logging
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlalchemy.exc import ArgumentError, ProgrammingError

from server.apps import App
from server.errors import CannotStart, Unavailable
from server.loopos.core import EmbeddedCore
from server.loopos.cores import Cores
from server.settings import Settings, environment_secret
from server.store import Store
from server.store.engine.database import OnWait, database_url
from server.tasks import Backoff, Tasks, retry

FIRST_PAUSE_S = 0.25
MOST_PAUSE_S = 5.0
BEHIND_S = 2.0
"""Tables that another process makes are waited for so long without a word: mostly they are done by then."""

SAY_AGAIN_S = 30.0
"""A reason that lasts as long is logged once more."""

_REFUSALS = {
    "28P01": "it refuses the password of DATABASE_URL",
    "28000": "it refuses the user of DATABASE_URL",
    "3D000": "it has no database of the name in DATABASE_URL",
    "53300": "it has no connection left for us (max_connections, or the limit of the user or database)",
    "57P03": "it is starting up or going down",
}
_MAY_NOT = "42501"

log = logging.getLogger(__name__)


def require_addresses(settings: Settings) -> None:
    """Raise CannotStart for an address of a part that no waiting would help."""
    require_database(settings)
    if settings.redis_url is not None:
        # Import the client only for a configured address: without one the page need not wait for it.
        import_module("server.bus").require_address(settings.redis_url)


def require_database(settings: Settings) -> None:
    """Raise CannotStart for a DATABASE_URL that is none."""
    try:
        database_url(settings.database_url, settings.data_dir)
    except (ArgumentError, ValueError) as error:
        # SQLAlchemy's message would quote the address with its password.
        raise CannotStart(
            "DATABASE_URL is not an address such as postgresql://user:password@host:5432/name."
        ) from error


@dataclass(frozen=True)
class Storage:
    """The storage of this process: the conversations in its database, and the LoopOS Cores."""

    store: Store
    cores: Cores

    @classmethod
    async def open(cls, settings: Settings, apps: Mapping[str, App], on_wait: OnWait) -> "Storage":
        """Migrate, read the catalog, and be ready. Raises what `Store.open` raises; `on_wait` is called as there."""
        store = await Store.open(
            settings.database_url,
            data_dir=settings.data_dir,
            on_wait=on_wait,
            limits=settings,
            secret=settings.secret,
            apps=apps,
        )
        try:
            embedded = await EmbeddedCore.open(store.database, store.webhooks)
            store.hand_overs.follow(embedded.hand_over)
            return cls(store, find_cores(embedded, apps))
        except BaseException:
            # A cancellation too must not leave the connections open.
            await store.aclose()
            raise

    async def aclose(self) -> None:
        """Close the connections."""
        await self.cores.aclose()
        await self.store.aclose()


def find_cores(embedded: EmbeddedCore, apps: Mapping[str, App]) -> Cores:
    """Make the Cores of the apps. Raises CannotStart when a token is missing."""
    if not any(app.cores for app in apps.values()):
        return Cores(embedded, apps)
    # Loaded for an address only: the page of a server without one does not wait for an HTTP client.
    found: Cores = import_module("server.loopos.remote.core_factory").open_cores(
        embedded, apps, environment_secret
    )
    return found


async def open_or_exit(settings: Settings, apps: Mapping[str, App]) -> Storage:
    """Open the storage of a process that is alone: what it cannot open ends it at once, with a sentence."""
    try:
        return await _open(settings, apps, _WaitLog())
    except Unavailable as error:
        raise CannotStart(f"The database cannot be opened: {reason_of(error)}.") from error


async def wait_for_storage(
    settings: Settings, apps: Mapping[str, App], leaving: asyncio.Task[Any]
) -> Storage | None:
    """Open the storage as soon as that is possible; None when `leaving` is done before.

    Raises CannotStart when no waiting would help.
    """
    tasks = Tasks()
    # The engine logs every try; this wait logs once.
    noisy = logging.getLogger("server.store.engine")
    noisy.setLevel(logging.ERROR)
    try:
        opening = tasks.spawn(_open_when_possible(settings, apps), name="wait for the database")
        both: set[asyncio.Task[Any]] = {opening, leaving}
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        if opening.done():
            return opening.result()
        return None
    finally:
        noisy.setLevel(logging.NOTSET)
        await tasks.aclose()


async def _open_when_possible(settings: Settings, apps: Mapping[str, App]) -> Storage:
    waiting = _WaitLog()
    storage = await retry(
        lambda: _open(settings, apps, waiting),
        Backoff(FIRST_PAUSE_S, MOST_PAUSE_S),
        on=Unavailable,
        on_failure=lambda error, _: waiting.log_reason(reason_of(error)),
    )
    waiting.log_answer()
    return storage


async def _open(settings: Settings, apps: Mapping[str, App], waiting: "_WaitLog") -> Storage:
    """Open the storage. Raises Unavailable when the database is not there, CannotStart when it never will be."""
    try:
        return await Storage.open(settings, apps, waiting.log_holder)
    except ProgrammingError as error:
        if _state_of(error) != _MAY_NOT:
            raise
        # PostgreSQL's message would quote our statement.
        raise CannotStart(
            "The user of DATABASE_URL may not make the tables: make it the owner of its database, "
            "or grant it CONNECT, and USAGE and CREATE on the schema."
        ) from error


class _WaitLog:
    """The log lines of a wait: each reason once, and once more when it persists."""

    def __init__(self) -> None:
        self._reason, self._said_at = "", 0.0
        self._behind_since = self._behind_at = 0.0

    def log_reason(self, reason: str, detail: str = "") -> None:
        """Wait for this, which a try has shown."""
        now = time.monotonic()
        if reason != self._reason or now - self._said_at >= SAY_AGAIN_S:
            log.warning("waiting for the database: %s%s", reason, detail)
            self._reason, self._said_at = reason, now

    def log_holder(self, holder: str) -> None:
        """Wait for another process, which makes the tables or rows, as PostgreSQL names it."""
        now = time.monotonic()
        if now - self._behind_at > BEHIND_S:  # This is a new wait.
            self._behind_since = now
        self._behind_at = now
        if now - self._behind_since >= BEHIND_S:
            self.log_reason("another process makes the tables", f" ({holder})")

    def log_answer(self) -> None:
        """Wait no longer."""
        if self._reason:
            log.info("the database answers")


def reason_of(error: BaseException) -> str:
    """Return why a database could not be opened, without a word of its own: those may quote what is secret."""
    cause: BaseException | None = error.__cause__
    refusal = _state_of(cause)
    if refusal in _REFUSALS:
        return _REFUSALS[refusal]
    if isinstance(cause, socket.gaierror):
        return "the host of DATABASE_URL is not known"
    if isinstance(cause, ConnectionRefusedError):
        return "nobody listens at DATABASE_URL"
    return "it does not answer in time"


def _state_of(error: BaseException | None) -> str:
    """Return PostgreSQL's SQLSTATE; empty when the error is none of its."""
    return getattr(getattr(error, "orig", None), "sqlstate", None) or ""
