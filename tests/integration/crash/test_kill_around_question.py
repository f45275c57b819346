"""Kill -9 around a question: between its answer and the answer's end, and the whole fleet between the two."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.integration.conversation.rows import items_of, runs_of, selected
from tests.integration.conversation.seller import Seller, ended, new_frame_id
from tests.integration.conversation.test_approval import READY
from tests.integration.crash.restarting_server import ENVIRONMENT, RestartingServer
from tests.integration.ws.visitor import Frame, Talk
from tests.parts import postgres
from tests.parts.sampled import later
from tests.parts.server import Backend, Served, Servers, served
from tests.parts.wait import until_async

PROMISED_S = 15
"""How soon another one goes on: half of it is the lease that is left, the rest is for a busy machine."""

NewSeller = Callable[..., Seller]


@pytest.fixture(scope="module")
def asks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Settings of an app that asks before an item is made."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_item"]\n')
    return {**ENVIRONMENT, "LOOPWIRE_APPS": str(file), "LOOPWIRE_SECRET": "one secret for all"}


@contextmanager
def fresh(asks: dict[str, str], redis_url: str, server: str) -> Iterator[Backend]:
    """Yield a redis-server and a database that several processes share."""
    with postgres.fresh_database(server) as durable:
        yield Backend("configured", {**asks, "REDIS_URL": redis_url, "DATABASE_URL": durable})


@pytest.fixture
async def sellers() -> AsyncIterator[NewSeller]:
    """Yield a factory of sellers whose sockets end with the test."""
    made: list[Seller] = []

    def make(at: Served, **options: Any) -> Seller:
        made.append(Seller(at, patience=3, **options))
        return made[-1]

    yield make
    for each in made:
        await each.aclose()


async def talk_until_approval(seller: Seller) -> Talk:
    """Talk until the seller is asked whether the item may be made."""
    talk = await seller.begin()
    for message in READY:
        await seller.say(message)
    assert [each["status"] for each in approvals(talk)] == ["open"]
    return talk


def approvals(talk: Talk) -> list[dict[str, Any]]:
    """Return what was asked."""
    shown = [each["content"] for each in talk.transcript.messages if each["role"] == "activity"]
    return [each for each in shown if each.get("kind") == "approval"]


def yes(talk: Talk, id: str) -> Frame:
    """Return the frame that allows it."""
    entry = {"interrupt_id": approvals(talk)[-1]["interrupt_id"], "status": "resolved"}
    return {"type": "resume", "id": id, "entries": [{**entry, "payload": {"approved": True}}]}


async def made_once(at: Served, backend: Backend, session: str) -> None:
    """There is one item, and one call that made it."""
    assert len(await items_of(at, backend, session)) == 1
    mine = "SELECT id FROM runs WHERE session_id = ?"
    query = f"SELECT state FROM tool_calls WHERE tool = 'create_item' AND run_id IN ({mine})"
    assert [each["state"] for each in await selected(at, backend, query, session)] == ["done"]


@pytest.fixture(scope="module")
def shared(asks: dict[str, str], redis_url: str, postgres_server: str) -> Iterator[Backend]:
    """Yield what the two instances below stand on."""
    with fresh(asks, redis_url, postgres_server) as backend:
        yield backend


@pytest.fixture(scope="module")
def mortal(shared: Backend) -> Iterator[RestartingServer]:
    """Yield the instance that takes the answer, executes it and dies."""
    running = RestartingServer(shared.environment)
    yield running
    running.close()


@pytest.fixture(scope="module")
def other(shared: Backend) -> Iterator[Served]:
    """Yield the instance that lives."""
    with served(shared.environment) as running:
        yield running


@pytest.mark.parametrize(
    "place",
    [
        later("submit.after_commit"),
        later("publish.ACTIVITY_DELTA"),
        "publish.TOOL_CALL_RESULT",
        later("finish.after_commit"),
    ],
)
async def test_an_answer_whose_process_is_killed_is_carried_out_once_by_another(
    mortal: RestartingServer, other: Served, shared: Backend, sellers: NewSeller, place: str
) -> None:
    seller = sellers(mortal.served)
    talk = await talk_until_approval(seller)
    elsewhere = sellers(other, cookie=seller.cookie, address=seller.address)
    watching = await elsewhere.begin(session=talk.session)
    lives = len(mortal.lives)
    mortal.die_at(place)
    frame = yes(talk, new_frame_id())
    await talk.send(frame)
    with suppress(ConnectionClosed):
        while True:
            await talk.receive()
    died_at = time.monotonic()
    assert mortal.died()
    answer = (await runs_of(other, shared, talk.session))[len(READY)]
    await ended(watching, answer["id"], 3)
    assert time.monotonic() - died_at < PROMISED_S
    assert approvals(watching)[-1]["status"] == "answered"
    await until_async(lambda: len(mortal.lives) > lives, seconds=120, what="the next life")
    seller.talk = await seller.back()
    await seller.talk.send(frame)
    ack = await seller.talk.until(lambda each: each.get("id") == frame["id"])
    assert (ack["type"], ack.get("dup"), ack["run_id"]) == ("ack", True, answer["id"])
    assert watching.transcript.messages == elsewhere.stored()
    assert seller.talk.transcript.messages == elsewhere.stored()
    await made_once(other, shared, talk.session)
    runs = await runs_of(other, shared, talk.session)
    assert [each["outcome"] for each in runs] == ["success", "success", "interrupt", "success"]


@pytest.mark.parametrize("kind", [later("embedded"), later("configured")])
async def test_the_whole_fleet_is_killed_between_a_question_and_its_answer(
    asks: dict[str, str],
    sellers: NewSeller,
    serve: Servers,
    kind: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
) -> None:
    if kind == "embedded":
        await answered_by_the_next(Backend(kind, asks), serve, sellers, tmp_path)
        return
    parts = [request.getfixturevalue(name) for name in ("redis_url", "postgres_server")]
    with fresh(asks, *parts) as backend:
        await answered_by_the_next(backend, serve, sellers, tmp_path, fleet=2)


async def answered_by_the_next(
    backend: Backend, serve: Servers, sellers: NewSeller, folder: Path, *, fleet: int = 1
) -> None:
    """Ask at one fleet, kill it, and answer at an instance that has never seen the conversation."""
    first = [serve(backend.environment, data_dir=folder) for _ in range(fleet)]
    seller = sellers(first[0])
    talk = await talk_until_approval(seller)
    before = seller.stored()
    for each in first:
        each.kill()
    after = serve(backend.environment, data_dir=folder)
    elsewhere = sellers(after, cookie=seller.cookie, address=seller.address)
    later = await elsewhere.begin(session=talk.session)
    assert later.transcript.messages == before
    assert approvals(later)[-1]["status"] == "open"
    await elsewhere.answer_frame(yes(later, new_frame_id()))
    assert approvals(later)[-1]["status"] == "answered"
    assert later.transcript.messages == elsewhere.stored()
    await made_once(after, backend, talk.session)
    await elsewhere.sell()
    assert [each["status"] for each in await items_of(after, backend, talk.session)] == ["complete"]
