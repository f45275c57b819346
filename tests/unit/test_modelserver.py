"""The model server against the clients it is made for: the openai client and the Agents SDK."""

import asyncio
import json
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import openai
import pytest
from agents import (
    Agent,
    FunctionTool,
    ModelSettings,
    Runner,
    function_tool,
)
from agents.models.interface import Model
from agents.testing import ModelStep, ScriptedModel, assistant_message, function_call
from agents.tool import Tool
from agents.usage import Usage as SdkUsage
from pydantic import BaseModel

from tests.modelserver import (
    Call,
    ModelRequest,
    ModelServer,
    Pace,
    Plan,
    Reasoning,
    Refusal,
    Text,
    Usage,
    brain_from_model,
    echo,
    scripted,
    stamped,
)
from tests.modelserver.__main__ import brain_named
from tests.modelserver.clients import DIALECTS, QUIET, client_of, deltas, model_of, settings, streamed
from tests.parts.wait import PATIENCE_S


def names(events: list[Any]) -> list[str]:
    return [e.name for e in events if e.type == "run_item_stream_event"]


@function_tool
def lookup(sku: str) -> str:
    """Look a product up."""
    return json.dumps({"sku": sku, "price": 12})


@function_tool
def stock(sku: str) -> str:
    """Count what is there."""
    return f"{sku}: 3"


# --- conversations -----------------------------------------------------------------------------


CONVERSATION = [
    ["Let me look. ", Call("lookup", {"sku": "A"}), Call("stock", {"sku": "B é"})],
    Call("transfer_to_closer"),
    Plan([Text("Tudo certo: é 12 €.")], usage=Usage(input=50, output=7, cached=20, reasoning=3)),
]


def two_agents(model: Model) -> Agent[Any]:
    closer = Agent(name="Closer", instructions="Close.", model=model, model_settings=settings())
    return Agent(
        name="Greeter",
        instructions="Greet.",
        model=model,
        model_settings=settings(parallel_tool_calls=True),
        tools=[lookup, stock],
        handoffs=[closer],
    )


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_run_streams_text_parallel_tools_a_handoff_and_usage(dialect: str) -> None:
    brain = scripted(CONVERSATION)
    async with ModelServer(brain) as server, client_of(server) as client:
        result, events = await streamed(two_agents(model_of(client, dialect)), "price?")
    assert result.final_output == "Tudo certo: é 12 €."
    assert result.last_agent.name == "Closer"
    assert deltas(events) == ["Let ", "me ", "look. ", "Tudo ", "certo: ", "é ", "12 ", "€."]
    told = names(events)
    assert told.count("tool_called") == told.count("tool_output") == 2
    assert {"handoff_requested", "handoff_occured"} <= set(told)
    last = result.raw_responses[-1].usage
    assert (last.input_tokens, last.output_tokens) == (50, 7)
    assert last.input_tokens_details.cached_tokens == 20
    assert last.output_tokens_details.reasoning_tokens == 3
    assert all(response.usage.total_tokens > 0 for response in result.raw_responses)
    brain.assert_complete()
    first, second, third = brain.requests
    assert first.instructions == "Greet."
    assert third.instructions == "Close."
    assert first.tool_names == ["lookup", "stock", "transfer_to_closer"]
    assert first.tools[0].parameters["required"] == ["sku"]
    assert [tool.is_handoff for tool in first.tools] == [False, False, True]
    assert first.parallel is True
    assert first.last_user_text == "price?"
    outputs = [item["output"] for item in second.outputs_since_user]
    assert outputs == ['{"sku": "A", "price": 12}', "B é: 3"]
    assert (server.gone, server.answered) == (0, 3)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_run_without_streaming_gives_the_same_answer(dialect: str) -> None:
    async with ModelServer(scripted(CONVERSATION)) as server, client_of(server) as client:
        result = await Runner.run(two_agents(model_of(client, dialect)), "price?", run_config=QUIET)
    assert result.final_output == "Tudo certo: é 12 €."
    assert result.last_agent.name == "Closer"
    assert result.raw_responses[-1].usage.total_tokens == 57


def without_ids(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Items as both dialects can tell them: ids and their like don't survive chat."""
    kept = []
    for item in items:
        clean = {key: item[key] for key in item.keys() - {"id", "status", "provider_data"}}
        if clean.get("type") == "message":
            parts = [{k: v for k, v in p.items() if k != "logprobs"} for p in clean["content"]]
            clean["content"] = parts
        kept.append(clean)
    return kept


async def test_a_brain_sees_the_same_request_in_both_dialects() -> None:
    seen: dict[str, list[Any]] = {}
    said = [
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "what is it?"},
                {"type": "input_image", "image_url": "data:image/png;base64,AA==", "detail": "low"},
            ],
        }
    ]
    for dialect in DIALECTS:
        script = [
            ["Hm. ", Call("lookup", {"sku": "A"}, "call_1"), Call("stock", {"sku": "A"}, "call_2")],
            "Done.",
        ]
        brain = scripted(script)
        async with ModelServer(brain) as server, client_of(server) as client:
            agent = two_agents(model_of(client, dialect))
            agent.model_settings = settings(tool_choice="lookup", temperature=0.5, max_tokens=99)
            await streamed(agent, said)
        seen[dialect] = brain.requests
    for left, right in zip(seen["responses"], seen["chat"], strict=True):
        assert without_ids(left.items) == without_ids(right.items)
        assert left.tools == right.tools
        assert left.instructions == right.instructions
        assert left.tool_choice == right.tool_choice
        assert left.settings.items() & {("temperature", 0.5), ("max_tokens", 99)} == (
            right.settings.items() & {("temperature", 0.5), ("max_tokens", 99)}
        )
    assert seen["chat"][0].tool_choice == {"type": "function", "name": "lookup"}
    assert seen["chat"][0].settings["max_tokens"] == 99


class Price(BaseModel):
    euros: int


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_output_type_reaches_the_brain_as_a_schema(dialect: str) -> None:
    brain = scripted(['{"euros": 3}'])
    async with ModelServer(brain) as server, client_of(server) as client:
        agent = Agent(name="A", model=model_of(client, dialect), output_type=Price)
        result, _ = await streamed(agent, "how much?")
    assert result.final_output == Price(euros=3)
    wanted = brain.requests[0].output_format
    assert wanted is not None
    assert wanted.schema["required"] == ["euros"]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_reasoning_and_refusal_arrive_as_such(dialect: str) -> None:
    async with (
        ModelServer(scripted([[Reasoning("I think so."), Refusal("I can't.")]])) as server,
        client_of(server) as client,
    ):
        asked = ModelSettings(reasoning=openai.types.shared.Reasoning(summary="auto"))
        agent = Agent(name="A", model=model_of(client, dialect), model_settings=asked)
        result, events = await streamed(agent, "do it", error_handlers={"model_refusal": lambda _: "refused"})
    assert result.final_output == "refused"
    kinds = {e.data.type for e in events if e.type == "raw_response_event"}
    assert "response.reasoning_summary_text.delta" in kinds
    assert "response.refusal.delta" in kinds


async def test_the_plain_client_gets_whole_answers_chunks_and_models() -> None:
    async with ModelServer(echo, models=("a", "b")) as server, client_of(server) as client:
        assert [model.id async for model in client.models.list()] == ["a", "b"]
        whole = await client.responses.create(model="a", input="olá")
        assert whole.output_text == "You said: olá"
        chat = [{"role": "user", "content": "olá"}]
        answer = await client.chat.completions.create(model="a", messages=chat)
        assert answer.choices[0].message.content == "You said: olá"
        assert answer.choices[0].finish_reason == "stop"
        for wanted in (False, True):
            stream = await client.chat.completions.create(
                model="a", messages=chat, stream=True, stream_options={"include_usage": wanted}
            )
            chunks = [chunk async for chunk in stream]
            assert (chunks[-1].usage is not None) is wanted
            assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
        numbers = [
            e.sequence_number
            async for e in await client.responses.create(model="a", input="olá", stream=True)
        ]
        assert numbers == list(range(len(numbers)))
        assert server.requests[-1].stream is True


# --- an SDK model behind it ---------------------------------------------------------------------

MODEL_SCRIPT: list[Callable[[], Any]] = [
    lambda: [assistant_message("Looking. "), function_call("lookup", {"sku": "A"}, call_id="c1")],
    lambda: [function_call("transfer_to_closer", {}, call_id="c2")],
    lambda: [assistant_message("It is 12 €.")],
]


def fresh_script() -> ScriptedModel:
    return ScriptedModel([ModelStep.respond(lambda _call, make=make: make()) for make in MODEL_SCRIPT])


async def in_process(run: Callable[[Agent[Any]], Awaitable[Any]]) -> tuple[Any, ScriptedModel]:
    model = fresh_script()
    return await run(two_agents(model)), model


def told(result: Any) -> list[dict[str, Any]]:
    """Return the conversation as it would be stored."""
    return without_ids(result.to_input_list())


def schema_of(tool: Tool) -> dict[str, Any]:
    assert isinstance(tool, FunctionTool)
    return tool.params_json_schema


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("stream", [True, False])
async def test_an_sdk_model_has_the_same_conversation_over_http(dialect: str, stream: bool) -> None:
    async def run(agent: Agent[Any]) -> Any:
        if stream:
            return (await streamed(agent, "price?"))[0]
        return await Runner.run(agent, "price?", run_config=QUIET)

    expected, direct = await in_process(run)
    remote = fresh_script()
    async with ModelServer(brain_from_model(remote)) as server, client_of(server) as client:
        result = await run(two_agents(model_of(client, dialect)))
    assert told(result) == told(expected)
    assert result.last_agent.name == expected.last_agent.name == "Closer"
    for near, far in zip(direct.calls, remote.calls, strict=True):
        assert near.system_instructions == far.system_instructions
        assert [tool.name for tool in near.tools] == [tool.name for tool in far.tools]
        assert [schema_of(tool) for tool in near.tools] == [schema_of(tool) for tool in far.tools]
        assert [h.agent_name for h in near.handoffs] == [h.agent_name for h in far.handoffs]
        assert [h.tool_name for h in near.handoffs] == [h.tool_name for h in far.handoffs]
        items = near.input if isinstance(near.input, list) else [{"role": "user", "content": near.input}]
        assert without_ids(far.input) == without_ids(items)


@pytest.mark.parametrize("stream", [True, False])
async def test_an_sdk_model_keeps_its_usage_and_sees_the_schema_and_the_settings(stream: bool) -> None:
    used = SdkUsage(requests=1, input_tokens=31, output_tokens=4, total_tokens=35)
    remote = ScriptedModel([ModelStep(output=[assistant_message('{"euros": 3}')], usage=used)])
    async with ModelServer(brain_from_model(remote)) as server, client_of(server) as client:
        model = model_of(client, "responses")
        agent = Agent(name="A", model=model, output_type=Price, model_settings=settings(temperature=0.25))
        if stream:
            result: Any = (await streamed(agent, "how much?"))[0]
        else:
            result = await Runner.run(agent, "how much?", run_config=QUIET)
    assert result.final_output == Price(euros=3)
    assert result.raw_responses[0].usage.input_tokens == 31
    (call,) = remote.calls
    assert call.output_schema is not None
    assert call.output_schema.json_schema()["required"] == ["euros"]
    assert call.output_schema.is_plain_text() is False
    assert call.model_settings.temperature == 0.25


# --- pace and process ----------------------------------------------------------------------------


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_stamped_tokens_arrive_all_in_order_after_the_named_calls(dialect: str) -> None:
    async with ModelServer(stamped(), keep=1) as server, client_of(server) as client:
        started = time.monotonic_ns()
        agent = two_agents(model_of(client, dialect))
        result, events = await streamed(agent, "tokens=500 rate=0 calls=transfer_to_closer")
    times = [int(piece) for piece in deltas(events)]
    assert len(times) == 500
    assert times == sorted(times)
    assert started < times[0] < times[-1] < time.monotonic_ns()
    assert result.last_agent.name == "Closer"
    assert result.raw_responses[-1].usage.output_tokens == 500
    assert len(server.requests) == 1


async def test_pace_spreads_the_tokens_over_time() -> None:
    plan = Plan([Text("a b c d e f")], pace=Pace(delay=0.02, first=0.05, burst=2))
    async with ModelServer(scripted([plan])) as server, client_of(server) as client:
        started = time.monotonic()
        stream = await client.responses.create(model="m", input="hi", stream=True)
        arrived = [time.monotonic() - started async for e in stream if e.type.endswith("text.delta")]
    assert len(arrived) == 6
    assert arrived[0] >= 0.05
    assert arrived[2] >= 0.07
    assert arrived[4] >= 0.09


async def test_stopping_a_run_closes_the_call_to_the_model() -> None:
    plan = Plan([Text("a b c d")], pace=Pace(delay=60.0))
    async with ModelServer(scripted([plan])) as server, client_of(server) as client:
        result = Runner.run_streamed(Agent(name="A", model=model_of(client, "chat")), "hi", run_config=QUIET)
        async for event in result.stream_events():
            if deltas([event]):
                result.cancel()
        await server.until(lambda: server.gone == 1)


async def test_a_brain_is_found_by_its_address_and_given_another_pace() -> None:
    brain = brain_named("tests.modelserver.brains:echo", Pace(delay=0.5))
    plan = await brain(ModelRequest("chat", "m", True, None, [{"role": "user", "content": "hi"}]))
    assert plan.pace.delay == 0.5
    assert plan.outputs == [Text("You said: hi")]


async def test_bytes_that_are_no_request_are_refused() -> None:
    async with (
        ModelServer(echo) as server,
        httpx2.AsyncClient(base_url=server.base_url, timeout=PATIENCE_S) as http,
    ):
        for body in (b"{", b"[]", b"{}", b'{"model": "m"}'):
            assert (await http.post("/responses", content=body)).status_code == 400
        reader, writer = await asyncio.open_connection("127.0.0.1", http.base_url.port)
        writer.write(b"nonsense\r\n\r\n")
        assert await reader.read() == b""
        writer.close()
        await writer.wait_closed()


async def test_as_a_process_it_is_scripted_and_disturbed_over_its_control_port() -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.modelserver", "--brain", "scripted", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        base_url = json.loads(await process.stdout.readline())["base_url"]
        control = base_url.replace("/v1", "/_control")
        steps = [{"text": "hello"}, {"all": [{"text": "so"}, {"call": "lookup", "arguments": {"sku": "A"}}]}]
        async with (
            httpx2.AsyncClient(timeout=PATIENCE_S) as http,
            openai.AsyncOpenAI(base_url=base_url, api_key="sk-test", max_retries=0) as client,
        ):
            answer = await http.post(f"{control}/script", json={"steps": steps})
            assert answer.json() == {"left": 2}
            fault = {"faults": [{"name": "server_error", "status": 503}], "says": "boat"}
            await http.post(f"{control}/faults", json=fault)
            with pytest.raises(openai.InternalServerError):
                await client.responses.create(model="m", input="a boat")
            assert (await client.responses.create(model="m", input="a boat")).output_text == "hello"
            mixed = await client.responses.create(model="m", input="go on")
            assert [item.type for item in mixed.output] == ["message", "function_call"]
            seen = (await http.get(f"{control}/requests")).json()["requests"]
            assert [request["items"][0]["content"] for request in seen] == ["a boat", "a boat", "go on"]
            assert "sk-test" not in json.dumps(seen)
            with pytest.raises(openai.BadRequestError, match="used up"):
                await client.responses.create(model="m", input="more")
    finally:
        process.send_signal(signal.SIGTERM)
        assert await process.wait() == 0
