"""The idle proof of Redis, that a session needs no look at the database: it never holds after Redis lost anything."""

import asyncio
import secrets

import pytest
import redis

from server.auth.tokens import RESUME_SECONDS
from server.bus import Bus
from server.bus.log.log import meta_key
from tests.parts import process
from tests.parts.missing import skip_missing
from tests.parts.ports import free_port
from tests.parts.redis import REDIS_SERVER, valkey_binary
from tests.parts.wait import until, until_async

NAME = "c1"
SERVERS = {"valkey": valkey_binary(), "redis": REDIS_SERVER}


@pytest.fixture(params=["valkey", "redis"])
def real_url(request: pytest.FixtureRequest) -> str:
    """Return the servers that can vouch; the stand-in without one cannot."""
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
async def bus(real_url: str):
    """Yield one instance."""
    made = Bus(real_url)
    await made.start()
    yield made
    await made.aclose()


@pytest.fixture
def session() -> str:
    """Return a session that nobody used before."""
    return f"ses_{secrets.token_hex(8)}"


async def taken(bus: Bus, session: str, fence: int = 1, *, alone: bool = True) -> None:
    """Take its log and give it back."""
    writer = await bus.writer(session, fence=fence, floor=0, alone=NAME if alone else None)
    writer.append({"type": "CUSTOM", "name": "n", "value": fence})
    await writer.aclose()


def owner(session: str) -> str:
    """Whose it is: of nobody that any other test doubts, as they share the server."""
    return f"vis_of_{session}"


async def idle_proof(bus: Bus, session: str) -> tuple[bool, bool]:
    """Return what is said of it as a whole, and of its queue."""
    return await bus.idle_proof.holds(session, owner(session)), await bus.idle_proof.idle(session)


async def test_an_idle_proof_holds_until_a_doubt_is_written(bus: Bus, session: str) -> None:
    assert await idle_proof(bus, session) == (False, False)
    await taken(bus, session, alone=False)
    assert await idle_proof(bus, session) == (False, False)
    await taken(bus, session, 2)
    assert await idle_proof(bus, session) == (True, True)
    assert await bus.idle_proof.holds(session)
    await bus.idle_proof.withdraw(session)
    assert await idle_proof(bus, session) == (False, True)
    assert not await bus.idle_proof.holds(session)


async def test_a_doubt_of_the_principal_holds_for_all_its_sessions(bus: Bus, session: str) -> None:
    principal = f"vis_{session}"
    await taken(bus, session)
    assert await bus.idle_proof.holds(session, principal)
    await bus.idle_proof.withdraw(principal)
    assert not await bus.idle_proof.holds(session, principal)
    assert await bus.idle_proof.holds(session, owner(session))


async def test_a_waiting_message_voids_the_idle_proof_of_a_run_that_takes_the_log(
    bus: Bus, session: str, real_url: str
) -> None:
    await bus.idle_proof.note_waiting(session, "c9")
    await taken(bus, session)
    assert await idle_proof(bus, session) == (False, False)
    with redis.from_url(real_url) as client:
        assert 0 < client.ttl(meta_key(session)) <= 86_400
        now = client.time()[0]
        client.hset(meta_key(session), "w", f"! {now - 30}:c9")
        await taken(bus, session, 2)
        assert await idle_proof(bus, session) == (False, False), "its commit may still be under way"
        client.hset(meta_key(session), "w", f"! {now - 180}:c9")
    await taken(bus, session, 3, alone=False)
    assert await idle_proof(bus, session) == (False, False)
    await taken(bus, session, 4)
    assert await idle_proof(bus, session) == (True, True)
    await bus.idle_proof.note_waiting(session, "c9")
    assert await idle_proof(bus, session) == (False, False)


async def test_a_run_that_waited_itself_does_not_void_its_idle_proof(bus: Bus, session: str) -> None:
    await bus.idle_proof.note_waiting(session, NAME)
    await taken(bus, session)
    assert await idle_proof(bus, session) == (True, True)
    for each in ("c9", NAME, NAME):
        await bus.idle_proof.note_waiting(session, each)
    await taken(bus, session, 2)
    assert await idle_proof(bus, session) == (False, False)


async def test_a_doubt_is_kept_longer_than_a_resume_token_lives(
    bus: Bus, session: str, real_url: str
) -> None:
    await bus.idle_proof.withdraw(session)
    with redis.from_url(real_url) as client:
        assert RESUME_SECONDS < client.ttl(f"lw:doubt:{session}") <= 4 * RESUME_SECONDS


async def test_a_flush_of_redis_voids_every_idle_proof(bus: Bus, session: str, real_url: str) -> None:
    await taken(bus, session)
    await bus.idle_proof.withdraw(session)
    with redis.from_url(real_url) as client:
        client.flushall()
    assert await idle_proof(bus, session) == (False, False)


async def test_a_log_that_begins_anew_keeps_the_note_of_a_waiting_message(
    bus: Bus, session: str, real_url: str
) -> None:
    writer = await bus.writer(session, fence=1, floor=0, alone=NAME)
    with redis.from_url(real_url) as client:
        client.delete(meta_key(session), meta_key(session).replace(":head", ":log"))
    await bus.idle_proof.note_waiting(session, "c9")
    await writer.publish({"type": "CUSTOM", "name": "n", "value": 1})
    assert await idle_proof(bus, session) == (False, False)
    with redis.from_url(real_url) as client:
        assert client.hget(meta_key(session), "w").startswith(b"!")
    await writer.aclose()


@pytest.mark.parametrize("name", SERVERS)
async def test_a_restart_of_redis_voids_every_idle_proof(name, session, tmp_path) -> None:
    if SERVERS[name] is None:
        skip_missing(name, "it takes its own binary to start it again")
    port = free_port()
    argv = [SERVERS[name], "--port", str(port), "--bind", "127.0.0.1", "--dir", str(tmp_path)]
    argv += ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--daemonize", "no"]
    url = f"redis://127.0.0.1:{port}"

    def started():
        server = process.start(argv, log=tmp_path / "log")
        until(lambda: answers(url), what="redis to answer")
        return server

    server, bus = started(), Bus(url)
    try:
        await bus.start()
        await taken(bus, session)
        assert await idle_proof(bus, session) == (True, True)
        server.kill()
        server.wait()
        assert await idle_proof(bus, session) == (False, False)
        await bus.idle_proof.withdraw("vis_2")  # It cannot be said now.
        assert bus.idle_proof.has_deferred
        server = started()
        await until_async(lambda: not bus.idle_proof.has_deferred, what="the doubt to be told")
        with redis.from_url(url) as client:
            assert client.hget(meta_key(session), "w")  # The field is still there, from an unknown holder.
            assert client.exists("lw:doubt:vis_2")
        assert await idle_proof(bus, session) == (False, False)
        await taken(bus, session, 2)
        assert await idle_proof(bus, session) == (True, True)
    finally:
        await bus.aclose()
        process.stop(server)


def answers(url: str) -> bool:
    """Return whether it takes commands."""
    with redis.from_url(url) as client:
        try:
            return bool(client.ping())
        except (redis.ConnectionError, redis.exceptions.BusyLoadingError):
            return False


async def test_doubts_are_sent_to_redis_only_after_a_known_outage_is_over(
    bus: Bus, session: str, real_url: str
) -> None:
    await taken(bus, session)
    quiet = Bus(real_url)  # Nothing of it runs: it does not notice that Redis is there.
    assert await quiet.idle_proof.idle(session)
    quiet.flusher.note_failure(0.0)
    assert (quiet.degraded, quiet.hub.repair.is_due) == (True, False)
    assert not await quiet.idle_proof.idle(session)
    await quiet.idle_proof.withdraw(owner(session))
    await quiet.idle_proof.note_waiting(session, "c9")
    assert quiet.idle_proof.has_deferred
    assert await idle_proof(bus, session) == (True, True)
    flushing = asyncio.ensure_future(quiet.flusher.run())
    await until_async(lambda: not quiet.degraded, what="the answer")
    assert quiet.hub.repair.is_due, "what was lost meanwhile is looked for"

    async def told() -> bool:
        return await idle_proof(bus, session) == (False, False)

    await until_async(told, what="the doubt to be told")
    with redis.from_url(real_url) as client:
        await until_async(lambda: client.exists(f"lw:doubt:{owner(session)}"), what="the other doubt")
        assert b":c9" in client.hget(meta_key(session), "w")
    flushing.cancel()
    await quiet.aclose()


async def test_the_stand_in_without_a_server_gives_no_idle_proof(session: str) -> None:
    bus = Bus(f"fake://{session}")
    await bus.start()
    await taken(bus, session)
    assert await idle_proof(bus, session) == (False, False)
    await bus.idle_proof.withdraw(session)
    await bus.idle_proof.note_waiting(session, "c9")
    assert await idle_proof(bus, session) == (False, False)
    await bus.aclose()
