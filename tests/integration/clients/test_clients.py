"""Published clients of others, unchanged: a sale, a second turn, a tool of the page, a stop, a reload."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import pytest

from tests.integration.clients.client import WHERE, Client, Page, Shown, until_shown
from tests.integration.clients.deep_chat import DeepChat
from tests.integration.clients.node import AI_SDK, FOLDER, NodeClient
from tests.integration.clients.over_http import AguiHttp
from tests.integration.clients.sockets import Aiohttp, Requests, WebsocketClient, Websockets
from tests.integration.conversation.models import Remote
from tests.modelserver.plan import Call, Plan
from tests.parts import agui_client
from tests.parts.model import Model
from tests.parts.sampled import later
from tests.parts.server import Served

MOST_TURNS = 40
ANSWER = " ".join(f"palavra{n}" for n in range(40))
SHOWN = " ".join(ANSWER.split()[:5])

AGUI, LARGE, SMALL = (each / "node_modules" for each in (agui_client.FOLDER, FOLDER, AI_SDK))

CLIENTS: dict[str, Callable[[], Client]] = {
    "copilotkit": lambda: NodeClient(FOLDER / "copilotkit.mjs", AGUI / "@copilotkit/core"),
    "ag-ui": lambda: NodeClient(FOLDER / "ag-ui.mjs", AGUI / "@ag-ui/client"),
    "assistant-ui": lambda: NodeClient(FOLDER / "assistant-ui.mjs", LARGE / "@assistant-ui/react"),
    "ai-sdk": lambda: NodeClient(AI_SDK / "ai-sdk.mjs", SMALL / "@ai-sdk/react"),
    "deep-chat": DeepChat,
    "ag-ui-protocol": AguiHttp,
    "aiohttp": Aiohttp,
    "requests": Requests,
    "websocket-client": WebsocketClient,
    "websockets": Websockets,
}
# `make test` has the first; it has AG-UI's own client in tests/integration/agui, at more than these five cases.
FIRST, *OTHERS = CLIENTS
RELOADED = [each if each == "ai-sdk" else later(each) for each in CLIENTS]
"""`useChat` is the only one whose messages after a reload come from code of the SDK."""


@pytest.fixture(params=[FIRST, *map(later, OTHERS)])
async def client(request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    """Yield each client; a test fails when it complained of anything."""
    new = CLIENTS[request.param]()
    yield new
    await new.aclose()


@pytest.fixture(params=["cookie-less", later("jar")])
def jar(request: pytest.FixtureRequest) -> bool:
    """Return whether the client keeps cookies."""
    return bool(request.param == "jar")


@pytest.fixture
def chat(scripted: Remote, jar: bool) -> Page:
    """Return a conversation whose model says what a test wants."""
    return Page(scripted.served.url, "chat", jar)


async def clean(client: Client, last: str) -> Shown:
    """Return what the client shows once this is the last answer; it has complained of nothing."""
    shown = await until_shown(client, lambda shown: shown.answers()[-1:] == [last], what=last)
    assert shown.complaints == []
    return shown


async def test_a_sale_is_completed_in_each_client(demo: Served, client: Client, jar: bool) -> None:
    await client.open(Page(demo.url, "submission", jar))
    said: list[str] = []
    text: str | None = "Polly Magic"
    while text is not None:
        assert len(said) < MOST_TURNS
        said.append(text)
        await client.say(text)
        text = (await client.shows()).next_text()
    shown = await until_shown(client, lambda shown: len(shown.answers()) >= len(said), what="all answers")
    assert shown.complaints == []
    assert shown.state["status"] == "complete"
    assert [text for role, text in shown.said if role == "user"] == said
    assert len(set(shown.answers())) == len(shown.answers()) >= len(said)


@pytest.mark.conformance
async def test_the_model_reads_the_first_turn_in_the_second(chat: Page, client: Client, model: Model) -> None:
    model.will_say("No Porto.")
    model.will_say("De nada.")
    await client.open(chat)
    await client.say("Onde fica?")
    await client.say("Obrigado.")
    assert (await clean(client, "De nada.")).said == [
        ("user", "Onde fica?"),
        ("assistant", "No Porto."),
        ("user", "Obrigado."),
        ("assistant", "De nada."),
    ]
    last = json.dumps(model.server.requests[-1].items, ensure_ascii=False)
    assert "Onde fica?" in last
    assert "No Porto." in last


async def test_a_tool_of_the_page_is_called_once(chat: Page, client: Client, model: Model) -> None:
    model.script.extend([Plan([Call("where", {})])])
    model.will_say("Estás no Porto.")
    await client.open(Page(chat.url, chat.service, chat.jar, WHERE))
    await client.say("Onde estou?")
    shown = await clean(client, "Estás no Porto.")
    assert shown.called == ["where"]
    assert shown.said == [("user", "Onde estou?"), ("assistant", "Estás no Porto.")]
    assert WHERE.gives in json.dumps(model.server.requests[-1].items)


@pytest.mark.conformance
async def test_a_stop_ends_the_answer_and_the_request_to_the_model(
    chat: Page, client: Client, model: Model
) -> None:
    model.held(ANSWER).let(5)
    await client.open(chat)
    answered = asyncio.create_task(client.say("Olá, o que posso vender?"))
    await until_shown(
        client, lambda shown: shown.answers() and SHOWN in shown.answers()[-1], what="five words"
    )
    await client.stop()
    await answered
    await model.server.until(lambda: model.server.gone == 1)
    model.will_say("Está bem.")
    await client.say("Deixa estar.")
    first, second = (await clean(client, "Está bem.")).answers()
    assert (first.strip(), second) == (SHOWN, "Está bem.")


@pytest.mark.parametrize("client", RELOADED, indirect=True)
async def test_a_reload_in_mid_answer_loses_nothing(chat: Page, client: Client, model: Model) -> None:
    model.will_say("No Porto.")
    tap = model.held(ANSWER)
    tap.let(5)
    await client.open(chat)
    await client.say("Onde fica?")
    answered = asyncio.create_task(client.say("E o que vendes?"))
    await until_shown(
        client, lambda shown: shown.answers() and SHOWN in shown.answers()[-1], what="five words"
    )
    await client.reload()
    tap.open()
    await until_shown(client, lambda shown: ANSWER in shown.answers(), what="the whole answer")
    answered.cancel()
    model.will_say("De nada.")
    await client.say("Obrigado.")
    assert (await clean(client, "De nada.")).said == [
        ("user", "Onde fica?"),
        ("assistant", "No Porto."),
        ("user", "E o que vendes?"),
        ("assistant", ANSWER),
        ("user", "Obrigado."),
        ("assistant", "De nada."),
    ]
