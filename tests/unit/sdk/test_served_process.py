"""The process that `loopwire.testing.serve` starts: its settings, its start that fails, and its end in every case."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from loopwire import LoopwireError
from loopwire.testing import Fail, NotStarted, ScriptError, Serving, serve
from loopwire.testing.request import request_of
from loopwire.testing.server_process import SETTINGS, clean_environment, server_root
from server.settings import Settings
from tests.parts.server import ROOT
from tests.parts.wait import until, until_async

READY = """
import http.server, json, os, subprocess, sys, threading
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()
child = subprocess.Popen([sys.executable, "-c", "import threading; threading.Event().wait()"])
server = http.server.HTTPServer(("127.0.0.1", 0), Answer)
print(json.dumps({"child": child.pid, **os.environ}))
print(f"Loopwire 0.1.0  http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
"""
"""Starts a process, prints its environment and an address, and is ready."""

SILENT = "import threading; print('I start.', flush=True); threading.Event().wait()"
ENDS = "import sys; print('The disk is full.'); sys.exit(3)"


def program(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def group_of(log: str) -> tuple[int, Path]:
    """Return the process that a ready program started, and the folder of the server."""
    environment = json.loads(log.splitlines()[0])
    return environment["child"], Path(environment["LOOPWIRE_DATA_DIR"]).parent


def is_gone(pid: int) -> bool:
    """Return whether a process has ended; one that nobody waits for stays as a zombie."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_the_server_gets_none_of_the_settings_of_this_program(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {str(each.alias) for each in Settings.model_fields.values() if each.alias}
    for name in names:
        monkeypatch.setenv(name, "of a developer")
    monkeypatch.setenv("OPENAI_ORG_ID", "of a developer")
    monkeypatch.setenv("NO_PROXY", "shop.example")
    kept = clean_environment()
    assert names & kept.keys() == set()
    assert "OPENAI_ORG_ID" not in kept
    assert (kept["NO_PROXY"], kept["PATH"]) == ("shop.example,127.0.0.1", os.environ["PATH"])
    assert SETTINGS.keys() <= names


def test_the_server_gets_the_scripted_model_and_the_settings_of_the_test() -> None:
    with serve([], command=program(READY), settings={"LOOPWIRE_LANGUAGE": "en"}) as server:
        environment = json.loads(server.log.splitlines()[0])
    assert environment["LOOPWIRE_LANGUAGE"] == "en"
    assert environment["OPENAI_BASE_URL"].startswith("http://127.0.0.1:")
    assert (environment["OPENAI_API_KEY"], environment["PORT"]) == ("scripted", "0")


def test_the_server_and_what_it_started_are_gone_after_the_block() -> None:
    with serve([], command=program(READY)) as server:
        child, folder = group_of(server.log)
        assert folder.exists()
        assert not is_gone(child)
    until(lambda: is_gone(child))
    assert (folder.exists(), server.log) == (False, "")


def test_a_server_is_started_once_at_a_time() -> None:
    serving = serve([], command=program(READY))
    with serving as server, pytest.raises(RuntimeError, match="runs already"):
        serving.__enter__()
    with serving as other:
        assert other.url != server.url


async def test_they_are_gone_after_a_block_that_failed_too() -> None:
    with pytest.raises(ZeroDivisionError) as failed:
        async with serve(["left"], command=program(READY), strict=True) as server:
            child, folder = group_of(server.log)
            raise ZeroDivisionError
    until(lambda: is_gone(child))
    assert not folder.exists()
    assert failed.value.__notes__ == ["loopwire.testing: 1 of 1 steps were left, the first is 'left'"]


@pytest.mark.parametrize("strict", [True, False])
def test_only_a_strict_script_has_to_be_used_up(strict: bool) -> None:
    serving = serve(["left"], command=program(READY), strict=strict)
    if not strict:
        with serving as server:
            assert server.left == ["left"]
        return
    with pytest.raises(AssertionError, match="the first is 'left'") as failed, serving:
        pass
    assert isinstance(failed.value, ScriptError)
    assert isinstance(failed.value, LoopwireError)


def test_what_a_callable_raised_is_raised_at_the_end() -> None:
    def check(messages: object) -> str:
        raise ZeroDivisionError(messages)

    def ask(serving: Serving) -> None:
        with pytest.raises(Fail):
            serving._script.answer(request_of({"input": "Hello"}))

    serving = serve(check, command=program(READY))
    with pytest.raises(ZeroDivisionError), serving:
        ask(serving)
    with pytest.raises(KeyError) as failed, serving:
        ask(serving)
        raise KeyError
    assert "ZeroDivisionError" in failed.value.__notes__[0]


def test_a_server_that_ends_is_an_error_with_its_last_words() -> None:
    with pytest.raises(NotStarted, match=r"ended with 3\. The end of its log:\nThe disk is full\.") as failed:
        serve([], command=program(ENDS)).__enter__()
    assert failed.value.code == "ended"


async def test_a_server_that_is_never_ready_is_an_error_with_its_last_words() -> None:
    with pytest.raises(NotStarted, match=r"not ready in 1\.5 s\. The end of its log:\nI start\.") as failed:
        await serve([], command=program(SILENT), start_timeout=1.5).__aenter__()
    assert failed.value.code == "late"
    with pytest.raises(NotStarted, match=r"0 s\. It printed nothing\."):
        serve([], command=program("import threading; threading.Event().wait()"), start_timeout=0).__enter__()


async def test_a_start_that_is_cancelled_leaves_nothing() -> None:
    def started() -> list[psutil.Process]:
        children = psutil.Process().children()
        return [each for each in children if SILENT in _arguments(each)]

    starting = asyncio.ensure_future(serve([], command=program(SILENT)).__aenter__())
    await until_async(started)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert started() == []


def _arguments(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


DIES = f"""
import os
from loopwire.testing import serve
server = serve([], command={program(READY)!r}).__enter__()
print(server.log, flush=True)
os._exit(1)
"""


def test_a_program_that_dies_leaves_no_server() -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "sdk/python/src")}
    done = subprocess.run(
        program(DIES), env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")
    child, folder = group_of(done.stdout)
    until(lambda: is_gone(child) and not folder.exists())


def test_a_program_that_is_not_there_is_an_error() -> None:
    with pytest.raises(NotStarted, match="/no/such/program cannot be started") as failed:
        serve([], command=["/no/such/program"]).__enter__()
    assert failed.value.code == "server_missing"


def test_the_server_is_found_where_this_python_imports_it() -> None:
    assert server_root() == str(ROOT)


@pytest.mark.parametrize("make", [lambda folder: None, lambda folder: (folder / "server.py").touch()])
def test_a_python_without_the_server_says_what_to_pass(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path)
    code = "from loopwire.testing import serve\nserve([]).__enter__()"
    environment = {**clean_environment(), "PYTHONPATH": f"{tmp_path}:{ROOT / 'sdk/python/src'}"}
    done = subprocess.run(
        program(code), env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    told = done.stderr.strip().splitlines()[-1]
    assert told.startswith("loopwire.testing.server_process.NotStarted: ")
    assert "cannot import the server of Loopwire: put its checkout on PYTHONPATH" in told
    assert "or pass command=[" in told
