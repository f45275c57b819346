"""Reloads in mid-sentence, several tabs, a stop, a queue, the same message twice: on both backends."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.integration.conversation.conftest import Held
from tests.integration.conversation.rows import runs_of
from tests.integration.conversation.seller import Seller, deltas, ended, seen, text_parts, words
from tests.integration.ws.visitor import Frame, Talk
from tests.modelserver import Scripted
from tests.parts.model import Model
from tests.parts.sampled import later

pytestmark = pytest.mark.once

ANSWER = " ".join(f"palavra{number}" for number in range(40))
LONG = "Olá, o que é que posso vender aqui e como funciona?"


async def sent(talk: Talk, text: str, id: str) -> Frame:
    """Send a message and wait for its ack only."""
    return await talk.say(text, id)


def durable(frames: list[Frame]) -> list[Frame]:
    """Return the events of frames with their numbers, one by one."""
    found = [each for frame in frames for each in frame.get("batch", [frame]) if "event" in each]
    return [{"seq": each["seq"], "event": each["event"]} for each in found]


@pytest.mark.parametrize("after", [later(1), 3, later(8)])
async def test_a_reconnect_in_mid_sentence_delivers_exactly_the_missed_events(
    listener: Seller, after: int
) -> None:
    talk = await listener.begin()
    watcher = await listener.tab()
    ack = await sent(talk, LONG, "c1")
    await deltas(talk, after)
    await talk.socket.close()
    await watcher.until(lambda _: watcher.seq >= talk.seq + 3)
    back = await listener.back()
    assert back.welcome["resumed"] is True
    assert not [each for each in back.frames if each.get("type") == "snapshot"]
    await asyncio.gather(ended(back, ack["run_id"]), ended(watcher, ack["run_id"]))
    assert durable(talk.frames) + durable(back.frames) == durable(watcher.frames)
    assert back.transcript == watcher.transcript


@pytest.mark.parametrize("after", [later(1), 3, later(8)])
async def test_a_reload_in_mid_sentence_gives_a_snapshot_that_goes_on(listener: Seller, after: int) -> None:
    talk = await listener.begin()
    watcher = await listener.tab()
    ack = await sent(talk, LONG, "c1")
    await deltas(talk, after)
    await talk.socket.close()
    back = await listener.back(position=False)
    assert back.welcome["resumed"] is False
    snapshot = next(each for each in back.frames if each.get("type") == "snapshot")
    assert snapshot["events"][0]["type"] == "RUN_STARTED"
    await asyncio.gather(ended(back, ack["run_id"]), ended(watcher, ack["run_id"]))
    assert seen(back) == seen(watcher)
    assert listener.stored() == back.transcript.messages


async def test_every_tab_gets_the_same_events_while_an_answer_streams(listener: Seller) -> None:
    talk = await listener.begin()
    others = [await listener.tab(), await listener.tab(html=True)]
    for number, text in enumerate((LONG, "Polly Magic")):
        ack = await sent(talk, text, f"c{number}")
        await asyncio.gather(*(ended(each, ack["run_id"]) for each in (talk, *others)))
    assert all(each.transcript == talk.transcript for each in others)
    assert durable(others[0].frames) == durable(talk.frames) == durable(others[1].frames)
    assert listener.stored() == talk.transcript.messages


async def test_a_stop_from_another_tab_ends_an_answer_that_would_not_end_and_keeps_its_text(
    held: Held, sellers: Any
) -> None:
    seller = sellers(held.remote.served)
    talk = await seller.begin()
    other = await seller.tab()
    async with held.remote.model(Scripted()) as server:
        model = Model(server)
        model.held(ANSWER).let(5)
        ack = await sent(talk, LONG, "c1")
        await words(talk, 5)
        said = next(iter(talk.transcript.open_texts))
        await other.send({"type": "cancel", "id": "stop", "run_id": ack["run_id"]})
        await asyncio.gather(ended(talk, ack["run_id"]), ended(other, ack["run_id"]))
        assert talk.transcript == other.transcript
        assert talk.transcript.run is not None
        assert talk.transcript.run.outcome == {"type": "cancelled"}
        kept = talk.transcript.message(said)
        assert kept is not None
        assert kept["content"].split() == ANSWER.split()[:5]
        assert seller.stored() == talk.transcript.messages
        (run,) = await runs_of(held.remote.served, held.backend, talk.session)
        assert (run["status"], run["outcome"]) == ("finished", "cancelled")
        model.will_say("Que produto é?")
        await seller.say("Polly Magic")
    assert talk.transcript.run is not None
    assert talk.transcript.run.outcome == {"type": "success"}


async def test_a_stop_of_what_has_ended_changes_nothing(seller: Seller) -> None:
    talk = await seller.begin()
    ack = await seller.say("olá")
    before = seller.stored()
    for number, named in enumerate(({"run_id": ack["run_id"]}, {}, {"run_id": "run_nothing"})):
        await talk.send({"type": "cancel", "id": f"stop{number}", **named})
        answer = await talk.until(lambda frame, wanted=f"stop{number}": frame.get("id") == wanted)
        assert answer["type"] == "ack"
    await seller.say("Polly Magic")
    assert seller.stored()[: len(before)] == before


async def test_three_messages_wait_a_fourth_is_refused_and_all_are_answered_in_order(
    held: Held, sellers: Any
) -> None:
    seller = sellers(held.remote.served)
    talk = await seller.begin()
    async with held.remote.model(Scripted()) as server:
        model = Model(server)
        tap = model.held(ANSWER)
        tap.let(1)
        first = await sent(talk, LONG, "first")
        await words(talk, 1)
        acks = [await sent(talk, f"olá {number}", f"w{number}") for number in range(3)]
        refused = await sent(talk, "olá too many", "w3")
        assert (refused["type"], refused["code"], refused["retry"]) == ("error", "busy", True)
        other = await seller.tab()
        queue = next(each for each in reversed(other.frames) if each.get("type") == "queue")
        assert [each["id"] for each in queue["items"]] == ["w0", "w1", "w2"]
        for number in range(4):
            model.will_say(f"Resposta {number}.")
        tap.open()
        for ack in (first, *acks):
            await asyncio.gather(ended(talk, ack["run_id"]), ended(other, ack["run_id"]))
        said = [each["content"] for each in talk.transcript.messages if each["role"] == "user"]
        assert said == [LONG, "olá 0", "olá 1", "olá 2"]
        assert seller.stored() == talk.transcript.messages == other.transcript.messages
        kept = await runs_of(held.remote.served, held.backend, talk.session)
        assert [each["client_id"] for each in kept] == ["first", "w0", "w1", "w2"]
        late = await sent(talk, "olá too many", "w3")
        assert late["type"] == "ack"
        await ended(talk, late["run_id"])


async def test_a_queued_message_can_be_stopped_before_its_turn(held: Held, sellers: Any) -> None:
    seller = sellers(held.remote.served)
    talk = await seller.begin()
    async with held.remote.model(Scripted()) as server:
        tap = Model(server).held(ANSWER)
        tap.let(1)
        first = await sent(talk, LONG, "first")
        await words(talk, 1)
        waiting = await sent(talk, "não interessa", "second")
        await talk.send({"type": "cancel", "id": "stop", "message_id": "second"})
        await talk.until(lambda frame: frame.get("id") == "stop")
        tap.open()
        await ended(talk, first["run_id"])
        await ended(talk, waiting["run_id"])
    assert talk.transcript.run is not None
    assert talk.transcript.run.outcome == {"type": "cancelled"}
    assert talk.transcript.messages[-1]["content"] == "não interessa"
    assert seller.stored() == talk.transcript.messages


@pytest.mark.conformance
async def test_a_message_sent_repeatedly_from_several_tabs_is_stored_once(
    listener: Seller, unhurried: Any, slow_backend: Any
) -> None:
    talk = await listener.begin()
    other = await listener.tab()
    frame = {"type": "message", "id": "same", "content": text_parts(LONG)}
    for each in (talk, other) * 3:
        await each.send(frame)
    answers: list[Frame] = []
    for each in (talk, other):
        while len([one for one in each.frames if one.get("id") == "same"]) < 3:
            await each.receive()
        answers += [one for one in each.frames if one.get("id") == "same"]
    assert len({json.dumps([each["type"], each["run_id"], each["message_id"]]) for each in answers}) == 1
    assert [each.get("dup", False) for each in answers].count(False) == 1
    await ended(talk, answers[0]["run_id"])
    late = await sent(talk, LONG, "same")
    assert (late["run_id"], late["dup"]) == (answers[0]["run_id"], True)
    back = await listener.back()
    assert (await sent(back, LONG, "same"))["dup"] is True
    reused = await sent(back, "another body", "same")
    assert (reused["type"], reused["code"]) == ("error", "id_reused")
    assert len(await runs_of(unhurried, slow_backend, talk.session)) == 1
    assert len([each for each in listener.stored() if each["role"] == "user"]) == 1
