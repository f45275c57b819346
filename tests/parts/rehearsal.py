"""One run of a server in the process that forks servers, with a few answers.

What a first start and a first answer make of classes and files alone is there in each fork afterwards: that saves a
third of what a fork needs until it has answered once.
"""

from __future__ import annotations

import asyncio
import json
import os
import runpy
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.parts.ports import free_port
from tests.parts.wait import until

MESSAGES = ("quero vender uma cadeira Tripp Trapp", "sim", "Como funciona?")
ERRORS = 2
"""The number of the standard error, where a server writes its log."""


def rehearse() -> None:
    """Serve, answer, and end, all of it in this process; its environment, signals and log are as before."""
    with tempfile.TemporaryDirectory(prefix="lw-rehearsal-") as folder:
        log, port = Path(folder) / "log", free_port()
        settings = {
            "HOST": "127.0.0.1",
            "PORT": str(port),
            "LOOPWIRE_DATA_DIR": folder,
            "LOOPWIRE_DEMO_DELAY_MS": "0",
        }
        talking = threading.Thread(target=_talk, args=(port,))
        with _as_server(settings, log):
            talking.start()
            code = _main()
            talking.join()
        assert code == 0, log.read_text(errors="replace")


def _main() -> object:
    """Run the server to its end, as the main program that a fork becomes, and return its exit code."""
    try:
        runpy.run_module("server", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code
    return 0


@contextmanager
def _as_server(settings: Mapping[str, str], log: Path) -> Iterator[None]:
    """Give this process the environment, the arguments and the log of a server for as long as the context lasts."""
    uvloop: Any = import_module("uvloop")
    environment, arguments, switch = dict(os.environ), sys.argv, sys.getswitchinterval()
    errors, new_loop = os.dup(ERRORS), uvloop.new_event_loop
    with log.open("wb") as file:
        os.dup2(file.fileno(), ERRORS)
    os.environ.update(settings)
    sys.argv = ["server", "serve"]
    # The threads of uvloop stay for as long as the process lasts, and a process with threads must not fork.
    uvloop.new_event_loop = asyncio.new_event_loop
    try:
        yield
    finally:
        uvloop.new_event_loop = new_loop
        sys.argv = arguments
        os.environ.clear()
        os.environ.update(environment)
        os.dup2(errors, ERRORS)
        os.close(errors)
        sys.setswitchinterval(switch)


def _talk(port: int) -> None:
    """Read the page, have a few messages answered, and end the server."""
    try:
        until(lambda: _ask(port, "GET", "/readyz")[0], what="the rehearsal to be ready")
        _ask(port, "GET", "/")
        cookie, messages = "", []
        for number, text in enumerate(MESSAGES):
            messages.append({"id": f"m{number}", "role": "user", "content": text})
            run = {"threadId": "rehearsal", "runId": f"r{number}", "messages": messages, "tools": []}
            answered, new = _ask(
                port,
                "POST",
                "/agui/submission",
                {**run, "context": [], "state": {}, "forwardedProps": {}},
                cookie,
            )
            assert answered, f"message {number} of the rehearsal was refused"
            cookie = new or cookie
    finally:
        os.kill(os.getpid(), signal.SIGTERM)


def _ask(port: int, method: str, path: str, body: object = None, cookie: str = "") -> tuple[bool, str]:
    """Return whether a request was answered as it should be, and the cookie that came with the answer."""
    line = HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Cookie": cookie} if cookie else {}
    if body is not None:
        headers["Content-Type"] = "application/json"
    try:
        line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        answer.read()
    except (OSError, HTTPException):
        return False, ""
    finally:
        line.close()
    return answer.status == 200, (answer.getheader("set-cookie") or "").partition(";")[0]
