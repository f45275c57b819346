"""The outage of the database: `unavailable` for each caller, and a bounded number of log lines."""

import logging
import math
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from server.errors import Unavailable

SAY_AGAIN_S = 30.0
"""Seconds between two log lines about the same outage."""

_OF_VALUES = {"22", "54"}
"""The classes of PostgreSQL's errors in which a value is refused: it does not fit its type, or is beyond a limit."""

log = logging.getLogger(__name__)


class Outage:
    """One per database: every statement runs inside `errors_as_unavailable`.

    An outage is logged when it begins, every 30 s while it lasts, and when it is over. A short failure, such
    as a row that another session locks, is logged each time.
    """

    def __init__(self) -> None:
        self.writes_fail = False
        """The last write failed, and none has gone well since."""
        self._reads_fail = False
        """The last read failed."""
        self._since, self._logged_at, self._is_logged = 0.0, -math.inf, False

    @asynccontextmanager
    async def errors_as_unavailable(self, *, writes: bool = False) -> AsyncIterator[None]:
        """Make `unavailable` of a database that is away, too slow or locked; a bug of ours stays one."""
        try:
            yield
        except (IntegrityError, ProgrammingError, DataError):
            raise
        except (DBAPIError, PoolTimeout, ConnectionError, TimeoutError, OSError) as error:
            cause = error.orig if isinstance(error, DBAPIError) else error
            # SQLAlchemy has no class for what asyncpg raises of a value.
            if str(getattr(cause, "sqlstate", None))[:2] in _OF_VALUES:
                raise
            if getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
                raise Unavailable(retry_after=1.0) from error  # It took too long, and the database is there.
            self._note_failure(cause, writes=writes)
            raise Unavailable(retry_after=1.0) from error
        self._note_success(writes=writes)

    def _note_failure(self, cause: BaseException | None, *, writes: bool) -> None:
        now = time.monotonic()
        if not self.writes_fail and not self._reads_fail:
            self._since = now
        if writes:
            self.writes_fail = True
        else:
            self._reads_fail = True
        due = now - self._logged_at >= SAY_AGAIN_S
        if due:
            self._logged_at, self._is_logged = now, True
        log.log(
            logging.WARNING if due else logging.DEBUG,
            "database unavailable: %s",
            type(cause).__name__,
            exc_info=log.isEnabledFor(logging.DEBUG),
        )

    def _note_success(self, *, writes: bool) -> None:
        self._reads_fail = False
        # A successful read does not end the refusal of writes.
        self.writes_fail = self.writes_fail and not writes
        if self._is_logged and not self.writes_fail:
            self._is_logged = False
            log.warning("the database answers again, after %.0f s", time.monotonic() - self._since)
