"""Published clients of others, unchanged: a stop from another tab, and the death of the server in mid-answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest

from tests.integration.clients.client import Client, Page, Shown, Words, until_shown
from tests.integration.clients.node import NodeClient
from tests.integration.clients.test_clients import ANSWER, CLIENTS, MOST_TURNS, SHOWN
from tests.integration.conversation.models import Remote
from tests.parts.model import Model
from tests.parts.sampled import later
from tests.parts.server import Served, Servers

pytestmark = pytest.mark.once

OF_AGUI = ["ag-ui", later("copilotkit")]
NAMES = [later("ag-ui"), later("copilotkit"), later("assistant-ui"), "ai-sdk"]
RESTARTED = [*OF_AGUI, later("assistant-ui"), later("ai-sdk"), later("deep-chat")]


@pytest.fixture
async def client(name: str) -> AsyncIterator[Client]:
    """Yield the client of this name."""
    new = CLIENTS[name]()
    yield new
    await new.aclose()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("jar", [False, later(True)], ids=["cookie-less", "jar"])
async def test_a_stop_from_another_tab_ends_the_answer_in_this_one(
    scripted: Remote, client: Client, model: Model, jar: bool
) -> None:
    assert isinstance(client, NodeClient)
    model.held(ANSWER).let(5)
    await client.open(Page(scripted.served.url, "chat", jar))
    answered = asyncio.create_task(client.say("Olá, o que posso vender?"))
    await until_shown(
        client, lambda shown: shown.answers() and SHOWN in shown.answers()[-1], what="five words"
    )
    await client.stop_elsewhere()
    await answered
    await model.server.until(lambda: model.server.gone == 1)
    model.will_say("Está bem.")
    await client.say("Deixa estar.")
    shown = await until_shown(client, lambda shown: shown.answers()[-1:] == ["Está bem."], what="the next")
    assert [each.strip() for each in shown.answers()] == [SHOWN, "Está bem."]
    assert shown.complaints == []


async def undisturbed(name: str, served: Served) -> list[Words]:
    """Return what a client shows after a first answer that nothing disturbs."""
    client = CLIENTS[name]()
    await client.open(Page(served.url, "submission", jar=False))
    await client.say("Polly Magic")
    shown = await client.shows()
    await client.aclose()
    return shown.said


@pytest.mark.conformance
@pytest.mark.parametrize("name", RESTARTED)
async def test_the_death_of_the_server_in_mid_answer_loses_nothing(
    demo: Served, serve_each: Servers, name: str, client: Client
) -> None:
    whole = await undisturbed(name, demo)
    environment = {"LOOPWIRE_DEMO_DELAY_MS": "100"}
    running = serve_each(environment)
    await client.open(Page(running.url, "submission", jar=False))
    answered = asyncio.create_task(client.say("Polly Magic"))
    await until_shown(client, lambda shown: shown.answers(), what="the first words")
    running.kill()
    port = int(running.url.rsplit(":", 1)[1])
    serve_each({"LOOPWIRE_DEMO_DELAY_MS": "0"}, data_dir=running.data_dir, port=port)
    # A client of AG-UI reports the broken stream, and its page is loaded anew. The SDK below `useChat` connects again.
    with suppress(AssertionError):
        await answered
    if name != "ai-sdk":
        await client.reload()
    if name == "assistant-ui":
        # Its runtime keeps the message that it is writing where a snapshot has it no more, until the next load.
        await until_shown(client, lambda shown: shown.said[-1:] == whole[-1:], what="the whole answer")
        await client.reload()
    await until_shown(client, lambda shown: shown.said == whole, what="the whole answer")

    said = ["Polly Magic"]
    while (
        text := (await until_shown(client, Shown.waits, what="a question or the item")).next_text()
    ) is not None:
        assert len(said) < MOST_TURNS
        said.append(text)
        await client.say(text)
    shown = await until_shown(
        client,
        lambda shown: len(shown.answers()) >= len(said) and shown.state.get("status") == "complete",
        what="all answers and the finished item",
    )
    assert [text for role, text in shown.said if role == "user"] == said
    assert len(set(shown.answers())) == len(shown.answers())
    cut = ("terminated", "network error")
    assert [each for each in shown.complaints if not any(word in each for word in cut)] == []
