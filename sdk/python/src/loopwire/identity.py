"""Who talks: a token of one's own server, exchanged for a bearer that stays in memory, and asked for anew in time."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from loopwire.access import Access
from loopwire.errors import Garbled, LoopwireError, Refused
from loopwire.tasks import Tasks

EARLY_S = 60.0
"""So long before its end the next token is asked for; halfway where it is shorter than twice that."""

Token = str | Callable[[], str | Awaitable[str]] | None
"""A signed token, or what asks for one each time; None signs out."""

log = logging.getLogger("loopwire")


@dataclass(frozen=True, slots=True)
class Identified:
    """Who talks now: `user` is None for an anonymous visitor; `session` is the conversation that goes on, if any."""

    user: str | None
    session: str | None


class Identity:
    """The identity of one chat."""

    def __init__(self, access: Access, tasks: Tasks, arrive: Callable[[Identified], Awaitable[None]]) -> None:
        """`arrive` is called with the user, each time that one is set."""
        self._access = access
        self._tasks = tasks
        self._arrive = arrive
        self._saying = asyncio.Lock()
        self._again: Callable[[], str | Awaitable[str]] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def set(self, given: Token, about: Callable[[], dict[str, Any]]) -> Identified:
        """Say who talks; `about` gives what is open. Raises LoopwireError."""
        async with self._saying:
            told = await self._exchange(given, about)
        await self._arrive(told)
        return told

    async def ticket(self, session: str | None, new: dict[str, str | None]) -> tuple[str, str]:
        """Return a ticket, once it is said who talks; a bearer that has ended is fetched anew. Raises LoopwireError."""
        async with self._saying:
            try:
                return await self._access.ticket(session, **new)
            except Refused as refused:
                if refused.code != "unauthorized" or self._again is None:
                    raise
                await self._exchange(self._again, lambda: {"session_id": session})
                return await self._access.ticket(session, **new)

    def close(self) -> None:
        """Ask for no token any more."""
        if self._timer is not None:
            self._timer.cancel()

    async def _exchange(self, given: Token, about: Callable[[], dict[str, Any]]) -> Identified:
        self.close()
        again = given if callable(given) else None
        made = again() if again is not None else given
        token = await made if inspect.isawaitable(made) else made
        asked = {name: value for name, value in about().items() if value is not None}
        answer = await self._access.json("POST", "/v1/identify", json={**asked, "token": token})
        try:
            bearer, told = str(answer["token"]), Identified(answer["user"], answer["session_id"])
            ends_in = None if again is None else float(answer["expires_in"])
        except (KeyError, TypeError, ValueError) as error:
            raise Garbled("an identity has the fields token, user, session_id and expires_in") from error
        self._access.identified, self._again = bearer, again
        if ends_in is not None:
            early = max(ends_in - EARLY_S, ends_in / 2)
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(early, lambda: self._tasks.spawn(self._refresh(about)))
        return told

    async def _refresh(self, about: Callable[[], dict[str, Any]]) -> None:
        try:
            async with self._saying:
                if self._again is None:
                    return  # The user has signed out meanwhile, or gave a token and no function.
                told = await self._exchange(self._again, about)
            await self._arrive(told)
        except LoopwireError as error:
            log.warning("the identity was not renewed: %s", error)
        except Exception:
            log.exception("no identity token")
