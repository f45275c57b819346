"""An end that is stored and told but in no log, since its process has no Redis: readers elsewhere get it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from server import apps
from server.app import RunningParts, open_parts
from server.rooms.backlog_watch import BacklogWatch
from server.runs import crash_points
from server.settings import Settings
from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.test_reconnect import opened
from tests.integration.ws.visitor import Talk
from tests.parts.proxy import Proxy, Weather
from tests.parts.sampled import pairs

pytestmark = pytest.mark.once

PROMISED_S = 15.0


@dataclass
class TwoInstances:
    """A process that people are connected to, and another one that answers, over a line that breaks at an end."""

    here: Inside
    other: RunningParts
    line: Proxy
    told: asyncio.Event

    async def asked(self, *, html: bool) -> Talk:
        """Return a message whose answer's end is stored and told by the other process, and in no log."""
        if html:
            ticket = await asyncio.to_thread(self.here.visitor.ticket)
            talk = await self.here.visitor.open(html=True, hello={"ticket": ticket["ticket"]})
        else:
            talk = await opened(self.here)
        await talk.say("Quero vender um iPhone 13", "c1")
        async with asyncio.timeout(60):
            await self.told.wait()
        return talk


@pytest.fixture
async def instance(valkey_url: str, tmp_path: Path) -> AsyncIterator[TwoInstances]:
    """The line is silent from the moment in which an end is stored."""
    at = urlsplit(valkey_url)
    line = Proxy(lambda: [(str(at.hostname), int(at.port or 0))])
    await line.start()
    armed, told = [True], asyncio.Event()

    def point(name: str) -> None:
        if name == crash_points.AFTER_FINISH and armed:
            armed.clear()
            line.weather = Weather(silent_up=True, silent_down=True)
            line.cut()
        if name == crash_points.AFTER_PUBLISHED:
            told.set()

    through = valkey_url.replace(f"{at.hostname}:{at.port}", f"127.0.0.1:{line.port}")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    settings = Settings(data_dir=elsewhere, demo_delay_ms=0)
    async with inside(tmp_path / "here", redis_url=valkey_url, capacity=0) as here:
        store, looking = (
            here.ready.parts.store,
            BacklogWatch(here.web.rooms, here.ready.parts.runs, ask_s=0.02),
        )
        looking.start()
        known = apps.load(None)
        async with open_parts(
            settings, store, here.ready.parts.cores, known, through, capacity=8, point=point
        ) as other:
            yield TwoInstances(here, other, line, told)
            line.clear()
        await looking.aclose()
    await line.aclose()


@pytest.mark.parametrize(("then", "html"), pairs(["dies", "stays without redis"], [False, True]))
async def test_an_open_reader_sees_the_end(instance: TwoInstances, then: str, html: bool) -> None:
    talk = await instance.asked(html=html)
    if then == "dies":
        await instance.other.parts.bus._tasks.aclose()  # As after kill -9, nothing of it writes any more.
    async with asyncio.timeout(PROMISED_S):
        await talk.until(lambda _: has_ended(talk))
    assert await instance.here.ready.parts.runs.reached_seqs([talk.session]) == {talk.session: talk.seq}
    newcomer = await opened(instance.here, session_id=talk.session)
    assert newcomer.transcript.messages == talk.transcript.messages
    frames = len(talk.frames)
    await talk.say("E um segundo?", "c2")
    again = [each for each in talk.frames[frames:] if each.get("type") == "snapshot"]
    assert again == [], "who was told is not told again"


async def test_a_client_on_another_instance_sees_each_answer_end_before_the_next_begins(
    instance: TwoInstances,
) -> None:
    talk = await instance.asked(html=False)
    instance.here.ready.parts.runs.worker.start(4)
    await talk.say("E um segundo?", "c2")
    await talk.until(lambda _: has_ended(talk) and said(talk) >= 2)
    running = False
    for kind in course(talk):
        assert not (running and kind == "RUN_STARTED"), list(course(talk))
        running = kind == "RUN_STARTED"
    newcomer = await opened(instance.here, session_id=talk.session)
    assert newcomer.transcript.messages == talk.transcript.messages


def has_ended(talk: Talk) -> bool:
    return talk.transcript.run is not None and talk.transcript.run.status != "running"


def said(talk: Talk) -> int:
    return sum(each["role"] == "user" for each in talk.transcript.messages)


def course(talk: Talk) -> Iterator[str]:
    """The begins and ends of runs as they came; a snapshot tells both of the last one."""
    for frame in talk.frames:
        for each in frame.get("batch", [frame]):
            if each.get("type") == "snapshot":
                yield "RUN_FINISHED"
                yield from (event["type"] for event in each["events"] if event["type"].startswith("RUN_"))
            elif each.get("event", {}).get("type", "").startswith("RUN_"):
                yield each["event"]["type"]
