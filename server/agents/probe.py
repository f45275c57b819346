"""Whether the model's server answers and takes the key: what the doctor asks, by the list of models."""

import openai
from openai import AsyncOpenAI

from server.agents.client import Client
from server.agents.lean_transport import http_client
from server.settings import Settings

PROBE_S = 5.0


async def model_trouble(settings: Settings) -> tuple[str | None, str | None]:
    """Say what is wrong with the configured model, and what is worth a note; never with a word of the other side.

    A server without a list of models is asked nothing more: an answer of the model would cost money.
    """
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
        return await _asked(client, settings)
    finally:
        await client.close()


async def _asked(client: AsyncOpenAI, settings: Settings) -> tuple[str | None, str | None]:
    address = client.base_url
    port = address.port or (443 if address.scheme == "https" else 80)
    where = f"the server of OPENAI_BASE_URL ({address.host}:{port})"
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
            return None, f"{where} answers but lists no models: the key and LOOPWIRE_MODEL are not checked"
        return f"{where} answers with {error.status_code}", None
    except (openai.OpenAIError, ValueError):
        return f"{where} does not speak as OpenAI's does", None
    names = [getattr(each, "id", None) for each in getattr(page, "data", None) or ()]
    if settings.model not in names:
        return None, f"{where} does not list {settings.model}: see LOOPWIRE_MODEL"
    return None, None
