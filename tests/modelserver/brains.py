"""The sources of a model's answers: a script, a function, an echo, a token fountain."""

import inspect
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tests.modelserver.plan import Call, Fault, Output, Pace, Plan, Text, Usage
from tests.modelserver.request import ModelRequest, bad_request

Brain = Callable[[ModelRequest], Awaitable[Plan]]
Reply = str | Output | Fault | Plan | Sequence[str | Output | Fault]
"""Short forms of a plan: a text, a call, a fault, or several of them in order."""
Answerer = Callable[[ModelRequest], Reply | Awaitable[Reply]]


def plan_of(reply: Reply, pace: Pace | None = None) -> Plan:
    """Return the plan that a short form stands for."""
    if isinstance(reply, Plan):
        return reply
    several = [reply] if isinstance(reply, str) or not isinstance(reply, Sequence) else reply
    outputs = [Text(part) if isinstance(part, str) else part for part in several]
    return Plan(
        outputs=[part for part in outputs if not isinstance(part, Fault)],
        pace=pace or Pace(),
        faults=tuple(part for part in outputs if isinstance(part, Fault)),
    )


def replay(answer: Answerer, pace: Pace | None = None) -> Brain:
    """Ask a function, plain or async, for each reply; `pace` holds unless it gives a whole plan."""

    async def ask(request: ModelRequest) -> Plan:
        reply = answer(request)
        return plan_of(await reply if inspect.isawaitable(reply) else reply, pace)

    return ask


class Scripted:
    """Fixed replies in order; a step may be a function of the request.

    A request past the end gets a 400, which no client retries, so that the test fails where it is.
    """

    def __init__(self, steps: Iterable[Reply | Answerer] = (), pace: Pace | None = None) -> None:
        """`pace` holds for steps that aren't a whole plan."""
        self.requests: list[ModelRequest] = []
        self._steps = list(steps)
        self._pace = pace

    def extend(self, steps: Iterable[Reply | Answerer]) -> None:
        """More steps at the end."""
        self._steps.extend(steps)

    @property
    def left(self) -> int:
        """Steps that nobody has asked for."""
        return len(self._steps)

    def assert_complete(self) -> None:
        """Every step was asked for."""
        assert not self._steps, f"{len(self._steps)} scripted steps were never asked for"

    async def __call__(self, request: ModelRequest) -> Plan:
        """Return the next step."""
        self.requests.append(request)
        if not self._steps:
            raise bad_request("The script of this model server is used up.", "script_used_up")
        step = self._steps.pop(0)
        if callable(step):
            return await replay(step, self._pace)(request)
        return plan_of(step, self._pace)


scripted = Scripted
"""Reads like `replay` and `stamped` where a server is made."""


async def echo(request: ModelRequest) -> Plan:
    """Say the newest user message again."""
    return Plan([Text(f"You said: {request.last_user_text}")])


def stamped(tokens: int = 300, rate: float = 50.0, burst: int = 1) -> Brain:
    """Return a fountain for benchmarks: each token is the monotonic time in ns at which it left.

    The user's message may say otherwise: `tokens=300 rate=50 calls=lookup,transfer_to_b` (rate 0 = as fast as it goes;
    `burst` tokens leave together; the functions are called one by one first).
    """
    defaults = {"tokens": str(tokens), "rate": str(rate), "burst": str(burst)}

    async def pour(request: ModelRequest) -> Plan:
        said = defaults | dict(re.findall(r"(\w+)=(\S+)", request.last_user_text))
        calls = [name for name in said.get("calls", "").split(",") if name]
        done = len(request.outputs_since_user)
        if done < len(calls):
            return Plan([Call(calls[done])])
        count, together = int(said["tokens"]), int(said["burst"])
        pace = Pace.per_second(float(said["rate"]) / together, burst=together)
        usage = Usage(input=10, output=count)
        return Plan([Text(pieces=lambda: stamps(count))], pace=pace, usage=usage)

    return pour


def stamps(count: int) -> Iterator[str]:
    """Return the time, so many times, each at the moment it is asked for."""
    return (f"{time.monotonic_ns()} " for _ in range(count))


def paced(brain: Brain, pace: Pace) -> Brain:
    """Return the same brain at another speed."""

    async def at_pace(request: ModelRequest) -> Plan:
        return replace(await brain(request), pace=pace)

    return at_pace


def reply_from_json(step: dict[str, Any]) -> Reply:
    """Return a step as the control port takes it: `{"text": …}`, `{"call": …, "arguments": …}`, `{"all": […]}`."""
    if "all" in step:
        parts = [reply_from_json(part) for part in step["all"]]
        return [part for part in parts if isinstance(part, str | Output)]
    if "call" in step:
        return Call(step["call"], step.get("arguments", {}), step.get("call_id", ""))
    return str(step["text"])
