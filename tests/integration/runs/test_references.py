"""Results and blocks that are too large for the log: published as a reference, kept whole for their principal."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from agents.testing import ScriptedModel, assistant_message, function_call

from server.agents.tools import tool
from server.errors import NotFound
from server.protocol import events as ev
from server.protocol.blocks import Row, Rows
from server.runs.conversation.references import MOST_BYTES, References
from server.store.conversations.blobs import MAX_BYTES
from tests.integration.runs.instances import instance, settled
from tests.parts.wait import until_async
from tests.unit.agents.teams import Bench, Ctx


@dataclass
class Large(Bench):
    """A service with a tool whose result and block are as long as the model asks for."""

    def tools(self) -> list[Any]:
        @tool(effect="read", result=lambda shown: shown)
        async def much(ctx: Ctx, size: int, blocks: int) -> dict[str, str]:
            """Give much to see."""
            if blocks:
                rows = tuple(Row(title=f"row {number}" * 20) for number in range(blocks))
                ctx.context.block(Rows(legend="What there is", rows=rows))
            return {"text": "é" * size}

        return [much]


async def run_tool(store, url, *, size, blocks=0):
    """Run the tool once; give the run's messages, what is kept of them, and the length of the log."""
    call = function_call("much", {"size": size, "blocks": blocks}, call_id="c1")
    script = ScriptedModel([[call], [assistant_message("There.")]])
    async with instance(store, url, script, bench=Large()) as here:
        session = await here.session()
        screen = await here.screen(session)
        await here.say(session, "show me")
        await until_async(lambda: screen.ends() == 1, what="the end")
        await settled(here, session)
        stored = await store.messages.transcript(session.id)
        assert screen.folded.messages == stored.messages
        assert stored.messages[-1]["content"] == "There."
        entries = await here.bus.reader.read(session.id, 0)
        return session, stored.messages, max(len(entry.json) for entry in entries)


async def kept(store, session, path):
    """Return what is behind a reference."""
    assert path.startswith(f"/v1/sessions/{session.id}/blobs/")
    blob = await store.blobs.get(path.rpartition("/")[2], session.principal)
    assert blob.session_id == session.id
    with pytest.raises(NotFound):
        await store.blobs.get(blob.id, "vis_2")
    return json.loads(blob.data)


@pytest.mark.once
async def test_a_large_result_is_told_as_a_reference(store, live_url):
    session, messages, longest = await run_tool(store, live_url, size=100_000)
    (result,) = [json.loads(each["content"]) for each in messages if each["role"] == "tool"]
    assert longest < MOST_BYTES
    assert result["bytes"] > 200_000
    assert await kept(store, session, result["reference"]) == {"text": "é" * 100_000}


@pytest.mark.once
async def test_a_large_block_is_told_as_a_list_of_one_link(store, live_url):
    session, messages, longest = await run_tool(store, live_url, size=1, blocks=1000)
    (block,) = [each["content"] for each in messages if each["role"] == "activity"]
    assert longest < MOST_BYTES
    assert (block["kind"], block["legend"], len(block["rows"])) == ("list", "What there is", 1)
    assert block["rows"][0]["link"] == block["reference"]
    assert len((await kept(store, session, block["reference"]))["rows"]) == 1000


@pytest.mark.once
async def test_a_result_that_cannot_be_stored_is_told_by_its_size(store, live_url, caplog):
    _, messages, longest = await run_tool(store, live_url, size=MAX_BYTES)
    (result,) = [json.loads(each["content"]) for each in messages if each["role"] == "tool"]
    assert longest < MOST_BYTES
    assert result["bytes"] > MAX_BYTES
    assert "reference" not in result
    (line,) = [each for each in caplog.records if "was not stored" in each.getMessage()]
    assert (line.name, line.levelname) == ("server.runs.conversation.references", "WARNING")


@pytest.mark.once
async def test_a_large_result_in_a_deleted_conversation_is_told_by_its_size(store):
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="en")
    await store.sessions.delete(session.id, session.principal)
    large = ev.tool_result("r1", "c1", "x" * (MOST_BYTES + 1))
    (told,) = await References(store, session).within((large,))
    assert json.loads(told["content"]) == {"bytes": MOST_BYTES + 1, "media_type": "application/json"}


@pytest.mark.once
async def test_a_small_result_is_told_whole(store, live_url):
    _, messages, _ = await run_tool(store, live_url, size=MOST_BYTES // 4)
    (result,) = [json.loads(each["content"]) for each in messages if each["role"] == "tool"]
    assert result == {"text": "é" * (MOST_BYTES // 4)}


@pytest.mark.once
async def test_a_large_result_in_a_claimed_conversation_belongs_to_the_user(store):
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="en")
    assert await store.hand_overs.hand_over("demo", "vis_1", "usr_ana") == [session.id]
    small, large = ev.tool_result("r1", "c1", "{}"), ev.tool_result("r2", "c2", '"' + "x" * MOST_BYTES + '"')
    first, second = await References(store, session).within((small, large))
    assert first is small
    told = json.loads(second["content"])
    assert (told["bytes"], told["media_type"]) == (MOST_BYTES + 2, "application/json")
    path, _, id = told["reference"].rpartition("/")
    assert path == f"/v1/sessions/{session.id}/blobs"
    blob = await store.blobs.get(id, "usr_ana")
    assert (blob.media_type, blob.data) == ("application/json", large["content"].encode())
