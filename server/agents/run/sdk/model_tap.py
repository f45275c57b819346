"""The tap on the model's stream: it shows the text, counts the calls and checks how the stream ends.

It is between the SDK and the provider's model, so text reaches the page before the SDK has read it,
in one order with the hooks. Deltas end here: the SDK only needs the items. A stream without
its closing event is an error in both dialects.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from agents import Model, ModelProvider, ModelResponse
from agents.items import TResponseStreamEvent
from agents.retry import ModelRetryAdvice, ModelRetryAdviceRequest
from openai.types.responses import Response, ResponseFunctionToolCall, ResponseOutputMessage

from server import patterns
from server.agents.model.answer_size import MOST_MESSAGE_BYTES, AnswerSize, is_too_deep, size_of
from server.agents.model.failures import raise_incomplete, raise_terminal
from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.history import Item, assistant_item, call_items
from server.agents.run.structured_output import has_structured_output
from server.agents.run.trace_spans import ModelCall, model_call, model_input
from server.agents.run.usage import RunUsage
from server.errors import Cut, Limit
from server.pacing import wait_for_step
from server.protocol.codec import mend_json, read_json
from server.protocol.fold_state import MOST_PIECES
from server.protocol.ids import new_id
from server.protocol.plain_text import PlainPieces, plain_json, plain_text

_CALL_ID = patterns.compile(r"[A-Za-z0-9_.:-]{1,60}")
_ROOM_EVERY = 32
_ROOM_CHARACTERS = 4_096
"""One event may hold all tokens of one read of the network."""
_UNREADABLE = "null"
"""Instead of arguments that are nested too deep: no object, so that every tool refuses it."""
_STOPPED = '{"error":"stopped","message":"Stopped before it ended; it may or may not have happened."}'


@dataclass
class TurnText:
    """The model's text in the current turn, which the SDK has not given to the session yet."""

    texts: dict[int, list[str]] = field(default_factory=dict)
    """The pieces of each output's text."""
    calls: dict[str, ResponseFunctionToolCall] = field(default_factory=dict)
    outputs: dict[str, str] = field(default_factory=dict)
    started: set[str] = field(default_factory=set)
    answering: bool = False
    renamed: dict[str, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    """Call ids of the history: some providers count from zero in every answer."""

    forgets: bool = False
    """The conversation has calls whose ids are not in the history, so that no id of a provider is surely new."""

    saved: list[Item] = field(default_factory=list)
    """The session's items, which grow at the end of each turn."""
    mark: int = 0
    """The number of them when the turn began."""

    def begin(self) -> None:
        """Begin a new turn: the one before is in the session now."""
        self.mark = len(self.saved)
        self.texts, self.calls, self.outputs, self.started = {}, {}, {}, set()
        self.answering, self.renamed = False, {}

    def make_call_unique(self, call: ResponseFunctionToolCall) -> None:
        """Give a call an id that no other call of the conversation has, and arguments that can be written."""
        if isinstance(call.arguments, str):  # Some servers send an object.
            deep = is_too_deep(call.arguments)
            call.arguments = _UNREADABLE if deep else plain_json(mend_json(call.arguments))
        told = call.call_id
        if told in self.renamed.values():
            return
        if told not in self.renamed:
            fits = not self.forgets and _CALL_ID.fullmatch(told) and told not in self.seen
            self.renamed[told] = told if fits else new_id("cal")
            self.seen.add(self.renamed[told])
        call.call_id = self.renamed[told]

    def unsaved_items(self) -> list[Item]:
        """Return the history items of this turn that the session does not have."""
        of_turn = self.saved[self.mark :]
        known = {item.get("call_id") for item in of_turn if item.get("type") == "function_call_output"}
        said = "".join(piece for index in sorted(self.texts) for piece in self.texts[index])
        lost: list[Item] = []
        if said and not any(item.get("role") == "assistant" for item in of_turn):
            lost.append(assistant_item(said))
        for call_id, call in self.calls.items():
            if call_id in self.started and call_id not in known:
                output = self.outputs.get(call_id, _STOPPED)
                lost += call_items(call_id, call.name, call.arguments, output)
        return lost


class TappedModel(Model):
    """A provider's model whose events a run reads."""

    def __init__(
        self, inner: Model, emitter: EventEmitter, run_usage: RunUsage, turn_text: TurnText, name: str
    ) -> None:
        self._inner = inner
        self._name = name
        self._emitter = emitter
        self._run_usage = run_usage
        self._turn_text = turn_text
        self._size = AnswerSize()
        self._plain: dict[int, PlainPieces] = {}
        """The messages that are open, by their place."""
        self._unroomed = 0
        """Characters since there was room last."""
        self._ended = False
        """The current model call has ended, and has reported its usage if its server reports any."""
        self._structured = False
        """Whether the model's answer is an object, whose text is not shown."""

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        """Return the answer to an agent that is used as a tool. Its usage is counted, and it is not shown.

        Raises Limit when a message or the arguments of a call are too long.
        """
        self._run_usage.count_model_call()
        with model_call(self._name, self._emitter.agent, args, kwargs) as call:
            response = await self._inner.get_response(*args, **kwargs)
            call.note_answer(response)
            self._run_usage.add_response(response.usage)
            _require_fitting(response.output)
            return response

    def get_retry_advice(self, request: ModelRetryAdviceRequest) -> ModelRetryAdvice | None:
        """Return the advice of the provider's model."""
        return self._inner.get_retry_advice(request)

    async def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[TResponseStreamEvent]:
        """Read one answer; raises when it did not end properly."""
        if self._emitter.fault is not None:
            raise self._emitter.fault
        self._run_usage.count_model_call()
        self._turn_text.begin()
        self._size, self._plain = AnswerSize(), {}
        self._structured = has_structured_output(args, kwargs)
        await self._emitter.wait_for_room()
        stream = cast(Any, self._inner.stream_response(*args, **kwargs))
        call = model_call(self._name, self._emitter.agent, args, kwargs)
        async with aclosing(stream) as events, self._attempt(call, args, kwargs):
            count = 0
            async for event in events:
                count += 1
                if count % _ROOM_EVERY == 0 or self._unroomed >= _ROOM_CHARACTERS:
                    self._unroomed = 0
                    await self._emitter.wait_for_room()
                call.note_event(event)
                if event.type == "response.completed":
                    await wait_for_step()  # The SDK reads the whole answer next.
                if self._handle_event(event):
                    yield event
                    if event.type == "response.completed":
                        return
            raise Cut

    @asynccontextmanager
    async def _attempt(
        self, call: ModelCall, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> AsyncIterator[None]:
        """Count the attempt, unless it failed before its first event: then the SDK may repeat it.

        One that was cut later has cost what was read and written, although no usage will come.
        """
        self._ended = False
        try:
            with call:
                yield
        except Exception:
            # A provider, its client and the SDK raise classes of their own; the error goes on to them.
            if not self._turn_text.answering:
                self._run_usage.model_calls -= 1
            raise
        finally:
            if self._turn_text.answering and not self._ended:
                self._run_usage.add_estimate(
                    length_of(model_input(args, kwargs)), length_of(self._turn_text.texts)
                )

    def _handle_event(self, event: TResponseStreamEvent) -> bool:
        """Take the content of an event; return False when the SDK does not need it."""
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                return self._show_text(event.output_index, event.delta)
            case "response.reasoning_summary_text.delta":
                return self._show_reasoning(event.delta)
            case "response.output_text.done":
                self._size.note_complete(event.output_index)
                self._plain.pop(event.output_index, None)
                self._emitter.end_text(event.output_index)
            case "response.output_item.added" | "response.output_item.done":
                self._turn_text.answering = True
                self._emitter.shown_reasoning.close_summary()
                if isinstance(event.item, ResponseFunctionToolCall) and event.item.call_id:
                    self._turn_text.make_call_unique(event.item)
            case "response.completed":
                self._ended = True
                self._complete_turn(event.response)
            case "response.incomplete":
                self._ended = True
                self._run_usage.add_call(event.response.usage)
                self._raise_incomplete(event.response)
            case "response.failed":
                raise_terminal(event.response.error.code if event.response.error else None)
            case "error":
                raise_terminal(event.code)
            case kind:
                return not self._wrote(kind, event)
        return True

    def _wrote(self, kind: str, event: Any) -> bool:
        """Count what is written but not shown, such as arguments and raw thoughts; True when it was that.

        The beginning of another part of a summary is no news to the SDK either.
        """
        if kind == "response.reasoning_summary_part.added":
            self._emitter.shown_reasoning.begin_part()
            return True
        if not kind.endswith(".delta"):
            return False
        if isinstance(event.delta, str):
            self._size.add(size_of(event.delta))
        return True

    def _show_text(self, index: int, delta: str) -> bool:
        """Show a piece of text; the SDK gets to know the first, and repeats nothing after it.

        Raises Limit when the message, or all that the run has written, becomes too much.
        """
        first = not self._turn_text.answering
        self._turn_text.answering = True
        fits = self._size.fitting(index, delta)
        shown = "" if self._structured else self._plain.setdefault(index, PlainPieces()).feed(fits)
        pieces = self._turn_text.texts.setdefault(index, [])
        pieces.append(shown)
        if len(pieces) >= MOST_PIECES:
            pieces[:] = ["".join(pieces)]
        self._unroomed += len(fits)
        self._emitter.text(index, shown)
        if len(fits) < len(delta):
            raise Limit
        self._run_usage.require_tokens_for(self._size.written)
        return first

    def _show_reasoning(self, delta: str) -> bool:
        """Show a piece of a summary of reasoning; the SDK gets to know the first of an answer.

        Raises Limit when all that the run has written becomes too much.
        """
        first = not self._turn_text.answering
        self._turn_text.answering = True
        self._size.add(size_of(delta))
        self._unroomed += len(delta)
        if not self._structured:
            self._emitter.flush_text()
            self._emitter.shown_reasoning.add(delta, self._emitter.agent)
        self._run_usage.require_tokens_for(self._size.written)
        return first

    def _complete_turn(self, response: Response) -> None:
        """Close the texts of a whole answer and remember its calls."""
        self._run_usage.add_call(response.usage)
        self._emitter.end_texts()
        if response.status == "incomplete":
            self._raise_incomplete(response)
        _require_fitting(response.output)
        for item in response.output:
            if isinstance(item, ResponseFunctionToolCall):
                self._turn_text.make_call_unique(item)
                self._turn_text.calls[item.call_id] = item
            elif isinstance(item, ResponseOutputMessage):
                _make_plain(item)

    @staticmethod
    def _raise_incomplete(response: Response) -> None:
        reason = response.incomplete_details.reason if response.incomplete_details else None
        raise_incomplete(reason)


def _make_plain(message: ResponseOutputMessage) -> None:
    """Make a whole message what its pieces were shown as: the SDK gives it to the history."""
    for part in message.content or ():
        for name in ("text", "refusal"):
            said = getattr(part, name, None)
            if isinstance(said, str):
                setattr(part, name, plain_text(said))


def _require_fitting(output: Sequence[Any]) -> None:
    """Raise Limit when an item of an answer is too long: each later request would carry it."""
    if any(_whole_size(item) > MOST_MESSAGE_BYTES for item in output):
        raise Limit


def _whole_size(item: Any) -> int:
    """Return the bytes of a call's arguments, or of a message, which a server may send in one piece at the end."""
    if isinstance(item, ResponseFunctionToolCall):
        return size_of(str(item.arguments))
    parts = item.content if isinstance(item, ResponseOutputMessage) else None
    return sum(size_of(str(getattr(each, "text", None) or "")) for each in parts or ())


def length_of(value: Any) -> int:
    """Return the number of characters of the texts in a value, without the files among them."""
    if isinstance(value, str):
        return 0 if value.startswith("data:") else len(value)
    if isinstance(value, Mapping):
        return sum(length_of(each) for each in value.values())
    if isinstance(value, Sequence):
        return sum(length_of(each) for each in value)
    return 0


class TappedProvider(ModelProvider):
    """A provider whose models' events one run reads."""

    def __init__(
        self, inner: ModelProvider, emitter: EventEmitter, run_usage: RunUsage, turn_text: TurnText
    ) -> None:
        self._inner = inner
        self._sinks = (emitter, run_usage, turn_text)

    def get_model(self, model_name: str | None) -> Model:
        """Return the provider's model, tapped."""
        return TappedModel(self._inner.get_model(model_name), *self._sinks, model_name or "model")


def reason_given(call: ResponseFunctionToolCall | None) -> str:
    """Return the reason that the model itself gave for a handoff, when the handoff asks for one."""
    try:
        given = read_json(call.arguments or "{}") if call else {}
    except ValueError:
        return ""
    reason = given.get("reason") if isinstance(given, dict) else None
    return reason if isinstance(reason, str) else ""
