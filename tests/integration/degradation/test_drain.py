"""SIGTERM in each role, two hundred sockets: each gets `reconnect`, no answer is lost, the process ends in time."""

from __future__ import annotations

import asyncio
import signal
import socket
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import InvalidStatus

from tests.integration.degradation.outage_checks import insist, intact
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts import postgres
from tests.parts.proxy import Proxy, Weather
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, served
from tests.parts.wait import until_async

HELLO = "Olá, o que é que posso vender aqui e como funciona?"
SESSIONS, EACH = 10, 20
EXIT_S = 30
"""What a platform gives between SIGTERM and SIGKILL."""

AT_ONCE_S = 60
"""From the second signal to the end: a first one would have waited for minutes."""

SPREAD_S = (2, 5)
"""The promise: over this time they are told to come back, and sent away."""

HALF = (
    b"POST /v1/tickets HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"
)
CROWDED = {"LOOPWIRE_SOCKETS_PER_SESSION": str(EACH)}


@pytest.fixture
def apart(redis_url: str, postgres_server: str) -> Iterator[Backend]:
    """Yield a redis-server and a database for web and worker processes."""
    with postgres.fresh_database(postgres_server) as durable:
        yield Backend("configured", {"REDIS_URL": redis_url, "DATABASE_URL": durable})


async def crowd(visitor: Visitor) -> list[Talk]:
    """Open two hundred sockets: ten sessions, each in twenty tabs."""
    talks = [await visitor.open() for _ in range(SESSIONS)]
    for first in tuple(talks):
        token = first.welcome["resume_token"]
        opening = [visitor.open(hello={"resume_token": token}) for _ in range(EACH - 1)]
        talks += await asyncio.gather(*opening)
    assert len(talks) == SESSIONS * EACH
    return talks


async def ended(talk: Talk) -> tuple[int, float]:
    """Take frames until the socket closes; return its code and the moment."""
    return await talk.closed(), time.monotonic()


async def sent_away(served: Served, talks: list[Talk]) -> None:
    """End a server by SIGTERM and judge how each client was closed."""
    visitor = Visitor(served)
    closing = [asyncio.ensure_future(ended(each)) for each in talks]
    await asyncio.sleep(0)
    served.process.send_signal(signal.SIGTERM)
    await until_async(lambda: any(reconnect_delays(each) for each in talks), what="the first to be told")
    assert (await asyncio.to_thread(visitor.request, "GET", "/readyz")).status == 503
    with pytest.raises(InvalidStatus) as refused:
        await visitor.socket()
    assert refused.value.response.status_code == 503
    assert int(refused.value.response.headers["retry-after"]) > 0
    ends = await asyncio.gather(*closing)
    assert {code for code, _ in ends} == {1012}
    least, most = SPREAD_S
    assert all(len(reconnect_delays(each)) == 1 for each in talks)
    told = {reconnect_delays(each)[0] for each in talks}
    assert 0 < min(told) <= max(told) <= most * 1000
    assert max(told) - min(told) >= least * 1000, "they do not all come back at once"
    assert len(told) > len(talks) / 4
    # What each was told is exact; when its end is seen here depends on the machine too.
    moments = [moment for _, moment in ends]
    assert least / 2 <= max(moments) - min(moments) <= 2 * most, "they are not all sent away at once"


def reconnect_delays(talk: Talk) -> list[int]:
    """After how many ms this one was told to come back, each time."""
    return [each["after_ms"] for each in talk.frames if each.get("type") == "reconnect"]


async def gone(served: Served, since: float) -> None:
    """Wait until it has ended, which has its time."""
    await until_async(lambda: served.process.poll() is not None, what="the end")
    assert served.process.returncode == 0
    assert time.monotonic() - since < EXIT_S
    assert "Traceback" not in served.log_text()


@pytest.mark.conformance
async def test_serve_finishes_its_answers_before_it_exits(serve, visit):
    loopwire = serve({**CROWDED, "LOOPWIRE_DEMO_DELAY_MS": "80"})
    visitor = visit(loopwire)
    talks = await crowd(visitor)
    for each in talks[:3]:
        await insist(each, HELLO, "c1")
    await talks[0].event("TEXT_MESSAGE_CONTENT")
    began = time.monotonic()
    await sent_away(loopwire, talks)
    await gone(loopwire, began)
    again = serve({"LOOPWIRE_DEMO_DELAY_MS": "0"}, data_dir=loopwire.data_dir)
    back = visit(again)
    back.cookie = visitor.cookie
    for each in talks[:3]:
        now = await back.open(session=each.session)
        await intact(back, now, HELLO)
        assert now.transcript.run is not None and now.transcript.run.outcome == {"type": "success"}
        assert "ended" not in now.transcript.messages[-1]["metadata"]["loopwire"]


async def test_serve_gives_back_a_run_that_does_not_end_in_time(serve, visit):
    own = {"LOOPWIRE_DEMO_DELAY_MS": "2000", "LOOPWIRE_DRAIN_SECONDS": "3"}
    loopwire = serve(own)
    visitor = visit(loopwire)
    talk = await visitor.open()
    await insist(talk, HELLO, "c1")
    await talk.event("TEXT_MESSAGE_CONTENT")
    began = time.monotonic()
    loopwire.process.send_signal(signal.SIGTERM)
    assert await talk.closed() == 1012
    await gone(loopwire, began)
    back = visit(serve({"LOOPWIRE_DEMO_DELAY_MS": "0"}, data_dir=loopwire.data_dir))
    back.cookie = visitor.cookie
    now = await back.open(session=talk.session)
    now.asked = talk.asked
    await now.finished()
    await intact(back, now, HELLO)


async def test_web_sends_its_people_to_another_while_the_worker_answers_on(apart, serve, visit):
    own = {**apart.environment, **CROWDED, "LOOPWIRE_WORKERS_IN_WEB": "0", "LOOPWIRE_SECRET": "s" * 32}
    slow = {**apart.environment, "LOOPWIRE_DEMO_DELAY_MS": "80"}
    with served(own, command="web") as one, served(slow, command="worker"):
        other = serve({**own, "LOOPWIRE_ALLOWED_ORIGINS": one.url}, command="web")
        visitor = visit(one)
        talks = await crowd(visitor)
        await insist(talks[0], HELLO, "c1")
        await talks[0].event("TEXT_MESSAGE_CONTENT")
        began = time.monotonic()
        await sent_away(one, talks)
        there = visit(other)
        there.cookie = visitor.cookie
        talk = talks[0]
        hello = {"resume_token": talk.welcome["resume_token"], "last_seq": talk.seq, "epoch": talk.epoch}
        # A balancer would show both under one origin.
        back = await resumed(await there.socket(origin=one.url), talk, hello)
        await back.finished()
        await intact(there, back, HELLO)
        await gone(one, began)


async def resumed(socket: ClientConnection, talk: Talk, hello: dict[str, object]) -> Talk:
    """Come back elsewhere with what was seen so far."""
    again = Talk(socket, transcript=talk.transcript, seq=talk.seq, epoch=talk.epoch, asked=talk.asked)
    await again.send({"type": "hello", **hello})
    await again.until(lambda frame: frame.get("type") == "queue")
    return again


async def test_a_worker_gives_its_run_to_the_next_and_its_watchers_see_it_end(apart, visit):
    web_only = {**apart.environment, "LOOPWIRE_WORKERS_IN_WEB": "0"}
    endless = {**apart.environment, "LOOPWIRE_DEMO_DELAY_MS": "2000", "LOOPWIRE_DRAIN_SECONDS": "2"}
    with served(web_only, command="web") as web, served(endless, command="worker") as leaving:
        visitor = visit(web)
        talk = await visitor.open()
        await insist(talk, HELLO, "c1")
        await talk.event("TEXT_MESSAGE_CONTENT")
        with served({**apart.environment, "LOOPWIRE_DEMO_DELAY_MS": "0"}, command="worker") as staying:
            await until_async(lambda: "runs at once" in staying.log_text(), what="the second worker")
            began = time.monotonic()
            leaving.process.send_signal(signal.SIGTERM)
            await gone(leaving, began)
            await talk.finished()
            await intact(visitor, talk, HELLO)


async def test_a_second_signal_ends_a_worker_at_once(apart, visit):
    web_only = {**apart.environment, "LOOPWIRE_WORKERS_IN_WEB": "0"}
    endless = {**apart.environment, "LOOPWIRE_DEMO_DELAY_MS": "5000", "LOOPWIRE_DRAIN_SECONDS": "600"}
    with served(web_only, command="web") as web, served(endless, command="worker") as worker:
        talk = await visit(web).open()
        await insist(talk, HELLO, "c1")
        await talk.event("TEXT_MESSAGE_CONTENT")
        worker.process.send_signal(signal.SIGTERM)
        await until_async(lambda: "draining" in worker.log_text(), what="the first signal to be taken")
        await at_once(worker)


async def test_a_second_signal_ends_serve_at_once(serve, visit):
    loopwire = serve({"LOOPWIRE_DEMO_DELAY_MS": "5000", "LOOPWIRE_DRAIN_SECONDS": "600"})
    talk = await visit(loopwire).open()
    await insist(talk, HELLO, "c1")
    await talk.event("TEXT_MESSAGE_CONTENT")
    loopwire.process.send_signal(signal.SIGTERM)
    assert await talk.closed() == 1012
    await at_once(loopwire)


async def at_once(leaving: Served) -> None:
    """Tell it a second time, which it obeys."""
    assert leaving.process.poll() is None, "its answer is waited for"
    second = time.monotonic()
    leaving.process.send_signal(signal.SIGTERM)
    await until_async(lambda: leaving.process.poll() is not None, what="the end")
    assert time.monotonic() - second < AT_ONCE_S
    assert leaving.process.returncode == 0
    assert "Traceback" not in leaving.log_text()


@pytest.mark.parametrize("command", ["web", later("worker")])
async def test_a_database_that_falls_silent_keeps_no_process_past_its_time(
    redis_url, postgres_server, serve, visit, command
):
    with postgres.fresh_database(postgres_server) as durable:
        at = urlsplit(durable)
        line = Proxy(lambda: [(at.hostname, at.port)])
        await line.start()
        own = {"REDIS_URL": redis_url, "LOOPWIRE_SECRET": "s" * 32, "LOOPWIRE_DEMO_DELAY_MS": "2000"}
        whole = {**own, "DATABASE_URL": durable, "LOOPWIRE_WORKERS_IN_WEB": "0"}
        through = durable.replace(f"{at.hostname}:{at.port}", f"127.0.0.1:{line.port}")
        leaving = {**own, "DATABASE_URL": through, "LOOPWIRE_DRAIN_SECONDS": "2"}
        others = serve(whole, command="web")
        one = await asyncio.to_thread(lambda: serve(leaving, command=command))
        talk = await visit(others).open()
        await insist(talk, HELLO, "c1")
        await talk.event("TEXT_MESSAGE_CONTENT")  # The one that will leave is in the middle of it.
        line.weather = Weather(silent_up=True, silent_down=True)
        one.process.send_signal(signal.SIGTERM)
        assert await asyncio.to_thread(one.process.wait, 60) == 0
        ended = time.time()
        told, left = one.logged_at("draining: no new"), one.logged_at("exit before everything was closed")
        assert told is not None
        # What closes gives up at about the time at which the process is ended: either may come first.
        assert (left or ended) - told < 2 + 5, "with the default, 25, that is within 30 s"
        others.kill()
        await line.aclose()


async def test_half_a_body_and_an_endless_answer_keep_no_process_past_its_time() -> None:
    with served({"LOOPWIRE_DEMO_DELAY_MS": "3000", "LOOPWIRE_DRAIN_SECONDS": "3"}) as own:
        visitor = Visitor(own)
        talk = await visitor.open()
        await talk.say(HELLO, "c1")
        await talk.event("TEXT_MESSAGE_CONTENT")
        address = urlsplit(own.url)
        with socket.create_connection((address.hostname, address.port)) as slow:
            slow.sendall(HALF % address.netloc.encode())
            own.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(own.process.wait, 3 + 5) == 0, (
                "with the default, 25, that is within 30 s"
            )
        assert "Traceback" not in own.log_text()
        assert '"ERROR"' not in own.log_text()
