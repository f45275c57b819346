"""The driver of one run through the SDK: start or restore, the segments between approvals, and their results."""

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

from agents import ModelSettings, RunConfig, RunResultStreaming, RunState, ToolExecutionConfig
from agents.stream_events import RunItemStreamEvent

from server.agents.context import NO_RULES, Conversations, Json, RunContext, ToolRules
from server.agents.contract import RequestContract
from server.agents.model.providers import Provider
from server.agents.run.begin_context import begin_context
from server.agents.run.checkpoints import pack_checkpoint, state_with_waiting, unpack_checkpoint
from server.agents.run.events.event_emitter import EventEmitter, has_answer
from server.agents.run.history import (
    Item,
    RunSession,
    images_in,
    last,
    neutral,
    user_item,
    whole,
    with_history,
    with_pictures,
)
from server.agents.run.pending_calls import PendingCalls, model_call
from server.agents.run.request_run import RequestRun, request_of
from server.agents.run.sdk.hooks import ShownHooks, fail_unknown_tool
from server.agents.run.sdk.model_tap import TappedProvider, TurnText
from server.agents.run.sdk.segment import SegmentEnd, common_config, run_segment
from server.agents.run.types import Outcome, Outlet, Result, RunInput
from server.agents.run.usage import RunUsage
from server.agents.service import Team
from server.agents.tools.web_search import addresses_in
from server.errors import InstanceLost
from server.store.rows import Checkpoint


class RunDriver:
    """Drives the SDK through a run, for one execution of it: it begins each segment and keeps its result."""

    def __init__(
        self,
        run_input: RunInput,
        outlet: Outlet,
        team: Team,
        provider: Provider,
        settings: ModelSettings,
        resources: Mapping[type, Any],
        conversations: Conversations,
        rules: ToolRules = NO_RULES,
        remote: Callable[[], Sequence[Any]] = tuple,
    ) -> None:
        """Prepare; nothing is published before `run`."""
        self._input = run_input
        self._outlet = outlet
        self._team = team
        self._provider = provider
        self._settings = settings
        self._user = user_item(run_input.run.content)
        self._history = last(run_input.history, run_input.service.limits.history_items)
        self.emitter = EventEmitter(outlet)
        self.run_usage = RunUsage.of(run_input.service.limits, None, run_input.run.id)
        self.context, asked = begin_context(run_input, self.emitter, resources, conversations, rules, remote)
        self.waiting = PendingCalls(run_input.run, team, run_input.service.limits, asked)
        self.emitter.effects.follow(self.context.state)
        self.context.answers = self.waiting.answers()
        self.emitter.waited = frozenset(self.waiting.asked)
        kept = run_input.checkpoint
        said = kept.messages if kept else ()
        self.emitter.effects.answered = bool(self.emitter.effects.held) or has_answer(said)
        if provider.shows_reasoning(run_input.service):
            self.emitter.shown_reasoning.allow(said)
        self.session = RunSession(run_input.session.id, kept.items if kept else [])
        forgets = len(run_input.history) > run_input.service.limits.history_items
        self.turn_text = TurnText(saved=self.session.items, forgets=forgets)
        self._state: RunState[RunContext]
        """The state in which the run waits, once it does."""
        self._has_history: bool
        """The state that was restored has the history in its input."""
        self._agent = self._first_agent()
        self._checkpointed: int
        """The model calls of the run at its last checkpoint, if that was in this segment."""
        self._forgets = False
        """Later runs of the session do not read this one."""
        self.response: Json | None = None
        """The response to a request, once its agents have answered."""

    def _first_agent(self) -> str:
        """Return the agent at work: the checkpoint's, the conversation's, else the service's first."""
        checkpoint = self._input.checkpoint
        return self._agent_name(checkpoint.agent if checkpoint else None, self._input.session.agent)

    def _agent_name(self, *names: str | None) -> str:
        """Return the first of these that is an agent of the team; teams change between versions."""
        return next((name for name in names if name in self._team), None) or self._input.service.start

    async def run(self) -> None:
        """Run until the agents are done, or wait for a client."""
        checkpoint = self._input.checkpoint
        root = self._team[self._agent_name(self._input.session.agent)]
        restored = await unpack_checkpoint(checkpoint.run_state if checkpoint else None, root, self.context)
        if restored.state is None and self.emitter.waited:
            raise InstanceLost  # Another version's state cannot be read, and only it could go on.
        self._has_history = restored.has_history
        self.run_usage = RunUsage.of(self._input.service.limits, restored.run_usage, self._input.run.id)
        self.turn_text.seen = {str(item["call_id"]) for item in self._items() if "call_id" in item}
        if self._input.service.contract is not None:
            await self._answer_request(self._input.service.contract)
            return
        await self.emitter.enter(self._agent)
        given: RunState[RunContext] | list[Item] = restored.state or (
            [] if self.session.items else [self._user]
        )
        while True:
            if isinstance(given, RunState) and not await self._decide_pending(given):
                break
            waits = (await self._segment(self._agent, given)).waits
            if waits is None:
                break
            given = waits
            await self._checkpoint(given)
        await self.emitter.finish_agent()

    async def _answer_request(self, contract: RequestContract) -> None:
        """Run a request. Its agents read history if its `conversation` is true and no field is private."""
        request = request_of(contract, self._input.run.content)
        self._forgets = not request.conversation or bool(contract.private)
        if self._forgets:
            self._history = []
        session, segment = self.session, self._segment_request
        run = RequestRun(contract, request, self.context, self.emitter, self._outlet, session, segment)
        self.response = await run.run(self._input.run.content)

    async def _segment_request(self, agent: str, given: list[Item]) -> SegmentEnd:
        self._agent, self._user = agent, given[0]
        return await self._segment(agent, given)

    async def _decide_pending(self, state: RunState[RunContext]) -> bool:
        """Decide about the calls that waited for a checkpoint; False when all that are left need a client."""
        for call in state.get_interruptions():
            self.turn_text.calls[str(call.call_id)] = model_call(call)
        if await self.waiting.settle(state, self.context, self.emitter):
            return True
        self._state = state
        return False

    async def _segment(self, agent: str, given: RunState[RunContext] | list[Item]) -> SegmentEnd:
        """Run one segment of the SDK run: to the end, or to a state with calls that must be allowed first."""
        self._checkpointed = 0
        return await run_segment(
            self._team[agent],
            given,
            context=self.context,
            hooks=ShownHooks(self.emitter, self.run_usage, self.turn_text),
            config=self._config(),
            session=self.session,
            on_item=self._on_item,
        )

    def _config(self) -> RunConfig:
        config = copy(common_config())
        config.model = self._provider.name
        config.model_provider = TappedProvider(self._provider, self.emitter, self.run_usage, self.turn_text)
        config.model_settings = self._settings
        limits = self._input.service.limits
        config.tool_execution = ToolExecutionConfig(max_function_tool_concurrency=limits.parallel_tools)
        if self._history and not self._has_history:
            own = self.session.items or [self._user]
            config.call_model_input_filter = with_history(self._history, own[0])
        if images_in(self._input.items()):
            before = config.call_model_input_filter
            config.call_model_input_filter = with_pictures(self._input.pictures, before)
        return config

    async def _on_item(self, result: RunResultStreaming, event: RunItemStreamEvent) -> None:
        """End a turn: show calls that no tool took, and checkpoint before the next one."""
        if event.name in ("tool_called", "tool_search_called", "message_output_created"):
            self.context.add_sources(addresses_in(getattr(event.item, "raw_item", None)))
        if event.name not in ("tool_output", "handoff_occured"):
            return
        if event.name == "tool_output":
            await fail_unknown_tool(event, self.emitter, self.run_usage, self.turn_text)
        if self._input.service.contract is None and self._checkpointed < self.run_usage.model_calls:
            self._checkpointed = self.run_usage.model_calls
            await self._checkpoint(result.to_state())

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
        return Checkpoint(
            run_state=pack_checkpoint(
                state, self.run_usage.to_checkpoint(), [] if self._has_history else history
            ),
            messages=messages,
            state=state_with_waiting(self.context, self.emitter.effects.held, self.waiting.to_checkpoint()),
            items=[dict(item) for item in items],
            agent=self.emitter.agent,
        )

    def _resume(self) -> Checkpoint:
        """Return what the answering run begins with: nothing shown, and of the items only calls without an output."""
        kept = {id(item) for item in whole(self.session.items)}
        unanswered = [item for item in self.session.items if id(item) not in kept]
        return self._make_checkpoint(self._state, [], unanswered, self._history)

    def _items(self) -> list[Item]:
        return [*self._history, *self.session.items]

    def result(self, outcome: Outcome, code: str | None) -> Result:
        """Return the run's result, with the texts and calls of a turn that did not end."""
        items = self.session.items or [self._user]
        if outcome == "interrupt":
            items = [*items, *self.waiting.unanswered_items(self._state)]
        elif outcome != "success":
            items = [*items, *self.turn_text.unsaved_items()]
        return Result(
            outcome=outcome,
            code=code,
            items=[] if self._forgets else neutral(whole(items)),
            agent=self.emitter.agent or self._agent,
            usage=self.run_usage.usage(self._provider.name),
            interrupts=self.waiting.open if outcome == "interrupt" else [],
            resume=self._resume() if outcome == "interrupt" else None,
            state=self.context.stored_state(),
            response=self.response,
        )
