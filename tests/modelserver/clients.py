"""The clients that talk to a model server: the openai client, the Agents SDK's two models, a run."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    RunResultStreaming,
)
from agents.models.interface import Model

from tests.modelserver.server import ModelServer

DIALECTS = ["responses", "chat"]
QUIET = RunConfig(tracing_disabled=True)


@asynccontextmanager
async def client_of(server: ModelServer, **options: Any) -> AsyncIterator[openai.AsyncOpenAI]:
    given: dict[str, Any] = {"api_key": "sk-test", "max_retries": 0, "timeout": 5.0, **options}
    async with openai.AsyncOpenAI(base_url=server.base_url, **given) as client:
        yield client


def model_of(client: openai.AsyncOpenAI, dialect: str) -> Model:
    if dialect == "chat":
        return OpenAIChatCompletionsModel("test-model", client)
    return OpenAIResponsesModel("test-model", client)


def settings(**more: Any) -> ModelSettings:
    return ModelSettings(include_usage=True, **more)


async def streamed(agent: Agent[Any], said: Any, **more: Any) -> tuple[RunResultStreaming, list[Any]]:
    """Return a finished run and all its events."""
    result = Runner.run_streamed(agent, said, run_config=QUIET, **more)
    return result, [event async for event in result.stream_events()]


def deltas(events: list[Any]) -> list[str]:
    return [
        e.data.delta
        for e in events
        if e.type == "raw_response_event" and e.data.type == "response.output_text.delta"
    ]
