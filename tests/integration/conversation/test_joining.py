"""Joining at any event is the full fold; and the rows drawn live are the rows of the page, wherever one joined."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.tasks import Tasks
from tests.integration.conversation.painting import Painting, page_rows
from tests.integration.conversation.seller import Seller, clicked, ended, seen
from tests.integration.ws.visitor import Talk
from tests.parts.sampled import is_whole
from tests.parts.server import Served

pytestmark = pytest.mark.once

Way = Literal["replay", "snapshot", "html"]
EVENTS = 90
CUTS = st.lists(
    st.tuples(st.integers(0, EVENTS), st.sampled_from(["replay", "snapshot", "html"])), max_size=6
)
EXAMPLES = settings(
    max_examples=18 if is_whole() else 4,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@dataclass
class Wanderer:
    """A client of a conversation that leaves at given events and comes back, each time in some way."""

    seller: Seller
    cuts: list[tuple[int, Way]]
    html: bool = False
    talk: Talk = field(init=False)
    painting: Painting = field(default_factory=Painting)
    painted: int = 0

    async def begin(self) -> None:
        """Join for the first time."""
        self.talk = await self.seller.tab(html=self.html)
        self._paint()

    async def follow(self, last: Talk, run_id: list[str]) -> None:
        """Take everything until the end of the last run, leaving and coming back as planned."""
        for at, way in sorted(self.cuts):
            while self.talk.seq < at and not self._over(last, run_id):
                await self._receive()
            await self.talk.socket.close()
            await self._again(way)
        while not self._over(last, run_id):
            await self._receive()

    async def _again(self, way: Way) -> None:
        self.html = way == "html"
        token = {"resume_token": self.talk.welcome["resume_token"]}
        if way == "replay":
            self.talk = await self.seller.back(talk=self.talk)
        else:
            self.talk = await self.seller.open(html=self.html, hello=token)
        self.painted = 0
        self._paint()

    async def _receive(self) -> None:
        try:
            await self.talk.receive()
        except TimeoutError as silence:
            run = self.talk.transcript.run
            raise AssertionError(
                f"silence at {self.talk.seq}, {run}, after {self.talk.frames[-3:]}"
            ) from silence
        self._paint()

    def _paint(self) -> None:
        if self.html:
            for frame in self.talk.frames[self.painted :]:
                for each in frame.get("batch", [frame]):
                    self.painting.take(each)
        self.painted = len(self.talk.frames)

    def _over(self, last: Talk, run_id: list[str]) -> bool:
        return bool(run_id) and self.talk.seq >= last.seq and seen(self.talk) == seen(last)


@asynccontextmanager
async def wandering(
    at: Served, cuts: list[tuple[int, Way]], *, html: bool
) -> AsyncIterator[tuple[Seller, Wanderer]]:
    """Have a conversation of four messages while another client joins again and again; return both at its end."""
    seller = Seller(at, answer=clicked)
    tasks, done = Tasks(), list[str]()
    try:
        await seller.begin()
        wanderer = Wanderer(seller, cuts, html)
        await wanderer.begin()
        following = tasks.spawn(wanderer.follow(seller.talk, done), name="wanderer")
        for _ in range(4):
            content = seller.next_message()
            assert content is not None
            ack = await seller.say(content)
        done.append(ack["run_id"])
        # One frame more wakes a wanderer that has seen everything before it was told that this is all.
        said = [each["id"] for each in seller.talk.transcript.messages if each["role"] == "assistant"][-1]
        await seller.talk.send({"type": "feedback", "id": "f1", "message_id": said, "value": None})
        await following
        yield seller, wanderer
    finally:
        await tasks.aclose()
        await seller.aclose()


@EXAMPLES
@given(cuts=CUTS)
async def test_a_join_at_any_event_gives_the_full_fold(swift: Served, cuts: list[tuple[int, Way]]) -> None:
    async with wandering(swift, cuts, html=False) as (seller, wanderer):
        assert seen(wanderer.talk) == seen(seller.talk)
        assert seller.stored() == seller.talk.transcript.messages


@pytest.mark.conformance
@EXAMPLES
@given(cuts=st.lists(st.integers(0, EVENTS), max_size=3))
async def test_rows_drawn_live_are_the_rows_of_the_page(swift: Served, cuts: list[int]) -> None:
    async with wandering(swift, [(at, "html") for at in cuts], html=True) as (seller, wanderer):
        page = seller.request("GET", f"/s/{seller.talk.session}")
        assert page.status == 200
        live, stored = wanderer.painting.rows(), page_rows(page.body.decode())
        assert [id for id, _ in live] == [id for id, _ in stored]
        assert live == stored
        assert len(stored) > 10
        assert seen(wanderer.talk) == seen(seller.talk)


async def test_a_whole_conversation_is_drawn_as_its_page(swift: Served, sellers: Any) -> None:
    seller = sellers(swift, answer=clicked, opening="headphones", language="en")
    await seller.begin()
    html = await seller.tab(html=True)
    transcript = await seller.sell()
    await ended(html, str(transcript.run and transcript.run.id))
    painting = Painting()
    for frame in html.frames:
        painting.take(frame)
    live = painting.rows()
    stored = page_rows(
        seller.request("GET", f"/s/{seller.talk.session}", headers={"accept-language": "en"}).body.decode()
    )
    assert [id for id, _ in live][-len(stored) :] == [id for id, _ in stored]
    assert live[-len(stored) + 1 :] == stored[1:]
