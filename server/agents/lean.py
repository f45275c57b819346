"""Which of the two ways a model's stream goes: the lean one, or the SDK's own where the SDK has changed.

The lean models build on names of the SDK that it does not promise to keep.
"""

import inspect
import logging
from typing import Any

from agents import Model, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.models import openai_chatcompletions
from openai import AsyncOpenAI

from server.agents.client import Client
from server.agents.finished import FinishedChatModel
from server.agents.lean_chat import LeanChatModel
from server.agents.lean_responses import LeanResponsesModel

log = logging.getLogger(__name__)

_ASKED = "system_instructions input model_settings tools output_schema handoffs"

NEEDED: dict[str, list[tuple[Any, str, str]]] = {
    "responses": [
        (OpenAIResponsesModel, "stream_response", f"self {_ASKED} tracing"),
        (OpenAIResponsesModel, "_build_response_create_kwargs", f"self {_ASKED} stream"),
        (OpenAIResponsesModel, "_remove_openai_responses_api_incompatible_fields", "self list_input"),
    ],
    "chat": [
        (OpenAIChatCompletionsModel, "stream_response", f"self {_ASKED} tracing"),
        (OpenAIChatCompletionsModel, "_fetch_response", f"self {_ASKED} span tracing stream"),
        (OpenAIChatCompletionsModel, "_handle_unsupported_prompt", "self prompt"),
        (
            OpenAIChatCompletionsModel,
            "_handle_unsupported_server_managed_conversation_state",
            "self previous_response_id conversation_id",
        ),
        (openai_chatcompletions, "ChatCmplStreamHandler.handle_stream", "response stream model"),
        (openai_chatcompletions, "Converter.tool_to_openai", "tool"),
        (openai_chatcompletions, "Converter.convert_handoff_tool", "handoff"),
    ],
}
"""What each dialect uses: the name, and the parameters that it must still have."""


def model_of(api: str, name: str, client: AsyncOpenAI) -> Model:
    """A model of this name that speaks `responses` or `chat`."""
    gone = missing(api)
    if gone:
        log.warning("the SDK's own model is used, as this version of it has no %s", ", ".join(gone))
    if gone or not isinstance(client, Client):
        return FinishedChatModel(name, client) if api == "chat" else OpenAIResponsesModel(name, client)
    return LeanChatModel(name, client) if api == "chat" else LeanResponsesModel(name, client)


def missing(api: str) -> list[str]:
    """The names that this version of the SDK does not have, or has with other parameters."""
    return [name for place, name, wanted in NEEDED[api] if not _has(place, name, wanted.split())]


def _has(place: Any, name: str, wanted: list[str]) -> bool:
    for part in name.split("."):
        place = getattr(place, part, None)
    return callable(place) and set(wanted) <= set(inspect.signature(place).parameters)
