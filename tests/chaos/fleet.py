"""Two web and two worker processes on one Redis, one PostgreSQL and one model, every line between them breakable."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import httpx2
import psutil

from server.demo import DemoModel
from tests.chaos.hooks import Hooks, callback_key
from tests.chaos.stores import NOW_MS, Durable, Live
from tests.modelserver import ModelServer, Pace, brain_from_model
from tests.modelserver import paced as at_pace
from tests.parts import process
from tests.parts.forking import Process, can_fork
from tests.parts.model import KEY
from tests.parts.namespace import CannotSeparateError, Namespace
from tests.parts.ports import free_port
from tests.parts.proxy import Address, Proxy
from tests.parts.server import ROOT, clean_environment, parent
from tests.parts.wait import paced, until_async

INSTANCES = ("web-1", "web-2", "worker-1", "worker-2")
SEPARATED = ("web-2", "worker-2")
"""These two have a network of their own, where we are allowed to make one."""

READY_S = 240.0
LOOK_S = 0.1
FAKETIME = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))), None)
"""Gives a process another time of day (apt-get install libfaketime)."""

LINES = ("redis", "postgres", "model")


@dataclass
class Instance:
    """One process of Loopwire, its lives one after the other, and its own lines to the rest."""

    name: str
    environment: dict[str, str]
    log: Path
    host: str
    port: int
    namespace: Namespace | None
    lines: dict[str, Proxy]
    running: Process | None = None
    leaving: Process | None = None
    """The life that was asked to go."""
    asked_at: float = 0.0
    frozen_at: float | None = None
    stood_still_s: float = 0.0
    """How long it was frozen since it was asked: no process ends while it stands still."""
    lives: int = 0
    wrong_s: int = 0
    """How far the clock of its next life is ahead."""
    hurt: int = 0
    """How many faults keep it from doing its work just now."""
    well_since: float = field(default_factory=time.monotonic)
    started_rss: int = 0
    said: int = 0
    """How much its earlier lives have said."""
    in_vain: list[int] = field(default_factory=list)
    """The codes of lives that ended before they served."""

    @property
    def web(self) -> bool:
        """Return whether the instance has sockets."""
        return self.name.startswith("web")

    @property
    def executes(self) -> bool:
        """Return whether the instance claims runs."""
        return self.environment.get("LOOPWIRE_WORKERS_IN_WEB", "1") == "1" or not self.web

    @property
    def process(self) -> Process:
        """Return its present life."""
        assert self.running is not None, f"{self.name} was never started"
        return self.running

    def start(self) -> None:
        """Begin a life; it is ready some seconds later."""
        self.said = len(self.log_text()) if self.lives else 0
        self.log.touch()
        self.running = self._started(["server", self.name.partition("-")[0]])
        self.frozen_at = None
        self.lives += 1

    def _started(self, module: list[str]) -> Process:
        env, clock = {**clean_environment(), **self.environment}, self._clock()
        if can_fork() and not clock:
            network = self.namespace.name if self.namespace is not None else ""
            return parent().start(module, log=self.log, env=env, cwd=ROOT, network=network)
        argv = [sys.executable, "-m", *module]
        if self.namespace is not None:
            argv = self.namespace.wrap(argv)
        return process.start(argv, log=self.log, env={**env, **clock}, cwd=ROOT)

    def _clock(self) -> dict[str, str]:
        if not self.wrong_s or FAKETIME is None:
            return {}
        return {
            "LD_PRELOAD": str(FAKETIME),
            "FAKETIME": f"{self.wrong_s:+d}",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def freeze(self) -> None:
        """SIGSTOP."""
        self.frozen_at = self.frozen_at or time.monotonic()
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        self.process.send_signal(signal.SIGCONT)
        self.stood_still_s, self.frozen_at = self._still_s(), None

    def ask_to_leave(self) -> None:
        """SIGTERM, unless it has ended; its time runs from here on."""
        self.leaving, self.asked_at, self.stood_still_s = self.process, time.monotonic(), 0.0
        self.process.send_signal(signal.SIGTERM)

    async def left(self, within_s: float) -> int | None:
        """Wait for the end of the life that was asked to leave, and give its code.

        None when it goes on for longer than that from the signal; while it stands still its time does too.
        """
        leaving = self.leaving
        assert leaving is not None, f"{self.name} was not asked"

        def over() -> bool:
            return leaving.poll() is not None or time.monotonic() - self.asked_at > within_s + self._still_s()

        await until_async(over, seconds=within_s + READY_S)
        return leaving.poll()

    def _still_s(self) -> float:
        if self.frozen_at is None:
            return self.stood_still_s
        return self.stood_still_s + time.monotonic() - max(self.frozen_at, self.asked_at)

    def kill(self) -> None:
        """Kill -9 it with all that it started."""
        process.kill_group(self.process)

    async def gone(self, seconds: float, life: Process | None = None) -> int | None:
        """Wait for the end of a life, else of the present one, and give its code; None when it takes longer."""
        ending = life or self.process
        try:
            await until_async(lambda: ending.poll() is not None, seconds=seconds)
        except AssertionError:
            return None
        return ending.returncode

    async def ready(self) -> None:
        """Wait until it serves; a worker says so in its log.

        A process that cannot start says why and ends; it is started again, as a supervisor of processes does.
        """
        await until_async(
            self._serves, seconds=READY_S, what=f"{self.name} to be ready\n{process.tail(self.log)}"
        )
        self.started_rss = self.started_rss or self.rss()
        self.well_since = time.monotonic()

    async def _serves(self) -> bool:
        code = self.process.poll()
        if code is not None:
            assert self.hurt, f"{self.name} ended with {code}\n{process.tail(self.log)}"
            self.in_vain.append(code)
            await paced(1.0)
            if self.process.poll() is not None:  # Nobody else was faster.
                self.start()
        serves = await self._answers() if self.web else self._banner()
        if not serves:
            await paced(LOOK_S)
        return serves

    async def _answers(self) -> bool:
        try:
            async with httpx2.AsyncClient(trust_env=False, verify=False, timeout=5) as client:
                return (await client.get(f"http://{self.host}:{self.port}/readyz")).status_code == 200
        except httpx2.HTTPError:
            return False

    def _banner(self) -> bool:
        return " worker: " in self.log.read_text(errors="replace")[self.said :]

    def rss(self) -> int:
        """Bytes of memory of its present life."""
        return int(psutil.Process(self.process.pid).memory_info().rss)

    def log_text(self) -> str:
        """Return all that all its lives have said."""
        return self.log.read_text(errors="replace")


@dataclass
class Fleet:
    """All of it. `say` takes one line for a person."""

    lease_s: float
    silence_s: float
    api: str
    asks: bool
    """Does the app want a person's yes before an item is made?"""
    slack: float
    """How much slower than promised this machine may be."""
    say: Callable[[str], None]
    refused: float = 0.2
    """The share of callbacks whose first post is not taken."""
    folder: Path = field(default_factory=lambda: Path(tempfile.mkdtemp(prefix="lw-chaos-")))
    secret: str = field(default_factory=lambda: secrets.token_hex(16))
    instances: dict[str, Instance] = field(default_factory=dict)
    live: Live = field(init=False)
    durable: Durable = field(init=False)
    model: ModelServer = field(init=False)
    front: Proxy = field(init=False)
    hooks: Hooks = field(init=False)
    blamed: list[str] = field(default_factory=list)
    """Promises that a process broke while it was hurt."""

    @property
    def url(self) -> str:
        """Return where clients find it: the balancer."""
        return f"http://127.0.0.1:{self.front.port}"

    @property
    def secrets(self) -> list[str]:
        """Return what no log may hold."""
        return [self.secret, KEY]

    async def start(self) -> None:
        """Start everything and wait until all of it is ready."""
        if FAKETIME is None:
            self.say("clocks stay right: there is no libfaketime (apt-get install libfaketime)")
        self.live = Live(self.folder / "redis")
        self.live.start()
        # What takes seconds of a start: loading what is forked, and making the data folder.
        self.durable, _ = await asyncio.gather(asyncio.to_thread(Durable), asyncio.to_thread(parent))
        self.durable.start()
        brain = at_pace(brain_from_model(DemoModel(delay=0)), Pace(delay=0.03))
        self.model = ModelServer(brain, api_key=KEY, keep=50)
        await self.model.start()
        await self.live.ready()
        await self.durable.ready()
        self.front = Proxy(self._webs)
        await self.front.start()
        namespaces = {name: self._namespace(name) for name in INSTANCES}
        self.hooks = Hooks(callback_key(self.secret, "demo"), Random(self.secret), self.refused)
        # Of those in a network of their own one posts; whatever is not in it reaches our end of its cable too.
        posting = namespaces["worker-2"]
        await self.hooks.start(posting.outside if posting else "127.0.0.1")
        for name, namespace in namespaces.items():
            self.instances[name] = await self._instance(name, namespace)
        # One of them makes the tables, the others wait for it: they take turns by themselves.
        for each in self.instances.values():
            each.start()
        await asyncio.gather(*(each.ready() for each in self.instances.values()))

    def _webs(self) -> list[Address]:
        return [(each.host, each.port) for each in self.instances.values() if each.web]

    async def _instance(self, name: str, namespace: Namespace | None) -> Instance:
        here = namespace.outside if namespace else "127.0.0.1"
        model = int(self.model.base_url.rpartition(":")[2].split("/")[0])
        lines = {
            "redis": Proxy(lambda: [self.live.address], host=here),
            "postgres": Proxy(lambda: [("127.0.0.1", self.durable.cluster.port)], host=here),
            "model": Proxy(lambda: [("127.0.0.1", model)], host=here),
        }
        for line in lines.values():
            await line.start()
        host, port = (namespace.inside if namespace else "127.0.0.1"), free_port()
        environment = {
            "HOST": host,
            "PORT": str(port),
            "REDIS_URL": f"redis://{here}:{lines['redis'].port}/0",
            "DATABASE_URL": f"postgresql://postgres@{here}:{lines['postgres'].port}/postgres",
            "OPENAI_BASE_URL": f"http://{here}:{lines['model'].port}/v1",
            "OPENAI_API_KEY": KEY,
            "LOOPWIRE_MODEL": "test-model",
            "LOOPWIRE_MODEL_API": self.api,
            "LOOPWIRE_MODEL_SILENCE_SECONDS": str(self.silence_s),
            "LOOPWIRE_SECRET": self.secret,
            "LOOPWIRE_LEASE_SECONDS": str(self.lease_s),
            # One web process executes runs as well, the other leaves them to the workers.
            "LOOPWIRE_WORKERS_IN_WEB": "1" if name == "web-1" else "0",
            "LOOPWIRE_TRUSTED_PROXIES": f"127.0.0.1,{here}",
            "LOOPWIRE_DATA_DIR": str(self.folder / name),
            "LOOPWIRE_APPS": str(self._apps()),
            "LOOPWIRE_OPEN_REQUESTS": "1",
            "LOOPWIRE_CALLBACK_HOSTS": self.hooks.address,
        }
        return Instance(name, environment, self.folder / f"{name}.txt", host, port, namespace, lines)

    def _namespace(self, name: str) -> Namespace | None:
        if name not in SEPARATED:
            return None
        try:
            made = Namespace(SEPARATED.index(name))
        except CannotSeparateError as error:
            self.say(f"{name} has no network of its own: {error}; its cable is pulled in the proxies only")
            return None
        return made

    def _apps(self) -> Path:
        file = self.folder / "apps.toml"
        file.write_text(f"[demo]\napprovals = {['create_item'] if self.asks else []}\n")
        return file

    def give_up_streams(self) -> None:
        """End the frozen streams, as the kernel does in a quarter of an hour: their readers say nothing to miss.

        Sockets have to be found dead by their pings.
        """
        for each in tuple(self.front.pairs):
            if each.frozen and b"/events" in each.opened_with.partition(b"\r\n")[0]:
                each.reset()

    # What the rest of the suite asks.

    def able(self) -> float | None:
        """Since when some process can execute runs without a break; None when none can now."""
        found = [each.well_since for each in self.instances.values() if each.executes and not each.hurt]
        return min(found) if found and self.durable.up else None

    async def expire(self, session: str, ids: list[str]) -> None:
        """Let the time of what waits be over, in the database: an hour of it is too long for us."""
        await self.durable.rows(
            f"UPDATE interrupts SET expires_at = {NOW_MS} WHERE session_id = $1 AND status = 'open' "
            "AND (id = ANY($2) OR call_id = ANY($2))",
            session,
            ids,
        )

    def blame(self, what: str) -> None:
        """Note a broken promise."""
        self.blamed.append(what)

    async def aclose(self) -> None:
        """End everything."""
        for each in self.instances.values():
            if each.running is not None:
                each.kill()
                await asyncio.to_thread(each.running.wait, 60)
            for line in each.lines.values():
                await line.aclose()
            if each.namespace is not None:
                each.namespace.close()
        if hasattr(self, "front"):
            await self.front.aclose()
        if hasattr(self, "hooks"):
            self.hooks.close()
        if hasattr(self, "model"):
            await self.model.stop()
        for part in ("live", "durable"):
            if hasattr(self, part):
                getattr(self, part).close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def keep_logs(self, folder: Path) -> None:
        """Copy the logs to where a person finds them."""
        folder.mkdir(parents=True, exist_ok=True)
        for each in self.instances.values():
            if each.log.exists():
                shutil.copy(each.log, folder / each.log.name)
        os.sync()
