"""A ticket works once on any instance, also when Redis confirms it too late."""

from __future__ import annotations

import redis

from server.auth import Grant, Tickets
from server.bus.one_time_values import RedisOneTimeValues
from server.errors import Unauthorized
from tests.parts.live import breakable
from tests.parts.wait import until_async

GRANT = Grant("ses_1", "vis_1", "https://a.example", "pt")


async def accepts(tickets: Tickets, ticket: str) -> bool:
    """Return whether the instance takes the ticket."""
    try:
        return await tickets.redeem(ticket, GRANT.origin) == GRANT
    except Unauthorized:
        return False


async def test_a_ticket_that_redis_takes_after_all_is_not_accepted_by_two_instances() -> None:
    with breakable() as live, redis.Redis.from_url(live.url) as looking:
        here, there = RedisOneTimeValues(live.url), RedisOneTimeValues(live.url)
        await here.put("warm", b"", seconds=1)
        live.hurt("silent")
        try:
            ticket = await Tickets(here).issue(GRANT)
        finally:
            live.heal("silent")
        await until_async(lambda: looking.keys("lw:ticket:*"), what="the late word to arrive")
        taken = [await accepts(Tickets(each), ticket) for each in (there, here, there, here)]
        assert taken == [False, True, False, False]
        await here.aclose()
        await there.aclose()


async def test_a_value_leaves_redis_by_itself(valkey_url: str) -> None:
    store = RedisOneTimeValues(valkey_url)
    await store.put("lw:test:once", b"1", seconds=30)
    with redis.Redis.from_url(valkey_url) as looking:
        assert 0 < looking.ttl("lw:test:once") <= 30
    assert [await store.read("lw:test:once") for _ in range(2)] == [b"1", b"1"]
    assert [await store.pop("lw:test:once") for _ in range(2)] == [b"1", None]
    assert await store.read("lw:test:once") is None
    await store.aclose()


async def test_a_ticket_that_is_given_back_works_once_more_and_on_any_instance(valkey_url: str) -> None:
    here, there = RedisOneTimeValues(valkey_url), RedisOneTimeValues(valkey_url)
    ticket = await Tickets(here).issue(GRANT)
    assert await accepts(Tickets(there), ticket)
    await Tickets(there).give_back(ticket, GRANT)
    assert [await accepts(Tickets(each), ticket) for each in (here, there)] == [True, False]
    await here.aclose()
    await there.aclose()
