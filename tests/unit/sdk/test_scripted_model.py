"""The scripted model of `loopwire.testing`: its steps, what it was sent, and its answers to OpenAI's own client."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pytest

from loopwire.testing import Call, Fail, Request, Step, serve
from loopwire.testing.model_server import ModelServer
from loopwire.testing.request import request_of
from loopwire.testing.script import EXHAUSTED, Script

ASKED: Any = [{"role": "user", "content": "Which phones?"}]
ANSWER: list[Step] = [["Let me see. ", Call("find", name="iPhone 12 é")]]


@asynccontextmanager
async def client_of(script: Script) -> AsyncIterator[openai.AsyncOpenAI]:
    """Yield a client of a model server with this script."""
    with ModelServer(script) as server:
        async with openai.AsyncOpenAI(api_key="any", base_url=server.base_url, max_retries=0) as client:
            yield client


def test_a_call_is_its_name_and_its_arguments() -> None:
    call = Call("find", name="iPhone 12", most=3)
    assert call == Call("find", most=3, name="iPhone 12")
    assert call != Call("find")
    assert len({call, Call("find", name="iPhone 12", most=3)}) == 1
    assert repr(call) == "Call('find', name='iPhone 12', most=3)"
    with pytest.raises(TypeError):
        Call("find", name=object())


def test_a_failure_has_a_status_of_http() -> None:
    assert repr(Fail(429, "rate_limit_exceeded")) == "Fail(429, 'rate_limit_exceeded')"
    with pytest.raises(ValueError, match="200 is no error"):
        Fail(200)


@pytest.mark.parametrize("script", ["Hello", [1], [[]], [["Hello", Fail()]], [None]])
def test_what_is_no_script_is_refused_before_anything_starts(script: Any) -> None:
    with pytest.raises(TypeError):
        serve(script)


def test_each_request_takes_the_next_step_and_the_last_one_finds_none() -> None:
    script, request = Script(["one", ["two", Call("find")]]), request_of({"messages": ASKED})
    assert script.answer(request) == ["one"]
    assert script.left == [["two", Call("find")]]
    assert script.trouble() == "1 of 2 steps were left, the first is ['two', Call('find')]"
    assert script.answer(request) == ["two", Call("find")]
    assert (script.left, script.trouble()) == ([], None)
    with pytest.raises(Fail) as failed:
        script.answer(request)
    assert (failed.value.status, failed.value.code) == (400, EXHAUSTED)
    assert failed.value.message == "The script has 2 steps, and this is request 3."
    assert "'Which phones?'" in str(script.trouble())
    assert (script.missing, len(script.requests)) == (1, 3)


def test_a_callable_answers_from_what_the_model_was_sent() -> None:
    always = Script(lambda messages: messages[-1]["content"].upper())
    request = request_of({"messages": ASKED})
    assert always.answer(request) == always.answer(request) == ["WHICH PHONES?"]
    assert (always.left, always.trouble()) == ([], None)

    def refuse(messages: list[dict[str, Any]]) -> str:
        raise Fail(503)

    def check(messages: list[dict[str, Any]]) -> str:
        raise AssertionError(messages)

    steps: list[Any] = [refuse, check, lambda messages: None]
    script = Script(steps)
    statuses = []
    for _ in range(3):
        with pytest.raises(Fail) as failed:
            script.answer(request)
        statuses.append(failed.value.status)
    assert statuses == [503, 500, 500]
    assert [type(each) for each in script.failures] == [AssertionError, TypeError]


CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
MESSAGES = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Which phones?"},
    {"role": "assistant", "content": "Wait.", "tool_calls": [CALL, CALL]},
    {"role": "tool", "content": "3", "tool_call_id": "c1"},
]
OF_RESPONSES = {
    "instructions": "Be kind.",
    "input": [
        {
            "role": "user",
            "content": [{"type": "input_text", "text": "Which phones?"}, {"type": "input_image"}],
        },
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Wait."}]},
        {"type": "function_call", "call_id": "c1", "name": "find", "arguments": "{}"},
        {"type": "function_call", "call_id": "c1", "name": "find", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "3"},
        {"type": "reasoning", "id": "rs_1"},
    ],
    "tools": [{"type": "function", "name": "find"}, {"type": "web_search"}],
}
OF_CHAT = {"messages": MESSAGES, "tools": [{"type": "function", "function": {"name": "find"}}]}


@pytest.mark.parametrize("body", [OF_RESPONSES, OF_CHAT], ids=["responses", "chat"])
def test_a_request_has_the_same_messages_in_both_dialects(body: dict[str, Any]) -> None:
    request = request_of(body)
    assert request.messages == MESSAGES
    assert (request.text, request.tools, request.body) == ("Which phones?", ["find"], body)


def test_a_request_without_messages_has_no_text() -> None:
    assert request_of({}) == Request([], {})
    assert (request_of({}).text, request_of({}).tools) == ("", [])
    assert request_of({"input": [{"type": "function_call", "name": "find"}]}).messages[0]["content"] == ""
    assert request_of({"input": "Hello"}).text == "Hello"


async def test_openais_client_reads_an_answer_in_the_responses_dialect() -> None:
    script = Script(ANSWER * 2)
    async with client_of(script) as client:
        whole = await client.responses.create(model="any", input=ASKED)
        deltas = []
        async with client.responses.stream(model="any", input=ASKED) as stream:
            async for event in stream:
                if event.type == "response.output_text.delta":
                    deltas.append(event.delta)
            streamed = await stream.get_final_response()
    for each in (whole, streamed):
        assert (each.status, each.output_text, each.model) == ("completed", "Let me see. ", "any")
        call = each.output[1]
        assert call.type == "function_call"
        assert (call.name, json.loads(call.arguments)) == ("find", {"name": "iPhone 12 é"})
        assert each.usage is not None and each.usage.total_tokens > 1
    assert deltas == ["Let ", "me ", "see. "]
    assert [each.text for each in script.requests] == ["Which phones?"] * 2


async def test_openais_client_reads_an_answer_in_the_chat_dialect() -> None:
    script = Script(ANSWER * 2)
    async with client_of(script) as client:
        whole = await client.chat.completions.create(model="any", messages=ASKED)
        options: Any = {"include_usage": True}
        deltas = []
        async with client.chat.completions.stream(
            model="any", messages=ASKED, stream_options=options
        ) as stream:
            async for event in stream:
                if event.type == "content.delta":
                    deltas.append(event.delta)
            streamed = await stream.get_final_completion()
    for each in (whole, streamed):
        (choice,) = each.choices
        assert (choice.finish_reason, choice.message.content) == ("tool_calls", "Let me see. ")
        (call,) = choice.message.tool_calls or ()
        assert call.type == "function"
        assert (call.function.name, json.loads(call.function.arguments)) == ("find", {"name": "iPhone 12 é"})
        assert each.usage is not None and each.usage.total_tokens > 1
    assert [each for each in deltas if each] == ["Let ", "me ", "see. "]


async def test_openais_client_gets_a_failure_with_its_code() -> None:
    async with client_of(
        Script([Fail(429, "rate_limit_exceeded", "Slowly."), Fail(503, retry=True)])
    ) as client:
        headers = []
        for expected in (429, 503, 400):
            with pytest.raises(openai.APIStatusError) as failed:
                await client.responses.create(model="any", input=ASKED)
            assert failed.value.status_code == expected
            headers.append(failed.value.response.headers.get("retry-after"))
        assert failed.value.code == EXHAUSTED
        assert headers == ["60", None, "60"]
        with pytest.raises(openai.NotFoundError, match="has no /v1/embeddings"):
            await client.embeddings.create(model="any", input="words")
