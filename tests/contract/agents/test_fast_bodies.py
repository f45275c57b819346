"""The body of a model's answer: when it is read, how it may be packed, and what follows its last event."""

from __future__ import annotations

import asyncio
import gc
import gzip
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from agents import ModelSettings, ModelTracing

from server.agents.model.answer_size import MOST_WIRE_BYTES
from server.agents.model.fast.sse import SseFrames
from server.errors import Limit
from tests.contract.agents.streams import WIRES, Pieces, answer_of_bytes, frames, models, turn_text
from tests.modelserver import Plan, Text
from tests.parts.wait import PATIENCE_S

dialects = pytest.mark.parametrize("api", ["responses", "chat"])
GIVEN: tuple[Any, ...] = ("Be kind.", "olá", ModelSettings(), [], None, [], ModelTracing.DISABLED)
NONE: dict[str, Any] = {"previous_response_id": None, "conversation_id": None, "prompt": None}
STREAM = {"content-type": "text/event-stream"}


class Gated(httpx2.AsyncByteStream):
    """A body whose rest comes when the gate is opened."""

    def __init__(self, first: bytes, rest: bytes, gate: asyncio.Event) -> None:
        self._first, self._rest, self._gate = first, rest, gate

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._first
        await self._gate.wait()
        yield self._rest


@dialects
async def test_every_answer_is_read_while_it_streams_and_not_only_the_first(api: str) -> None:
    each = frames(api, Plan([Text("um dois três")]))
    gates: list[asyncio.Event] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        gates.append(asyncio.Event())
        body = Gated(b"".join(each[:-3]), b"".join(each[-3:]), gates[-1])
        return httpx2.Response(200, headers=STREAM, stream=body)

    model = models(api, answer)["fast"]
    for _ in range(2):
        types = []
        async with asyncio.timeout(PATIENCE_S):
            async for event in model.stream_response(*GIVEN, **NONE):
                types.append(event.type)
                gates[-1].set()
        assert types[-1] == "response.completed"
    assert len(gates) == 2


@dialects
async def test_an_answer_ends_with_its_last_event_while_its_body_stays_open(api: str) -> None:
    each = frames(api, Plan([Text("olá")]))

    def answer(request: httpx2.Request) -> httpx2.Response:
        body = Gated(b"".join(each), b"", asyncio.Event())
        return httpx2.Response(200, headers=STREAM, stream=body)

    async with asyncio.timeout(PATIENCE_S):
        found = await turn_text(models(api, answer)["fast"])
    assert (found.text, found.code) == ("olá", None)


@dialects
async def test_a_gzipped_answer_is_read(api: str) -> None:
    packed = gzip.compress(b"".join(frames(api, Plan([Text("olá")]))))

    def answer(request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={**STREAM, "content-encoding": "gzip"}, content=packed)

    found = await turn_text(models(api, answer)["fast"])
    assert (found.text, found.code) == ("olá", None)


@dialects
async def test_a_whole_answer_is_read_between_streamed_ones(api: str) -> None:
    streamed = b"".join(frames(api, Plan([Text("olá")])))
    wire = WIRES[api]

    def answer(request: httpx2.Request) -> httpx2.Response:
        if b'"stream":true' in request.content.replace(b" ", b""):
            return httpx2.Response(200, headers=STREAM, stream=Pieces([streamed]))
        body = {"model": "m", "input": "olá", "messages": [{"role": "user", "content": "olá"}]}
        return httpx2.Response(200, json=wire.complete(Plan([Text("inteiro")]), wire.parse(body, {})))

    model = models(api, answer)["fast"]
    for _ in range(2):
        assert [event.type async for event in model.stream_response(*GIVEN, **NONE)][
            -1
        ] == "response.completed"
        whole = await model.get_response(*GIVEN, **NONE)
        assert whole.output[0].content[0].text == "inteiro"  # type: ignore[union-attr]


@dialects
async def test_a_streaming_answer_holds_no_bytes_of_its_request(api: str) -> None:
    model = models(api, answer_of_bytes([*frames(api, Plan([Text("um dois três")]))]))["fast"]
    given = ("Be kind.", "my secret, says the visitor", *GIVEN[2:])
    assert [event.type async for event in model.stream_response(*GIVEN, **NONE)]
    events = model.stream_response(*given, **NONE)
    await anext(events)
    gc.collect()
    held = [each for holder in gc.get_objects() for each in gc.get_referents(holder) if type(each) is bytes]
    assert [each for each in held if b"my secret, says the visitor" in each] == []
    await events.aclose()


def test_the_size_limit_counts_for_each_event_alone() -> None:
    whole = b"data: " + b"x" * (MOST_WIRE_BYTES - 8) + b"\n\n"
    assert len(whole) == MOST_WIRE_BYTES
    reading = SseFrames()
    for _ in range(2):
        assert [len(each) for each in reading.feed(whole)] == [MOST_WIRE_BYTES - 8]
    with pytest.raises(Limit):
        reading.feed(b"x" + whole)
