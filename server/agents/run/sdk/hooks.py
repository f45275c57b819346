"""The SDK's hooks: a tool's start and end and every handoff, at the moment they happen."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents import Agent, RunContextWrapper, RunHooks, Tool
from agents.stream_events import RunItemStreamEvent

from server.agents.context import CallOutcome, RunContext
from server.agents.run.call_log import FOREIGN_NAME, log_tool_end, note_tool_start
from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.sdk.model_tap import TurnText, reason_given
from server.agents.run.trace_spans import current
from server.agents.run.usage import RunUsage
from server.agents.service import Reason, handoffs_to
from server.agents.tools import FOREIGN, declaration_of
from server.errors import Fenced, LoopwireError

log = logging.getLogger(__name__)


class ShownHooks(RunHooks[RunContext]):
    """Shows what tools and handoffs do.

    The SDK fails the run when a hook raises. So a hook raises only what must end the run: a limit, tools that
    keep failing, a lost lease.
    """

    def __init__(self, emitter: EventEmitter, run_usage: RunUsage, turn_text: TurnText) -> None:
        self._emitter = emitter
        self._run_usage = run_usage
        self._turn_text = turn_text

    async def on_tool_start(
        self, context: RunContextWrapper[RunContext], agent: Agent[RunContext], tool: Tool
    ) -> None:
        """Show that a call begins."""
        with self._guard():
            call_id, arguments = _call(context)
            self._run_usage.count_tool_call()
            self._turn_text.started.add(call_id)
            note_tool_start(call_id, tool.name, agent.name)
            current().note({"gen_ai.tool.call.id": call_id})
            current().note_content(input=arguments)
            await self._emitter.start_call(call_id, tool.name, declaration_of(tool), arguments)

    async def on_tool_end(
        self, context: RunContextWrapper[RunContext], agent: Agent[RunContext], tool: Tool, result: object
    ) -> None:
        """Show how a call ended."""
        with self._guard():
            call_id, _ = _call(context)
            self._turn_text.outputs[call_id] = str(result)
            status = await self._emitter.end_call(call_id, declaration_of(tool))
            log_tool_end(call_id, status)
            current().note_content(output=result)
            if status != "done":
                current().judge("error", status)
            self._run_usage.count_tool_end(status)

    async def on_handoff(
        self,
        context: RunContextWrapper[RunContext],
        from_agent: Agent[RunContext],
        to_agent: Agent[RunContext],
    ) -> None:
        """Show the agent that takes over, and the reason."""
        with self._guard():
            reason = self._reason(from_agent, to_agent, context.context)
            observed = current().child("handoff", f"handoff to {to_agent.name}")
            observed.note({"loopwire.handoff.from": from_agent.name, "loopwire.handoff.to": to_agent.name})
            observed.note_content(input=reason)
            try:
                await self._emitter.hand_over(to_agent.name, reason)
            finally:
                observed.end()

    def _reason(self, old: Agent[RunContext], new: Agent[RunContext], context: RunContext) -> str:
        """Return why one agent hands over to another: the model's reason, else the declared one of the handoff used."""
        ways = handoffs_to(old, new)
        call = next((each for each in self._turn_text.calls.values() if each.name in ways), None)
        declared_reason: Reason = ways[call.name] if call is not None else next(iter(ways.values()), "")
        if not isinstance(declared_reason, str):
            declared_reason = declared_reason(context)
        return reason_given(call) or declared_reason

    @contextmanager
    def _guard(self) -> Iterator[None]:
        try:
            yield
        except (Fenced, LoopwireError) as fault:
            self._emitter.fault = fault
            raise
        except Exception:
            # The SDK calls the hooks, and ends the run with any error that they raise: only our own faults may do that.
            log.exception("a hook failed")


def _call(context: Any) -> tuple[str, str]:
    """Return the id and the raw arguments of the call that a hook is about."""
    return str(getattr(context, "tool_call_id", "")), str(getattr(context, "tool_arguments", ""))


async def fail_unknown_tool(
    event: RunItemStreamEvent, emitter: EventEmitter, run_usage: RunUsage, turn_text: TurnText
) -> None:
    """Show a call of a tool that does not exist as failed: the SDK calls no hook for it."""
    call_id = str(getattr(event.item, "call_id", None))
    call = turn_text.calls.get(call_id)
    if call is None or emitter.is_shown(call_id) or call.name.startswith("transfer_to_"):
        return
    run_usage.count_tool_call()
    note_tool_start(call_id, FOREIGN_NAME, str(emitter.agent))
    await emitter.start_call(call_id, call.name, FOREIGN, call.arguments)
    emitter.note_call_end(call_id, CallOutcome("failed", None, 0))
    log_tool_end(call_id, "failed")
    run_usage.count_tool_end(await emitter.end_call(call_id, FOREIGN))
