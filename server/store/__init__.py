"""The durable truth: sessions, messages, runs, items and files in one SQL database, SQLite or PostgreSQL."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from server.apps import App
from server.limits import Limits
from server.store.app_keys import AppKey, AppKeys
from server.store.backlog import Backlog
from server.store.conversations.app_sessions import AppSessions, shown_operator
from server.store.conversations.blobs import Blobs
from server.store.conversations.budgets import NO_BUDGET, Budget, Budgets
from server.store.conversations.caller_names import CallerNames
from server.store.conversations.chat_places import ChatPlaces, Standing
from server.store.conversations.costs import Costs, SessionCost
from server.store.conversations.hand_overs import HandOvers
from server.store.conversations.inbox import InboxLine, InboxLines
from server.store.conversations.messages import Messages
from server.store.conversations.revocations import Revocations
from server.store.conversations.sessions import Sessions
from server.store.conversations.versions import VersionedMessage, Versions
from server.store.conversations.word_search import OPERATORS_AT_ONCE, Searches
from server.store.engine.database import Database, OnWait, database_url, wait_silently
from server.store.engine.file_lock import DatabaseInUse, FileLock
from server.store.migrations import UPGRADE_LOCK, upgrade
from server.store.operator_accounts import SIGNED_IN_HOURS, OperatorAccount, OperatorAccounts, SignedIn
from server.store.operator_actions import OperatorActions
from server.store.posts import Callback, CallbackState
from server.store.pushes import Pushes, PushSubscriptions, Recipient
from server.store.rows import (
    ROOT,
    AppSession,
    Blob,
    Branch,
    Checkpoint,
    Claim,
    Claimant,
    FeedbackReason,
    Finish,
    GivenAnswer,
    Interrupt,
    LedgerEntry,
    OperatorAction,
    OperatorChange,
    Page,
    Queued,
    Renewal,
    Run,
    RunWithoutInput,
    Session,
    SessionOwner,
    Stopped,
    StoredTranscript,
    Submitted,
    Summary,
    UnpublishedEnd,
    UnstoredSession,
)
from server.store.runs.callbacks import Callbacks
from server.store.runs.interrupt_answers import Misfit
from server.store.runs.interrupts import Interrupts
from server.store.runs.queue import NewInput
from server.store.runs.runs import StoredRuns
from server.store.runs.sealed_content import opened_run
from server.store.runs.tool_ledger import Ledger
from server.store.runs.whispers import Whisper, Whispers
from server.store.seal import Seal, Unreadable
from server.store.webhooks import Webhooks

__all__ = [
    "NO_BUDGET",
    "ROOT",
    "SIGNED_IN_HOURS",
    "AppKey",
    "AppSession",
    "Blob",
    "Branch",
    "Budget",
    "Callback",
    "CallbackState",
    "Checkpoint",
    "Claim",
    "Claimant",
    "DatabaseInUse",
    "FeedbackReason",
    "Finish",
    "GivenAnswer",
    "InboxLine",
    "Interrupt",
    "LedgerEntry",
    "Misfit",
    "NewInput",
    "OperatorAccount",
    "OperatorAction",
    "OperatorChange",
    "Page",
    "PushSubscriptions",
    "Pushes",
    "Queued",
    "Recipient",
    "Renewal",
    "Run",
    "RunWithoutInput",
    "Seal",
    "Session",
    "SessionCost",
    "SessionOwner",
    "SignedIn",
    "Standing",
    "Stopped",
    "Store",
    "StoredTranscript",
    "Submitted",
    "Summary",
    "UnpublishedEnd",
    "Unreadable",
    "UnstoredSession",
    "VersionedMessage",
    "Webhooks",
    "Whisper",
    "opened_run",
    "shown_operator",
]


NO_APPS: Mapping[str, App] = MappingProxyType({})


class Store:
    """One open database. Acquired by `open`, released by `aclose`; its parts share the connections."""

    def __init__(
        self,
        database: Database,
        lock: FileLock | None,
        limits: Limits,
        seal: Seal,
        apps: Mapping[str, App],
    ) -> None:
        """Put the parts together; use `open`."""
        self.database = database
        """The connections, for what keeps tables of its own beside the conversations."""
        self._lock = lock
        of_operators = Searches(database, OPERATORS_AT_ONCE, limits.searches_per_visitor)
        self.webhooks = Webhooks(database, apps, limits)
        self.sessions = Sessions(database, self.webhooks, limits)
        self.messages = Messages(database)
        self.versions = Versions(database)
        self.seal = seal
        self.runs = StoredRuns(database, limits, seal, self.webhooks)
        self.interrupts = Interrupts(database, limits)
        self.budgets = Budgets(database)
        self.costs = Costs(database)
        self.ledger = Ledger(database)
        self.blobs = Blobs(database, seal, limits)
        self.callbacks = Callbacks(database, seal)
        self.pushes = Pushes(database)
        self.push_subscriptions = PushSubscriptions(database, limits)
        self.revocations = Revocations(database)
        self.hand_overs = HandOvers(database, self.webhooks)
        self.app_keys = AppKeys(database)
        self.app_sessions = AppSessions(database, of_operators)
        self.inbox = InboxLines(database, of_operators)
        self.operator_accounts = OperatorAccounts(database)
        self.operator_actions = OperatorActions(database)
        self.backlog = Backlog(database)
        self.caller_names = CallerNames(database)
        self.chat_places = ChatPlaces(database)
        self.whispers = Whispers(database)

    @classmethod
    async def open(
        cls,
        url: str | None,
        *,
        data_dir: Path,
        on_wait: OnWait = wait_silently,
        limits: Limits | None = None,
        secret: bytes | None = None,
        apps: Mapping[str, App] = NO_APPS,
    ) -> "Store":
        """Migrate and be ready.

        Without a URL the database is a SQLite file in the data folder. A SQLite file is ours alone: a second
        process gets DatabaseInUse. Raises Unavailable when the database cannot be reached. `on_wait` is called
        again and again for which other process it waits that makes the tables or rows of a PostgreSQL. Documents are
        sealed by the `secret`; without one they cannot be read after this process. The webhooks of
        `apps` get events.
        """
        address = database_url(url, data_dir)
        lock = FileLock(Path(str(address.database))) if address.get_backend_name() == "sqlite" else None
        database = Database(address, on_wait)
        try:
            async with database.opening(UPGRADE_LOCK) as connection:
                await connection.run_sync(upgrade)
        except BaseException:
            # A cancellation too must not leave connections open, nor the file locked.
            await database.aclose()
            if lock is not None:
                lock.release()
            raise
        return cls(database, lock, limits or Limits(), Seal(secret), apps)

    @classmethod
    async def open_beside(cls, url: str | None, *, data_dir: Path) -> "Store":
        """Open the database for a command, while a server may be at work on it.

        Where none is, this is `open`. A SQLite file that a server has is opened beside it, and not migrated: the
        server did that. Each transaction is short.
        """
        try:
            return await cls.open(url, data_dir=data_dir)
        except DatabaseInUse:
            return cls(Database(database_url(url, data_dir)), None, Limits(), Seal(None), NO_APPS)

    async def ping(self) -> None:
        """Ask the database for an answer; Unavailable without one, and as long as it takes no writes."""
        await self.database.ping()

    async def aclose(self) -> None:
        """Close the connections, then let the next process in."""
        await self.sessions.aclose()
        await self.runs.aclose()
        await self.database.aclose()
        if self._lock is not None:
            self._lock.release()
