"""The choice between our own reading of a model's stream and the SDK's, which is used when the SDK has changed.

Our models build on names of the SDK that it does not promise to keep.
"""

import inspect
import logging
from typing import Any

from agents import Model, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.models import openai_chatcompletions
from openai import AsyncOpenAI

from server.agents.model.client import Client
from server.agents.model.fast.chat import FastChatModel
from server.agents.model.fast.responses import FastResponsesModel, kinds_of_items
from server.agents.model.strict_chat import StrictChatModel

log = logging.getLogger(__name__)

_ASKED = "system_instructions input model_settings tools output_schema handoffs"
_BEFORE = "previous_response_id conversation_id"
_HANDLED = "strict_feature_validation preserve_raw_usage raise_on_length_truncation require_finish_reason"

NEEDED: dict[str, list[tuple[Any, str, str]]] = {
    "responses": [
        (OpenAIResponsesModel, "stream_response", f"self {_ASKED} tracing {_BEFORE} prompt"),
        (OpenAIResponsesModel, "_build_response_create_kwargs", f"self {_ASKED} {_BEFORE} stream prompt"),
        (OpenAIResponsesModel, "_remove_openai_responses_api_incompatible_fields", "self list_input"),
    ],
    "chat": [
        (OpenAIChatCompletionsModel, "stream_response", f"self {_ASKED} tracing {_BEFORE} prompt"),
        (OpenAIChatCompletionsModel, "_fetch_response", f"self {_ASKED} span tracing stream prompt"),
        (OpenAIChatCompletionsModel, "_handle_unsupported_prompt", "self prompt"),
        (
            OpenAIChatCompletionsModel,
            "_handle_unsupported_server_managed_conversation_state",
            f"self {_BEFORE}",
        ),
        (openai_chatcompletions, "ChatCmplStreamHandler.handle_stream", f"response stream model {_HANDLED}"),
        (openai_chatcompletions, "Converter.tool_to_openai", "tool"),
        (openai_chatcompletions, "Converter.convert_handoff_tool", "handoff"),
        (
            openai_chatcompletions,
            "generation_span",
            "input output model model_config usage span_id parent disabled",
        ),
    ],
}
"""The names that each dialect uses, with their parameters. A function with one more may be called differently."""

_FETCHED = "tuple[Response, AsyncStream[ChatCompletionChunk]]"


def model_of(api: str, name: str, client: AsyncOpenAI) -> Model:
    """Return the model of this name over `responses` or `chat`."""
    plain = StrictChatModel(name, client) if api == "chat" else OpenAIResponsesModel(name, client)
    gone = missing(api)
    if getattr(plain, "_client", None) is not client:
        gone.append("_client")
    if gone:
        log.warning("the SDK's own model is used, as this version of it has no %s", ", ".join(gone))
    if gone or not isinstance(client, Client):
        return plain
    return FastChatModel(name, client) if api == "chat" else FastResponsesModel(name, client)


def missing(api: str) -> list[str]:
    """Return the names that this version of the SDK does not have, or has with other parameters."""
    gone = [name for place, name, wanted in NEEDED[api] if not _has(place, name, wanted.split())]
    return [*gone, *_changed_answers(api)]


def _has(place: Any, name: str, wanted: list[str]) -> bool:
    for part in name.split("."):
        place = getattr(place, part, None)
    return callable(place) and set(wanted) == set(inspect.signature(place).parameters)


def _changed_answers(api: str) -> list[str]:
    """Return what the server answered in another form than before: a stream of chunks, or the types of items."""
    if api == "chat":
        fetch = getattr(OpenAIChatCompletionsModel, "_fetch_response", None)
        told = inspect.get_annotations(fetch).get("return") if callable(fetch) else ""
        return [] if _FETCHED in str(told) else ["stream from _fetch_response"]
    try:
        known = kinds_of_items()
    except (AttributeError, IndexError, KeyError, TypeError):
        known = {}
    return [] if {"message", "function_call"} <= known.keys() else ["types of items"]
