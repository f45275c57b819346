"""The course of one run through the SDK: start or restore, legs between approvals, what is kept."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from copy import copy, deepcopy
from functools import cache
from typing import Any, cast

from agents import ModelSettings, RunConfig, Runner, RunResultStreaming, RunState, ToolExecutionConfig
from agents.stream_events import RunItemStreamEvent, StreamEvent

from server.agents.context import PRIVATE, CallOutcome, Conversations, Json, RunContext, public_state
from server.agents.model.providers import Provider
from server.agents.run.checkpoints import pack_checkpoint, unpack_checkpoint
from server.agents.run.event_emitter import EventEmitter, has_answer
from server.agents.run.history import Item, RunSession, last, neutral, user_item, whole, with_history
from server.agents.run.hooks import ShownHooks
from server.agents.run.model_tap import TappedProvider, TurnText
from server.agents.run.pending_calls import PendingCalls, model_call
from server.agents.run.sdk_queue import replace_queues
from server.agents.run.types import Outcome, Outlet, Result, Turn
from server.agents.run.usage import RunUsage
from server.agents.service import Team
from server.agents.tools import FOREIGN
from server.agents.tools.page import page_tools
from server.errors import InstanceLost
from server.store.rows import Checkpoint

_SETTLE_S = 5.0
_HELD = "_held"
"""Where a checkpoint keeps the questions that are not asked yet, inside the private part of its state."""

_WAITING = "_waiting"
"""Where it keeps what was asked of people and browsers."""


class RunDriver:
    """One execution of one run."""

    def __init__(
        self,
        turn: Turn,
        outlet: Outlet,
        team: Team,
        provider: Provider,
        settings: ModelSettings,
        resources: Mapping[type, Any],
        conversations: Conversations,
        approvals: frozenset[str] = frozenset(),
    ) -> None:
        """Prepare; nothing is told before `run`."""
        self._turn = turn
        self._outlet = outlet
        self._team = team
        self._provider = provider
        self._settings = settings
        self._user = user_item(turn.run.content)
        self._history = last(turn.history, turn.service.limits.history_items)
        self.emitter = EventEmitter(outlet)
        self._asked: list[Json] = []
        self.run_usage = RunUsage.of(turn.service.limits, None, turn.run.id)
        self.context = self._new_context(resources, conversations, approvals)
        self.waiting = PendingCalls(turn.run, team, turn.service.limits, self._asked)
        self.emitter.follow(self.context.state)
        self.context.answers = self.waiting.answers()
        self.emitter.waited = frozenset(self.waiting.asked)
        self.emitter.answered = bool(self.emitter.held) or has_answer(
            turn.checkpoint.messages if turn.checkpoint else ()
        )
        self.session = RunSession(turn.session.id, self._items_to_keep())
        forgets = len(turn.history) > turn.service.limits.history_items
        self.turn_text = TurnText(saved=self.session.items, forgets=forgets)
        self._state: RunState[RunContext] | None = None
        """The state in which the run waits."""
        self._has_history = False
        """The state that was restored has the history in its input."""
        self._agent = self._first_agent()
        self._checkpointed = 0

    def _new_context(
        self, resources: Mapping[type, Any], conversations: Conversations, approvals: frozenset[str]
    ) -> RunContext:
        turn, checkpoint = self._turn, self._turn.checkpoint
        stored = checkpoint.state if checkpoint else turn.session.state
        private = deepcopy(stored.get(PRIVATE, {}))
        self.emitter.held = private.pop(_HELD, {})
        self._asked = private.pop(_WAITING, [])
        return RunContext(
            session_id=turn.session.id,
            run_id=turn.run.id,
            principal=turn.session.principal,
            app=turn.session.app,
            service=turn.service.name,
            language="en" if turn.run.language.startswith("en") else "pt",
            conversations=conversations,
            resources=resources,
            session_context=turn.session.context,
            emitter=self.emitter,
            state=deepcopy(public_state(stored)),
            private=private,
            approvals=approvals,
            page_tools=page_tools(turn.run.tools or ()),
            input=turn.run.content,
        )

    def _items_to_keep(self) -> list[Item]:
        return self._turn.checkpoint.items if self._turn.checkpoint else []

    def _first_agent(self) -> str:
        """The agent at work: the checkpoint's, the conversation's, else the service's first."""
        checkpoint = self._turn.checkpoint
        return self._agent_name(checkpoint.agent if checkpoint else None, self._turn.session.agent)

    def _agent_name(self, *names: str | None) -> str:
        """The first of these that is an agent of the team; teams change between versions."""
        return next((name for name in names if name in self._team), None) or self._turn.service.start

    async def run(self) -> None:
        """Run until the agents are done, or wait for somebody."""
        checkpoint = self._turn.checkpoint
        root = self._team[self._agent_name(self._turn.session.agent)]
        restored = await unpack_checkpoint(checkpoint.run_state if checkpoint else None, root, self.context)
        if restored.state is None and self.emitter.waited:
            raise InstanceLost  # Of another version: only from the state could an answer be continued.
        self._has_history = restored.has_history
        self.run_usage = RunUsage.of(self._turn.service.limits, restored.run_usage, self._turn.run.id)
        self.turn_text.seen = {str(item["call_id"]) for item in self._items() if "call_id" in item}
        await self.emitter.enter(self._agent)
        given: RunState[RunContext] | list[Item] = restored.state or self._input()
        while True:
            if isinstance(given, RunState) and not await self._decide_pending(given):
                break
            waits = await self._leg(given)
            if waits is None:
                break
            given = waits
            await self._checkpoint(given)
        await self.emitter.leave()

    async def _decide_pending(self, state: RunState[RunContext]) -> bool:
        """Decide about the calls that waited for a checkpoint; False when all that are left need somebody."""
        for call in state.get_interruptions():
            self.turn_text.calls[str(call.call_id)] = model_call(call)
        if await self.waiting.settle(state, self.context, self.emitter):
            return True
        self._state = state
        return False

    def _input(self) -> list[Item]:
        return [] if self.session.items else [self._user]

    async def _leg(self, given: RunState[RunContext] | list[Item]) -> RunState[RunContext] | None:
        """One stretch of the SDK: to the end, or to the state with calls that must be allowed first."""
        self._checkpointed = 0
        hooks = ShownHooks(self.emitter, self.run_usage, self.turn_text)
        result = Runner.run_streamed(
            self._team[self._agent],
            given,  # type: ignore[arg-type]  # our items are the SDK's typed dicts
            context=None if isinstance(given, RunState) else self.context,
            max_turns=None,
            hooks=hooks,
            run_config=self._config(),
            session=self.session,
        )
        replace_queues(result)
        try:
            await self._follow(result)
            return result.to_state() if result.interruptions else None
        finally:
            if result.run_loop_task is None or result.run_loop_task.done():
                # It refers to itself, and with it to all that the run had: only a full collection would find it.
                vars(result).clear()

    async def _follow(self, result: RunResultStreaming) -> None:
        """Go with the SDK until it has ended, whatever happens."""
        events = cast(AsyncGenerator[StreamEvent], result.stream_events())
        try:
            async for event in events:
                if isinstance(event, RunItemStreamEvent):
                    await self._item(result, event)
        finally:
            if not result.is_complete:
                result.cancel()
            if result.run_loop_task is not None and not result.run_loop_task.done():
                await asyncio.wait({result.run_loop_task}, timeout=_SETTLE_S)
            if result.run_loop_task is None or result.run_loop_task.done():
                # Left alone it would be closed by the collector, when what it looks at is gone.
                await events.aclose()

    def _config(self) -> RunConfig:
        config = copy(_config_of_all())
        config.model = self._provider.name
        config.model_provider = TappedProvider(self._provider, self.emitter, self.run_usage, self.turn_text)
        config.model_settings = self._settings
        limits = self._turn.service.limits
        config.tool_execution = ToolExecutionConfig(max_function_tool_concurrency=limits.parallel_tools)
        config.workflow_name = self._turn.service.name
        config.group_id = self._turn.session.id
        if self._history and not self._has_history:
            own = self.session.items or [self._user]
            config.call_model_input_filter = with_history(self._history, own[0])
        return config

    async def _item(self, result: RunResultStreaming, event: RunItemStreamEvent) -> None:
        """The end of a turn: show calls that no tool took, and checkpoint before the next one."""
        if event.name not in ("tool_output", "handoff_occured"):
            return
        if event.name == "tool_output":
            await self._fail_unknown_tool(event)
        if self._checkpointed < self.run_usage.model_calls:
            self._checkpointed = self.run_usage.model_calls
            await self._checkpoint(result.to_state())

    async def _fail_unknown_tool(self, event: RunItemStreamEvent) -> None:
        """Show a call of a tool that does not exist as failed."""
        call_id = str(getattr(event.item, "call_id", "") or "")
        call = self.turn_text.calls.get(call_id)
        if call is None or self.emitter.is_shown(call_id) or call.name.startswith("transfer_to_"):
            return
        self.run_usage.tool_called()
        await self.emitter.call_started(call_id, call.name, FOREIGN, call.arguments)
        self.emitter.note_call_end(call_id, CallOutcome("failed", None, 0))
        self.run_usage.tool_ended(await self.emitter.call_ended(call_id, FOREIGN))

    async def _checkpoint(self, state: RunState[RunContext]) -> None:
        await self._outlet.checkpoint(
            self._make_checkpoint(state, self._outlet.messages(), self.session.items)
        )

    def _make_checkpoint(
        self,
        state: RunState[RunContext],
        messages: list[Json],
        items: list[Item],
        history: list[Item] | None = None,
    ) -> Checkpoint:
        stored = self.context.stored_state()
        extra: Json = {}
        if self.emitter.held:
            extra[_HELD] = dict(self.emitter.held)
        if self.waiting.asked:
            extra[_WAITING] = self.waiting.to_checkpoint()
        if extra:
            stored[PRIVATE] = {**self.context.private, **extra}
        return Checkpoint(
            run_state=pack_checkpoint(
                state, self.run_usage.to_checkpoint(), [] if self._has_history else history
            ),
            messages=messages,
            state=stored,
            items=[dict(item) for item in items],
            agent=self.emitter.agent,
        )

    def _resume(self) -> Checkpoint | None:
        """What the run that answers begins with: nothing shown, and of the items only calls without an output."""
        if self._state is None:
            return None
        kept = {id(item) for item in whole(self.session.items)}
        unanswered = [item for item in self.session.items if id(item) not in kept]
        return self._make_checkpoint(self._state, [], unanswered, self._history)

    # What is left.

    def _items(self) -> list[Item]:
        return [*self._history, *self.session.items]

    def close(self) -> None:
        """Tell nothing more."""
        self.emitter.close()

    def result(self, outcome: Outcome, code: str | None) -> Result:
        """The run's result, with what was said and done in a turn that did not end."""
        items = self.session.items or [self._user]
        if outcome == "interrupt":
            items = [*items, *self.waiting.unanswered_items(self._state)]
        elif outcome != "success":
            items = [*items, *self.turn_text.unsaved_items()]
        return Result(
            outcome=outcome,
            code=code,
            items=neutral(whole(items)),
            agent=self.emitter.agent or self._agent,
            usage=self.run_usage.usage(self._provider.name),
            interrupts=self.waiting.open if outcome == "interrupt" else [],
            resume=self._resume() if outcome == "interrupt" else None,
            state=self.context.stored_state(),
        )


@cache
def _config_of_all() -> RunConfig:
    """What every run is configured with, made once: the SDK looks at its own types anew each time, for 1 ms."""
    return RunConfig(
        tool_not_found_behavior="return_error_to_model",
        tool_name_collision_policy="error",
        trace_include_sensitive_data=False,
    )
