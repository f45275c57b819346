"""The context of a run as it begins: from the session's state, or from the checkpoint of an earlier attempt."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from server.agents.context import Conversations, Json, RunContext, ToolRules
from server.agents.run.checkpoints import take_waiting
from server.agents.run.events.event_emitter import EventEmitter
from server.agents.run.types import RunInput
from server.agents.tools.page import page_tools
from server.languages import nearest_language
from server.protocol.shown_state import PRIVATE, public_state


def begin_context(
    run_input: RunInput,
    emitter: EventEmitter,
    resources: Mapping[type, Any],
    conversations: Conversations,
    rules: ToolRules,
    remote_tools: Callable[[], Sequence[Any]],
) -> tuple[RunContext, list[Json]]:
    """Return the context, and what was asked of people and browsers; the emitter gets the questions not asked yet."""
    stored = run_input.checkpoint.state if run_input.checkpoint else run_input.session.state
    private = deepcopy(stored.get(PRIVATE, {}))
    emitter.effects.held, asked = take_waiting(private)
    context = RunContext(
        session_id=run_input.session.id,
        run_id=run_input.run.id,
        principal=run_input.session.principal,
        app=run_input.session.app,
        service=run_input.service.name,
        language=nearest_language(run_input.run.language),
        conversations=conversations,
        resources=resources,
        session_context=run_input.session.context,
        emitter=emitter,
        state=deepcopy(public_state(stored)),
        private=private,
        rules=rules,
        page_tools=page_tools(run_input.run.tools or ()),
        remote_tools=remote_tools,
        input=run_input.run.content,
    )
    return context, asked
