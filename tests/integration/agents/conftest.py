"""A model's server, and the provider that talks to it in each dialect."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from openai import AsyncOpenAI
from pydantic import SecretStr

from server.agents.model.providers import ServerModels, provider
from server.settings import Settings
from tests.modelserver import ModelServer, Scripted
from tests.parts.sampled import later
from tests.unit.agents.teams import ScriptedModel


@pytest.fixture(params=["responses", "chat"])
def api(request: pytest.FixtureRequest) -> str:
    """Return the dialect."""
    return str(request.param)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    """Yield a model's server whose script the test fills."""
    async with ModelServer(Scripted()) as running:
        yield running


@pytest.fixture(params=["fast", later("sdk")])
async def models(
    request: pytest.FixtureRequest, server: ModelServer, api: str
) -> AsyncIterator[ServerModels]:
    """Yield the provider that settings give for this server, and one that reads answers as the SDK does."""
    settings = Settings(
        OPENAI_API_KEY=SecretStr("sk-test"),
        OPENAI_BASE_URL=server.base_url,
        LOOPWIRE_MODEL="test-model",
        LOOPWIRE_MODEL_API=api,
    )
    made = provider(settings, ScriptedModel([]))
    assert isinstance(made, ServerModels)
    if request.param == "sdk":
        await made.aclose()
        made = ServerModels(AsyncOpenAI(api_key="sk-test", base_url=server.base_url), "test-model", api)
    yield made
    await made.aclose()
