"""The sources of models: the demo model, or a server that speaks one of OpenAI's two dialects.

Clients never retry by themselves: the SDK repeats a request only as long as nothing of its answer was seen.
"""

import httpx2
from agents import Model, ModelProvider, ModelSettings
from agents.retry import ModelRetrySettings, RetryDecision, RetryPolicyContext
from openai import AsyncOpenAI
from openai.types.shared import Reasoning

from server.agents.model.client import Client
from server.agents.model.failures import BUSY_STATUS, QUOTA
from server.agents.model.fast.choice import model_of
from server.agents.model.fast.transport import http_client
from server.agents.service import Service, Team
from server.errors import ContentFiltered, Limit, ModelRejected, Truncated
from server.settings import Settings

READ_TIMEOUT_S = 30.0
"""Silence of the model's server that ends a call: before the first byte and between two."""

MAX_RETRIES = 2
LONGEST_WAIT_S = 8.0
_FINAL = (ContentFiltered, Limit, ModelRejected, Truncated)
"""Ends of an answer that the same request would come to again."""

_REPEATED_STATUS = BUSY_STATUS | {500, 502, 504}


class Provider(ModelProvider):
    """A provider that knows which model runs use; the page, the banner and the API show `demo`."""

    gives_summaries = False
    """Whether a model of it can be asked for summaries of its reasoning."""

    asks_for_summaries = False
    """Whether it is asked for them where a service does not say."""

    def shows_reasoning(self, service: Service) -> bool:
        """Return whether the runs of a service show summaries of the model's reasoning."""
        said = service.shows_reasoning
        wanted = self.asks_for_summaries if said is None else said
        return wanted and self.gives_summaries and service.contract is None

    def __init__(self, name: str, *, demo: bool = False) -> None:
        self.name = name
        self.demo = demo


class OneModel(Provider):
    """A provider of one model object: the demo model, or a scripted one."""

    def __init__(self, model: Model, name: str = "demo", *, demo: bool = True) -> None:
        super().__init__(name, demo=demo)
        self._model = model

    def get_model(self, model_name: str | None) -> Model:
        """Return the model."""
        return self._model


class ServerModels(Provider):
    """Models behind an OpenAI-compatible server."""

    def __init__(self, client: AsyncOpenAI, name: str, api: str, *, summaries: bool = False) -> None:
        """Speak `responses` or `chat` with this client; `summaries` are those of reasoning."""
        super().__init__(name)
        self._client = client
        self._api = api
        self.gives_summaries = api == "responses"
        self.asks_for_summaries = summaries
        self._models: dict[str, Model] = {}

    def get_model(self, model_name: str | None) -> Model:
        """Return the model of this name; made once."""
        name = model_name or self.name
        if name not in self._models:
            self._models[name] = model_of(self._api, name, self._client)
        return self._models[name]

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()


def provider(settings: Settings, demo: Model, *, read_timeout_s: float = READ_TIMEOUT_S) -> Provider:
    """Return the provider that the settings ask for; `demo` is used when there is no key."""
    if settings.openai_api_key is None:
        return OneModel(demo)
    client = Client(
        api_key=settings.openai_api_key.get_secret_value(),
        base_url=settings.openai_base_url,
        max_retries=0,
        http_client=http_client(),
        timeout=httpx2.Timeout(connect=5.0, read=read_timeout_s, write=30.0, pool=5.0),
    )
    return ServerModels(client, settings.model, settings.model_api, summaries=settings.show_reasoning)


def _may_repeat(context: RetryPolicyContext) -> RetryDecision:
    """Return whether a request that failed without any content may be sent again."""
    error = context.normalized
    final = isinstance(context.error, _FINAL) or error.error_code == QUOTA
    late = error.is_timeout or error.is_abort or (error.retry_after or 0) > LONGEST_WAIT_S
    passing = error.is_network_error or error.status_code in _REPEATED_STATUS
    return RetryDecision(retry=passing and not final and not late)


def ask_for_summaries(team: Team) -> None:
    """Let the models of these agents send summaries of their reasoning, beside the settings of each agent."""
    for agent in team.values():
        kept = agent.model_settings.reasoning or Reasoning()
        wanted = kept.model_copy(update={"summary": "auto"})
        agent.model_settings = agent.model_settings.resolve(ModelSettings(reasoning=wanted))


def model_settings(*, first_delay_s: float = 0.5) -> ModelSettings:
    """Return the settings of every call of a model."""
    backoff = {"initial_delay": first_delay_s, "max_delay": LONGEST_WAIT_S, "multiplier": 2.0, "jitter": True}
    retry = ModelRetrySettings(max_retries=MAX_RETRIES, backoff=backoff, policy=_may_repeat)
    return ModelSettings(include_usage=True, retry=retry)
