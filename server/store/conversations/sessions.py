"""Conversations: their owners, their titles, and the aliases by which callers name them."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Executable, Row, and_, bindparam, case, exists, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server.errors import NotFound
from server.identity import USER_PREFIX
from server.limits import Limits
from server.protocol.ids import new_id
from server.store.conversations.budgets import FORGET_USAGE
from server.store.conversations.person_calls import call_person
from server.store.conversations.revocations import NOT_REVOKED, refusal
from server.store.conversations.word_search import AT_ONCE, Searches, search_words, session_has
from server.store.engine.batched_reads import BatchedReads
from server.store.engine.clock import now_ms
from server.store.engine.database import Database, StorePart, every, exactly, one
from server.store.rows import Json, Session, Summary, UnstoredSession
from server.store.tables import aliases, revoked, runs, sessions
from server.store.webhooks import Webhooks

SESSION_COLUMNS = [sessions.c[name] for name in Session.__dataclass_fields__]


def session_of(row: Row[Any]) -> Session:
    """Return the row of `SESSION_COLUMNS` as a session."""
    return Session(**row._mapping)


def insert_session(connection: Connection, new: UnstoredSession) -> None:
    """Store a new conversation, in the transaction of its first run."""
    values = {
        "id": new.id,
        "app": new.app,
        "principal": new.principal,
        "service": new.service,
        "language": new.language,
        "state": {},
        "context": new.context,
    }
    connection.execute(_NEW, values)


_NEW = sessions.insert().values(created_at=now_ms(), updated_at=now_ms())

_SAID = exists().where(runs.c.session_id == sessions.c.id)
_LIVE = exists().where(runs.c.session_id == sessions.c.id, runs.c.status.in_(["queued", "running"]))
_SUMMARIES = (
    select(
        sessions.c.id,
        sessions.c.title,
        sessions.c.service,
        sessions.c.status,
        sessions.c.updated_at,
        _LIVE.label("live"),
        sessions.c.state["reference"].as_string().label("reference"),
        sessions.c.state["price"].as_string().label("price"),
    )
    .where(_SAID)
    .order_by(sessions.c.updated_at.desc(), sessions.c.id.desc())
)


class Sessions(StorePart):
    """Every reading by a principal answers NotFound for another's session, as for one that does not exist."""

    def __init__(self, database: Database, webhooks: Webhooks, limits: Limits) -> None:
        super().__init__(database)
        self._webhooks = webhooks
        self._own = BatchedReads(self._find_owned)
        self._any = BatchedReads(self._load)
        self._searches = Searches(database, AT_ONCE, limits.searches_per_visitor)

    async def create(
        self,
        *,
        app: str,
        principal: str,
        service: str,
        language: str,
        alias: str | None = None,
        context: Json | None = None,
        said: Json | None = None,
        callback_url: str | None = None,
        request: bool = False,
    ) -> Session:
        """Return a new session; with an alias that exists already, the session that has it, and its new callback URL.

        `said` are the keys of the context that the caller gave: a known session gets these, and keeps its others. One
        of a `request` is no event.
        """
        values = {"app": app, "principal": principal, "service": service}
        async with self._database.write() as connection:
            if alias is not None:
                known = await one(connection, _by_alias(app, principal, service, alias))
                if known is not None:
                    return await _with_news(connection, session_of(known), said or {}, callback_url)
            state: Json = {"language": language, "state": {}, "context": {**(context or {}), **(said or {})}}
            state["callback_url"] = callback_url
            new = sessions.insert().values(
                id=new_id("ses"), created_at=now_ms(), updated_at=now_ms(), **values, **state
            )
            session = session_of(await exactly(connection, new.returning(*SESSION_COLUMNS)))
            if alias is None:
                return await connection.run_sync(_tell_new, self._webhooks, session, request)
            naming = self._database.insert(aliases).values(alias=alias, session_id=session.id, **values)
            named = naming.on_conflict_do_nothing().returning(aliases.c.session_id)
            if await one(connection, named) is not None:
                return await connection.run_sync(_tell_new, self._webhooks, session, request)
            # Another process has taken the alias meanwhile: delete our session and use the other one.
            await connection.execute(sessions.delete().where(sessions.c.id == session.id))
            return session_of(await exactly(connection, _by_alias(app, principal, service, alias)))

    async def get(self, session_id: str, principal: str) -> Session:
        """Return the principal's own session. Raises Unauthorized when the principal was revoked."""
        session = await self._own.get(session_id)
        if session is None or session.principal != principal:
            raise await self._database.run_read(lambda connection: refusal(connection, principal, session_id))
        return session

    async def aclose(self) -> None:
        """Ask no more."""
        await self._own.aclose()
        await self._any.aclose()

    async def _find_owned(self, session_ids: list[str]) -> dict[str, Session]:
        """Find the sessions of those whose principals have not left."""
        return await self._find(_OWN, session_ids)

    async def _load(self, session_ids: list[str]) -> dict[str, Session]:
        return await self._find(_ANY, session_ids)

    async def _find(self, query: Executable, session_ids: list[str]) -> dict[str, Session]:
        rows = await self._database.fetch(query, {"these_sessions": session_ids})
        return {row.id: session_of(row) for row in rows}

    async def delete(self, session_id: str, principal: str) -> None:
        """Delete the principal's own session with its messages; its items stay.

        A process that works on it is fenced off: there is no run any more that could end.
        What it cost today stays counted.
        """
        async with self._database.write() as connection:
            own = and_(sessions.c.id == session_id, sessions.c.principal == principal)
            deleted = await one(connection, sessions.delete().where(own).returning(sessions.c.app))
            if deleted is None:
                raise NotFound
            await connection.execute(FORGET_USAGE, {"of_app": deleted.app, "of_principal": principal})
            noting = self._database.insert(revoked).values(subject=session_id, revoked_at=now_ms())
            await connection.execute(noting.on_conflict_do_nothing())
            await connection.run_sync(self._webhooks.write, deleted.app, "session.deleted", session_id)

    async def reached_seqs(self, session_ids: Sequence[str]) -> dict[str, int]:
        """Return the seq that the log of each session reaches when all that is stored and published is in it.

        A session that is gone has none.
        """
        asked = {"these_sessions": list(session_ids)}
        return {row.id: row.reached for row in await self._database.fetch(_REACHED, asked)}

    async def call_person(self, session_id: str) -> bool:
        """Let a conversation wait for an operator of its app; false where the app has none."""
        calling = partial(call_person, session_id=session_id, webhooks=self._webhooks)
        return await self._database.run_write(calling)

    async def owner_of(self, session_id: str) -> str | None:
        """Return the principal of a conversation by now; None where it is gone."""
        found = await self._database.fetch(_OWNER, {"this_session": session_id})
        return str(found[0].principal) if found else None

    async def load(self, session_id: str) -> Session:
        """Return any session, for the server's own work."""
        session = await self._any.get(session_id)
        if session is None:
            raise NotFound
        return session

    async def by_alias(self, app: str, principal: str, service: str, alias: str) -> Session:
        """Return the session of a caller's alias."""
        found = await self._database.fetch(_by_alias(app, principal, service, alias))
        if not found:
            raise NotFound
        return session_of(found[0])

    async def list_summaries(
        self,
        app: str,
        principal: str,
        limit: int,
        before: str | None = None,
        *,
        words: str = "",
        service: str | None = None,
    ) -> list[Summary]:
        """Return the principal's conversations with messages, newest first, after the one called `before`.

        With `service` only those with it. With `words` those that have each of the first eight in the title or in one
        message. Raises RateLimited and Unavailable where too much is searched.
        """
        own = and_(sessions.c.app == app, sessions.c.principal == principal)
        if service is not None:
            own = and_(own, sessions.c.service == service)
        searched = search_words(words)
        query = _SUMMARIES.where(own, *map(session_has, searched)).limit(limit)

        def read(connection: Connection) -> list[Summary]:
            if before is None:
                return [_summary(row) for row in connection.execute(query)]
            last = connection.execute(
                select(sessions.c.updated_at).where(own, sessions.c.id == before)
            ).first()
            if last is None:
                raise NotFound
            older = and_(sessions.c.updated_at == last.updated_at, sessions.c.id < before)
            page = query.where(or_(sessions.c.updated_at < last.updated_at, older))
            return [_summary(row) for row in connection.execute(page)]

        if searched:
            return await self._searches.read(f"{app} {principal}", read)
        return await self._database.run_read(read)

    async def set_caller_name(self, session: Session, alias: str) -> bool:
        """Let a caller call its session by a name of its own; false when it or another session has one already."""
        key = {"app": session.app, "principal": session.principal, "service": session.service, "alias": alias}
        own = select(aliases.c.alias).where(
            aliases.c.session_id == session.id, aliases.c.service == session.service
        )
        async with self._database.read() as connection:
            # The alias usually exists: read first, without the write lock.
            names = await every(connection, own)
        if names:
            return alias in {row.alias for row in names}
        async with self._database.write() as connection:
            # One caller at a time: of two names given at once the second sees the first.
            await connection.execute(_LOCKED, {"this_session": session.id})
            names = await every(connection, own)
            if names:
                return alias in {row.alias for row in names}
            naming = self._database.insert(aliases).values(session_id=session.id, **key)
            named = naming.on_conflict_do_nothing().returning(aliases.c.session_id)
            return await one(connection, named) is not None

    async def title(self, session_id: str, title: str) -> None:
        """Call the conversation something else."""
        await self._change(session_id, title=title)

    async def set_language(self, session_id: str, language: str) -> None:
        """Change the session's language, for sockets that open or reconnect from now on."""
        await self._change(session_id, language=language)

    async def _change(self, session_id: str, **values: Any) -> None:
        async with self._database.write() as connection:
            changing = update(sessions).where(sessions.c.id == session_id).values(**values)
            if await one(connection, changing.returning(sessions.c.id)) is None:
                raise NotFound


_ANY = select(*SESSION_COLUMNS).where(sessions.c.id.in_(bindparam("these_sessions")))

_OWN = _ANY.where(NOT_REVOKED)

_LOCKED = select(sessions.c.id).where(sessions.c.id == bindparam("this_session")).with_for_update()

_OWNER = select(sessions.c.principal).where(sessions.c.id == bindparam("this_session"))

_UNPUBLISHED = exists().where(
    runs.c.session_id == sessions.c.id, runs.c.status == "finished", runs.c.published.is_(False)
)

_REACHED = select(
    sessions.c.id,
    # A published end has the seq after the stored ones.
    (sessions.c.last_seq + case((or_(sessions.c.last_run.is_(None), _UNPUBLISHED), 0), else_=1)).label(
        "reached"
    ),
).where(sessions.c.id.in_(bindparam("these_sessions")))


def _tell_new(connection: Connection, webhooks: Webhooks, session: Session, request: bool) -> Session:
    """Tell the app that a conversation has begun, unless it is of a request; return it."""
    if request:
        return session
    webhooks.write(
        connection,
        session.app,
        "session.created",
        session.id,
        service=session.service,
        language=session.language,
        identified=session.principal.startswith(USER_PREFIX),
    )
    return session


async def _with_news(
    connection: AsyncConnection, session: Session, said: Json, callback_url: str | None
) -> Session:
    """Return the session with the new values of its context and its URL; the others stay."""
    context, url = {**session.context, **said}, callback_url or session.callback_url
    if (context, url) == (session.context, session.callback_url):
        return session
    changing = update(sessions).where(sessions.c.id == session.id).values(context=context, callback_url=url)
    return session_of(await exactly(connection, changing.returning(*SESSION_COLUMNS)))


def _by_alias(app: str, principal: str, service: str, alias: str) -> Any:
    return (
        select(*SESSION_COLUMNS)
        .join(aliases, aliases.c.session_id == sessions.c.id)
        .where(
            aliases.c.app == app,
            aliases.c.principal == principal,
            aliases.c.service == service,
            aliases.c.alias == alias,
        )
    )


def _summary(row: Row[Any]) -> Summary:
    price = None if row.price is None else str(row.price)  # A service may keep a number.
    item = None if row.reference is None else {"reference": row.reference, "price": price}
    return Summary(
        id=row.id,
        title=row.title,
        service=row.service,
        status_line="running" if row.live else row.status,
        item=item,
        updated_at=row.updated_at,
    )
