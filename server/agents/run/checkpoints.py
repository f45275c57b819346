"""A checkpoint of a run: the SDK's state and our counts in one text, which the next holder reads."""

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents import Agent, RunContextWrapper, RunState

from server.agents.context import Json, RunContext
from server.agents.run.history import Item, neutral
from server.protocol.shown_state import PRIVATE

log = logging.getLogger(__name__)

_VERSION = 1

_HELD = "_held"
"""The key of the questions that are not asked yet, in the private part of a checkpoint's state."""

_WAITING = "_waiting"
"""The key of the questions that people and browsers were asked."""


@dataclass(frozen=True)
class RestoredCheckpoint:
    """The contents of a checkpoint. `state` is None when it cannot be read: the run starts from its items."""

    state: RunState[RunContext] | None
    run_usage: dict[str, Any] | None
    has_history: bool = False
    """The input of the state begins with the history, and not with the run's own."""


def pack_checkpoint(
    state: RunState[Any], run_usage: dict[str, Any], history: Sequence[Item] | None = None
) -> str:
    """Return the text of a checkpoint; the context stays out, since it holds live parts.

    A state that is to be continued by another run takes the `history` of its own along; with [] it has it already.
    """
    sdk = state.to_json(context_serializer=_nothing)
    if history:
        sdk["original_input"] = [*history, *sdk["original_input"]]
    kept = {"v": _VERSION, "sdk": sdk, "tally": run_usage, "history": history is not None}
    return json.dumps(kept, ensure_ascii=False)


async def unpack_checkpoint(
    text: str | None, root: Agent[RunContext], context: RunContext
) -> RestoredCheckpoint:
    """Read a checkpoint; a state of another SDK or another team is not an error, only a loss.

    The SDK writes plain texts in half the shape of Responses, which its own way to Chat Completions refuses: they are
    read as they were before.
    """
    if not text:
        return RestoredCheckpoint(None, None)
    run_usage: dict[str, Any] | None = None
    try:
        kept = json.loads(text)
        run_usage = kept["tally"] if kept["v"] == _VERSION else None
        sdk = {**kept["sdk"], "original_input": neutral(kept["sdk"]["original_input"])}
        state = await RunState.from_json(root, sdk, context_override=RunContextWrapper(context))
    except Exception as error:
        # The SDK raises many types here, and their texts quote the state.
        log.warning("checkpoint cannot be restored: %s", type(error).__name__)
        return RestoredCheckpoint(None, run_usage)
    return RestoredCheckpoint(state, run_usage, kept.get("history", True))


def _nothing(context: Any) -> dict[str, Any]:
    return {}


def take_waiting(private: Json) -> tuple[dict[str, Json], list[Json]]:
    """Take out of a checkpoint's private state the questions that are not asked yet, and what was asked of people."""
    return private.pop(_HELD, {}), private.pop(_WAITING, [])


def state_with_waiting(context: RunContext, held: dict[str, Json], asked: list[Json]) -> Json:
    """Return the state of a run with both in its private part; `take_waiting` takes them out again."""
    stored = context.stored_state()
    extra = {name: value for name, value in ((_HELD, dict(held)), (_WAITING, asked)) if value}
    if extra:
        stored[PRIVATE] = {**context.private, **extra}
    return stored
