"""Redis gone, silent, read-only or full: people talk on and are told, the operator sees which part, it heals alone."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import redis

from tests.integration.degradation.looks import ask, health, insist, intact, told
from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.redis import REDIS_SERVER
from tests.parts.server import Served, served
from tests.parts.wait import until

HELLO = "Olá, o que é que posso vender aqui e como funciona?"


class Live:
    """A redis-server that a test breaks in each of the ways, and mends."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="lw-redis-"))
        self.url = f"unix://{self.folder / 's'}"
        self.start()

    def start(self) -> None:
        """Begin, with nothing remembered."""
        argv = [str(REDIS_SERVER), "--port", "0", "--unixsocket", str(self.folder / "s"), "--save", ""]
        argv += ["--dir", str(self.folder), "--maxmemory-policy", "noeviction"]
        self.process: subprocess.Popen[bytes] = process.start(argv, log=self.folder / "log")
        until(self.answers, what="redis to answer")

    def answers(self) -> bool:
        """Does it answer?"""
        with suppress(redis.ConnectionError), redis.Redis.from_url(self.url) as client:
            return bool(client.ping())
        return False

    def tell(self, *command: str) -> None:
        """Send a command."""
        with redis.Redis.from_url(self.url) as client:
            client.execute_command(*command)

    def hurt(self, how: str) -> None:
        """Break it."""
        match how:
            case "gone":
                process.stop(self.process, how=signal.SIGKILL)
            case "silent":
                self.process.send_signal(signal.SIGSTOP)
            case "read-only":
                self.tell("REPLICAOF", "127.0.0.1", "1")
            case "full":
                self.tell("CONFIG", "SET", "maxmemory", "1")

    def heal(self, how: str) -> None:
        """Mend it."""
        match how:
            case "gone":
                self.start()
            case "silent":
                self.process.send_signal(signal.SIGCONT)
            case "read-only":
                self.tell("REPLICAOF", "NO", "ONE")
            case "full":
                self.tell("CONFIG", "SET", "maxmemory", "0")

    def close(self) -> None:
        """End it."""
        self.process.send_signal(signal.SIGCONT)
        process.stop(self.process)
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module")
def live() -> Iterator[Live]:
    """One for all ways: each mends it."""
    if REDIS_SERVER is None:
        skip_missing("redis-server", "apt-get install redis-server")
    running = Live()
    yield running
    running.close()


@pytest.fixture(scope="module")
def loopwire(live: Live) -> Iterator[Served]:
    """A server over it."""
    with served({"REDIS_URL": live.url, "LOOPWIRE_DEMO_DELAY_MS": "10"}) as running:
        yield running


@pytest.mark.parametrize("how", ["gone", "silent", "read-only", "full"])
async def test_people_talk_on_and_it_heals_without_a_restart(live, loopwire, visit, how):
    visitor = visit(loopwire)
    talk = await visitor.open()
    assert await health(visitor, redis=True, database=True, degraded=False, ready=True) == 200
    await insist(talk, HELLO, "c1")
    await talk.event("TEXT_MESSAGE_CONTENT")
    live.hurt(how)
    try:
        await talk.finished()
        await insist(talk, "Polly Magic", "c2")
        await talk.finished()
        await told(talk, degraded=True)
        assert await health(visitor, redis=False, database=True, degraded=True, ready=True) == 200
        newcomer = visit(loopwire)
        ticket = await ask(newcomer, "POST", "/v1/tickets", {})
        assert ticket.status == 200, "a lone server lets people in without Redis"
        other = await newcomer.open(hello={"ticket": ticket.body["ticket"]})
        await insist(other, HELLO, "c1")
        await other.finished()
    finally:
        live.heal(how)
    await told(talk, degraded=False)
    assert await health(visitor, redis=True, degraded=False) == 200
    await insist(talk, "sim", "c3")
    await talk.finished()
    await intact(visitor, talk, HELLO, "Polly Magic", "sim")
    await intact(newcomer, other, HELLO)
    back = await visitor.open(session=talk.session)
    assert back.transcript.messages == talk.transcript.messages
    assert "Traceback" not in loopwire.log_text()


async def test_a_redis_that_goes_while_nobody_talks_is_noticed(live, loopwire, visit):
    visitor = visit(loopwire)
    talk = await visitor.open()
    live.hurt("gone")
    try:
        await told(talk, degraded=True)
    finally:
        live.heal("gone")
    await told(talk, degraded=False)
