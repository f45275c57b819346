"""Each fault of the model server yields the known error of the clients."""

import json
from pathlib import Path
from typing import Any

import httpx2
import openai
import pytest
from agents import Agent, ModelBehaviorError, ModelRetrySettings, Runner, function_tool, retry_policies

from tests.modelserver import CANARY, Call, ModelServer, Plan, echo, named, replay, scripted
from tests.modelserver.clients import DIALECTS, QUIET, client_of, deltas, model_of, settings, streamed
from tests.modelserver.fault_queue import catalogue


@function_tool
def lookup(sku: str) -> str:
    """Look a product up."""
    return json.dumps({"sku": sku, "price": 12})


async def failing(
    dialect: str,
    fault: str,
    *,
    reply: Any = "one two three four",
    times: int | None = 1,
    read: float = 5.0,
    **parameters: Any,
) -> tuple[BaseException | None, list[Any], Any, ModelServer]:
    """Return one run that meets a fault: its error, the events before, its final output, the server."""
    async with (
        ModelServer(replay(lambda _: reply)) as server,
        client_of(server, timeout=httpx2.Timeout(5.0, read=read)) as client,
    ):
        server.faults.add(named(fault, **parameters), times=times)
        agent = Agent(name="A", model=model_of(client, dialect), tools=[lookup])
        result = Runner.run_streamed(agent, "go", run_config=QUIET)
        events: list[Any] = []
        try:
            async for event in result.stream_events():
                events.append(event)
        except Exception as error:
            return error, events, None, server
        return None, events, result.final_output, server


HTTP_FAULTS = [
    ("rate_limited", openai.RateLimitError),
    ("insufficient_quota", openai.RateLimitError),
    ("server_error", openai.InternalServerError),
    ("unauthorized", openai.AuthenticationError),
    ("context_length", openai.BadRequestError),
]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(("fault", "kind"), HTTP_FAULTS)
async def test_an_http_error_arrives_with_its_class_and_the_canary(
    dialect: str, fault: str, kind: type[Exception]
) -> None:
    error, events, _, _ = await failing(dialect, fault)
    assert type(error) is kind
    assert CANARY in str(error)
    assert deltas(events) == []


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_limit_that_passes_is_survived_by_retries_and_quota_is_tried_as_often(dialect: str) -> None:
    for fault, times in (("rate_limited", 2), ("insufficient_quota", None)):
        async with ModelServer(echo) as server, client_of(server) as client:
            server.faults.add(named(fault), times=times)
            policy = retry_policies.http_status([429])
            retry = ModelRetrySettings(max_retries=2, backoff={"initial_delay": 0.01}, policy=policy)
            model = model_of(client, dialect)
            agent = Agent(name="A", model=model, model_settings=settings(retry=retry))
            if times:
                result, _ = await streamed(agent, "hi")
                assert result.final_output == "You said: hi"
            else:
                with pytest.raises(openai.RateLimitError):
                    await streamed(agent, "hi")
            assert len(server.requests) == 3


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_silence_ends_in_the_clients_timeout_and_the_server_sees_it_go(dialect: str) -> None:
    for fault, partial in (("hang", []), ("stall", ["one ", "two "])):
        error, events, _, server = await failing(dialect, fault, read=0.5)
        assert isinstance(error, openai.APITimeoutError)
        assert deltas(events) == partial
        await server.until(lambda gone=server: gone.gone == 1)


async def test_a_cut_stream_is_an_error_in_responses_and_passes_for_whole_in_chat() -> None:
    error, events, _, _ = await failing("responses", "cut")
    assert isinstance(error, ModelBehaviorError)
    assert deltas(events) == ["one ", "two "]
    error, events, output, _ = await failing("chat", "cut")
    assert error is None
    assert output == "one two "


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", ["close", "reset"])
async def test_a_connection_lost_in_mid_stream_is_a_connection_error(dialect: str, fault: str) -> None:
    error, events, _, _ = await failing(dialect, fault)
    assert type(error) is openai.APIConnectionError
    assert deltas(events) == ["one ", "two "][: len(deltas(events))]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_connection_reset_before_the_answer_is_a_connection_error(dialect: str) -> None:
    error, _, _, _ = await failing(dialect, "reset_first")
    assert isinstance(error, openai.APIConnectionError)


@pytest.mark.parametrize("name", ["length", "content_filter"])
async def test_an_incomplete_answer_is_an_error_in_responses_and_passes_for_whole_in_chat(name: str) -> None:
    error, events, _, _ = await failing("responses", name)
    assert isinstance(error, ModelBehaviorError)
    assert len(deltas(events)) == 4
    error, _, output, _ = await failing("chat", name)
    assert error is None
    assert output == "one two three four"


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_bad_chunk_is_a_decoding_error_after_the_deltas_before_it(dialect: str) -> None:
    error, events, _, _ = await failing(dialect, "bad_json")
    assert isinstance(error, json.JSONDecodeError)
    assert CANARY in error.doc
    assert deltas(events) == ["one ", "two "]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_error_chunk_is_an_api_error_with_the_canary(dialect: str) -> None:
    error, events, _, _ = await failing(dialect, "error_chunk")
    assert type(error) is openai.APIError
    assert CANARY in str(error)
    assert deltas(events) == ["one ", "two "]


async def test_a_failed_response_is_an_error_after_all_its_text() -> None:
    error, events, _, _ = await failing("responses", "failed")
    assert isinstance(error, ModelBehaviorError)
    assert len(deltas(events)) == 4
    error, events, _, _ = await failing("chat", "failed")
    assert type(error) is openai.APIError
    assert CANARY in str(error)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("fault", ["odd_borders", "crlf", "comments"])
async def test_odd_but_legal_bytes_change_nothing(dialect: str, fault: str) -> None:
    text = "É só um café ☕ — “ok”\r\nlinha\u2028nova 🚲 fim"
    error, events, output, _ = await failing(dialect, fault, reply=text)
    assert error is None
    assert output == text == "".join(deltas(events))


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_bad_arguments_come_back_to_the_model_which_repairs_them(dialect: str) -> None:
    brain = scripted([Call("lookup", {"sku": "A"}), Call("lookup", {"sku": "A"}), "12 euros"])
    async with ModelServer(brain) as server, client_of(server) as client:
        server.faults.add(named("bad_arguments"))
        agent = Agent(name="A", model=model_of(client, dialect), tools=[lookup])
        result, _ = await streamed(agent, "price?")
    assert result.final_output == "12 euros"
    wrong, right = brain.requests[2].outputs_since_user
    assert "error" in wrong["output"].lower()
    assert "12" in right["output"]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_unknown_tool_ends_the_run(dialect: str) -> None:
    error, _, _, _ = await failing(dialect, "unknown_tool", reply=Call("lookup", {"sku": "A"}))
    assert isinstance(error, ModelBehaviorError)
    assert "no_such_tool" in str(error)


async def test_every_fault_of_the_catalogue_is_in_these_tests() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    assert {name for name in catalogue() if f'"{name}"' not in source} == set()


async def test_faults_may_be_kept_for_some_requests_and_meet_together() -> None:
    async with ModelServer(echo) as server, client_of(server) as client:
        server.faults.add(named("server_error"), when=lambda request: request.last_user_text == "b")
        server.faults.add(named("crlf"), named("cut", after=1), times=1)
        stream = await client.chat.completions.create(
            model="m", messages=[{"role": "user", "content": "a"}], stream=True
        )
        text = [c.choices[0].delta.content async for c in stream]
        assert text == ["", "You "]
        with pytest.raises(openai.InternalServerError):
            await client.responses.create(model="m", input="b")
        assert (await client.responses.create(model="m", input="b")).output_text == "You said: b"
        assert len(server.faults) == 0


async def test_a_cut_body_without_streaming_is_no_json() -> None:
    async with ModelServer(echo) as server, client_of(server) as client:
        server.faults.add(named("cut"))
        with pytest.raises(json.JSONDecodeError):
            await client.responses.create(model="m", input="b")


ORPHAN_CALL = {"type": "function_call", "call_id": "c1", "name": "lookup", "arguments": "{}"}
ORPHAN_RESULT = {"type": "function_call_output", "call_id": "c2", "output": "x"}


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("items", "text"),
    [
        ([ORPHAN_CALL], "No tool output found for function call c1"),
        ([ORPHAN_RESULT], "No tool call found for function call output with call_id c2"),
    ],
)
async def test_a_history_with_unpaired_calls_is_refused(dialect: str, items: list[Any], text: str) -> None:
    async with ModelServer(echo) as server, client_of(server) as client:
        agent = Agent(name="A", model=model_of(client, dialect))
        with pytest.raises(openai.BadRequestError, match=text):
            await streamed(agent, [{"role": "user", "content": "hi"}, *items])


async def test_a_call_id_used_twice_and_an_open_schema_called_strict_are_refused() -> None:
    twice: Any = [ORPHAN_CALL, ORPHAN_RESULT | {"call_id": "c1"}] * 2
    schema = {"type": "object", "properties": {"sku": {"type": "string"}}}
    tool: Any = {"type": "function", "name": "lookup", "parameters": schema, "strict": True}
    async with ModelServer(echo) as server, client_of(server) as client:
        with pytest.raises(openai.BadRequestError, match="Duplicate item found"):
            await client.responses.create(model="m", input=twice)
        with pytest.raises(openai.BadRequestError, match="additionalProperties"):
            await client.responses.create(model="m", input="hi", tools=[tool])


async def test_a_wrong_key_and_a_wrong_address_are_refused() -> None:
    async with ModelServer(echo, api_key="right") as server:
        async with client_of(server, api_key="wrong") as client:
            with pytest.raises(openai.AuthenticationError):
                await client.responses.create(model="m", input="hi")
        async with client_of(server, api_key="right") as client:
            assert (await client.responses.create(model="m", input="hi")).output_text == "You said: hi"
            with pytest.raises(openai.NotFoundError):
                await client.files.list()


async def test_a_brain_that_raises_fails_the_test_that_uses_it() -> None:
    async def broken(_request: Any) -> Plan:
        raise LookupError("a mistake in a test")

    with pytest.RaisesGroup(LookupError):
        async with ModelServer(broken) as server, client_of(server) as client:
            with pytest.raises(openai.InternalServerError):
                await client.responses.create(model="m", input="hi")
