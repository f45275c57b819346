"""Redis emptied or killed in mid-conversation: the shown messages stay, and the conversation goes on to its item."""

from __future__ import annotations

import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import psutil
import pytest
import redis

from server.bus import EmbeddedValkey
from tests.integration.conversation.seller import Seller, clicked, deltas, ended
from tests.parts import postgres, process
from tests.parts.missing import skip_missing
from tests.parts.redis import REDIS_SERVER
from tests.parts.sampled import later
from tests.parts.server import Served, served
from tests.parts.wait import until

LONG = "Olá, o que é que posso vender aqui e como funciona?"
PACE = {"LOOPWIRE_DEMO_DELAY_MS": "25"}


@dataclass
class BreakableServer:
    """A server and the Redis that it uses."""

    served: Served
    kill: Callable[[], None]
    url: str

    def empty(self) -> None:
        """FLUSHALL."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()


@pytest.fixture(scope="module", params=["embedded", "configured"])
def breakable(request: pytest.FixtureRequest) -> Iterator[BreakableServer]:
    """Yield a server of each kind, for tests that break its Redis."""
    if request.param == "embedded":
        with served(PACE) as running:
            yield BreakableServer(running, lambda: kill_valkey(running), EmbeddedValkey(running.data_dir).url)
        return
    server = request.getfixturevalue("postgres_server")
    with (
        own_redis() as (url, kill),
        postgres.fresh_database(server) as durable,
        served({**PACE, "REDIS_URL": url, "DATABASE_URL": durable}) as running,
    ):
        yield BreakableServer(running, kill, url)


def kill_valkey(running: Served) -> None:
    """Kill -9 the child; its watchdog starts it again."""
    until(lambda: valkey_of(running), what="the Valkey that was started again")[0].kill()


def valkey_of(running: Served) -> list[psutil.Process]:
    """Return the child, or nothing between its end and its return."""
    with suppress(psutil.NoSuchProcess):
        below = psutil.Process(running.process.pid).children(recursive=True)
        return [each for each in below if "valkey" in each.name() or "valkey" in " ".join(each.cmdline())]
    return []


@contextmanager
def own_redis() -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield a redis-server that forgets everything when it is killed, and is started again at once."""
    if REDIS_SERVER is None:
        skip_missing("redis-server", "apt-get install redis-server")
    folder = Path(tempfile.mkdtemp(prefix="lw-redis-"))
    socket = folder / "s"
    argv = [str(REDIS_SERVER), "--port", "0", "--unixsocket", str(socket), "--dir", str(folder), "--save", ""]
    running: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        running.append(process.start(argv, log=folder / "log"))
        until(lambda: answers(f"unix://{socket}"), what="redis to answer")

    def kill() -> None:
        running[-1].send_signal(signal.SIGKILL)
        running[-1].wait(60)
        start()

    start()
    try:
        yield f"unix://{socket}", kill
    finally:
        process.stop(running[-1])
        shutil.rmtree(folder, ignore_errors=True)


def answers(url: str) -> bool:
    """Return whether a Redis answers there."""
    try:
        with redis.Redis.from_url(unquote(url)) as client:
            return bool(client.ping())
    except redis.ConnectionError:
        return False


@pytest.fixture
async def seller(breakable: BreakableServer) -> AsyncIterator[Seller]:
    """Yield a new seller who clicks."""
    made = Seller(breakable.served, answer=clicked)
    yield made
    await made.aclose()


@pytest.mark.once
@pytest.mark.parametrize("how", [later("emptied"), "killed"])
async def test_a_conversation_survives_the_loss_of_redis_at_any_moment(
    breakable: BreakableServer, seller: Seller, how: str
) -> None:
    hurt = breakable.empty if how == "emptied" else breakable.kill
    talk = await seller.begin()
    other = await seller.tab()
    ack = await talk.say(LONG, "c1")
    await deltas(talk, 4)
    hurt()
    await ended(talk, ack["run_id"])
    await seller.say("Polly Magic")
    hurt()
    await seller.say("sim")
    hurt()
    transcript = await seller.sell()
    assert transcript.state["status"] == "complete"
    assert seller.item()["status"] == "complete"
    assert seller.stored() == transcript.messages
    run = transcript.run
    assert run is not None
    await ended(other, run.id)
    assert other.transcript.messages == transcript.messages
    fresh = await seller.tab()
    assert fresh.transcript.messages == transcript.messages[-50:]
    assert not [each for each in talk.frames if each.get("type") == "error"]
    assert "Traceback" not in breakable.served.log_text()


@pytest.mark.conformance
@pytest.mark.once
async def test_a_reconnect_after_redis_was_emptied_delivers_all_messages(
    breakable: BreakableServer, seller: Seller
) -> None:
    talk = await seller.begin()
    await seller.say("Polly Magic")
    breakable.empty()
    back = await seller.back()
    assert back.transcript.messages == talk.transcript.messages
    seller.talk = back
    transcript = await seller.sell()
    assert transcript.state["status"] == "complete"
    assert seller.stored() == transcript.messages
