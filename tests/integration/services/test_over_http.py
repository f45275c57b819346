"""The same conversation with the demo model in process and over real HTTP, in both dialects of the wire."""

from pathlib import Path
from typing import Any

import pytest
from openai import AsyncOpenAI

from server.agents.model.providers import ServerModels
from server.demo import DemoModel
from server.store import Store
from tests.modelserver.sdk_model import brain_from_model
from tests.modelserver.server import ModelServer
from tests.parts.postgres import copy_tables
from tests.parts.sampled import later
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness

SAID = [
    "olá",
    "quero vender um iPhone 12 preto",
    "sim",
    "porquê?",
    "o segundo",
    "como novo",
    "sim, está livre",
    "não sei",
    "afinal a cor é branco",
    "voltar",
]


async def _heard(visitor: HarnessVisitor) -> list[Any]:
    for text in SAID:
        await visitor.say(text)
    return [(reply.calls, reply.handoffs, reply.text) for reply in visitor.replies]


@pytest.mark.conformance
@pytest.mark.once
@pytest.mark.parametrize("dialect", [later("responses"), "chat"])
async def test_the_demo_model_says_the_same_over_http(
    tmp_path: Path, durable_url: str | None, dialect: Any
) -> None:
    if durable_url is None:
        copy_tables(tmp_path)
    store = await Store.open(durable_url, data_dir=tmp_path)
    try:
        here = await _heard(await (await RunnerHarness.over(store)).visitor())
        async with (
            ModelServer(brain_from_model(DemoModel(delay=0))) as server,
            AsyncOpenAI(api_key="sk-test", base_url=server.base_url, max_retries=0) as client,
        ):
            harness = await RunnerHarness.over(store, provider=ServerModels(client, "test-model", dialect))
            there = await _heard(await harness.visitor())
        assert there == here
    finally:
        await store.aclose()
