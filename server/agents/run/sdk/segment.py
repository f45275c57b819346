"""One segment of an SDK run: from an input or a state to the end, or to a state with calls that wait for approval."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from agents import Agent, RunConfig, Runner, RunResultStreaming, RunState
from agents.stream_events import RunItemStreamEvent, StreamEvent

from server.agents.context import RunContext
from server.agents.run.history import Item, RunSession
from server.agents.run.sdk.hooks import ShownHooks
from server.agents.run.sdk.queue import replace_queues

_SETTLE_S = 5.0
"""Seconds that a task of the SDK gets to end after its cancellation."""


@dataclass(frozen=True)
class SegmentEnd:
    """The end of a segment: a state in which calls wait, or what the last agent answered."""

    waits: RunState[RunContext] | None
    output: Any


OnItem = Callable[[RunResultStreaming, RunItemStreamEvent], Awaitable[None]]


async def run_segment(
    agent: Agent[RunContext],
    given: RunState[RunContext] | list[Item],
    *,
    context: RunContext,
    hooks: ShownHooks,
    config: RunConfig,
    session: RunSession,
    on_item: OnItem,
) -> SegmentEnd:
    """Run to the end, or to calls that wait; `on_item` is awaited for each item of the run."""
    result = Runner.run_streamed(
        agent,
        given,  # type: ignore[arg-type]  # our items are the SDK's typed dicts
        context=None if isinstance(given, RunState) else context,
        max_turns=None,
        hooks=hooks,
        run_config=config,
        session=session,
    )
    replace_queues(result)
    try:
        await _follow(result, on_item)
        return SegmentEnd(result.to_state() if result.interruptions else None, result.final_output)
    finally:
        if result.run_loop_task is None or result.run_loop_task.done():
            # The result is a reference cycle that holds the whole run: only a full collection would free it.
            vars(result).clear()


async def _follow(result: RunResultStreaming, on_item: OnItem) -> None:
    """Read the SDK's events until it has ended, whatever happens."""
    events = cast(AsyncGenerator[StreamEvent], result.stream_events())
    try:
        async for event in events:
            if isinstance(event, RunItemStreamEvent):
                await on_item(result, event)
    finally:
        if not result.is_complete:
            result.cancel()
        task = result.run_loop_task
        if task is not None and not task.done():
            await asyncio.wait({task}, timeout=_SETTLE_S)
        if task is not None and task.done() and not task.cancelled():
            # A caller that leaves while the task fails never reads its error: asyncio would log it as never retrieved.
            task.exception()
        if task is None or task.done():
            # Otherwise the collector would close the generator after the objects that it reads are gone.
            await events.aclose()


@cache
def common_config() -> RunConfig:
    """Return the configuration of every run.

    It is made once: the SDK examines its own types at each construction, for 1 ms.
    """
    return RunConfig(
        tool_not_found_behavior="return_error_to_model",
        tool_name_collision_policy="error",
        trace_include_sensitive_data=False,
    )
