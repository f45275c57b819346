"""A conversation over sockets: all sockets get the same, a reconnect misses nothing, another principal finds none."""

import asyncio
import json

import pytest

from server.protocol.events import ours
from tests.integration.ws.visitor import Talk, Visitor, settled
from tests.parts.sampled import later
from tests.parts.server import Servers

pytestmark = pytest.mark.once

TEXT = "Quero vender um iPhone 13"


def texts(talk: Talk) -> list[tuple[str, str]]:
    return [
        (each["id"], each["content"])
        for each in talk.transcript.messages
        if each["role"] in {"user", "assistant"} and "content" in each
    ]


async def test_a_message_is_acknowledged_told_and_answered(visitor: Visitor) -> None:
    talk = await visitor.open()
    assert talk.welcome["resumed"] is False
    assert talk.welcome["demo"] is True
    offered = ("streaming", "websocket", "resumable")
    assert talk.welcome["capabilities"]["transport"] == dict.fromkeys(offered, True)
    ack = await talk.say(TEXT, "c1")
    assert ack["type"] == "ack"
    await talk.finished()
    mine = talk.transcript.messages[0]
    assert (mine["id"], mine["content"], ours(mine)["client_id"]) == (ack["message_id"], TEXT, "c1")
    assert talk.transcript.run is not None
    assert talk.transcript.run.id == ack["run_id"]
    assert [each["seq"] for each in talk.frames if "seq" in each and "event" in each] == list(
        range(1, talk.seq + 1)
    )
    stored = visitor.request("GET", f"/v1/sessions/{talk.session}/messages").body
    assert stored["messages"] == talk.transcript.messages
    assert stored["before"] is None


async def test_the_same_id_again_is_the_same_message_and_with_another_body_it_is_refused(
    visitor: Visitor,
) -> None:
    talk = await visitor.open()
    first = await talk.say(TEXT, "c1")
    again = await talk.say(TEXT, "c1")
    assert again == {**first, "dup": True}
    refused = await talk.say("something else", "c1")
    assert (refused["type"], refused["code"]) == ("error", "id_reused")
    await talk.finished()
    assert len([each for each in talk.transcript.messages if each["role"] == "user"]) == 1


@pytest.mark.conformance
async def test_two_tabs_see_the_same_frames(patient: Visitor) -> None:
    one = await patient.open()
    other = await patient.open(session=one.session)
    await one.say(TEXT, "c1")
    await settled(one, other)
    assert one.transcript == other.transcript
    durable = [[each for each in talk.frames if "event" in each] for talk in (one, other)]
    assert durable[0] == durable[1]


async def test_a_tab_that_joins_in_the_middle_of_an_answer_ends_with_the_same(patient: Visitor) -> None:
    one = await patient.open()
    ack = await one.say(TEXT, "c1")
    while one.transcript.run is None:
        await one.receive()
    late = await patient.open(session=one.session)
    html = await patient.open(session=one.session, html=True)
    await asyncio.gather(*(each.finished(ack["run_id"]) for each in (one, late, html)))
    assert late.transcript == one.transcript == html.transcript


@pytest.mark.parametrize("after", [later(2), 6, later(10), 12])
async def test_a_reconnect_with_a_token_delivers_each_missed_event_once(patient: Visitor, after: int) -> None:
    watcher = await patient.open()
    talk = await patient.open(session=watcher.session)
    ack = await talk.say(TEXT, "c1")
    while talk.seq < after:
        await talk.receive()
    await talk.socket.close()
    await watcher.until(lambda _: watcher.seq >= after + 2)
    position = {"last_seq": talk.seq, "epoch": talk.epoch}
    back = Talk(await patient.socket(), transcript=talk.transcript, seq=talk.seq, epoch=talk.epoch)
    await back.send({"type": "hello", "resume_token": talk.welcome["resume_token"], **position})
    await asyncio.gather(back.finished(ack["run_id"]), watcher.finished(ack["run_id"]))
    assert back.welcome["resumed"] is True
    assert [each.get("type") for each in back.frames[:1]] == ["welcome"]
    assert "batch" in back.frames[1]
    assert back.transcript == watcher.transcript
    assert back.epoch == watcher.epoch


async def test_a_reconnect_from_an_unknown_position_gets_a_snapshot(visitor: Visitor) -> None:
    talk = await visitor.open()
    await talk.say(TEXT, "c1")
    await talk.finished()
    for position in (
        {"last_seq": 3, "epoch": "unknown.1"},
        {"last_seq": 3, "epoch": "x"},
        {"last_seq": 10**9, "epoch": talk.epoch},
        {"last_seq": 3},
    ):
        back = await visitor.open(session=talk.session, hello=position)
        assert back.welcome["resumed"] is False
        assert back.transcript.messages == talk.transcript.messages
        assert back.seq == talk.seq
        await back.socket.close()


async def test_html_sockets_get_rows_with_the_same_events(visitor: Visitor) -> None:
    plain = await visitor.open()
    html = await visitor.open(session=plain.session, html=True)
    assert html.socket.subprotocol == "loopwire.v1.html"
    await plain.say(TEXT, "c1")
    await settled(plain, html)
    assert html.transcript == plain.transcript
    drawn = [each for each in html.frames if "content" in each and "event" in each]
    assert drawn
    assert all(each["target"].startswith("#") and each["swap"] for each in drawn)
    assert not any("content" in each for each in plain.frames)
    texts = [each for each in html.frames if each.get("event", {}).get("type") == "TEXT_MESSAGE_CONTENT"]
    assert texts
    drawing = ("content", "target", "swap")
    assert all({name: each[name] for name in each if name not in drawing} in plain.frames for each in texts)
    again = await visitor.open(session=plain.session, html=True)
    snapshot = next(each for each in again.frames if each.get("type") == "snapshot")
    assert TEXT in snapshot["content"]
    assert snapshot["target"] == "#log"


async def test_an_html_socket_that_missed_nothing_is_resumed_and_else_gets_the_page(visitor: Visitor) -> None:
    html = await visitor.open(html=True)
    await html.say(TEXT, "c1")
    await html.finished()
    same = await visitor.open(
        session=html.session, html=True, hello={"last_seq": html.seq, "epoch": html.epoch}
    )
    assert same.welcome["resumed"] is True
    behind = await visitor.open(session=html.session, html=True, hello={"last_seq": 4, "epoch": html.epoch})
    assert behind.welcome["resumed"] is False
    assert behind.transcript.messages == html.transcript.messages


@pytest.mark.conformance
async def test_a_stop_from_another_tab_keeps_the_text_so_far(waiting: Visitor) -> None:
    one = await waiting.open()
    other = await waiting.open(session=one.session)
    ack = await one.say(TEXT, "c1")
    while not one.transcript.open_texts or one.seq < 9:
        await one.receive()
    await other.send({"type": "cancel", "id": "stop", "message_id": "c1"})
    await other.until(lambda frame: frame.get("id") == "stop")
    await settled(one, other)
    assert one.transcript == other.transcript
    assert one.transcript.run is not None
    assert one.transcript.run.outcome == {"type": "cancelled"}
    stored = waiting.request("GET", f"/v1/sessions/{one.session}/messages").body["messages"]
    assert stored == one.transcript.messages
    assert ack["run_id"] == one.transcript.run.id


async def test_a_run_goes_on_when_its_client_leaves(patient: Visitor) -> None:
    talk = await patient.open()
    ack = await talk.say(TEXT, "c1")
    await talk.socket.close()
    back = await patient.open(session=talk.session)
    await back.finished(ack["run_id"])
    assert back.transcript.run is not None
    assert back.transcript.run.outcome == {"type": "success"}


async def test_thumbs_are_shown_in_the_other_tabs_only(visitor: Visitor) -> None:
    one = await visitor.open()
    other = await visitor.open(session=one.session)
    await one.say(TEXT, "c1")
    await one.finished()
    message_id = [each["id"] for each in one.transcript.messages if each["role"] == "assistant"][-1]
    for number, value in enumerate(("up", None)):
        sent = {"type": "feedback", "id": f"f{number}", "message_id": message_id, "value": value}
        await one.send(sent)
        told = await other.until(
            lambda frame, value=value: frame.get("type") == "feedback" and frame.get("value") == value
        )
        assert told["message_id"] == message_id
        await one.until(lambda frame, wanted=f"f{number}": frame.get("id") == wanted)
    assert not [each for each in one.frames if each.get("type") == "feedback"]


async def test_a_thumb_is_kept_for_ones_own_message_only(visitor: Visitor) -> None:
    talk = await visitor.open()
    await talk.say(TEXT, "c1")
    await talk.finished()
    message_id = [each["id"] for each in talk.transcript.messages if each["role"] == "assistant"][-1]
    for number, value in enumerate(("up", "down", None)):
        await talk.send({"type": "feedback", "id": f"f{number}", "message_id": message_id, "value": value})
        answer = await talk.until(lambda frame, wanted=f"f{number}": frame.get("id") == wanted)
        assert answer["type"] == "ack"
    await talk.send({"type": "feedback", "id": "kept", "message_id": message_id, "value": "up"})
    await talk.until(lambda frame: frame.get("id") == "kept")
    for _ in range(2):  # The second one joins a room that is drawn already.
        tab = await visitor.open(session=talk.session, html=True)
        (shown,) = (frame for frame in tab.frames if frame.get("type") == "snapshot")
        assert shown["content"].count('aria-pressed="true"') == 1
    stranger = await visitor.stranger().open()
    await stranger.send({"type": "feedback", "id": "f", "message_id": message_id, "value": "up"})
    answer = await stranger.until(lambda frame: frame.get("id") == "f")
    assert answer["code"] == "not_found"


async def test_anothers_session_is_not_found(visitor: Visitor) -> None:
    talk = await visitor.open()
    stranger = visitor.stranger()
    for body in ({"session_id": talk.session}, {"session_id": "ses_nothing"}):
        answer = stranger.request("POST", "/v1/tickets", body)
        assert (answer.status, answer.body["error"]["code"]) == (404, "not_found")
    for path in (f"/v1/sessions/{talk.session}", f"/v1/sessions/{talk.session}/messages"):
        assert stranger.request("GET", path).status == 404


async def test_the_sixth_socket_replaces_the_first(visitor: Visitor) -> None:
    talks = [await visitor.open()]
    talks += [await visitor.open(session=talks[0].session) for _ in range(5)]
    assert await talks[0].closed() == 4409
    assert (await talks[5].say(TEXT, "c1"))["type"] == "ack"
    await settled(talks[5], *talks[1:5])


async def test_too_many_messages_are_refused_and_the_first_twenty_kept(serve_each: Servers) -> None:
    # The default count over a longer time: a busy machine may need more than ten seconds for 21 messages.
    settings = {"LOOPWIRE_LIMIT_MESSAGES_PER_SESSION": "20/1h", "LOOPWIRE_DEMO_DELAY_MS": "0"}
    visitor = Visitor(serve_each(settings))
    talk = await visitor.open()
    for number in range(25):
        await talk.send({"type": "message", "id": f"c{number}", "content": [{"type": "text", "text": "oi"}]})
    code = await talk.closed()
    limited = [each for each in talk.frames if each.get("code") == "rate_limited"]
    answered = [each for each in talk.frames if each.get("type") in {"ack", "error"} and "id" in each]
    assert code == 4429
    assert {each.get("code") for each in answered[:20]} <= {None, "busy"}
    assert [each.get("id") for each in limited[:5]] == [f"c{number}" for number in range(20, 25)]
    assert all(each["retry_after"] > 0 and each["retry"] for each in limited)
    await visitor.aclose()


async def test_a_message_beyond_the_queue_is_refused_and_not_stored(waiting: Visitor) -> None:
    talk = await waiting.open()
    answers = [await talk.say(f"oi {number}", f"c{number}") for number in range(5)]
    assert [each["type"] for each in answers] == ["ack"] * 4 + ["error"]
    assert answers[4]["code"] == "busy"
    while (told := [each for each in talk.frames if each.get("type") == "queue"][-1])["items"][2:] == []:
        await talk.receive()
    assert [each["id"] for each in told["items"]] == ["c1", "c2", "c3"]
    assert json.dumps(told).count("oi ") == 3
