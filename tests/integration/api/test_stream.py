"""A conversation over HTTP alone is the conversation of the sockets: the same events, the same limits, the same end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.integration.api.conftest import SHOP, Opening
from tests.integration.api.line import Line
from tests.integration.conversation.seller import seen
from tests.integration.ws.visitor import Talk, Visitor, settled
from tests.parts.sampled import later

pytestmark = pytest.mark.once

LONG = "Olá, o que é que posso vender aqui e como funciona?"


def line_of(talk: Talk) -> Line:
    return talk.socket  # type: ignore[return-value]


def durable(talk: Talk) -> list[tuple[int, Any]]:
    flat = [each for frame in talk.frames for each in frame.get("batch", [frame])]
    return [(each["seq"], each["event"]) for each in flat if "event" in each]


async def test_a_conversation_over_http_alone_is_stored_as_it_was_sent(
    streamed: Opening, guest: Visitor
) -> None:
    talk = await streamed()
    headers = line_of(talk).response.headers
    assert headers["content-type"] == "text/event-stream"
    assert headers["cache-control"] == "no-store"
    assert headers["x-accel-buffering"] == "no"
    assert "set-cookie" not in headers
    assert (talk.welcome["resumed"], talk.welcome["demo"]) == (False, True)
    ack = await talk.say(LONG, "c1")
    assert (ack["type"], ack["id"]) == ("ack", "c1")
    await talk.finished()
    stored = guest.request("GET", f"/v1/sessions/{talk.session}/messages").body["messages"]
    assert stored == talk.transcript.messages
    assert (await talk.say(LONG, "c1")) == {**ack, "dup": True}


async def test_events_and_snapshots_have_an_id_and_other_frames_have_none(
    streamed: Opening, opened: Any
) -> None:
    talk = await streamed()
    await talk.say(LONG, "c1")
    await talk.finished()
    again = await opened(talk.session, talk.welcome["resume_token"], last=f"{talk.epoch}-2")
    while not again.ids or again.ids[-1][1].get("type") != "queue":
        await again.recv()
    assert [frame["batch"][0]["seq"] for _, frame in again.ids if "batch" in frame] == [3]
    for line in (line_of(talk), again):
        epoch = talk.epoch
        for event_id, frame in line.ids:
            last = frame["batch"][-1] if "batch" in frame else frame
            epoch = frame.get("epoch") or last.get("epoch") or epoch
            is_place = "event" in last or frame.get("type") == "snapshot"
            assert event_id == (f"{epoch}-{last['seq']}" if is_place else None)


@pytest.mark.parametrize("html", [later(False), True])
async def test_a_stream_and_a_socket_fold_to_what_is_stored(
    streamed: Opening, guest: Visitor, html: bool
) -> None:
    talk = await streamed(query="?format=html" if html else "")
    tab = await guest.open(session=talk.session, html=html)
    for number, (sender, text) in enumerate(((talk, LONG), (tab, "Polly Magic"))):
        await sender.say(text, f"c{number}")
        await settled(sender, talk, tab)
    assert seen(talk) == seen(tab)
    assert durable(talk) == durable(tab)
    fragments = [[each.get("content") for each in one.frames if "event" in each] for one in (talk, tab)]
    assert fragments[0] == fragments[1]
    assert any(fragments[0]) is html
    assert guest.request("GET", f"/v1/sessions/{talk.session}/messages").body["messages"] == (
        talk.transcript.messages
    )


@pytest.mark.parametrize("after", [later(2), 6, later(10)])
async def test_the_last_events_id_gives_each_missed_event_once(
    streamed: Opening, guest: Visitor, after: int
) -> None:
    talk = await streamed()
    watcher = await guest.open(session=talk.session)
    ack = await talk.say(LONG, "c1")
    while talk.seq < after:
        await talk.receive()
    await line_of(talk).close()
    await watcher.until(lambda _: watcher.seq >= talk.seq + 2)
    back = await streamed(talk=talk)
    assert back.welcome["resumed"] is True
    assert not [each for each in back.frames if each.get("type") == "snapshot"]
    await asyncio.gather(back.finished(ack["run_id"]), watcher.finished(ack["run_id"]))
    assert durable(talk) + durable(back) == durable(watcher)
    assert seen(back) == seen(watcher)


@pytest.mark.parametrize(
    "last",
    ["unknown.1-3", later("x"), later("1-"), later("-3"), "{epoch}-999999", later("{epoch}-" + "9" * 16)],
)
async def test_an_id_that_leads_nowhere_gives_a_snapshot(streamed: Opening, last: str) -> None:
    talk = await streamed()
    await talk.say(LONG, "c1")
    await talk.finished()
    back = await streamed(talk.session, last=last.format(epoch=talk.epoch))
    assert back.welcome["resumed"] is False
    assert back.transcript.messages == talk.transcript.messages


async def test_a_stream_goes_on_where_a_socket_ended_and_the_other_way_round(
    streamed: Opening, guest: Visitor
) -> None:
    tab = await guest.open()
    ack = await tab.say(LONG, "c1")
    while tab.seq < 6:
        await tab.receive()
    await tab.socket.close()
    talk = await streamed(talk=tab)
    assert talk.welcome["resumed"] is True
    while talk.seq < 10:
        await talk.receive()
    await line_of(talk).close()
    back = Talk(await guest.socket(), transcript=talk.transcript, seq=talk.seq, epoch=talk.epoch)
    token = talk.welcome["resume_token"]
    await back.send({"type": "hello", "resume_token": token, "last_seq": talk.seq, "epoch": talk.epoch})
    # A slow reader may have had the end already: then `finished` reads nothing.
    await back.until(lambda frame: frame.get("type") == "welcome")
    assert back.welcome["resumed"] is True
    await back.finished(ack["run_id"])
    assert [seq for each in (tab, talk, back) for seq, _ in durable(each)] == list(range(1, back.seq + 1))


async def test_streams_and_sockets_of_a_session_are_counted_together(
    streamed: Opening, guest: Visitor
) -> None:
    first = await streamed()
    tabs = [await guest.open(session=first.session) for _ in range(4)]
    last = await streamed(first.session)
    gone = await first.until(lambda frame: frame.get("type") == "close")
    assert (gone["code"], gone["reason"]) == (4409, "replaced")
    assert line_of(first).retry == 0
    with pytest.raises(EOFError):
        await first.receive()
    await tabs[0].say(LONG, "c1")
    await settled(tabs[0], last, *tabs)


@pytest.mark.conformance
async def test_a_thumb_is_sent_to_the_other_readers_only(streamed: Opening, guest: Visitor) -> None:
    talk = await streamed()
    tab = await guest.open(session=talk.session)
    answer = await line_of(talk).post({"type": "typing"})
    assert (answer.status_code, answer.json()) == (200, {"type": "ack"})
    await talk.say(LONG, "c1")
    await talk.finished()
    message_id = [each["id"] for each in talk.transcript.messages if each["role"] == "assistant"][-1]
    answer = await line_of(talk).post(
        {"type": "feedback", "id": "f1", "message_id": message_id, "value": "up"}
    )
    assert answer.status_code == 200
    await tab.until(lambda frame: frame.get("type") == "feedback")
    await talk.say(LONG, "c2")
    await talk.finished()
    assert not [each for each in talk.frames if each.get("type") == "feedback"]


async def test_a_run_is_stopped_by_a_post_and_not_by_leaving(streamed: Opening, guest: Visitor) -> None:
    talk = await streamed()
    other, tab = await streamed(talk.session), await guest.open(session=talk.session)
    ack = await talk.say(LONG, "c1")
    await line_of(talk).close()
    stopped = await line_of(other).post({"type": "cancel", "id": "stop", "run_id": ack["run_id"]})
    assert stopped.json() == {"type": "ack", "id": "stop", "run_id": ack["run_id"]} | stopped.json()
    await asyncio.gather(tab.finished(ack["run_id"]), other.finished(ack["run_id"]))
    assert other.transcript.run is not None
    assert other.transcript.run.outcome == {"type": "cancelled"}


BAD_BEARERS = ["", "Basic x", "Bearer", "Bearer ", "Bearer wrong", "Bearer a.b.c", "Bearer " + "x" * 5000]


@pytest.mark.parametrize("bearer", BAD_BEARERS)
async def test_a_stream_and_a_post_with_a_bad_bearer_are_refused(
    opened: Any, guest: Visitor, bearer: str
) -> None:
    session = guest.ticket()["session_id"]
    refused = await opened(session, "", authorization=bearer.strip())
    body = await refused.response.aread()
    assert (refused.response.status_code, b'"code":"unauthorized"' in body) == (401, True)
    posted = await refused.post({"type": "typing"}, authorization=bearer.strip())
    assert posted.status_code == 401


async def test_a_bearer_opens_its_own_session_once_and_in_its_own_origin(opened: Any, guest: Visitor) -> None:
    one, other = guest.ticket(), guest.ticket()
    wrong = await opened(other["session_id"], one["ticket"])
    assert wrong.response.status_code == 404
    spent = await opened(one["session_id"], one["ticket"])
    assert spent.response.status_code == 401
    for origin in ("https://evil.example", "null"):
        foreign = await opened(other["session_id"], other["ticket"], origin=origin)
        assert foreign.response.status_code == 403
    elsewhere = await opened(other["session_id"], other["ticket"], origin=SHOP)
    assert elsewhere.response.status_code == 403
    third = guest.ticket()
    crossing = await opened(third["session_id"], third["ticket"], **{"sec-fetch-site": "cross-site"})
    assert crossing.response.status_code == 403
    fourth = guest.ticket()
    own = await opened(fourth["session_id"], fourth["ticket"], **{"sec-fetch-site": "same-origin"})
    assert own.response.status_code == 200


async def test_a_page_of_a_named_shop_asks_first_and_may_then_talk(guest: Visitor, opened: Any) -> None:
    def get_response(path: str, origin: str) -> Any:
        headers = {"origin": origin, "access-control-request-method": "POST"}
        return guest.request("OPTIONS", path, headers=headers)

    for path in ("/v1/tickets", "/v1/sessions/x/commands", "/v1/sessions/x/events"):
        allowed = get_response(path, SHOP)
        assert (allowed.status, allowed.headers["access-control-allow-origin"]) == (204, SHOP)
        assert "authorization" in allowed.headers["access-control-allow-headers"]
        assert allowed.headers["access-control-allow-credentials"] is None
        for foreign in ("https://evil.example", f"{SHOP}.evil.example", "http://shop.example", "null"):
            # Why it gets no ticket a page of any origin may read.
            answer = (204, foreign) if path == "/v1/tickets" else (403, None)
            refused = get_response(path, foreign)
            assert (refused.status, refused.headers["access-control-allow-origin"]) == answer
    assert get_response("/", SHOP).headers["access-control-allow-origin"] is None
    ticket = guest.request("POST", "/v1/tickets", {}, headers={"origin": SHOP})
    assert ticket.headers["access-control-allow-origin"] == SHOP
    line = await opened(ticket.body["session_id"], ticket.body["ticket"], origin=SHOP)
    assert line.response.headers["access-control-allow-origin"] == SHOP
    assert line.response.headers["vary"] == "origin"


async def test_a_head_request_and_an_unknown_format_are_refused(opened: Any, guest: Visitor) -> None:
    ticket = guest.ticket()
    unknown = await opened(ticket["session_id"], ticket["ticket"], query="?format=xml")
    assert unknown.response.status_code == 400
    head = await unknown.http.head(f"/v1/sessions/{ticket['session_id']}/events")
    assert head.status_code == 405
