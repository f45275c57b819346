"""A model's raw answer in the two dialects, and the events that a run gets of it through a given model."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

import httpx2
from agents import Model, ModelSettings, ModelTracing, OpenAIResponsesModel
from openai import AsyncOpenAI

from server.agents.model.client import Client
from server.agents.model.failures import code_of
from server.agents.model.fast.choice import model_of
from server.agents.model.strict_chat import StrictChatModel
from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.sdk.model_tap import TappedModel, TurnText
from server.agents.run.usage import RunUsage
from server.agents.service import RunLimits
from tests.modelserver import wire_chat, wire_responses
from tests.modelserver.plan import Frame, Plan
from tests.unit.agents.outlet import Recorder

WIRES: dict[str, Any] = {"chat": wire_chat, "responses": wire_responses}
KEEPING = ModelSettings(include_usage=True)


class Pieces(httpx2.AsyncByteStream):
    """A body in these pieces; the last may be an error."""

    def __init__(self, pieces: list[bytes | Exception]) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            await asyncio.sleep(0)
            if isinstance(piece, Exception):
                raise piece
            yield piece


Answer = Callable[[httpx2.Request], httpx2.Response]


def models(api: str, answer: Answer) -> dict[str, Model]:
    """Return the SDK's own model over the client's own way, and ours over ours."""

    def transport() -> httpx2.AsyncClient:
        return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))

    at: dict[str, Any] = {"api_key": "sk-test", "base_url": "http://model.test/v1", "max_retries": 0}
    theirs = AsyncOpenAI(http_client=transport(), **at)
    plain: Model = StrictChatModel("m", theirs) if api == "chat" else OpenAIResponsesModel("m", theirs)
    return {"sdk": plain, "fast": model_of(api, "m", Client(http_client=transport(), **at))}


def answer_of_bytes(pieces: list[bytes | Exception]) -> Answer:
    """Return an answer of these bytes."""
    headers = {"content-type": "text/event-stream", "x-request-id": "req_1"}
    return lambda request: httpx2.Response(200, headers=headers, stream=Pieces(pieces))


def frames(api: str, plan: Plan) -> list[bytes]:
    """Return the events of a plan, each as bytes."""
    body = {"model": "m", "stream": True, "input": "olá", "messages": [{"role": "user", "content": "olá"}]}
    body["stream_options"] = {"include_usage": True}
    wire = WIRES[api]
    return [step.data for step in wire.frames(plan, wire.parse(body, {})) if isinstance(step, Frame)]


@dataclass
class Outcome:
    """All that a run learns from one call of a model."""

    text: str = ""
    shown: list[str] = field(default_factory=list)
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    output: list[dict[str, Any]] = field(default_factory=list)
    usage: dict[str, Any] | None = None
    spent: dict[str, int] = field(default_factory=dict)
    named: tuple[str, str | None] | None = None
    code: str | None = None
    answering: bool = False


async def turn_text(model: Model) -> Outcome:
    """Call a model as a run does."""
    out = Recorder("run_1", "ses_1", [{"type": "text", "text": "olá"}])
    out.open()
    emitter, run_usage, listening = EventEmitter(out), RunUsage(RunLimits()), TurnText(seen={"used"})
    emitter.agent = "first"
    found = Outcome()
    given: list[Any] = [{"role": "user", "content": "olá"}]
    try:
        async for event in TappedModel(model, emitter, run_usage, listening, "m").stream_response(
            "Be kind.", given, KEEPING, [], None, [], ModelTracing.DISABLED
        ):
            if event.type == "response.completed":
                found.output = [
                    item.model_dump(exclude_unset=True, mode="json") for item in event.response.output
                ]
                usage = event.response.usage
                found.usage = usage.model_dump() if usage else None
                found.named = event.response.id, event.response._request_id
    except Exception as error:
        found.code = code_of(error, answering=listening.answering)
    emitter.close()
    found.text, found.spent, found.answering = out.text(), run_usage.tokens, listening.answering
    found.shown = [name for name in out.types() if name != "TEXT_MESSAGE_CONTENT"]
    told = {ours: theirs for theirs, ours in listening.renamed.items()}
    # Ids that had to be made new are new in each call.
    found.calls = [(c.name, c.arguments, i if told[i] == i else "new") for i, c in listening.calls.items()]
    for item in found.output:
        if "call_id" in item and told[item["call_id"]] != item["call_id"]:
            item["call_id"] = "new"
    return found


async def both(api: str, pieces: list[bytes | Exception]) -> tuple[Outcome, Outcome]:
    """Return what the SDK's way and ours make of the same bytes."""
    made = models(api, answer_of_bytes(pieces))
    return await turn_text(made["sdk"]), await turn_text(made["fast"])
