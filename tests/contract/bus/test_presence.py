"""Presence over all instances: a visitor is there when any of them has it, and away when each has said so."""

from __future__ import annotations

import asyncio
import logging

import pytest

from server.bus.log.log import PRESENCE_CHANNEL


async def test_a_visitor_is_there_when_any_instance_has_it(bus, other):
    other.presence.answer_by(lambda principal: principal == "vis_1")
    bus.presence.answer_by(lambda principal: principal == "vis_2")
    assert await bus.presence.is_here("vis_1")
    assert await bus.presence.is_here("vis_2")
    assert await other.presence.is_here("vis_2")
    assert not await bus.presence.is_here("vis_3")


async def test_twenty_concurrent_presence_questions_get_their_own_answers(bus, other):
    other.presence.answer_by(lambda principal: principal.endswith("1"))
    asked = [f"vis_{place}" for place in range(20)]
    answers = await asyncio.gather(*map(bus.presence.is_here, asked))
    assert answers == [each.endswith("1") for each in asked]


async def test_an_instance_that_does_not_answer_counts_as_empty(bus, other, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "server.bus")
    monkeypatch.setattr(other.presence, "receive", lambda data: None)
    assert not await bus.presence.is_here("vis_1")
    told = [(each.name, each.getMessage()) for each in caplog.records]
    assert told == [("server.bus.presence", "a process did not say whether a visitor is there")]


@pytest.mark.parametrize("data", ["here", "here nonce", "away ", "ask", ""])
async def test_an_unexpected_presence_message_changes_no_answer(bus, other, data):
    await bus.signals.publish(PRESENCE_CHANNEL, data.encode())
    other.presence.answer_by(lambda principal: principal == "vis_1")
    assert await bus.presence.is_here("vis_1")
    assert not await bus.presence.is_here("vis_2")
