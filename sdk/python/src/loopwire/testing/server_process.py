"""A Loopwire server as a process of its own, with nothing of the developer's settings, which is killed at the end."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from loopwire.errors import LoopwireError

PAUSE_S = 0.05
"""The pause between two looks whether the server is ready."""

ANSWER_S = 2.0
"""So long one answer of `/readyz` may take."""

COMMAND_S = 120.0
"""So long a command of the operator may take."""

LOG_LINES = 40
"""So many lines of the log an error shows."""

MANY = "100000/1m"
SETTINGS = {
    "HOST": "127.0.0.1",
    "PORT": "0",
    "LOOPWIRE_LIMIT_TICKETS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_CONVERSATIONS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_RUNS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_REQUESTS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_CHANGES_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_POLLS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_READS_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_IDENTITIES_PER_ADDRESS": MANY,
    "LOOPWIRE_LIMIT_UNIDENTIFIED_PER_ADDRESS": "1000",
}
"""What a test's server has: a free port, and no limit for the one address that all tests of a program have."""

_SET_BY_DEVELOPERS = ("LOOPWIRE_", "OPENAI_", "LANGFUSE_", "OTEL_")
_ALSO_SET = {"HOST", "PORT", "DATABASE_URL", "REDIS_URL"}
_ADDRESS = re.compile(r"^Loopwire \S+\s+(http://\S+)$", re.MULTILINE)

_WATCH = """
read -r group || group=
read -r _
if [ -n "$group" ]; then kill -s KILL -- "-$group"; fi
rm -rf -- "$1"
"""
"""Reads the number of the server, then waits for the end of its input: the program that holds it has died."""


class NotStarted(LoopwireError):
    """The server did not start. `code` is server_missing, ended (by itself) or late."""


class ServerProcess:
    """The process of a server, from its start to its end."""

    def __init__(
        self, settings: Mapping[str, str], command: Sequence[str] | None, cwd: str | os.PathLike[str] | None
    ) -> None:
        """`settings` are variables of its environment; `command` is `python -m server serve` unless given.

        Raises NotStarted where there is no such program.
        """
        environment = clean_environment()
        if command is None:
            root = server_root()
            command = [sys.executable, "-P", "-m", "server", "serve"]
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, environment.get("PYTHONPATH")]))
        self._folder = Path(tempfile.mkdtemp(prefix="lw-testing-"))
        self._log = self._folder / "log"
        environment |= {**SETTINGS, "LOOPWIRE_DATA_DIR": str(self._folder / "data"), **settings}
        self._command, self._environment, self._cwd = list(command), environment, cwd
        self._watch = _Watch(self._folder)
        try:
            with self._log.open("wb") as output:
                self._process = subprocess.Popen(  # noqa: S603 - the program of the caller, without a shell.
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    env=environment,
                    cwd=cwd,
                    start_new_session=True,
                )
        except OSError as error:
            self._clean_up()
            raise NotStarted("server_missing", f"{command[0]} cannot be started: {error}") from error
        self._watch.name_group(self._process.pid)

    @property
    def url(self) -> str:
        """Return the address of the server, which it prints when its port is open; an empty str before."""
        found = _ADDRESS.search(self.log())
        return "" if found is None else found[1]

    def log(self) -> str:
        """Return all that the server has printed; an empty str once it was killed."""
        try:
            return self._log.read_text(errors="replace")
        except FileNotFoundError:
            return ""

    def wait_until_ready(self, seconds: float) -> str:
        """Wait, and return the address. Raises NotStarted after these seconds, and where the server ended."""
        deadline = time.monotonic() + seconds
        while not self._is_ready():
            self._require_time(deadline, seconds)
            time.sleep(PAUSE_S)
        return self.url

    async def until_ready(self, seconds: float) -> str:
        """Do the same without holding the loop."""
        deadline = time.monotonic() + seconds
        while not await asyncio.to_thread(self._is_ready):
            self._require_time(deadline, seconds)
            await asyncio.sleep(PAUSE_S)
        return self.url

    def run(self, *arguments: str) -> str:
        """Run a command of the operator beside the server, and return what it printed.

        Raises LoopwireError with the code command_failed and what it complained of.
        """
        done = subprocess.run(  # noqa: S603 - the program of the caller, without a shell.
            [*self._command[:-1], *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            env=self._environment,
            cwd=self._cwd,
            timeout=COMMAND_S,
            check=False,
        )
        if done.returncode != 0:
            raise LoopwireError("command_failed", done.stderr.strip() or f"It ended with {done.returncode}.")
        return done.stdout

    def kill(self) -> None:
        """Kill the server with everything that it started, and remove its folder."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._clean_up()

    def _clean_up(self) -> None:
        self._watch.end()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _is_ready(self) -> bool:
        """Ask the server. Raises NotStarted where it has ended."""
        code = self._process.poll()
        if code is not None:
            raise NotStarted("ended", f"The server ended with {code}. {self._end_of_log()}")
        url = self.url
        if not url:
            return False
        asked = HTTPConnection(urlsplit(url).netloc, timeout=ANSWER_S)
        try:
            asked.request("GET", "/readyz")
            return asked.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            asked.close()

    def _require_time(self, deadline: float, seconds: float) -> None:
        if time.monotonic() > deadline:
            raise NotStarted("late", f"The server was not ready in {seconds:g} s. {self._end_of_log()}")

    def _end_of_log(self) -> str:
        lines = self.log().splitlines()[-LOG_LINES:]
        return "The end of its log:\n" + "\n".join(lines) if lines else "It printed nothing."


class _Watch:
    """A shell that kills a server and removes its folder where this program dies without doing so."""

    def __init__(self, folder: Path) -> None:
        """The shell sees the end of a pipe that this program alone holds."""
        reads, self._input = os.pipe()
        try:
            self._shell = subprocess.Popen(  # noqa: S603 - a fixed text; the folder is an argument of it.
                ["/bin/sh", "-c", _WATCH, "sh", str(folder)],
                stdin=reads,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(reads)

    def name_group(self, group: int) -> None:
        """Say which group of processes is killed."""
        os.write(self._input, b"%d\n" % group)

    def end(self) -> None:
        """End it before its pipe, so that it never kills a later group of the same number."""
        self._shell.kill()
        self._shell.wait()
        os.close(self._input)


def clean_environment() -> dict[str, str]:
    """Return the environment of this program without the settings of a Loopwire.

    The address of this machine itself is reached without a proxy: the scripted model stands there.
    """
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_SET_BY_DEVELOPERS) and name not in _ALSO_SET
    }
    for name in ("NO_PROXY", "no_proxy"):
        kept[name] = ",".join(filter(None, [kept.get(name), "127.0.0.1"]))
    return kept


def server_root() -> str:
    """Return the folder from which this Python imports the server. Raises NotStarted where it has none."""
    try:
        found = importlib.util.find_spec("server")
    except (ImportError, ValueError):
        found = None
    for folder in (found and found.submodule_search_locations) or ():
        if Path(folder, "cli", "serve.py").exists():
            return str(Path(folder).resolve().parent)
    raise NotStarted(
        "server_missing",
        f"{sys.executable} cannot import the server of Loopwire: put its checkout on PYTHONPATH and install its "
        'requirements, or pass command=["…/python", "-m", "server", "serve"] and cwd="…" of a checkout.',
    )
