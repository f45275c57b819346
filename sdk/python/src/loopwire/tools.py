"""The tools of this program: their declarations travel with each message, and they run when a run waits for them."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import types
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from loopwire.messages import ours
from loopwire.part_reader import arguments_of
from loopwire.tasks import Tasks
from loopwire.transcript import Transcript

PATIENCE_S = 60.0
MOST_RESULT, MOST_BYTES = 32_768, 60_000
"""Characters of a result, and bytes of it in a frame: the server takes no more."""

log = logging.getLogger(__name__)

Json = dict[str, Any]
Act = Callable[..., Any]
Answer = Callable[[str, str], Awaitable[None]]
"""Gives the result of a call, by the call's id."""

_SIMPLE: dict[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
}


@dataclass(frozen=True, slots=True)
class _Tool:
    name: str
    description: str
    parameters: Json
    act: Act
    effect: bool


class ClientTools:
    """The tools of one client. A call is run once, in the client whose message made it."""

    def __init__(self, answer: Answer, tasks: Tasks, on_settled: Callable[[], None]) -> None:
        """`on_settled` is called when a held call is answered, or its answer is not needed any more."""
        self.held: set[str] = set()
        """The interrupts that are being answered."""
        self._answer = answer
        self._tasks = tasks
        self._on_settled = on_settled
        self._tools: dict[str, _Tool] = {}
        self._mine: set[str] = set()
        self._done: set[str] = set()

    def add(
        self,
        act: Act,
        name: str | None = None,
        description: str | None = None,
        parameters: Mapping[str, Any] | None = None,
        effect: bool = False,
    ) -> None:
        """Offer a function; what is not said is read from its name, docstring and annotations."""
        own = name or act.__name__
        words = description if description is not None else inspect.getdoc(act) or ""
        schema = dict(parameters) if parameters is not None else schema_of(act)
        self._tools[own] = _Tool(own, words, schema, act, effect)

    def ignore(self, names: Any) -> None:
        """Offer those no more that an ack names: the service has tools of these names."""
        for name in names if isinstance(names, list) else ():
            if isinstance(name, str) and self._tools.pop(name, None) is not None:
                log.error("the service has a tool %s already: this program's is ignored", name)

    def declarations(self) -> list[Json]:
        """Return the declarations that a message carries."""
        return [
            {
                "name": each.name,
                "description": each.description,
                "parameters": each.parameters,
                **({"effect": True} if each.effect else {}),
            }
            for each in self._tools.values()
        ]

    def own(self, run_id: str) -> None:
        """A run was begun by a message or an answer of this client."""
        self._mine.add(run_id)

    def inherit(self, run_id: str, parent_id: str) -> None:
        """A run goes on where its parent asked: whose was the one, theirs is the other."""
        if parent_id in self._mine:
            self._mine.add(run_id)

    def take_end(
        self, run_id: str, interrupts: Iterable[Json], transcript: Transcript, *, first: bool
    ) -> None:
        """Run what a run waits for; of others' runs only those that an earlier life of this client left open."""
        if run_id not in self._mine and not first:
            return
        for each in interrupts:
            call = transcript.find(each.get("toolCallId"))
            if ours(each).get("kind") != "tool" or call is None or each["id"] in self._done:
                continue
            tool = self._tools.get(call["toolCalls"][0]["function"]["name"])
            if tool is not None:
                self._mine.add(run_id)
                self._done.add(each["id"])
                self.held.add(each["id"])
                self._tasks.spawn(self._run(each["id"], call, tool))

    async def _run(self, interrupt_id: str, call: Json, tool: _Tool) -> None:
        try:
            await self._answer(call["id"], await _content_of(call, tool))
        finally:
            self.held.discard(interrupt_id)
            self._on_settled()


async def _content_of(call: Json, tool: _Tool) -> str:
    """Return the result of a call as the agents read it; of an exception they read the message."""
    try:
        made = tool.act(**arguments_of(call))
        async with asyncio.timeout(PATIENCE_S):
            value = await made if inspect.isawaitable(made) else made
        content = value if isinstance(value, str) else json.dumps(value)
        if len(content) > MOST_RESULT or len(json.dumps(content, ensure_ascii=False).encode()) > MOST_BYTES:
            return json.dumps({"error": "The result is too long."})
        return content
    except Exception as error:
        return json.dumps({"error": (str(error) or type(error).__name__)[:500]})


def schema_of(act: Act) -> Json:
    """Return the JSON Schema of a function's arguments. Raises TypeError for an annotation that has none."""
    hints = get_type_hints(act)
    properties: Json = {}
    required: list[str] = []
    for name, parameter in inspect.signature(act).parameters.items():
        properties[name] = _schema_of_type(hints.get(name, Any))
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, **({"required": required} if required else {})}


def _schema_of_type(hint: Any) -> Json:
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in {Union, types.UnionType}:
        return {"anyOf": [_schema_of_type(each) for each in arguments]}
    if hint is list or origin is list:
        return {"type": "array", **({"items": _schema_of_type(arguments[0])} if arguments else {})}
    if hint is dict or origin is dict:
        return {"type": "object"}
    raise TypeError(f"{hint!r} has no JSON Schema here: give `parameters`")
