"""The conversations of an operator's inbox: those that wait for a person first, then by their last change."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, case, func, literal, null, or_, select

from server.store.conversations.app_sessions import LIVE, SAID, WAITS, shown_operator
from server.store.conversations.revocations import NOT_REVOKED
from server.store.conversations.word_search import Searches, search_words, session_has
from server.store.engine.database import Database, StorePart
from server.store.rows import Json
from server.store.tables import messages, operator_reads, sessions

MOST_LAST = 200
"""Characters of the last line."""


@dataclass(frozen=True, slots=True)
class InboxLine:
    """One conversation; times are ms since the epoch."""

    id: str
    app: str
    title: str | None
    service: str
    status: str
    """running while a run waits or works, waits while something is asked of the visitor, else idle."""
    operator: Json | None
    """`{"name", "since"}` of the operator who has joined."""
    person_called_at: int | None
    """Since when the visitor waits for a person; None when it does not."""
    updated_at: int
    unread: bool
    last: str
    """The beginning of what was last said."""


class InboxLines(StorePart):
    """Lists conversations for one account, and stores which of them it has read."""

    def __init__(self, database: Database, searches: Searches) -> None:
        """The `searches` are those of operators."""
        super().__init__(database)
        self._searches = searches

    async def list_lines(
        self,
        account_id: str,
        apps: Collection[str],
        limit: int,
        *,
        without: Collection[str],
        words: str | None,
    ) -> list[InboxLine]:
        """Return conversations with messages of these apps, but those of some services; with `words` what has each.

        Raises RateLimited and Unavailable where too much is searched.
        """
        searched = search_words(words)
        wanted = [sessions.c.app.in_(list(apps)), sessions.c.service.not_in(list(without)), NOT_REVOKED, SAID]
        wanted += [session_has(each) for each in searched]
        read = and_(operator_reads.c.session_id == sessions.c.id, operator_reads.c.account_id == account_id)
        query = (
            select(*_COLUMNS, (sessions.c.last_seq > func.coalesce(operator_reads.c.seq, 0)).label("unread"))
            .select_from(sessions.outerjoin(operator_reads, read))
            .where(*wanted)
            .order_by(*_ORDER)
            .limit(limit)
        )
        rows = await self._searches.fetch(account_id, query, searched)
        return [_line(dict(row._mapping)) for row in rows]

    async def newest_changes(self, apps: Iterable[str]) -> dict[str, int]:
        """Return when a conversation of each app last changed."""
        query = select(sessions.c.app, func.max(sessions.c.updated_at).label("at"))
        wanted = query.where(sessions.c.app.in_(list(apps))).group_by(sessions.c.app)
        return {row.app: row.at for row in await self._database.fetch(wanted)}

    async def mark_read(self, account_id: str, session_id: str) -> None:
        """Note that an operator has read a conversation up to its stored end; of one that is gone nothing is stored.

        PostgreSQL waits for a deletion that is under way, so that no mark is left without its conversation.
        """
        read = select(literal(account_id), sessions.c.id, sessions.c.last_seq).where(
            sessions.c.id == session_id
        )
        adding = self._database.insert(operator_reads).from_select(
            ["account_id", "session_id", "seq"], read.with_for_update(key_share=True, read=True)
        )
        again = adding.on_conflict_do_update(
            index_elements=["account_id", "session_id"], set_={"seq": adding.excluded.seq}
        )
        await self._database.execute(again, {})


_text = messages.c.body["content"].as_string()

_LAST = (
    select(_text)
    .where(
        messages.c.session_id == sessions.c.id,
        messages.c.body["role"].as_string().in_(["user", "assistant"]),
        func.length(_text) > 0,
    )
    .order_by(messages.c.position.desc())
    .limit(1)
    .correlate(sessions)
    .scalar_subquery()
)

_COLUMNS: list[Any] = [
    sessions.c.id,
    sessions.c.app,
    sessions.c.title,
    sessions.c.service,
    case((LIVE, "running"), (WAITS, "waits"), else_="idle").label("status"),
    sessions.c.operator,
    sessions.c.person_called_at,
    sessions.c.updated_at,
    _LAST.label("last"),
]

_ORDER = (
    case((or_(sessions.c.person_called_at.is_(None), sessions.c.operator.is_not(null())), 1), else_=0),
    case((sessions.c.operator.is_(null()), sessions.c.person_called_at)),
    sessions.c.updated_at.desc(),
    sessions.c.id.desc(),
)


def _line(row: Mapping[str, Any]) -> InboxLine:
    operator = row["operator"]
    shown = None if operator is None else shown_operator(operator)
    last = " ".join((row["last"] or "")[: 2 * MOST_LAST].replace("**", "").split())[:MOST_LAST]
    return InboxLine(**{**row, "operator": shown, "unread": bool(row["unread"]), "last": last})
