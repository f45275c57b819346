"""The ledger of tool calls: an intent is stored before a call happens, so that no call is repeated by itself."""

from typing import Any

from sqlalchemy import or_, select, update

from server.store.engine.clock import now_ms
from server.store.engine.database import StorePart, exactly, one
from server.store.rows import LedgerEntry
from server.store.tables import tool_calls


class Ledger(StorePart):
    """The records of calls, by run and call id, and by the business key of the call, which other runs share."""

    async def begin(
        self,
        run_id: str,
        call_id: str,
        tool: str,
        effect: str,
        args_hash: str,
        business_key: str | None = None,
    ) -> LedgerEntry:
        """Note the intent of a call. Of any number of callers exactly one gets it `fresh`.

        All other callers get what is known: of this very call first, else of the one with the same business key.
        """
        noting = (
            self._database.insert(tool_calls)
            .values(
                run_id=run_id,
                call_id=call_id,
                tool=tool,
                effect=effect,
                args_hash=args_hash,
                business_key=business_key,
                state="intent",
                created_at=now_ms(),
            )
            .on_conflict_do_nothing()
            .returning(tool_calls.c.run_id)
        )
        same_call = (tool_calls.c.run_id == run_id) & (tool_calls.c.call_id == call_id)
        known = (
            select(tool_calls.c.state, tool_calls.c.result)
            .where(or_(same_call, tool_calls.c.business_key == business_key) if business_key else same_call)
            .order_by(same_call.desc())
            .limit(1)
        )
        async with self._database.write() as connection:
            if await one(connection, noting) is not None:
                return LedgerEntry("intent", None, fresh=True)
            row = await exactly(connection, known)
        return LedgerEntry(row.state, row.result, fresh=False)

    async def keep_result(self, run_id: str, call_id: str, result: Any) -> None:
        """Store the result: a process that begins this call again gets it."""
        await self._settle(run_id, call_id, state="done", result=result)

    async def mark_unknown(self, run_id: str, call_id: str) -> None:
        """Store that its outcome is unknown; a result that is stored stays."""
        await self._settle(run_id, call_id, state="unknown")

    async def forget(self, run_id: str, call_id: str) -> None:
        """Forget the intent of a call that certainly did not happen, so that it may be tried again."""
        gone = tool_calls.delete().where(
            tool_calls.c.run_id == run_id, tool_calls.c.call_id == call_id, tool_calls.c.state == "intent"
        )
        async with self._database.write() as connection:
            await connection.execute(gone)

    async def _settle(self, run_id: str, call_id: str, **values: Any) -> None:
        settling = (
            update(tool_calls)
            .where(
                tool_calls.c.run_id == run_id, tool_calls.c.call_id == call_id, tool_calls.c.state != "done"
            )
            .values(ended_at=now_ms(), **values)
        )
        async with self._database.write() as connection:
            await connection.execute(settling)
