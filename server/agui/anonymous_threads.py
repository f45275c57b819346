"""The threads that callers without cookie and token began: such a caller cannot begin a second run of one."""

import hashlib
import json
from contextlib import suppress

from server.agui.input import RunAgentInput, key_of
from server.auth import OneTimeValues
from server.errors import NotFound, Unavailable, UnknownThread
from server.store import Store

REMEMBER_S = 15 * 60


class AnonymousThreads:
    """Remembers, for all instances, which threads callers without a credential began, and from which address.

    Another caller behind the same address may name its thread likewise. As soon as the first one has come back with
    its cookie or token, the next one is not taken for it.
    """

    def __init__(self, once: OneTimeValues, store: Store) -> None:
        self._once = once
        self._store = store

    async def require_first(self, address: str, service: str, body: RunAgentInput) -> None:
        """Let a caller without a credential begin. Raises UnknownThread when it seems to go on."""
        if body.has_answers():
            raise UnknownThread
        key = _key(address, service, body.thread_id)
        with suppress(Unavailable):
            # It stays until it is remembered anew: without it, a request in the same moment would begin another one.
            known = await self._once.read(key)
            if known is not None and await self._was_left(known, body):
                raise UnknownThread

    async def remember(self, address: str, service: str, body: RunAgentInput, session: str, run: str) -> None:
        """Keep that the thread was begun; without Redis no caller is refused."""
        begun = json.dumps([session, run, key_of(body.run_id)]).encode()
        with suppress(Unavailable):
            await self._once.put(_key(address, service, body.thread_id), begun, seconds=REMEMBER_S)

    async def _was_left(self, known: bytes, body: RunAgentInput) -> bool:
        """Return whether the conversation has had no second run; a repetition of the same request is no second run."""
        session_id, run_id, key = json.loads(known)
        if key == key_of(body.run_id):
            return False
        try:
            session = await self._store.sessions.load(session_id)
        except NotFound:
            return False
        return session.last_run in {None, run_id}


def _key(address: str, service: str, thread: str) -> str:
    named = json.dumps([address, service, thread]).encode()
    return f"lw:newcomer:{hashlib.sha256(named).hexdigest()}"
