"""Kill -9 while a model thinks: the thought after the last checkpoint is taken back, those before it stay."""

from __future__ import annotations

import pytest

from server.protocol.events import ours
from tests.integration.conversation.seller import Seller, Stubborn, text_parts
from tests.integration.crash.restarting_server import RestartingServer
from tests.modelserver import Call, ModelServer, Plan, Reasoning, Scripted, Text
from tests.parts.model import KEY, Held, Tap, sentences
from tests.parts.ports import free_port
from tests.parts.wait import until_async

pytestmark = [pytest.mark.once, pytest.mark.conformance]


async def test_the_thought_of_a_killed_process_is_taken_back_and_the_next_one_thinks_anew() -> None:
    port, tap = free_port(), Tap()
    tap.let(6)
    plans = [
        Plan([Reasoning("I look first."), Call("search_catalog", {"query": "iphone"})]),
        Plan([Reasoning(sentences(4))], faults=(Held(tap.allowed),)),
        Plan([Reasoning("I think anew."), Text("There are some.")]),
    ]
    model = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": KEY}
    restarting = RestartingServer({**model, "LOOPWIRE_MODEL": "m", "LOOPWIRE_SHOW_REASONING": "1"})
    try:
        async with ModelServer(Scripted(plans), port=port, api_key=KEY):
            seller = Seller(restarting.served, service="chat", patience=3)
            talk = await seller.begin()
            await talk.send({"type": "message", "id": "c1", "content": text_parts("What is there?")})
            await talk.until(lambda frame: str(frame.get("event", {}).get("delta")).endswith("c1 "))
            torn = talk.transcript.messages[-1]
            assert (torn["role"], torn["content"]) == ("reasoning", "Frase 1 tem a1 b1 c1 ")
            reader = await seller.tab()
            assert reader.transcript.messages == talk.transcript.messages
            restarting.served.process.kill()
            await until_async(lambda: restarting.deaths == 1, what="the next life")
            client = Stubborn(seller)
            await client.settled()
            while (run := seller.talk.transcript.run) is None or run.status == "running":
                await seller.talk.receive()
            assert run.attempt == 2
            shown = seller.talk.transcript.messages
            assert [each["content"] for each in shown if each["role"] == "reasoning"] == [
                "I look first.", "I think anew.",
            ]  # fmt: skip
            assert torn["id"] not in {each["id"] for each in shown}
            assert shown == seller.stored()
            later = await seller.tab()
            assert later.transcript.messages == shown
            assert all("duration_ms" in ours(each) for each in shown if each["role"] == "reasoning")
            await seller.aclose()
    finally:
        restarting.close()
