"""The doctor's probe of the model's server: it asks for the list of models and for one token."""

from typing import Any

import openai
from openai import AsyncOpenAI

from server.agents.model.client import Client
from server.agents.model.failures import HINT, lacks_responses
from server.agents.model.fast.transport import http_client
from server.settings import Settings

PROBE_S = 5.0
ANSWER_S = 30.0
"""For one answer: a model that has to be loaded first takes some seconds."""

LEAST_TOKENS = 16
"""The least that OpenAI's Responses accept; an answer of one word ends before it."""

GREETING = "Say: ok"


async def model_trouble(settings: Settings) -> tuple[str | None, str | None]:
    """Return what is wrong with the configured model, and what is worth a note; never with a word of the other side."""
    if settings.openai_api_key is None:
        return None, "OPENAI_API_KEY is not set: the demo model answers"
    client = Client(
        api_key=settings.openai_api_key.get_secret_value(),
        base_url=settings.openai_base_url,
        max_retries=0,
        http_client=http_client(),
        timeout=PROBE_S,
    )
    try:
        trouble, note = await _probe(client, settings)
        return (trouble, note) if trouble else await _ask_for_token(client, settings, note)
    finally:
        await client.close()


async def _probe(client: AsyncOpenAI, settings: Settings) -> tuple[str | None, str | None]:
    where = _where(client)
    try:
        page = await client.models.list()
    except openai.APITimeoutError:
        return f"{where} did not answer within {PROBE_S:.0f} seconds", None
    except openai.APIConnectionError:
        return f"{where} cannot be reached", None
    except openai.APIStatusError as error:
        if error.status_code in {401, 403}:
            return f"{where} refuses OPENAI_API_KEY ({error.status_code})", None
        if error.status_code in {404, 405, 501}:
            return None, f"{where} answers but lists no models"
        return f"{where} answers with {error.status_code}", None
    except (openai.OpenAIError, ValueError):
        return f"{where} does not speak as OpenAI's does", None
    names = [getattr(each, "id", None) for each in getattr(page, "data", None) or ()]
    if settings.model not in names:
        return None, f"{where} does not list {settings.model}: see LOOPWIRE_MODEL"
    return None, None


async def _ask_for_token(
    client: AsyncOpenAI, settings: Settings, note: str | None
) -> tuple[str | None, str | None]:
    """Ask the model for a token by the API that runs would use."""
    where, timeout = _where(client), openai.Timeout(ANSWER_S)
    path, body = _question(settings)
    try:
        await client.post(path, cast_to=object, body=body, options={"timeout": timeout})
    except openai.APITimeoutError:
        return None, f"{where} gave no answer of {settings.model} within {ANSWER_S:.0f} seconds"
    except openai.APIConnectionError:
        return f"{where} broke the answer of {settings.model} off", None
    except openai.APIStatusError as error:
        if lacks_responses(error):
            return f"{where} has no /responses ({error.status_code}): {HINT}", None
        if error.status_code in {401, 403}:
            return f"{where} refuses OPENAI_API_KEY ({error.status_code})", None
        return (
            f"{where} refuses an answer of {settings.model} ({error.status_code}): see LOOPWIRE_MODEL",
            None,
        )
    except (openai.OpenAIError, ValueError):
        return f"{where} does not speak as OpenAI's does", None
    return None, note


def _question(settings: Settings) -> tuple[str, dict[str, Any]]:
    if settings.model_api == "chat":
        messages = [{"role": "user", "content": GREETING}]
        asked = {"model": settings.model, "messages": messages, "max_completion_tokens": LEAST_TOKENS}
        return "/chat/completions", asked
    asked = {"model": settings.model, "input": GREETING, "max_output_tokens": LEAST_TOKENS, "store": False}
    return "/responses", asked


def _where(client: AsyncOpenAI) -> str:
    address = client.base_url
    port = address.port or (443 if address.scheme == "https" else 80)
    return f"the server of OPENAI_BASE_URL ({address.host}:{port})"
