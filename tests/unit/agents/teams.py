"""Small teams for tests: tools that do what their names mean, agents that hand over."""

import asyncio
import inspect
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import CodeType
from typing import Any

from agents import Agent
from agents.testing import ScriptedModel, assistant_message, function_call

from server.agents.context import RunContext
from server.agents.service import RunLimits, Service, Team, hands_over
from server.agents.tools import ToolContext, ToolFailure, tool
from server.protocol.blocks import Choice, Choices

__all__ = ["Bench", "ScriptedModel", "assistant_message", "function_call"]

Ctx = ToolContext[RunContext]

SDK: Any = import_module("agents.tool")


def describing_once(describe: Callable[..., Any]) -> Callable[..., Any]:
    """Describe a tool of this file once: each bench has the same ones, and to read their signatures and docstrings
    takes more than most tests do. The description depends on the code alone."""
    known: dict[CodeType, Any] = {}

    def describe_once(func: Callable[..., Any], **options: Any) -> Any:
        code = inspect.unwrap(func).__code__
        if code.co_filename != __file__:
            return describe(func=func, **options)
        if code not in known:
            known[code] = describe(func=func, **options)
        found = known[code]
        return replace(found, params_json_schema=deepcopy(found.params_json_schema))

    return describe_once


SDK.function_schema = describing_once(SDK.function_schema)


@dataclass
class Bench:
    """Tools that count their calls, and a service of two agents that has them."""

    done: list[str] = field(default_factory=list)
    gates: dict[str, asyncio.Event] = field(default_factory=dict)
    limits: RunLimits = field(default_factory=RunLimits)
    entered: asyncio.Queue[str] = field(default_factory=asyncio.Queue)
    most: int = 0
    working: int = 0
    """Calls of `wait` that are under way."""

    def gate(self, name: str) -> asyncio.Event:
        """Return what `wait` with this name waits for."""
        return self.gates.setdefault(name, asyncio.Event())

    def tools(self) -> list[Any]:
        """Return the tools."""
        return [*self._plain(), *self._failing(), *self._once(), *self._showing()]

    def _plain(self) -> list[Any]:

        @tool(effect="read", args=lambda a: {"word": a["word"]}, result=lambda r: {"upper": r["upper"]})
        async def look(ctx: Ctx, word: str) -> dict[str, str]:
            """Look a word up."""
            self.done.append(f"look {word}")
            return {"upper": word.upper(), "secret": "s3cret"}

        @tool(effect="read")
        async def wait(ctx: Ctx, name: str) -> str:
            """Wait for a gate."""
            self.working += 1
            self.most = max(self.most, self.working)
            self.entered.put_nowait(name)
            try:
                await self.gate(name).wait()
            finally:
                self.working -= 1
            self.done.append(f"wait {name}")
            return name

        @tool(effect="read")
        async def big(ctx: Ctx) -> str:
            """Return far too much."""
            return "é" * 100_000

        return [look, wait, big]

    def _failing(self) -> list[Any]:
        @tool(effect="read")
        async def fail(ctx: Ctx) -> str:
            """Fail."""
            self.done.append("fail")
            raise RuntimeError("db://secret@internal")

        @tool(effect="read")
        async def refuse(ctx: Ctx) -> str:
            """Say no."""
            raise ToolFailure("There is none.", code="none")

        @tool(effect="read", timeout_s=0.05)
        async def hang(ctx: Ctx) -> str:
            """Never answer."""
            await asyncio.Event().wait()
            return ""

        return [fail, refuse, hang]

    def _once(self) -> list[Any]:
        @tool(effect="once", business_key=lambda ctx, a: a.get("key"))
        async def pay(ctx: Ctx, amount: int, key: str | None = None) -> dict[str, Any]:
            """Pay, which must not happen twice."""
            if amount < 0:
                raise ToolFailure("Not a sum.", code="refused")
            self.done.append(f"pay {amount}")
            ctx.context.private.setdefault("sums", []).append(amount)
            ctx.context.set_state(paid=amount)
            ctx.context.private["token"] = "tok_9"
            return {"paid": amount}

        @tool(effect="once")
        async def lose(ctx: Ctx) -> dict[str, Any]:
            """Do something once, and break in the middle."""
            self.done.append("lose")
            raise RuntimeError("connection lost")

        return [pay, lose]

    def _showing(self) -> list[Any]:
        @tool(effect="read")
        async def show(ctx: Ctx, fractions: list[float]) -> str:
            """Show progress, a block and state."""
            for fraction in fractions:
                ctx.context.progress(fraction, "tool.create_item.step.register", step="a")
            block = Choices(legend="Qual?", name="product", choices=(Choice("1", "Um"),))
            ctx.context.set_state(shown=ctx.context.block(block))
            return "ok"

        @tool(effect="read")
        async def answer(ctx: Ctx) -> str:
            """Close the block that was shown."""
            ctx.context.close_block(ctx.context.state["shown"], {"value": "1", "label": "Um"})
            ctx.context.set_state(shown=None)
            return "ok"

        return [show, answer]

    def service(self, **changes: Any) -> Service:
        """Two agents, `first` and `second`; both have all the tools and know each other."""

        def team() -> Team:
            tools = self.tools()
            first: Agent[RunContext] = Agent(name="first", instructions="You are first.", tools=tools)
            second: Agent[RunContext] = Agent(name="second", instructions="You are second.", tools=tools)
            first.handoffs = [hands_over(second, reason="confirmado", then=lambda c: c.set_state(handed=1))]
            second.handoffs = [hands_over(first, when=lambda c: "back" in c.state)]
            return {"first": first, "second": second}

        return Service(name="test", start="first", agents=team, limits=self.limits, **changes)
