"""A real Loopwire whose model is scripted, for the tests of its users."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any

from loopwire.chat import Chat, connect
from loopwire.sync import Chat as SyncChat
from loopwire.sync import connect as connect_sync
from loopwire.testing.model_server import ModelServer
from loopwire.testing.request import Request
from loopwire.testing.script import Script, ScriptError
from loopwire.testing.server_process import ServerProcess
from loopwire.testing.steps import Act, Step

START_S = 120.0


class _Served:
    """One running server."""

    def __init__(self, url: str, script: Script, process: ServerProcess) -> None:
        self.url = url
        self._script = script
        self._process = process

    @property
    def requests(self) -> list[Request]:
        """Return what the model was sent, the oldest first."""
        return list(self._script.requests)

    @property
    def left(self) -> list[Step]:
        """Return the steps that no request has taken yet."""
        return self._script.left

    @property
    def missing(self) -> int:
        """Return how many requests found no step."""
        return self._script.missing

    @property
    def log(self) -> str:
        """Return what the server has printed so far."""
        return self._process.log()


class Server(_Served):
    """The server within `async with`. `url` is its address, such as `http://127.0.0.1:41234`."""

    def connect(self, **options: Any) -> Chat:
        """Open a conversation: `async with server.connect(service="chat") as chat`; as `loopwire.connect` does."""
        return connect(self.url, **options)

    async def run(self, *arguments: str) -> str:
        """Run a command of the operator, such as `keys`, `add`, `demo`, and return what it printed.

        Raises LoopwireError with the code command_failed, and with the sentence that the command ended with.
        """
        return await asyncio.to_thread(self._process.run, *arguments)


class SyncServer(_Served):
    """The server within `with`. `url` is its address, such as `http://127.0.0.1:41234`."""

    def connect(self, **options: Any) -> SyncChat:
        """Open a conversation: `with server.connect(service="chat") as chat`; as `loopwire.sync.connect` does."""
        return connect_sync(self.url, **options)

    def run(self, *arguments: str) -> str:
        """Do what `Server.run` does, without `await`."""
        return self._process.run(*arguments)


class Serving:
    """What `serve` returns: a server runs within `with` or `async with`, and each time it is a new one."""

    def __init__(
        self,
        steps: Sequence[Step] | Act,
        *,
        strict: bool,
        settings: Mapping[str, str],
        command: Sequence[str] | None,
        cwd: str | os.PathLike[str] | None,
        start_timeout: float,
    ) -> None:
        """The arguments are those of `serve`. Raises TypeError for what is no script."""
        self._steps: Sequence[Step] | Act = (
            steps if callable(steps) or isinstance(steps, str) else list(steps)
        )
        self._strict = strict
        self._settings = dict(settings)
        self._command = None if command is None else list(command)
        self._cwd = cwd
        self._start_timeout = start_timeout
        self._script = Script(self._steps)
        self._running: ExitStack | None = None

    def __enter__(self) -> SyncServer:
        """Start, and wait until the server is ready. Raises NotStarted."""
        process = self._start()
        try:
            return SyncServer(process.wait_until_ready(self._start_timeout), self._script, process)
        except BaseException:
            self._close()
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill the server; then raise what a callable of the script raised, and ScriptError where it is strict."""
        self._close()
        self._judge(error)

    async def __aenter__(self) -> Server:
        """Start, and wait until the server is ready. Raises NotStarted."""
        process = self._start()
        try:
            return Server(await process.until_ready(self._start_timeout), self._script, process)
        except BaseException:
            self._close()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill the server; then raise what a callable of the script raised, and ScriptError where it is strict."""
        self.__exit__(kind, error, trace)

    def _start(self) -> ServerProcess:
        if self._running is not None:
            raise RuntimeError("This server runs already: call serve() for another one.")
        self._script = Script(self._steps)
        with ExitStack() as stack:
            model = stack.enter_context(ModelServer(self._script))
            scripted = {
                "OPENAI_API_KEY": "scripted",
                "OPENAI_BASE_URL": model.base_url,
                "LOOPWIRE_MODEL": "scripted",
            }
            process = ServerProcess({**scripted, **self._settings}, self._command, self._cwd)
            stack.callback(process.kill)
            self._running = stack.pop_all()
        return process

    def _close(self) -> None:
        if self._running is not None:
            running, self._running = self._running, None
            running.close()

    def _judge(self, error: BaseException | None) -> None:
        """Raise what went wrong with the script; of a block that failed already, add it to that error."""
        trouble, failures = self._script.trouble(), self._script.failures
        if error is not None:
            for each in (*(f"a step of the script raised {failure!r}" for failure in failures), trouble):
                if each is not None:
                    error.add_note(f"loopwire.testing: {each}")
            return
        if failures:
            raise failures[0]
        if self._strict and trouble is not None:
            raise ScriptError(trouble)


def serve(
    script: Sequence[Step] | Act,
    *,
    strict: bool = False,
    settings: Mapping[str, str] | None = None,
    command: Sequence[str] | None = None,
    cwd: str | os.PathLike[str] | None = None,
    start_timeout: float = START_S,
) -> Serving:
    """Run a real server whose model answers from a script: `async with serve(["Hello!"]) as server`, or `with`.

    Each request to the model takes the next step of `script`: a str is the words of an answer, a `Call` a call of a
    tool, a list of these one answer, a `Fail` a refusal, and a callable gets the messages of the request (as
    `Request.messages` has them) and returns one of these. It is called in a thread of its own, and may wait there. One
    callable in place of the list answers all requests. When no step is left, the model refuses with the code
    `script_exhausted`, so that the run ends with `model_rejected`.

    What a callable raises is raised again at the end of the block. With `strict` the end also raises ScriptError where
    steps were left, or requests found none.

    The server is `python -m server serve` of this Python, with the embedded parts, a free port of 127.0.0.1 and a
    folder of its own; no `LOOPWIRE_*`, `OPENAI_*` or other setting of this program's environment reaches it, but those
    of `settings` do, such as `{"LOOPWIRE_APPS": "apps.toml"}`. `command` is another program, whose last argument is
    `serve`, started in `cwd`. It has
    `start_timeout` seconds to answer 200 at `/readyz`, else NotStarted shows the end of its log. It is killed at the
    end of the block, however that ends, and when this program dies.

    Raises TypeError for what is no script.
    """
    return Serving(
        script,
        strict=strict,
        settings=settings or {},
        command=command,
        cwd=cwd,
        start_timeout=start_timeout,
    )
