"""The calls of a run that wait for a person or a browser: what they ask, and what the answers do to the SDK's state."""

from dataclasses import asdict, replace
from typing import Any

from agents import RunState
from agents.items import ToolApprovalItem
from openai.types.responses import ResponseFunctionToolCall

from server.agents.context import Json, RunContext
from server.agents.run.approval_prompts import approval_prompt, block_of, refusal, schema_of
from server.agents.run.events.call_results import arguments_of
from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.history import Item, call_items
from server.agents.run.tool_calls import ToolDeclaration
from server.agents.service import RunLimits, Team
from server.agents.tools import declaration_of
from server.protocol.content_parts import EXPIRED, RESUME
from server.protocol.ids import new_id
from server.protocol.plain_text import plain_text, plain_value
from server.store.rows import Interrupt, Run


class PendingCalls:
    """The calls that wait in one chain of runs; a checkpoint has the questions, a run's content the answers."""

    def __init__(self, run: Run, team: Team, limits: RunLimits, kept: list[Json]) -> None:
        self.asked: dict[str, Interrupt] = {each["call_id"]: Interrupt(**each) for each in kept}
        self.open: list[Interrupt] = []
        """The interrupts that the run ends with, and waits for."""
        self._parts = {part["call_id"]: part for part in run.content if part["type"] in (RESUME, EXPIRED)}
        self._team = team
        self._limits = limits

    def to_checkpoint(self) -> list[Json]:
        """Return the value that a checkpoint keeps."""
        return [asdict(each) for each in self.asked.values()]

    def answers(self) -> dict[str, Any]:
        """Return the answers of people and browsers, by call id: results of the allowed calls, or their input."""
        return {call_id: part.get("payload") for call_id, part in self._parts.items()}

    async def settle(self, state: RunState[RunContext], run: RunContext, emitter: EventEmitter) -> bool:
        """Allow or reject what policy or an answer decides; False when nothing is left to do but to wait."""
        calls, left = state.get_interruptions(), []
        run.awaited = frozenset(str(call.tool_name) for call in calls)
        for call in calls:
            part = self._parts.get(str(call.call_id))
            refused = None if part is None else _refusal(part)
            if refused is not None:
                state.reject(call, rejection_message=refused)
                await emitter.refuse_call(str(call.call_id))
            elif self._is_settled(run, call, part):
                state.approve(call)
            else:
                left.append(call)
        if len(left) < len(calls) or not calls:
            return True
        self.open = [await self._ask(call, run, emitter) for call in left]
        return False

    def _is_settled(self, run: RunContext, call: ToolApprovalItem, part: Json | None) -> bool:
        """Return whether the call waits for no answer any more.

        A yes to a call that the page carries out is not its result.
        """
        name, view = str(call.tool_name), self._declaration(run, call)
        if part is not None:
            return view.waits is None or part["kind"] != "approval"
        return approval_prompt(run, name, view, arguments_of(call.arguments)) is None

    def _view(self, run: RunContext, call: ToolApprovalItem) -> ToolDeclaration:
        """Return what is declared of a call as it waits now: first for a person's yes, where it needs one."""
        view, call_id = self._declaration(run, call), str(call.call_id)
        if view.consent is None or self._has_consent(call_id):
            return view
        return replace(view, waits=None, approval=view.consent(run, str(call.tool_name)))

    def _has_consent(self, call_id: str) -> bool:
        part, asked = self._parts.get(call_id), self.asked.get(call_id)
        said_yes = part is not None and part["kind"] == "approval"
        return said_yes or (asked is not None and asked.kind != "approval")

    def _declaration(self, run: RunContext, call: ToolApprovalItem) -> ToolDeclaration:
        tools = {tool.name: tool for agent in self._team.values() for tool in agent.tools}
        tools |= {tool.name: tool for tool in (*run.remote_tools(), *run.page_tools)}
        return declaration_of(tools.get(str(call.tool_name)))

    async def _ask(self, call: ToolApprovalItem, run: RunContext, emitter: EventEmitter) -> Interrupt:
        """Show that a call waits, unless an earlier run of the chain did."""
        call_id, name = str(call.call_id), str(call.tool_name)
        view, arguments = self._view(run, call), arguments_of(call.arguments)
        if call_id in self.asked and self.asked[call_id].kind == self._kind(view)[0]:
            return self.asked[call_id]
        kind, seconds = self._kind(view)
        id, message = new_id("int"), plain_text(approval_prompt(run, name, view, arguments) or name)
        until = emitter.now_ms() + int(seconds * 1000)
        block = block_of(run, id, name, view, arguments, message, until)
        shown = None if block is None else (new_id("blk"), block.to_content())
        if call_id not in self.asked:  # Else an earlier question has shown it, and this one has no block.
            await emitter.show_waiting_call(call_id, name, view, call.arguments or "", shown)
        schema = plain_value(schema_of(view, arguments))
        block_id = None if shown is None else shown[0]
        interrupt = Interrupt(id, call_id, kind, name, message, schema, block_id, until)
        self.asked[call_id] = interrupt
        return interrupt

    def _kind(self, view: ToolDeclaration) -> tuple[Any, float]:
        if view.waits is None:
            return "approval", self._limits.approval_s
        return view.waits, self._limits.form_s if view.waits == "form" else self._limits.page_tool_s

    def unanswered_items(self, state: RunState[RunContext]) -> list[Item]:
        """Return the items for the model about the waiting calls, in case they are never answered."""
        return [
            item
            for call in state.get_interruptions()
            for item in call_items(
                str(call.call_id), str(call.tool_name), call.arguments or "", refusal("not_answered")
            )
        ]


def model_call(call: ToolApprovalItem) -> ResponseFunctionToolCall:
    """Return a waiting call as the model made it."""
    return ResponseFunctionToolCall(
        type="function_call",
        call_id=str(call.call_id),
        name=str(call.tool_name),
        arguments=call.arguments or "{}",
    )


def _refusal(part: Json) -> str | None:
    """Return the text for the model when the answer is no, or missing; None when it is a yes."""
    if part["type"] == EXPIRED:
        return refusal("expired")
    payload = part["payload"]
    if part["status"] == "cancelled":
        return refusal("declined" if part["kind"] == "approval" else "cancelled")
    if part["kind"] == "approval" and not payload["approved"]:
        return refusal("declined", str(payload.get("reason", ""))[:500])
    return None
