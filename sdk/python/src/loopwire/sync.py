"""The client without `await`: it has a loop of its own in a thread, and its calls wait for that."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, TypeVar

from loopwire.chat import Answered as AsyncAnswered
from loopwire.chat import Chat as AsyncChat
from loopwire.chat import Reason
from loopwire.chat import connect as connect_async
from loopwire.errors import Closed
from loopwire.events import Event, Snapshot
from loopwire.identity import Identified, Token
from loopwire.messages import Message, RunView
from loopwire.parts import Ask, Content, Part, Picture, Result
from loopwire.run import Run as AsyncRun

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


class _Loop:
    """A loop in a thread; what is asked of it is waited for, and cancelled when the waiting is interrupted."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="loopwire", daemon=True)
        self._thread.start()

    def wait(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """Return what some work gives. Raises TimeoutError, and Closed after the end."""
        if self._loop.is_closed():
            work.close()
            raise Closed("closed", "This chat was closed.")
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except BaseException:
            future.cancel()
            raise

    def each(self, source: AsyncIterator[T]) -> Iterator[T]:
        """Yield what an async iterator gives."""
        while True:
            try:
                found = self.wait(_next(source))
            except StopAsyncIteration:
                return
            yield found

    @property
    def is_closed(self) -> bool:
        """Return whether it has ended."""
        return self._loop.is_closed()

    def close(self) -> None:
        """End the loop and its thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


class Run:
    """An answer: iterate over its parts, or wait for its `result`."""

    def __init__(self, loop: _Loop, run: AsyncRun) -> None:
        self._loop = loop
        self._run = run

    @property
    def id(self) -> str:
        """Return the id of the run."""
        return self._run.id

    def __iter__(self) -> Iterator[Part]:
        return self._loop.each(self._loop.wait(_call(self._run.__aiter__)))

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end. A TimeoutError leaves the answer running."""
        return self._loop.wait(_result_of(self._run), timeout)

    def stop(self) -> None:
        """Stop it."""
        self._loop.wait(self._run.stop())


class Chat:
    """One conversation, open within `with`; its methods are those of `loopwire.Chat`."""

    def __init__(self, url: str, **options: Any) -> None:
        """`options` are those of `loopwire.connect`."""
        self._loop = _Loop()
        self._chat: AsyncChat = self._loop.wait(_call(connect_async, url, **options))

    def __enter__(self) -> Self:
        """Connect. Raises Closed, Refused and Unreachable."""
        try:
            self._loop.wait(self._chat.__aenter__())
        except BaseException:
            self._loop.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave; nothing is stopped."""
        self.close()

    def close(self) -> None:
        """Leave."""
        if not self._loop.is_closed:
            self._loop.wait(self._chat.aclose())
            self._loop.close()

    @property
    def session(self) -> str | None:
        """Return the id of the session."""
        return self._chat.session

    @property
    def visitor(self) -> str | None:
        """Return the cookie of this visitor, a secret."""
        return self._chat.visitor

    @property
    def messages(self) -> list[Message]:
        """Return the last messages in order."""
        return self._loop.wait(_call(lambda: self._chat.messages))

    @property
    def state(self) -> Any:
        """Return the state of the session."""
        return self._loop.wait(_call(lambda: self._chat.state))

    @property
    def run(self) -> RunView | None:
        """Return the latest run of the session."""
        return self._loop.wait(_call(lambda: self._chat.run))

    def send(self, content: Content, id: str | None = None) -> Run:
        """Send a message; it is stored when this returns."""
        return Run(self._loop, self._loop.wait(self._chat.send(content, id)))

    def edit(self, message_id: str, content: Content, id: str | None = None) -> Run:
        """Send another version of a message of this person; what runs is stopped."""
        return Run(self._loop, self._loop.wait(self._chat.edit(message_id, content, id)))

    def regenerate(self, message_id: str, id: str | None = None) -> Run:
        """Have a message answered once more, as another version."""
        return Run(self._loop, self._loop.wait(self._chat.regenerate(message_id, id)))

    def switch(self, message_id: str, id: str | None = None) -> Run:
        """Show another version of a message, with what followed it."""
        return Run(self._loop, self._loop.wait(self._chat.switch(message_id, id)))

    def answer(self, ask: Ask | str, payload: Any = None, *, cancel: bool = False) -> AsyncAnswered:
        """Answer what a run waits for; of the answer `lost` counts here, and the run that asked goes on."""
        return self._loop.wait(self._chat.answer(ask, payload, cancel=cancel))

    def stop(self) -> None:
        """Stop what runs now."""
        self._loop.wait(self._chat.stop())

    def identify(self, token: Token, *, app: str | None = None) -> Identified:
        """Say who talks; what asks for tokens is called in the thread of the loop."""
        return self._loop.wait(self._chat.identify(token, app=app))

    def feedback(
        self,
        message_id: str,
        value: Literal["up", "down"] | None,
        *,
        reason: Reason | None = None,
        comment: str | None = None,
    ) -> None:
        """Judge a message; None takes it back. A "down" may say why; a comment has at most 500 characters."""
        self._loop.wait(self._chat.feedback(message_id, value, reason=reason, comment=comment))

    def upload(self, picture: str | Path | bytes, media_type: str | None = None) -> Picture:
        """Upload a picture for the content of a message."""
        return self._loop.wait(self._chat.upload(picture, media_type))

    def history(self) -> Iterator[Message]:
        """Yield all stored messages, the newest first."""
        return self._loop.each(self._chat.history())

    def follow(self, run_id: str) -> Run:
        """Follow a run that another client or an earlier process of this program began."""
        return Run(self._loop, self._loop.wait(_call(self._chat.follow, run_id)))

    def listen(self) -> Iterator[Part]:
        """Yield the parts of all runs from now on, of any client."""
        return self._loop.each(self._loop.wait(_call(self._chat.listen)))

    def events(self, after: tuple[str, int] | None = None) -> Iterator[Event | Snapshot]:
        """Yield the numbered log itself, after an epoch and a number; without them from a snapshot of now."""
        return self._loop.each(self._loop.wait(_call(self._chat.events, after)))

    def set_context(self, context: Mapping[str, Any] | None) -> None:
        """Say what the program shows; the next messages carry it."""
        self._chat.set_context(context)

    def tool(self, act: F | None = None, /, **options: Any) -> Any:
        """Offer a function to the agents. It is called in the thread of the loop, so it must not wait for this chat."""
        return self._chat.tool(**options) if act is None else self._chat.tool(act)


def connect(url: str, **options: Any) -> Chat:
    """Open a conversation: `with loopwire.sync.connect("http://127.0.0.1:8000") as chat`; options as those of
    `loopwire.connect`."""
    return Chat(url, **options)


async def _call(act: Callable[..., T], *arguments: Any, **options: Any) -> T:
    """Call something in the thread of the loop."""
    return act(*arguments, **options)


async def _result_of(run: AsyncRun) -> Result:
    return await run


async def _next(source: AsyncIterator[T]) -> T:
    return await anext(source)
