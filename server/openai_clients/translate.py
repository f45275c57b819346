"""The events of a run's log as those of OpenAI's stream: pure, so that the same log gives the same numbers again.

A stream that was cut is resumed without a second store: the log of the run is translated from its beginning, and what
the client has by its number is not sent again. Each number follows the one before it. Where another process took the
run over, the numbers go on at the next multiple of `STEP`, since the client may have read words of the first process
that never reached the log.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from server.bus import Entry, parse_epoch
from server.endpoints.numbered_options import number_texts
from server.openai_clients.items import BREAK, call_item, message_item, result_of, text_part
from server.protocol.event_kinds import kind_of
from server.protocol.events import Event
from server.protocol.transcript import Transcript

Json = dict[str, Any]

STEP = 1_000_000
"""Numbers of one process that works on a run; none writes as many events before its run is over."""

IN_PROGRESS = 1
"""The number of `response.in_progress`; that of `response.created`, which needs no log, is 0."""


@dataclass
class _Item:
    """An output item that was opened."""

    index: int
    id: str
    name: str | None = None
    """The name of the tool, of a call."""
    told: list[str] = field(default_factory=list)
    """The pieces of its text or arguments."""
    known: int = 0
    """Characters that come again, since a new log repeats an open text."""
    is_open: bool = True

    @property
    def text(self) -> str:
        return "".join(self.told)


class ResponseTranslator:
    """Translates one run; `number` is that of its last event, and `is_over` says that the log has its end."""

    def __init__(self, run_id: str, language: str) -> None:
        self._run_id = run_id
        self._language = language
        self._folded = Transcript()
        self._items: dict[str, _Item] = {}
        self._mine = False
        self._begun = False
        self._fence: int | None = None
        self._before = ""
        self.number = IN_PROGRESS - 1
        self.is_over = False

    @property
    def has_begun(self) -> bool:
        """Return whether the run has begun."""
        return self._begun

    def translate(self, entry: Entry) -> list[Json]:
        """Return what the client gets for an entry: numbered events of OpenAI's stream."""
        event = entry.event
        if event["type"] == "RUN_STARTED":
            self._mine = event["runId"] == self._run_id
        if not self._mine or self.is_over:
            return []
        self._follow_fence(entry.epoch)
        self._folded.apply(event)
        if kind_of(event).ends_run:
            return self.finish()
        made = _MADE.get(event["type"])
        return self._number_events(made(self, event) if made is not None else [])

    def finish(self) -> list[Json]:
        """Close what is open, and say what the blocks ask and show; the response itself ends after this."""
        self.is_over = True
        events = [each for item in self._items.values() for each in self._close(item, "incomplete")]
        if not self._begun:
            events = [{"type": "response.in_progress"}]
        for id, text in number_texts(self._folded.run_messages(self._run_id), self._language):
            events += self._send_text(id, text)
        return self._number_events(events)

    def replay(self, messages: list[Json]) -> list[Json]:
        """Return the events of a run that ended and has no log any more, from what is stored of it."""
        self._begun = True
        events: list[Json] = [{"type": "response.in_progress"}]
        results = {each["toolCallId"]: each for each in messages if each["role"] == "tool"}
        for each in messages:
            events += self._send_stored(each, results)
        self.is_over = True
        for id, text in number_texts(messages, self._language):
            events += self._send_text(id, text)
        return self._number_events(events)

    def _follow_fence(self, epoch: str) -> None:
        parsed = parse_epoch(epoch)
        fence = parsed[1] if parsed is not None else 0
        if self._fence is None:
            self._fence = fence
        self.number = max(self.number, (fence - self._fence) * STEP - 1)

    def _number_events(self, events: list[Json]) -> list[Json]:
        numbered = [{**each, "sequence_number": self.number + place} for place, each in enumerate(events, 1)]
        self.number += len(events)
        return numbered

    # The translation of each kind of event.

    def _on_run_started(self, _: Event) -> list[Json]:
        if self._begun:
            for each in self._items.values():  # A new log repeats what is open.
                each.known = len(each.text)
            return []
        self._begun = True
        return [{"type": "response.in_progress"}]

    def _text(self, event: Event) -> list[Json]:
        id, delta = event["messageId"], str(event["delta"])
        message = None if id in self._items else self._folded.message(id)
        if message is not None and message["role"] != "assistant":
            return []
        opening = []
        if id not in self._items:
            opening, delta = self._open_text(id), self._before + delta
            self._before = BREAK
        item = self._items[id]
        delta = _rest_of(item, delta)
        if not item.is_open or not delta:
            return opening
        return [*opening, self._text_delta(item, delta)]

    def _text_end(self, event: Event) -> list[Json]:
        item = self._items.get(event["messageId"])
        return [] if item is None else self._close(item, "completed")

    def _tool_start(self, event: Event) -> list[Json]:
        id, name = event["toolCallId"], event["toolCallName"]
        return [] if id in self._items else self._open_call(id, name)

    def _tool_args(self, event: Event) -> list[Json]:
        item = self._items.get(event["toolCallId"])
        delta = "" if item is None else _rest_of(item, str(event["delta"]))
        if item is None or not item.is_open or not delta:
            return []
        item.told.append(delta)
        return [{"type": "response.mcp_call_arguments.delta", **_place(item), "delta": delta}]

    def _tool_result(self, event: Event) -> list[Json]:
        item = self._items.get(event["toolCallId"])
        return [] if item is None else self._end_call(item, event)

    def _messages(self, event: Event) -> list[Json]:
        """Send what a snapshot holds that the client lacks: only a new log brings some."""
        listed = [each for each in event["messages"] if each["id"] in self._folded_ids()]
        results = {each["toolCallId"]: each for each in listed if each["role"] == "tool"}
        return [made for each in listed for made in self._send_stored(each, results)]

    def _folded_ids(self) -> set[str]:
        return {each["id"] for each in self._folded.run_messages(self._run_id)}

    # The events of items.

    def _send_stored(self, message: Json, results: dict[str, Json]) -> list[Json]:
        """Send a whole message, unless the client has it."""
        if message["role"] != "assistant" or message["id"] in self._items:
            return []
        if "toolCalls" not in message:
            return self._send_text(message["id"], str(message.get("content") or ""))
        call = message["toolCalls"][0]["function"]
        events = self._open_call(message["id"], call["name"])
        item = self._items[message["id"]]
        item.told.append(call["arguments"])
        result = results.get(message["id"])
        return [
            *events,
            *(self._close(item, "incomplete") if result is None else self._end_call(item, result)),
        ]

    def _send_text(self, id: str, text: str) -> list[Json]:
        if not text:
            return []
        opening, text = self._open_text(id), self._before + text
        self._before = BREAK
        item = self._items[id]
        return [*opening, self._text_delta(item, text), *self._close(item, "completed")]

    def _open_text(self, id: str) -> list[Json]:
        item = self._items[id] = _Item(len(self._items), id)
        part = {"content_index": 0, "part": text_part("")}
        return [
            _addition(item, message_item(id, None, "in_progress")),
            {"type": "response.content_part.added", **_place(item), **part},
        ]

    def _text_delta(self, item: _Item, delta: str) -> Json:
        item.told.append(delta)
        where = {**_place(item), "content_index": 0}
        return {"type": "response.output_text.delta", **where, "delta": delta, "logprobs": []}

    def _open_call(self, id: str, name: str) -> list[Json]:
        item = self._items[id] = _Item(len(self._items), id, name)
        return [
            _addition(item, call_item(id, name, "")),
            {"type": "response.mcp_call.in_progress", **_place(item)},
        ]

    def _end_call(self, item: _Item, result: Json) -> list[Json]:
        if not item.is_open:
            return []
        status, output = result_of(result)
        ended = {"type": f"response.mcp_call.{status}", **_place(item)}
        return [*self._arguments_end(item), ended, *self._end_item(item, _call(item, status, output))]

    def _close(self, item: _Item, status: str) -> list[Json]:
        if not item.is_open:
            return []
        if item.name is not None:
            return [*self._arguments_end(item), *self._end_item(item, _call(item, status, None))]
        text, where = item.text, {**_place(item), "content_index": 0}
        return [
            {"type": "response.output_text.done", **where, "text": text, "logprobs": []},
            {"type": "response.content_part.done", **where, "part": text_part(text)},
            *self._end_item(item, message_item(item.id, text, status)),
        ]

    def _arguments_end(self, item: _Item) -> list[Json]:
        return [{"type": "response.mcp_call_arguments.done", **_place(item), "arguments": item.text}]

    def _end_item(self, item: _Item, shown: Json) -> list[Json]:
        item.is_open = False
        return [{"type": "response.output_item.done", "output_index": item.index, "item": shown}]


def _call(item: _Item, status: str, output: str | None) -> Json:
    return call_item(item.id, str(item.name), item.text, status, output)


def _addition(item: _Item, shown: Json) -> Json:
    return {"type": "response.output_item.added", "output_index": item.index, "item": shown}


def _place(item: _Item) -> Json:
    return {"item_id": item.id, "output_index": item.index}


def _rest_of(item: _Item, delta: str) -> str:
    """Return what of a delta the client does not have yet."""
    known = min(item.known, len(delta))
    item.known -= known
    return delta[known:]


_MADE: dict[str, Callable[[ResponseTranslator, Event], list[Json]]] = {
    "RUN_STARTED": ResponseTranslator._on_run_started,
    "TEXT_MESSAGE_CONTENT": ResponseTranslator._text,
    "TEXT_MESSAGE_END": ResponseTranslator._text_end,
    "TOOL_CALL_START": ResponseTranslator._tool_start,
    "TOOL_CALL_ARGS": ResponseTranslator._tool_args,
    "TOOL_CALL_RESULT": ResponseTranslator._tool_result,
    "MESSAGES_SNAPSHOT": ResponseTranslator._messages,
}
