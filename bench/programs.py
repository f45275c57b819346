"""The measured programs as processes: started, pinned to a core, watched from outside, stopped."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
SERVER_CORE, LOAD_CORE = 0, 1
MODEL_CORE = 2 if (os.cpu_count() or 1) > 2 else LOAD_CORE
RUNS_AT_ONCE = 2048
"""As many as the capacity asks for; Loopwire's own default would be its capacity."""
PATIENCE_S = 60.0
STEP_S = 0.005


@dataclass(frozen=True)
class Program:
    """A running server and what it used until it was ready."""

    process: subprocess.Popen[bytes]
    port: int
    ready_s: float
    ready_cpu_ns: int
    children: tuple[int, ...]
    page_s: float | None = None
    """When its page answered, if it has one."""

    def cpu_ns(self) -> int:
        """CPU of the process itself so far, by its precise clock: threads that have ended count too."""
        return cpu_ns(self.process.pid)

    def children_cpu_ns(self) -> int:
        """CPU of its children: the embedded Valkey."""
        return sum(cpu_ns(pid) for pid in self.children)

    def resident_bytes(self) -> int:
        """Memory of the process itself."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        """Ask it to stop, and insist after a while."""
        stop(self.process)


@dataclass(frozen=True)
class Model:
    """The running model server."""

    process: subprocess.Popen[bytes]
    base_url: str

    def cpu_ns(self) -> int:
        """Return its CPU so far."""
        return cpu_ns(self.process.pid)


def start(
    command: list[str], settings: dict[str, str], *, path: str | None, log: IO[bytes], page: str | None = None
) -> Program:
    """Start a server on the server's core; it is ready when `path` answers 200, or its port when there is none.

    `page` is a path that is to answer 200 before that; when it did is noted.
    """
    port = free_port()
    arguments = [str(port) if each == "PORT" else each for each in command]
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment(settings | {"PORT": str(port)}),
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    pin(process.pid, SERVER_CORE)
    try:
        page_s = None
        for wanted in [page, path] if page else [path]:
            while not _ready(port, wanted):
                if process.poll() is not None or time.monotonic() - began > PATIENCE_S:
                    raise RuntimeError(f"{' '.join(command)} did not start, see {log.name}")
                time.sleep(STEP_S)
            page_s = time.monotonic() - began if page and wanted == page else page_s
        ready_s, cpu = time.monotonic() - began, cpu_ns(process.pid)
        children = tuple(_children(process.pid))
        for each in children:
            pin(each, LOAD_CORE)
    except BaseException:
        stop(process)
        raise
    return Program(process, port, ready_s, cpu, children, page_s)


def loopwire(
    base_url: str,
    folder: str,
    log: IO[bytes],
    *,
    entry: Sequence[str] = ("-m", "server"),
    more: Mapping[str, str] | None = None,
) -> Program:
    """Start Loopwire as an operator would; only more runs, and more sockets of one session, are allowed.

    `more` are settings besides.
    """
    settings = {
        "OPENAI_API_KEY": "k",
        "OPENAI_BASE_URL": base_url,
        "LOOPWIRE_DATA_DIR": str(Path(folder, "data")),
        "LOOPWIRE_SOCKETS_PER_SESSION": "64",
        "LOOPWIRE_TRUSTED_PROXIES": "127.0.0.1",
        "LOOPWIRE_RUNS_AT_ONCE": str(RUNS_AT_ONCE),
    }
    return start([*entry, "serve"], settings | dict(more or {}), path="/readyz", page="/", log=log)


@contextmanager
def model(log: IO[bytes], *, brain: str = "stamped") -> Iterator[Model]:
    """Run the model server on a core of its own or on the load's; the tokens of its own brain are times."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.modelserver", "--brain", brain],
        cwd=ROOT,
        env=environment({}),
        stdout=subprocess.PIPE,
        stderr=log,
        start_new_session=True,
    )
    pin(process.pid, MODEL_CORE)
    try:
        assert process.stdout is not None
        with process.stdout:
            yield Model(process, json.loads(process.stdout.readline())["base_url"])
    finally:
        stop(process)


def allow_many_sockets() -> None:
    """Lift the soft limit on open files, for this process and what it starts: many shells allow 1,024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def pin(pid: int, core: int) -> None:
    """Keep a process and its threads on a core, where that is possible; before it has threads, they inherit it."""
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            os.sched_setaffinity(int(task), {core})
            if os.environ.get("BENCH_REALTIME") == "1":
                os.sched_setscheduler(int(task), os.SCHED_RR, os.sched_param(10))
    except OSError as error:
        print(f"process {pid} is not pinned: {error}", file=sys.stderr)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process that this module started, and what it left."""
    process.terminate()
    try:
        process.wait(30)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    """Find a port that nobody has just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(settings: dict[str, str]) -> dict[str, str]:
    """Only what a program needs to start, so that nobody's own settings are measured."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
    return kept | settings


def _ready(port: int, path: str | None) -> bool:
    try:
        if path is None:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=1) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def cpu_ns(pid: int) -> int:
    """Read another process's CPU clock (its id as clock_getcpuclockid(3) makes it)."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, path.read_text().split()):
            found += [child, *_children(child)]
    return found
