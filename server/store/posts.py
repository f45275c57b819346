"""Posts to apps: a table of what is due to be sent, claimed and settled by senders, and read by operators."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Delete,
    Select,
    Table,
    Update,
    and_,
    bindparam,
    delete,
    or_,
    select,
    update,
)

from server.store.engine.clock import now_ms
from server.store.engine.database import Database, DueQueue
from server.store.rows import Json

KEEP_S = 7 * 86_400
"""A post that was settled is kept so long, for an app that asks for its status."""


@dataclass(frozen=True, slots=True)
class Callback:
    """One post that is ours to make until its lease ends; `attempt` counts the claims and is its fence."""

    id: str
    session_id: str
    run_id: str
    app: str
    url: str
    body: str
    attempt: int
    trace_context: str | None = None
    """The span that the post continues."""
    orderer: str = ""
    """The principal whose conversation a callback is about, or whose browser a push is for; empty for events."""


@dataclass(frozen=True, slots=True)
class CallbackState:
    """The state of a post; `answer` is the last HTTP status, `due_at` ms since the epoch."""

    id: str
    app: str
    session_id: str
    status: str
    attempt: int
    answer: int | None
    due_at: int


ANSWER: BindParameter[int] = bindparam("its_answer")
_FREE: dict[str, Any] = {"owner": None, "lease_until": None}


class PostStatements:
    """The statements of senders and operators on the posts of a table."""

    def __init__(
        self, table: Table, taken: Sequence[str], conditions: Sequence[ColumnElement[bool]] = ()
    ) -> None:
        """The table has the columns of `callbacks` that these statements name; a claim returns the columns `taken`.

        What is due is looked for among what meets the `conditions`.
        """
        self._table = table
        self.posts = table.c
        self._mine = and_(
            table.c.id == bindparam("this"),
            table.c.attempt == bindparam("this_attempt"),
            table.c.status == "waiting",
        )
        self._claim = self._claiming(taken)
        self.due = self._due(conditions)
        self.release: Update = update(table).where(self._mine).values(**_FREE, attempt=table.c.attempt - 1)
        self.put_off = self._putting_off()
        self.settle = self._settling()
        self.sweep = self._sweeping()
        self.list = self._listing()
        self.replay: Update = (
            update(table)
            .where(table.c.status == "failed")
            .values(status="waiting", attempt=0, due_at=now_ms(), settled_at=None)
        )
        self.put_back: Update = (
            update(table)
            .where(self._mine)
            .values(**_FREE, attempt=table.c.attempt - 1, due_at=now_ms() + bindparam("wait_ms"))
        )

    def _due(self, conditions: Sequence[ColumnElement[bool]]) -> Select[Any]:
        # SQLite judges in this order, and reads the whole of a long body to find the lease behind it.
        posts = self.posts
        free = or_(posts.lease_until.is_(None), posts.lease_until < now_ms())
        waiting = select(posts.id).where(
            posts.status == "waiting", posts.due_at <= now_ms(), *conditions, free
        )
        return waiting.order_by(posts.due_at).limit(1)

    def _claiming(self, taken: Sequence[str]) -> Any:
        posts = self.posts
        values = {
            "owner": bindparam("new_owner"),
            "attempt": posts.attempt + 1,
            "lease_until": now_ms() + bindparam("lease_ms"),
        }
        claiming_one = update(self._table).where(posts.id == bindparam("this"))
        return claiming_one.values(**values).returning(*(posts[name] for name in taken))

    def _putting_off(self) -> Update:
        wait = now_ms() + bindparam("wait_ms")
        return update(self._table).where(self._mine).values(**_FREE, answer=ANSWER, due_at=wait)

    def _settling(self) -> Update:
        status: BindParameter[str] = bindparam("new_status")
        settled = {"status": status, "answer": ANSWER, "settled_at": now_ms()}
        return update(self._table).where(self._mine).values(**_FREE, **settled)

    def _sweeping(self) -> Delete:
        posts, long_ago = self.posts, now_ms() - KEEP_S * 1000
        # A settled post was due before, so the index on `due_at` finds it.
        settled = posts.status.in_(["delivered", "failed", "gone"])
        return delete(self._table).where(settled, posts.due_at <= long_ago, posts.settled_at <= long_ago)

    def _listing(self) -> Select[Any]:
        posts = self.posts
        found = select(*(posts[name] for name in CallbackState.__dataclass_fields__))
        status = posts.status == bindparam("its_status")
        most: BindParameter[int] = bindparam("most")
        return found.where(status).order_by(posts.due_at.desc()).limit(most)

    def take_due(self, connection: Connection, due: Select[Any], values: Json) -> Any:
        """Lock the one that is due longest, claim it, and return its row; None where nothing is due."""
        found = connection.execute(due.with_for_update(skip_locked=True)).first()
        if found is None:
            return None
        return connection.execute(self._claim, {"this": found.id, **values}).one()


class Posts(DueQueue):
    """An outbox. Time is the database's; the result of an older attempt's claim is ignored."""

    def __init__(self, database: Database, statements: PostStatements) -> None:
        super().__init__(database)
        self.statements = statements

    async def release(self, callback: Callback) -> None:
        """Give back a post that was not begun: it is due as it was, and this attempt does not count."""
        await self._database.execute(self.statements.release, claim_of(callback))

    async def put_back(self, callback: Callback, again_s: float) -> None:
        """Give back what could not be posted now: it is due after so many seconds, and this attempt does not count."""
        values = {**claim_of(callback), "wait_ms": int(again_s * 1000)}
        await self._database.execute(self.statements.put_back, values)

    async def note_delivered(self, callback: Callback, answer: int) -> None:
        """Record that the receiver took the post, with this HTTP status."""
        await self._settle(callback, "delivered", answer)

    async def note_failed(self, callback: Callback, answer: int | None, again_s: float | None) -> None:
        """Record that the receiver did not take the post: it is due again after so many seconds, or never."""
        if again_s is None:
            await self._settle(callback, "failed", answer)
            return
        values = {**claim_of(callback), "its_answer": answer, "wait_ms": int(again_s * 1000)}
        await self._database.execute(self.statements.put_off, values)

    async def list_states(self, status: str, most: int) -> list[CallbackState]:
        """Return the newest of those that are `waiting`, `delivered`, `failed` or `gone`, the newest first."""
        rows = await self._database.fetch(self.statements.list, {"its_status": status, "most": most})
        return [CallbackState(**row._mapping) for row in rows]

    async def replay(self, ids: Sequence[str] | None) -> list[str]:
        """Let posts that were given up be due again, with all their attempts; None is all of them.

        Returns the ids of those that are.
        """
        posts, replaying = self.statements.posts, self.statements.replay
        chosen = replaying if ids is None else replaying.where(posts.id.in_(ids))

        def replay_now(connection: Connection) -> list[str]:
            return list(connection.execute(chosen.returning(posts.id)).scalars())

        return await self._database.run_write(replay_now)

    async def sweep(self) -> int:
        """Remove what was settled a week ago; returns how many."""
        removing = self.statements.sweep
        return await self._database.run_write(lambda connection: connection.execute(removing).rowcount)

    async def _settle(self, callback: Callback, status: str, answer: int | None) -> None:
        values = {**claim_of(callback), "new_status": status, "its_answer": answer}
        await self._database.execute(self.statements.settle, values)


def claim_of(callback: Callback) -> Json:
    """Return what names the claim of a post in the statements."""
    return {"this": callback.id, "this_attempt": callback.attempt}


def claiming(owner: str, lease_s: float) -> Json:
    """Return the values of a claim."""
    return {"new_owner": owner, "lease_ms": int(lease_s * 1000)}
