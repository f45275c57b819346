"""The log of a session by Durable Streams: every event once, in order, from every offset, live or later."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx2
import pytest

from server.protocol.transcript import Transcript
from tests.integration.api.log_client import Json, LogClient, has_end, seqs
from tests.integration.ws.visitor import PATIENCE_S, Visitor, settled
from tests.parts.server import Served

pytestmark = pytest.mark.once

LONG = "Olá, o que é que posso vender aqui e como funciona?"
UNKNOWN = "0000000001_0000000000000003_ffffffffffff"

Reading = Callable[..., Awaitable[LogClient]]


@pytest.fixture
async def reads(shop_server: Served, guest: Visitor) -> AsyncIterator[Reading]:
    """Return a function that begins to read a conversation's log, a new one's unless one is named."""
    async with httpx2.AsyncClient(base_url=shop_server.url, timeout=PATIENCE_S, trust_env=False) as http:

        async def begin(session: str | None = None) -> LogClient:
            ticket = guest.ticket(**({"session_id": session} if session else {}))
            return LogClient(http, ticket["session_id"], ticket["ticket"])

        yield begin


def folded(items: list[Json]) -> list[Any]:
    transcript = Transcript()
    for item in items:
        if item.get("type") == "snapshot":
            transcript = Transcript()
        for event in item.get("events") or [item["event"]]:
            transcript.apply(event)
    return transcript.messages


async def test_the_whole_log_is_read_from_its_beginning_and_from_each_offset(
    reads: Reading, guest: Visitor
) -> None:
    reader = await reads()
    assert await reader.read() == []
    tab = await guest.open(session=reader.session)
    await tab.say(LONG, "c1")
    live: list[Json] = []
    places: dict[str, int] = {}  # How many items are before each offset.
    async for items, told in reader.events("-1"):
        live += items
        places[told["streamNextOffset"]] = len(live)
        assert told["upToDate"] is True
        if has_end(items):
            break
    assert seqs(live) == list(range(1, len(live) + 1))
    assert list(places) == sorted(places)
    whole = await reader.read()
    assert [each["event"] for each in whole] == [each["event"] for each in live]
    stored = guest.request("GET", f"/v1/sessions/{reader.session}/messages").body["messages"]
    assert folded(whole) == folded(live) == stored
    for offset, count in list(places.items())[:: max(1, len(places) // 8)]:
        assert seqs(await reader.read(offset)) == seqs(live[count:])


async def test_a_response_of_the_log_has_its_offset_and_is_not_cached(reads: Reading, guest: Visitor) -> None:
    reader = await reads()
    tab = await guest.open(session=reader.session)
    await tab.say(LONG, "c1")
    await tab.finished()
    read = await reader.get()
    assert read.headers["content-type"] == "application/json"
    assert read.headers["cache-control"] == "no-store"
    assert read.headers["stream-up-to-date"] == "true"
    assert read.headers["stream-cursor"].isdigit()
    tail = read.headers["stream-next-offset"]
    head = await reader.get(None, method="HEAD")
    assert (head.status_code, head.headers["stream-next-offset"], head.content) == (200, tail, b"")
    assert head.headers["cache-control"] == "no-store"
    now = await reader.get("now")
    assert (now.json(), now.headers["stream-next-offset"]) == ([], tail)
    assert now.headers["stream-up-to-date"] == "true"
    assert "etag" not in now.headers
    assert (await reader.get(tail)).json() == []
    assert reader.offsets[-1] == tail
    for known in (read.headers["etag"], f'"x", W/{read.headers["etag"]}'):
        kept = await reader.get(headers={"if-none-match": known})
        assert (kept.status_code, kept.content) == (304, b"")
        assert kept.headers["etag"] == read.headers["etag"]
    assert (await reader.get(None)).content == read.content
    await tab.say("Polly Magic", "c2")
    await tab.finished()
    changed = await reader.get(headers={"if-none-match": read.headers["etag"]})
    assert changed.status_code == 200
    assert changed.headers["stream-next-offset"] > tail


async def test_an_offset_that_no_log_has_gives_one_snapshot_of_all_before(
    reads: Reading, guest: Visitor
) -> None:
    reader = await reads()
    tab = await guest.open(session=reader.session)
    await tab.say(LONG, "c1")
    await tab.finished()
    (item,) = await reader.read(UNKNOWN)
    assert item["type"] == "snapshot"
    assert folded([item]) == tab.transcript.messages
    assert await reader.read(reader.offsets[-1]) == []
    async for items, told in reader.events(UNKNOWN):
        assert [each["type"] for each in items] == ["snapshot"]
        assert told["streamNextOffset"] == reader.offsets[-2]
        break


async def test_a_long_poll_waits_for_the_next_events_and_for_no_longer_than_it_may(
    reads: Reading, guest: Visitor
) -> None:
    reader = await reads()
    empty = await reader.get("now", live="long-poll", timeout=1)
    assert (empty.status_code, empty.content) == (204, b"")
    assert empty.headers["stream-up-to-date"] == "true"
    again = await reader.get(
        empty.headers["stream-next-offset"],
        live="long-poll",
        timeout=0,
        cursor=empty.headers["stream-cursor"],
    )
    assert int(again.headers["stream-cursor"]) > int(empty.headers["stream-cursor"])
    tab = await guest.open(session=reader.session)
    first = asyncio.create_task(reader.read(reader.offsets[-1], live="long-poll"))
    await tab.say(LONG, "c1")
    items = await first
    # A poll that comes after the first event of a new log gets all before as a snapshot.
    begun = items[0]["seq"]
    assert begun == 1 or items[0]["type"] == "snapshot"
    while not has_end(items):
        items += await reader.read(reader.offsets[-1], live="long-poll")
    assert seqs(items) == list(range(begun, begun + len(items)))
    await tab.finished()
    assert folded(items) == tab.transcript.messages
    assert reader.offsets == sorted(reader.offsets)
    await tab.finished()
    assert folded(items) == tab.transcript.messages


@pytest.mark.conformance
async def test_a_reader_without_a_place_waits_and_replaces_no_other(reads: Reading, guest: Visitor) -> None:
    reader = await reads()
    tabs = [await guest.open(session=reader.session) for _ in range(5)]
    for live in ("long-poll", "sse"):
        refused = await reader.get("-1", live=live)
        assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
        assert int(refused.headers["retry-after"]) > 0
        reader = await reads(reader.session)
    assert await reader.read() == []
    await tabs[0].say(LONG, "c1")
    await settled(*tabs)


async def test_a_deleted_session_ends_what_reads_it(reads: Reading, guest: Visitor) -> None:
    reader, streaming = await reads(), None
    streaming = await reads(reader.session)
    events = streaming.events("-1")
    await anext(events)
    waiting = asyncio.create_task(reader.get("-1", live="long-poll"))
    assert guest.request("DELETE", f"/v1/sessions/{reader.session}").status == 204
    assert (await waiting).status_code == 404
    assert [each async for each in events] == []
    assert (await streaming.get()).status_code == 404


@pytest.mark.parametrize(
    "query",
    [
        "offset=",
        "offset=a%2Cb",
        "offset=1%202",
        "offset=-1&offset=now",
        "live=sse",
        "live=long-poll",
        "offset=-1&live=x",
        "offset=-1&live=long-poll&timeout=x",
    ],
)
async def test_a_wrong_query_is_refused_before_its_ticket_is_spent(reads: Reading, query: str) -> None:
    reader = await reads()
    own = {"authorization": f"Bearer {reader.credential}"}
    refused = await reader.http.get(f"/v1/sessions/{reader.session}/log?{query}", headers=own)
    assert (refused.status_code, refused.json()["code"]) == (400, "bad_frame")
    assert await reader.read(other="ignored") == []


async def test_a_log_is_refused_to_a_stranger_and_for_writes(reads: Reading) -> None:
    one, other = await reads(), await reads()
    assert (await LogClient(one.http, other.session, one.credential).get()).status_code == 404
    wrong = LogClient(one.http, other.session, "wrong")
    assert (await wrong.get()).status_code == 401
    assert (await wrong.get(method="HEAD")).status_code == 401
    for method in ("POST", "PUT", "DELETE"):
        assert (await other.get(method=method)).status_code == 405
