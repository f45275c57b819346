"""The identity of a chat: a token of one's own server is exchanged for a bearer that stays in memory and is renewed."""

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

RETRY_S = 30.0
"""So long after a renewal that failed the function is called again."""

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

    def __init__(
        self, access: Access, tasks: Tasks, on_change: Callable[[Identified], Awaitable[None]]
    ) -> None:
        """`on_change` is called with the user, each time that one is set."""
        self._access = access
        self._tasks = tasks
        self._on_change = on_change
        self._saying = asyncio.Lock()
        self._again: Callable[[], str | Awaitable[str]] | None = None
        self._about: Callable[[], dict[str, Any]] = dict
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    async def set(self, given: Token, about: Callable[[], dict[str, Any]]) -> Identified:
        """Say who talks; `about` gives what is open. Raises LoopwireError."""
        async with self._saying:
            told = await self._exchange(given, about)
        await self._on_change(told)
        return told

    async def ticket(self, session: str | None, new: dict[str, str | None]) -> tuple[str, str]:
        """Return a ticket, once it is said who talks; a refused bearer is replaced first. Raises LoopwireError."""
        async with self._saying:
            try:
                return await self._access.ticket(session, **new)
            except Refused as refused:
                if refused.code != "unauthorized" or self._again is None:
                    raise
                await self._replace_bearer(self._again, session)
                return await self._access.ticket(session, **new)

    def close(self) -> None:
        """Ask for no token any more."""
        self._closed = True
        self._drop_timer()

    async def _replace_bearer(self, again: Callable[[], str | Awaitable[str]], session: str | None) -> None:
        """Hand in the next token. What its function raises ends nothing: the next try calls it again."""
        try:
            await self._exchange(again, self._about, session_id=session)
        except LoopwireError:
            raise
        except Exception as error:
            log.warning("no identity token: %r", error)
            raise Refused("no_token", repr(error), retry=True) from error

    async def _exchange(
        self, given: Token, about: Callable[[], dict[str, Any]], **known: str | None
    ) -> Identified:
        self._drop_timer()
        again = given if callable(given) else None
        pause = RETRY_S
        try:
            made = again() if again is not None else given
            token = await made if inspect.isawaitable(made) else made
            asked = {name: value for name, value in (about() | known).items() if value is not None}
            answer = await self._access.json("POST", "/v1/identify", json={**asked, "token": token})
            bearer, told, ends_in = _read(answer, has_end=again is not None)
            self._access.identified, self._again, self._about = bearer, again, about
            pause = max(ends_in - EARLY_S, ends_in / 2)
            return told
        finally:
            # After a failure the current user stays, and the function of that user is called again after a pause.
            if self._again is not None and not self._closed:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(pause, lambda: self._tasks.spawn(self._refresh()))

    async def _refresh(self) -> None:
        try:
            async with self._saying:
                if self._again is None:
                    return  # The user has signed out meanwhile, or gave a token and no function.
                told = await self._exchange(self._again, self._about)
            await self._on_change(told)
        except LoopwireError as error:
            log.warning("the identity was not renewed: %s", error)
        except Exception:
            log.exception("no identity token")

    def _drop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _read(answer: Any, *, has_end: bool) -> tuple[str, Identified, float]:
    """Return the bearer, the user, and the seconds to the end. Raises Garbled."""
    try:
        told = Identified(answer["user"], answer["session_id"])
        return str(answer["token"]), told, float(answer["expires_in"]) if has_end else 0.0
    except (KeyError, TypeError, ValueError) as error:
        raise Garbled("an identity has the fields token, user, session_id and expires_in") from error
