"""The conversations of an app as its operators see them, of all its visitors."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import and_, bindparam, case, exists, or_, select

from server import patterns
from server.errors import NotFound
from server.store.conversations.revocations import NOT_REVOKED
from server.store.conversations.sessions import SESSION_COLUMNS, session_of
from server.store.conversations.word_search import Searches, search_words, title_has
from server.store.engine.database import Database, StorePart
from server.store.rows import AppSession, Json, Session
from server.store.runs.interrupt_tables import interrupts
from server.store.tables import runs, sessions

_CURSOR = patterns.compile(r"([0-9]{1,15})-(ses_[A-Za-z0-9_]{1,48})\Z")


class AppSessions(StorePart):
    """Finds sessions by their app. It does not find those of a visitor who left."""

    def __init__(self, database: Database, searches: Searches) -> None:
        """The `searches` are those of operators."""
        super().__init__(database)
        self._searches = searches

    async def find(self, session_id: str, *apps: str) -> Session:
        """Return a session of these apps. Raises NotFound for another app's, as for one that does not exist."""
        found = await self._database.fetch(_ONE, {"this_session": session_id})
        if not found or found[0].app not in apps:
            raise NotFound
        return session_of(found[0])

    async def list_newest(
        self,
        app: str,
        limit: int,
        *,
        without: Collection[str] = (),
        before: str | None = None,
        words: str | None = None,
    ) -> list[AppSession]:
        """Return conversations with messages, the newest first, after a cursor; `without` some services.

        With `words` those whose title has each of them. Raises NotFound for a cursor that is none, RateLimited and
        Unavailable where too much is searched.
        """
        wanted = [sessions.c.app == app, sessions.c.service.not_in(list(without)), NOT_REVOKED, SAID]
        if before is not None:
            wanted.append(_after(before))
        searched = search_words(words)
        wanted += [title_has(each) for each in searched]
        query = _LISTED.where(*wanted).limit(limit)
        rows = await self._searches.fetch(f"app {app}", query, searched)
        return [_line(row._mapping) for row in rows]


_ONE = select(*SESSION_COLUMNS).where(sessions.c.id == bindparam("this_session"), NOT_REVOKED)

SAID = exists().where(runs.c.session_id == sessions.c.id)
LIVE = exists().where(runs.c.session_id == sessions.c.id, runs.c.status.in_(["queued", "running"]))
WAITS = exists().where(interrupts.c.session_id == sessions.c.id, interrupts.c.status == "open")

_LISTED = select(
    sessions.c.id,
    sessions.c.title,
    sessions.c.service,
    sessions.c.language,
    case((LIVE, "running"), (WAITS, "waits"), else_="idle").label("status"),
    sessions.c.operator,
    sessions.c.created_at,
    sessions.c.updated_at,
).order_by(sessions.c.updated_at.desc(), sessions.c.id.desc())


def _after(cursor: str) -> Any:
    found = _CURSOR.match(cursor)
    if found is None:
        raise NotFound("There is no such page.")
    at, id = int(found[1]), found[2]
    # The first condition is what the index is searched by.
    return and_(sessions.c.updated_at <= at, or_(sessions.c.updated_at < at, sessions.c.id < id))


def _line(row: Any) -> AppSession:
    operator = row["operator"]
    return AppSession(**{**row, "operator": None if operator is None else shown_operator(operator)})


def shown_operator(operator: Json) -> Json:
    """Return what readers get of the operator who has joined, which is not the key."""
    return {"name": operator["name"], "since": operator["since"]}
