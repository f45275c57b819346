"""The input of a caller as a run is made of it, and what was stored under its id before."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from server.errors import is_worth_repeating
from server.limits import Pairs
from server.protocol.ids import new_id
from server.store.conversations.budgets import NO_BUDGET, Budget
from server.store.rows import Claimant, Json, OperatorChange, UnstoredSession
from server.store.runs.sealed_content import is_same_content, sealed_content
from server.store.seal import Seal
from server.store.tables import runs
from server.store.webhooks import Webhooks

UNBOUNDED, OF_MESSAGES, OF_REQUESTS = range(3)
"""Which bound of a session's queue holds for an input."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """An input of a caller."""

    session_id: str
    principal: str
    client_id: str
    content: list[Json]
    language: str
    kind: str
    parent_run_id: str | None
    tools: list[Json] | None
    claimant: Claimant | None
    callback_url: str | None = None
    """The address to which the response of a request is posted."""
    trace_context: str | None = None
    budget: Budget = NO_BUDGET
    pace: Pairs = ()
    """The rates of messages; empty where any pace will do."""
    at_once: bool = False
    """Nothing is stored that cannot be executed at once."""
    operator: OperatorChange | None = None
    """The act of an operator; the run is a note."""
    webhooks: Webhooks | None = None
    """The webhooks that send the act to the app."""
    seal: Seal | None = None
    """The cipher for the data of the content; None where it is stored as it is."""
    branch: Json | None = None
    """The run's change of the active path; the running run is stopped then."""
    unstored_session: UnstoredSession | None = None
    """The session, where this transaction stores it as well."""
    is_request: bool = False
    """Whether it is a request that needs no answer before it: more of these may wait than messages."""
    waited_ms: int | None = None
    """The time that the sender of a request waits. The same request again is a new run where the first one failed and
    is worth repeating, or was stopped after that time; where this is None it is always the first run."""

    def content_of(self, run_id: str) -> list[Json]:
        """Return the content as a run of this id stores it."""
        if self.seal is None:
            return self.content
        return sealed_content(self.content, self.seal, self.session_id, run_id)

    @property
    def bound(self) -> int:
        """Return which bound of the session's queue holds."""
        if self.operator is not None and not self.operator.has_words:
            return UNBOUNDED
        return OF_REQUESTS if self.is_request else OF_MESSAGES


def sent_before(connection: Connection, new: NewRun) -> Any:
    """Return the run that was stored under this id before, as it was sent."""
    return connection.execute(_SENT, {"in_session": new.session_id, "new_client": new.client_id}).first()


def free_id(connection: Connection, new: NewRun) -> bool:
    """Take its id from the run of the same request where that one failed and is worth repeating; say whether it did.

    The session is locked: of two repetitions at once the second finds the run of the first.
    """
    if new.waited_ms is None:
        return False
    known = sent_before(connection, new)
    if known is None or not _is_repeated(known, new.waited_ms) or not is_same_input(known, new):
        return False
    connection.execute(update(runs).where(runs.c.id == known.id).values(client_id=new_id("old")))
    return True


def _is_repeated(known: Any, waited_ms: int) -> bool:
    if known.status != "finished":
        return False
    if known.outcome == "cancelled":
        return bool(known.ended_at - known.created_at >= waited_ms)
    return known.outcome == "error" and is_worth_repeating(known.code)


def is_same_input(known: Any, new: NewRun) -> bool:
    # The kind is not the sender's: it depends on whether an operator has joined meanwhile.
    before = known.parent_run_id, known.tools, known.branch
    return before == (new.parent_run_id, new.tools, new.branch) and _is_same_content(known, new)


def _is_same_content(known: Any, new: NewRun) -> bool:
    if new.seal is None:
        return bool(known.content == new.content)
    return is_same_content(known.content, new.content, new.seal, new.session_id, known.id)


_SENT = select(
    runs.c.id,
    runs.c.message_id,
    runs.c.place,
    runs.c.content,
    runs.c.parent_run_id,
    runs.c.tools,
    runs.c.branch,
    runs.c.status,
    runs.c.outcome,
    runs.c.code,
    runs.c.created_at,
    runs.c.ended_at,
).where(runs.c.session_id == bindparam("in_session"), runs.c.client_id == bindparam("new_client"))
