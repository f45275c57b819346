"""CopilotKit's published core, which brings AG-UI's client before 1.0 and keeps no cookies, talks with us unchanged."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator

import pytest

from tests.integration.conversation.conftest import Held
from tests.modelserver import Scripted
from tests.modelserver.plan import Call, Plan
from tests.parts.agui_client import FOLDER, NODE, Json
from tests.parts.missing import skip_missing
from tests.parts.model import Model
from tests.parts.wait import PATIENCE_S

ANSWER = " ".join(f"palavra{n}" for n in range(40))
WORDS = 5


@pytest.fixture
async def model(held: Held) -> AsyncIterator[Model]:
    """The model of the held server, with nothing to say yet."""
    async with held.remote.model(Scripted()) as server:
        yield Model(server)


async def talked(held: Held, *texts: str, stop_after: int = 0) -> Json:
    """Say each text in its turn; return what CopilotKit knows then, and what it complained of."""
    if not (FOLDER / "node_modules/@copilotkit/core").exists():
        skip_missing("CopilotKit's core", "scripts/npm")
    url = f"{held.remote.served.url}/agui/chat"
    script = FOLDER / "copilotkit.mjs"
    process = await asyncio.create_subprocess_exec(
        NODE, script, url, json.dumps(texts), str(stop_after or ""), stdout=PIPE, stderr=PIPE
    )
    try:
        out, failed = await asyncio.wait_for(process.communicate(), PATIENCE_S)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert (process.returncode, failed) == (0, b"")
    known: Json = json.loads(out)
    assert (known["errors"], known["complaints"]) == ([], [])
    return known


def said(known: Json) -> list[tuple[str, str]]:
    """The words of both sides."""
    talk = [each for each in known["messages"] if each["role"] in {"user", "assistant"}]
    return [(each["role"], each["content"]) for each in talk if each.get("content")]


async def test_a_tool_of_its_page_is_called_and_the_next_turn_knows_the_first(
    held: Held, model: Model
) -> None:
    model.script.extend([Plan([Call("where", {})])])
    model.will_say("No Porto.")
    model.will_say("De nada.")
    known = await talked(held, "Onde estou?", "Obrigado.")
    assert known["called"] == ["where"]
    assert said(known) == [
        ("user", "Onde estou?"),
        ("assistant", "No Porto."),
        ("user", "Obrigado."),
        ("assistant", "De nada."),
    ]
    last = json.dumps(model.server.requests[-1].items, ensure_ascii=False)
    assert "Onde estou?" in last and "No Porto." in last


async def test_a_stop_with_its_token_is_a_clean_end(held: Held, model: Model) -> None:
    model.held(ANSWER).let(WORDS)
    model.will_say("Está bem.")
    shown = " ".join(ANSWER.split()[:WORDS])
    known = await talked(held, "Olá, o que posso vender?", "Deixa estar.", stop_after=len(shown))
    first, second = [text for role, text in said(known) if role == "assistant"]
    assert (first.strip(), second) == (shown, "Está bem.")
