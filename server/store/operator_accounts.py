"""Accounts of operators as rows: their roles in apps, the hash of their password, and their sign-ins."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, select, update
from sqlalchemy.exc import IntegrityError

from server.errors import NotFound
from server.protocol.ids import new_id
from server.protocol.plain_text import has_control
from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart
from server.store.tables import operator_accounts, operator_sign_ins, revoked

SIGNED_IN_HOURS = 12
"""Hours after which an operator has to sign in again."""

_SIGNED_IN_MS = SIGNED_IN_HOURS * 3600 * 1000


@dataclass(frozen=True, slots=True)
class OperatorAccount:
    """One account; times are ms since the epoch, `disabled_at` None is an account that may sign in."""

    id: str
    name: str
    """The name that visitors read beside the operator's messages."""
    roles: Mapping[str, str]
    """`agent` or `admin`, by the name of the app."""
    created_at: int
    disabled_at: int | None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """One sign-in that has not ended, and its account."""

    id: str
    account: OperatorAccount


class OperatorAccounts(StorePart):
    """Stores accounts and sign-ins, with the hashes of passwords and cookies."""

    async def add(self, name: str, roles: Mapping[str, str], password: str) -> OperatorAccount | None:
        """Store an account, with the hash of its password; None where another one has the name."""
        values = {"id": new_id("opr"), "name": name, "folded_name": fold_name(name), "roles": dict(roles)}
        adding = operator_accounts.insert().values(**values, password=password, created_at=now_ms())

        def write(connection: Connection) -> OperatorAccount:
            return _account(connection.execute(adding.returning(*_COLUMNS)).one())

        try:
            return await self._database.run_write(write)
        except IntegrityError:
            return None

    async def list_all(self) -> list[OperatorAccount]:
        """Return all accounts, those that are disabled too, by their names."""
        return [_account(row) for row in await self._database.fetch(_ALL)]

    async def find(self, name: str) -> tuple[OperatorAccount, str] | None:
        """Return the account of a name and the hash of its password; None for a disabled one, as for none."""
        folded = fold_name(name)
        if has_control(folded):
            return None  # No account is called so, and PostgreSQL refuses a text with NUL.
        rows = await self._database.fetch(_BY_NAME, {"this_name": folded})
        return (_account(rows[0]), rows[0].password) if rows else None

    async def set_password(self, name: str, password: str) -> OperatorAccount:
        """Store the hash of a new password, and end the sign-ins of the old one. Raises NotFound."""
        return await self._change(name, {"password": password})

    async def disable(self, name: str) -> OperatorAccount:
        """Let an account sign in no more, and end its sign-ins. Raises NotFound."""
        return await self._change(name, {"disabled_at": now_ms()})

    async def enable(self, name: str) -> OperatorAccount:
        """Let an account sign in again. Raises NotFound."""
        return await self._change(name, {"disabled_at": None})

    async def sign_in(self, account_id: str, digest: str) -> str:
        """Begin a sign-in whose cookie has this hash, and return its id."""
        values = {"id": new_id("sin"), "digest": digest, "account_id": account_id}
        times = {"created_at": now_ms(), "ends_at": now_ms() + _SIGNED_IN_MS}
        await self._database.execute(operator_sign_ins.insert().values(**values, **times), {})
        return values["id"]

    async def find_sign_in(self, digest: str) -> SignedIn | None:
        """Return the sign-in whose cookie has this hash, unless it or its account has ended."""
        rows = await self._database.fetch(_SIGNED_IN, {"this_digest": digest})
        return SignedIn(rows[0].sign_in, _account(rows[0])) if rows else None

    async def sign_out(self, sign_in_id: str) -> None:
        """End one sign-in, and the streams that it opened."""
        await self._database.run_write(
            lambda connection: self._end(connection, operator_sign_ins.c.id == sign_in_id)
        )

    async def sweep(self) -> int:
        """Remove the sign-ins that have ended by themselves; returns how many."""
        return len(await self._database.execute(_FORGET, {}))

    async def _change(self, name: str, values: Mapping[str, Any]) -> OperatorAccount:
        changing = update(operator_accounts).where(operator_accounts.c.folded_name == fold_name(name))

        def write(connection: Connection) -> OperatorAccount | None:
            changed = connection.execute(changing.values(**values).returning(*_COLUMNS)).first()
            if changed is None:
                return None
            self._end(connection, operator_sign_ins.c.account_id == changed.id)
            return _account(changed)

        account = await self._database.run_write(write)
        if account is None:
            raise NotFound(f"There is no operator {name!r}.")
        return account

    def _end(self, connection: Connection, which: Any) -> None:
        """End sign-ins: their cookies open nothing any more, and the watch on revocations ends their streams."""
        ending = delete(operator_sign_ins).where(which).returning(operator_sign_ins.c.id)
        for id in connection.execute(ending).scalars().all():
            connection.execute(revoked.insert().values(subject=id, revoked_at=now_ms()))


def fold_name(name: str) -> str:
    """Return a name as names are compared: without case, and whatever way its accents are written."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name.strip()).casefold())


_COLUMNS = [operator_accounts.c[name] for name in OperatorAccount.__dataclass_fields__]
_ALL = select(*_COLUMNS).order_by(operator_accounts.c.folded_name)

_BY_NAME = select(*_COLUMNS, operator_accounts.c.password).where(
    operator_accounts.c.folded_name == bindparam("this_name"),
    operator_accounts.c.disabled_at.is_(None),
)

_SIGNED_IN = (
    select(*_COLUMNS, operator_sign_ins.c.id.label("sign_in"))
    .join(operator_sign_ins, operator_sign_ins.c.account_id == operator_accounts.c.id)
    .where(
        operator_sign_ins.c.digest == bindparam("this_digest"),
        operator_sign_ins.c.ends_at > now_ms(),
        operator_accounts.c.disabled_at.is_(None),
    )
)

_FORGET = (
    delete(operator_sign_ins).where(operator_sign_ins.c.ends_at < now_ms()).returning(operator_sign_ins.c.id)
)


def _account(row: Any) -> OperatorAccount:
    return OperatorAccount(**{name: row._mapping[name] for name in OperatorAccount.__dataclass_fields__})
