"""The transaction that stores an input as a run, and claims the run where a slot is free and no other run waits.

Two statements are always executed: the UPDATE that locks the session, and the INSERT of the run. Others follow for a
new session, an operator's change, a version, open questions, the place in the queue, and an input that is refused.
"""

import textwrap
import time
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from sqlalchemy import (
    JSON,
    BindParameter,
    Connection,
    Executable,
    and_,
    bindparam,
    case,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    update,
)

from server.errors import Busy, IdReused, OverBudget, RateLimited
from server.limits import Limits, Pairs
from server.protocol.commands import parts_text
from server.protocol.ids import new_id
from server.store.conversations.budgets import SPENDING, require_budget
from server.store.conversations.revocations import NOT_REVOKED, refusal
from server.store.conversations.sessions import SESSION_COLUMNS, insert_session
from server.store.engine.clock import now_ms
from server.store.pushes import write_pushes
from server.store.rows import Claim, Json, Run, Session, Submitted
from server.store.runs.interrupt_effects import WAITS, override_interrupts
from server.store.runs.new_run import (
    OF_REQUESTS,
    UNBOUNDED,
    NewRun,
    free_id,
    is_same_input,
    sent_before,
)
from server.store.runs.operator_changes import (
    apply_change,
    changes_nothing,
    lock_runs,
    record_change,
    stop_agents,
    tell_change,
)
from server.store.tables import place_of, runs, sessions

TITLE_LENGTH = 60
"""Characters of a title, the sign of what is left out included."""
_LEFT_OUT, _MOST_READ = "…", 1_000
"""The sign, and the characters of a message that are read for its title."""


@dataclass(frozen=True, slots=True)
class NotStored:
    """Nothing may be stored, so the caller has to roll the transaction back."""

    first: Submitted | None
    """The result of the same input before. None where the run is wanted `at_once` and would be queued."""


def submit_new_run(connection: Connection, append: Executable, new: NewRun) -> Submitted:
    """Submit an input that was not stored before and may wait."""
    submitted = submit_run(connection, append, new)
    assert isinstance(submitted, Submitted)  # noqa: S101 - the session was locked before its runs were read.
    return submitted


def submit_run(connection: Connection, append: Executable, new: NewRun) -> Submitted | NotStored:
    """Make an input a run: lock the session, then append the run, which sees all that was committed before the lock."""
    asked = time.monotonic()
    touched = _lock_session(connection, new)
    session = Session(*touched[: len(SESSION_COLUMNS)])
    if new.operator is not None and changes_nothing(session, new.operator):
        return NotStored(Submitted("", "", dup=True, queued=0))
    overrides = _overrides(new)
    new, session, stopped = _with_operator(connection, new, session, touched)
    run_id, message_id = new_id("run"), new_id("msg")
    content = new.content_of(run_id)
    values = _values(new, session) | {"new_run": run_id, "new_message": message_id, "new_content": content}
    row = connection.execute(append, values).first()
    if row is None and free_id(connection, new):
        row = connection.execute(append, values).first()
    if row is None:
        return NotStored(_find_first(connection, new))
    if row.waits and overrides:
        override_interrupts(connection, new.session_id)
    if row.status == "queued" and new.at_once:
        return NotStored(None)
    if new.operator is not None:
        record_change(connection, session, new.operator)
        if new.operator.kind == "say":
            write_pushes(connection, session, message_id, new.operator.name)
        assert new.webhooks is not None  # noqa: S101 - an operator's change comes with them.
        tell_change(connection, session, new.operator, new.webhooks)
    if row.status == "queued":
        ahead = _ahead(connection, new.session_id, row.place)
        return Submitted(run_id, message_id, dup=False, queued=ahead, stopped=stopped)
    run = _started_run(replace(new, content=content), session, row, run_id, message_id)
    claim = Claim(run, session, takeover=False, checkpoint=None, alone=True, asked=asked)
    return Submitted(run_id, message_id, dup=False, queued=0, claim=claim)


def _lock_session(connection: Connection, new: NewRun) -> Any:
    """Lock the session, after storing one that is not stored, and return its row. Raises NotFound and Unauthorized."""
    if new.unstored_session is not None:
        insert_session(connection, new.unstored_session)
    if new.branch is not None or (new.operator is not None and new.operator.kind == "join"):
        lock_runs(connection, new.session_id)
    values: Json = {"in_session": new.session_id, "by_principal": new.principal}
    values |= {"claims": int(new.claimant is not None), "first_words": _title(new.content) or None}
    touched = connection.execute(_TOUCH, values).first()
    if touched is None:
        raise refusal(connection, new.principal, new.session_id)
    return touched


def _with_operator(
    connection: Connection, new: NewRun, session: Session, touched: Any
) -> tuple[NewRun, Session, tuple[str, ...]]:
    """Return the input and its session once an operator has done what it does, and the runs at work that stop.

    Where an operator has joined the run is a note, which costs no tokens. Raises OverBudget for another.
    """
    stopped = stop_agents(connection, session.id) if new.branch is not None else ()
    if new.operator is not None:
        session, stopped = apply_change(connection, session, new.operator, touched.at)
    if session.operator is not None or new.operator is not None:
        return replace(new, kind="note"), session, stopped
    if new.kind == "agent":
        _require_budget(connection, session, new, touched)
    return new, session, stopped


def _overrides(new: NewRun) -> bool:
    """Return whether an input closes what waits: a visitor's message, another version, or an operator who joins."""
    if new.operator is not None:
        return new.operator.kind == "join"
    return new.branch is not None or (new.kind == "agent" and new.parent_run_id is None)


def _require_budget(connection: Connection, session: Session, new: NewRun, touched: Any) -> None:
    """Raise OverBudget; an input that was stored before is acknowledged all the same."""
    try:
        require_budget(connection, session, new.budget, touched.spent_today, touched.at)
    except OverBudget:
        if sent_before(connection, new) is None:
            raise


def make_title(words: str) -> str:
    """Return words as one line of at most `TITLE_LENGTH` characters, cut between two words where that is possible.

    A conversation is called by its first words until its service knows better.
    """
    line = textwrap.shorten(words[:_MOST_READ], TITLE_LENGTH, placeholder=_LEFT_OUT)
    return words[: TITLE_LENGTH - len(_LEFT_OUT)] + _LEFT_OUT if line == _LEFT_OUT else line


def _title(content: list[Json]) -> str:
    """Return what a conversation is called after its first input: by the title of a request, else by its words."""
    named = (str(each["title"]) for each in content if each.get("title"))
    return make_title(next(named, parts_text(content)))


def _values(new: NewRun, session: Session) -> Json:
    """Return the values of the INSERT."""
    return {
        "in_session": new.session_id,
        "new_client": new.client_id,
        "new_language": new.language,
        "new_kind": new.kind,
        "new_parent": new.parent_run_id,
        "new_tools": new.tools,
        "new_callback": new.callback_url,
        "new_trace": new.trace_context,
        "new_branch": new.branch,
        "claims": int(new.claimant is not None),
        "paced": int(bool(new.pace)),
        "bound": new.bound,
        "new_fence": session.fence,
        "new_owner": new.claimant.owner if new.claimant else None,
        "lease_ms": int(new.claimant.lease_s * 1000) if new.claimant else None,
    }


def _started_run(new: NewRun, session: Session, row: Any, run_id: str, message_id: str) -> Run:
    """Return the state of a run that was claimed with its input."""
    return Run(
        id=run_id,
        session_id=new.session_id,
        kind=new.kind,
        status="running",
        published=False,
        outcome=None,
        code=None,
        attempt=1,
        fence=session.fence,
        message_id=message_id,
        client_id=new.client_id,
        content=new.content,
        language=new.language,
        parent_run_id=new.parent_run_id,
        cancel=False,
        first_seq=0,
        created_at=row.created_at,
        started_at=row.started_at,
        ended_at=None,
        tools=new.tools,
        callback_url=new.callback_url,
        trace_context=new.trace_context,
        branch=new.branch,
    )


def _find_first(connection: Connection, new: NewRun) -> Submitted:
    """Return the run of the same input if it was stored before; otherwise raise why this input is refused.

    Raises IdReused for another input under its id, RateLimited when too many were sent in too short a time, and Busy
    when the queue is full.
    """
    known = sent_before(connection, new)
    if known is None:
        raise _refusal_of_new(connection, new)
    if not is_same_input(known, new):
        raise IdReused
    ahead = _ahead(connection, new.session_id, known.place)
    return Submitted(known.id, known.message_id, dup=True, queued=ahead)


def _refusal_of_new(connection: Connection, new: NewRun) -> Busy | RateLimited:
    asking = {"in_session": new.session_id}
    wait_ms = connection.execute(_wait(new.pace), asking).scalar_one() if new.pace else None
    if wait_ms:
        return RateLimited(retry_after=wait_ms / 1000)
    return Busy()


def _ahead(connection: Connection, session_id: str, place: int) -> int:
    return int(connection.execute(_AHEAD, {"in_session": session_id, "before": place}).scalar_one())


_session: BindParameter[str] = bindparam("in_session")
_mine = runs.c.session_id == _session
_json = JSON(none_as_null=True)

_TOUCH = (
    update(sessions)
    .where(sessions.c.id == _session, sessions.c.principal == bindparam("by_principal"), NOT_REVOKED)
    .values(
        # An unused number is skipped, which is harmless: fences only grow.
        fence=sessions.c.fence + bindparam("claims"),
        updated_at=now_ms(),
        title=func.coalesce(sessions.c.title, bindparam("first_words")),
    )
    .returning(*SESSION_COLUMNS, *SPENDING)
)

_AHEAD = select(func.count()).where(
    _mine,
    or_(runs.c.status == "queued", runs.c.status == "running"),
    place_of(runs) < bindparam("before"),
)


_last = select(func.coalesce(func.max(runs.c.place), 0)).where(_mine)


def _nth_last(count: int, ms: int) -> Any:
    """Return the time until which the run that is `count` runs before the next one delays it; places have no holes."""
    at = runs.c.place == _last.scalar_subquery() - (count - 1)
    return func.coalesce(select(runs.c.created_at + ms).where(_mine, at).scalar_subquery(), 0)


def _held_up_runs(pace: Pairs) -> list[Any]:
    return [_nth_last(count, int(seconds * 1000)) for count, seconds in pace]


@cache
def _wait(pace: Pairs) -> Executable:
    """Return how many ms the next message has to wait, NULL for none; the pace is one for the whole installation."""
    return select(case(*((each > now_ms(), each - now_ms()) for each in reversed(_held_up_runs(pace)))))


def insert_statement(limits: Limits) -> Executable:
    """Return the INSERT that places a run at the end of its session's queue, or claims it when the session is idle.

    It inserts nothing when the input is known, when as many wait as may, or when they come too fast: what was stored is
    counted here, so that the rates hold over all instances.
    """
    running = exists().where(_mine, runs.c.status == "running")
    unpublished = exists().where(_mine, runs.c.status == "finished", runs.c.published.is_(False))
    now = select(
        _last.scalar_subquery().label("last"),
        select(func.count()).where(_mine, runs.c.status == "queued").scalar_subquery().label("queued"),
        case((running, 1), else_=0).label("running"),
        unpublished.label("unpublished"),
    ).subquery("now")
    wanted = bindparam("claims") == 1
    idle = and_(wanted, now.c.queued == 0, now.c.running == 0, ~now.c.unpublished)
    lease_until = now_ms() + bindparam("lease_ms")
    values: dict[str, Any] = {
        "id": bindparam("new_run"),
        "session_id": _session,
        "place": now.c.last + 1,
        "kind": bindparam("new_kind"),
        "status": case((idle, "running"), else_="queued"),
        "published": false(),
        "attempt": case((idle, 1), else_=0),
        "fence": bindparam("new_fence"),
        "owner": case((idle, bindparam("new_owner"))),
        "lease_until": case((idle, lease_until)),
        "message_id": bindparam("new_message"),
        "client_id": bindparam("new_client"),
        "content": bindparam("new_content", type_=_json),
        "language": bindparam("new_language"),
        "parent_run_id": bindparam("new_parent"),
        "tools": bindparam("new_tools", type_=_json),
        "cancel": false(),
        "first_seq": literal(0),
        "items": literal([], _json),
        "callback_url": bindparam("new_callback"),
        "trace_context": bindparam("new_trace"),
        "branch": bindparam("new_branch", type_=_json),
        "created_at": now_ms(),
        "started_at": case((idle, now_ms())),
    }
    in_time = and_(*(each <= now_ms() for each in _held_up_runs(limits.messages_per_session)))
    bound: BindParameter[int] = bindparam("bound")
    most = case((bound == OF_REQUESTS, limits.requests_per_session), else_=limits.queued_per_session)
    has_room = now.c.queued + now.c.running <= most
    unbounded = bound == UNBOUNDED
    at_any_pace = bindparam("paced") == 0
    # Looked for, as the unique index would wait for an end that is being written and waits for us. No other task adds a
    # run meanwhile: the session is locked.
    known = exists().where(_mine, runs.c.client_id == bindparam("new_client"))
    rows = select(*values.values()).where(~known, or_(unbounded, has_room), or_(at_any_pace, in_time))
    placed = runs.insert().from_select(list(values), rows)
    return placed.returning(
        runs.c.status, runs.c.place, runs.c.created_at, runs.c.started_at, WAITS.label("waits")
    )
