"""The fast models send what the SDK's own models send, and give way to them when the SDK has changed."""

import gc
import inspect
import json
import logging
from typing import Any

import httpx2
import openai
import pytest
from agents import (
    Agent,
    Handoff,
    ModelSettings,
    ModelTracing,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    handoff,
)
from agents.agent_output import AgentOutputSchema
from openai.types import responses
from openai.types.shared import Reasoning
from pydantic import BaseModel, SecretStr

from server.agents.model.client import Client
from server.agents.model.fast import choice
from server.agents.model.fast.responses import kinds_of_items
from server.agents.model.providers import provider
from server.settings import Settings
from tests.contract.agents.streams import answer_of_bytes, frames, models
from tests.modelserver import Call, ModelServer, Plan, Scripted, Text
from tests.unit.agents.outlet import Play
from tests.unit.agents.teams import Bench, ScriptedModel

pytestmark = pytest.mark.parametrize("api", ["responses", "chat"])


class Found(BaseModel):
    """A structured answer."""

    name: str


def handoffs() -> list[Handoff[Any, Any]]:
    """Made anew, as the SDK makes those of bare agents."""
    return [handoff(Agent(name="second", handoff_description="Knows more."))]


HISTORY: list[Any] = [
    {"role": "user", "content": [{"type": "input_text", "text": "olá"}]},
    {"id": "__fake_id__", "type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    {
        "id": "__fake_id__",
        "type": "message",
        "role": "assistant",
        "status": "completed",
        "provider_data": {"model": "x"},
        "content": [{"type": "output_text", "text": "é 🚲", "annotations": []}],
    },
    {"role": "user", "content": "e agora?"},
]
SETTINGS = {
    "plain": ModelSettings(include_usage=True),
    "parallel": ModelSettings(parallel_tool_calls=False, temperature=0.2, max_tokens=9, store=False),
    "extra": ModelSettings(
        extra_headers={"x-a": "b"},
        extra_query={"q": "1"},
        extra_body={"top_k": 3},
        extra_args={"user": "u"},
        metadata={"a": "b"},
        reasoning=Reasoning(effort="low"),
    ),
    "chosen": ModelSettings(tool_choice="look", verbosity="low", parallel_tool_calls=True),
}


@pytest.mark.parametrize("name", list(SETTINGS))
@pytest.mark.parametrize("teamed", [True, False])
async def test_the_fast_models_send_the_same_requests_as_the_sdk_models(
    api: str, name: str, teamed: bool
) -> None:
    sent: list[httpx2.Request] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request)
        return answer_of_bytes([*frames(api, Plan([Text("olá")]))])(request)

    tools = Bench().tools() if teamed or name == "chosen" else []
    schema = AgentOutputSchema(Found) if teamed else None
    before = json.dumps(HISTORY)
    for model in models(api, answer).values():
        for _ in range(2):  # The second comes from what was converted for the first.
            to = handoffs() if teamed else []
            given = ("Be kind.", HISTORY, SETTINGS[name], tools, schema, to, ModelTracing.DISABLED)
            async for _event in model.stream_response(
                *given, previous_response_id=None, conversation_id=None, prompt=None
            ):
                pass
    bodies = [json.loads(request.content) for request in sent]
    assert [body == bodies[0] for body in bodies] == [True] * 4
    assert len(bodies[0].get("tools", [])) == len(tools) + teamed
    assert len({str(request.url) for request in sent}) == 1
    ignored = {"content-length", "x-stainless-raw-response", "x-stainless-read-timeout"}
    heads = [{key: request.headers[key] for key in request.headers if key not in ignored} for request in sent]
    assert [head == heads[0] for head in heads] == [True] * 4
    assert json.dumps(HISTORY) == before


@pytest.mark.parametrize("trouble", [429, 500, httpx2.ReadTimeout("silent"), httpx2.ConnectError("gone")])
async def test_a_repeated_request_fails_with_the_same_error_as_the_first(
    api: str, trouble: int | Exception
) -> None:
    fine = answer_of_bytes([*frames(api, Plan([Text("olá")]))])
    answers: list[int | Exception | None] = [trouble, None, trouble]

    def answer(request: httpx2.Request) -> httpx2.Response:
        now = answers.pop(0)
        if isinstance(now, Exception):
            raise now
        if now is None:
            return fine(request)
        return httpx2.Response(
            now, headers={"retry-after": "3"}, json={"error": {"code": "x", "message": "No."}}
        )

    model = models(api, answer)["fast"]
    errors: list[Exception] = []
    for _ in range(3):
        try:
            async for _event in model.stream_response(
                None, "olá", ModelSettings(), [], None, [], ModelTracing.DISABLED,
                previous_response_id=None, conversation_id=None, prompt=None,
            ):  # fmt: skip
                pass
        except openai.APIError as error:
            errors.append(error)
    first, second = errors
    assert (type(first), str(first), first.body) == (type(second), str(second), second.body)
    assert isinstance(trouble, Exception) or second.response.headers["retry-after"] == "3"


async def test_the_cache_of_request_kinds_holds_no_words_of_a_visitor(api: str) -> None:
    model = models(api, answer_of_bytes([*frames(api, Plan([Text("olá")]))]))["fast"]
    for visitor in ("first", "second"):
        async for _event in model.stream_response(
            None, f"my secret, says the {visitor}", ModelSettings(), [], None, [], ModelTracing.DISABLED,
            previous_response_id=None, conversation_id=None, prompt=None,
        ):  # fmt: skip
            pass
    gc.collect()
    held = [each for holder in gc.get_objects() for each in gc.get_referents(holder) if type(each) is bytes]
    assert [each for each in held if b"my secret, says the first" in each] == []


async def test_a_tool_is_converted_again_when_its_description_changes(api: str) -> None:
    sent: list[Any] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(json.loads(request.content)["tools"][0])
        return answer_of_bytes([*frames(api, Plan([Text("olá")]))])(request)

    model = models(api, answer)["fast"]
    tools = Bench().tools()
    for description in ("Old.", "New."):
        tools[0].description = description
        given = (None, "olá", ModelSettings(), tools, None, [], ModelTracing.DISABLED)
        async for _ in model.stream_response(
            *given, previous_response_id=None, conversation_id=None, prompt=None
        ):
            pass
    assert ["Old." in json.dumps(each) for each in sent] == [True, False]


async def test_a_conversation_uses_the_sdk_models_when_the_sdk_has_changed(
    api: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    monkeypatch.setitem(choice.NEEDED, api, [*choice.NEEDED[api], (ScriptedModel, "no_longer_there", "self")])
    plans = [
        Plan([Text("Vejo já."), Call("look", {"word": "abc"})]),
        Plan([Call("transfer_to_second")]),
        "Feito.",
    ]
    async with ModelServer(Scripted(plans)) as server:
        made = provider(
            Settings(
                OPENAI_API_KEY=SecretStr("sk-test"),
                OPENAI_BASE_URL=server.base_url,
                LOOPWIRE_MODEL="test-model",
                LOOPWIRE_MODEL_API=api,
            ),
            ScriptedModel([]),
        )
        bench = Bench()
        play = Play(bench.service(), made)
        out = await play.say("oi")
        assert "Lean" not in type(made.get_model(None)).__name__
        await made.aclose()  # type: ignore[attr-defined]
    assert play.result is not None and play.result.outcome == "success" and play.result.agent == "second"
    assert out.text() == "Vejo já.Feito." and bench.done == ["look abc"]
    assert play.result.usage["totalTokens"] > 0
    warnings = [record for record in caplog.records if record.name == "server.agents.model.fast.choice"]
    assert len(warnings) == 1 and "no_longer_there" in warnings[0].getMessage()


def test_the_installed_sdk_has_every_name_that_the_fast_models_need(api: str) -> None:
    assert choice.missing(api) == []


def test_a_method_with_other_parameters_counts_as_missing(api: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(choice.NEEDED, api, [(ScriptedModel, "stream_response", "self not_a_parameter")])
    assert choice.missing(api) == ["stream_response"]


async def call(model: Any, settings: ModelSettings = SETTINGS["plain"]) -> None:
    """Ask once and read the answer."""
    async for _event in model.stream_response(
        None, "olá", settings, [], None, [], ModelTracing.DISABLED,
        previous_response_id=None, conversation_id=None, prompt=None,
    ):  # fmt: skip
        pass


async def test_each_request_sends_the_newest_cookie_that_an_answer_set(api: str) -> None:
    sent: list[str | None] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.headers.get("cookie"))
        response = answer_of_bytes([*frames(api, Plan([Text("olá")]))])(request)
        response.headers["set-cookie"] = f"route=node-{len(sent)}; Path=/"
        return response

    other = ModelSettings(extra_headers={"x-kind": "other"})
    for model in models(api, answer).values():
        for settings in (SETTINGS["plain"], SETTINGS["plain"], other, other):
            await call(model, settings)
    assert sent[:4] == [None, "route=node-1", "route=node-2", "route=node-3"]
    assert sent[4:] == [None, "route=node-5", "route=node-6", "route=node-7"]


async def test_a_cookie_of_the_extra_headers_is_sent_with_every_request(api: str) -> None:
    sent: list[str | None] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.headers.get("cookie"))
        return answer_of_bytes([*frames(api, Plan([Text("olá")]))])(request)

    model = models(api, answer)["fast"]
    for _ in range(2):
        await call(model, ModelSettings(extra_headers={"Cookie": "mine=1"}))
    assert sent == ["mine=1", "mine=1"]


async def test_the_sdk_model_is_used_when_the_sdk_adds_a_parameter(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = OpenAIChatCompletionsModel if api == "chat" else OpenAIResponsesModel
    before = kind.stream_response

    async def stream_response(self: Any, *given: Any, from_tomorrow: int, **more: Any) -> Any:
        async for event in before(self, *given, **more):
            yield event

    known = inspect.signature(before)
    new = inspect.Parameter("from_tomorrow", inspect.Parameter.KEYWORD_ONLY, default=None)
    told = known.replace(parameters=[*known.parameters.values(), new])
    stream_response.__signature__ = told  # type: ignore[attr-defined]
    monkeypatch.setattr(kind, "stream_response", stream_response)
    assert choice.missing(api) == ["stream_response"]
    model = models(api, answer_of_bytes([*frames(api, Plan([Text("olá")]))]))["fast"]
    given = (None, "olá", ModelSettings(), [], None, [], ModelTracing.DISABLED)
    types = [event.type async for event in model.stream_response(*given, from_tomorrow=1)]  # type: ignore[call-arg]
    assert types[-1] == "response.completed"


def test_a_changed_return_type_of_the_sdk_counts_as_missing(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if api == "chat":
        monkeypatch.setattr(
            OpenAIChatCompletionsModel._fetch_response, "__annotations__", {"return": "ChatCompletion"}
        )
    else:
        monkeypatch.setattr(responses, "ResponseOutputItem", str)
        kinds_of_items.cache_clear()
    assert len(choice.missing(api)) == 1
    monkeypatch.undo()
    kinds_of_items.cache_clear()
    assert choice.missing(api) == []


def test_the_sdk_model_is_used_when_it_keeps_its_client_elsewhere(
    api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = OpenAIChatCompletionsModel if api == "chat" else OpenAIResponsesModel

    def elsewhere(self: Any, model: Any, openai_client: Any, **more: Any) -> None:
        self.model, self._asked = model, openai_client

    monkeypatch.setattr(kind, "__init__", elsewhere)
    client = Client(api_key="sk-test", base_url="http://model.test/v1", max_retries=0)
    assert "Lean" not in type(choice.model_of(api, "m", client)).__name__
