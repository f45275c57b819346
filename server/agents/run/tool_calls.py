"""One call of a tool: effect, ledger, deadline, output for the model, outcome for the page."""

import asyncio
import functools
import hashlib
import inspect
import json
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, is_dataclass
from typing import Any, Literal, NamedTuple

from agents.tool_context import ToolContext
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from server.agents.context import (
    CallOutcome,
    Json,
    RunContext,
    StateTooLarge,
    current_call,
    recorded,
)
from server.agents.model.failures import code_of
from server.errors import RunFailed, Unavailable
from server.mcp_servers import Effect
from server.protocol.codec import mend_text, read_json
from server.protocol.events import ToolStatus
from server.words import failure_sentence

log = logging.getLogger(__name__)

Approval = str | Callable[[RunContext, dict[str, Any]], str | None] | None
MODEL_OUTPUT_BYTES = 32 * 1024


@dataclass(frozen=True)
class ToolDeclaration:
    """The declaration of a tool besides its schema."""

    effect: Effect
    timeout_s: float
    icon: str = "search"
    args: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    result: Callable[[Any], dict[str, Any]] | None = None
    business_key: Callable[[RunContext, dict[str, Any]], str | None] | None = None
    ours: bool = True
    """False for a tool that was not made by `@tool`: the SDK alone knows how its calls end."""
    keyed: bool = False
    """The other side knows the business key too and answers a repeated call with the first result."""
    approval: Approval = None
    """What a person is asked before each call: a key of the words, or the sentence itself, if any. An empty one
    says that this call needs no approval, whatever the app asks for."""
    pairs: Callable[[RunContext, dict[str, Any]], dict[str, str]] | None = None
    """What a person reads beside that, by name; without it the public view of the arguments."""
    consent: Callable[[RunContext, str], str] | None = None
    """What a person is asked, by the tool's name, before a call waits for something else, such as a page's tool."""
    waits: Literal["form", "tool"] | None = None
    """The call is no work of ours: a person's answers or a page's result are what it gives."""
    scopes: tuple[str, ...] = ()
    """The scopes that the tool reaches beside its conversation, as `catalog:read`; an app may exclude scopes."""


class ToolFailure(Exception):
    """A refusal by the tool itself: the message is for the model, and the tool has done nothing."""

    undone = True

    def __init__(self, message: str, *, code: str = "failed") -> None:
        super().__init__(message)
        self.code = code


class AnsweredFailure(ToolFailure):
    """A refusal by another server: what it did before is unknown, so the answer is stored."""

    undone = False


def as_json(value: Any) -> Any:
    """Return what a tool returned as plain JSON."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return to_jsonable_python(value)
    return value


def model_text(value: Any) -> str:
    """Return what the model reads: JSON, at most 32 KB, with a note where it was cut."""
    text = mend_text(json.dumps(as_json(value), ensure_ascii=False, default=str))
    raw = text.encode()
    if len(raw) <= MODEL_OUTPUT_BYTES:
        return text
    head = raw[: MODEL_OUTPUT_BYTES // 2].decode(errors="ignore")
    return json.dumps({"cut": True, "bytes": len(raw), "head": head}, ensure_ascii=False)


def args_hash(arguments: str) -> str:
    """Return a short digest of the canonical arguments."""
    try:
        canonical = json.dumps(read_json(arguments or "{}"), sort_keys=True, ensure_ascii=False)
    except (ValueError, RecursionError):
        canonical = arguments
    return hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()[:32]


def invoking(body: Callable[..., Awaitable[Any]], view: ToolDeclaration) -> Callable[..., Awaitable[str]]:
    """Wrap a tool's body: same signature, JSON text out, no exception but cancellation."""
    if not inspect.signature(body).parameters:
        raise TypeError("a tool takes ctx: ToolContext[RunContext] first")

    @functools.wraps(body)
    async def invoke(ctx: ToolContext[RunContext], *args: Any, **kwargs: Any) -> str:
        started = time.monotonic()
        token = current_call.set(ctx.tool_call_id)
        status: ToolStatus
        try:
            if ctx.context.may_reach(view.scopes):
                await _follow_owner(ctx.context)
                status, value = await _by_effect(ctx, view, lambda: body(ctx, *args, **kwargs))
            else:
                status, value = "failed", NOT_ALLOWED
        finally:
            current_call.reset(token)
        duration = round((time.monotonic() - started) * 1000)
        ctx.context.emitter.note_call_end(ctx.tool_call_id, CallOutcome(status, value, duration))
        return model_text(value)

    return invoke


async def _follow_owner(run: RunContext) -> None:
    """Let the call be that of whose the conversation is by now; without a database as before."""
    with suppress(Unavailable):
        await run.follow_owner()


async def _by_effect(
    ctx: ToolContext[RunContext], view: ToolDeclaration, body: Callable[[], Awaitable[Any]]
) -> tuple[ToolStatus, Any]:
    """Run the body; a `once` one through the ledger, so that it is never repeated by us."""
    if view.effect != "once":
        ended = await _call_guarded(ctx, view, body)
        return ended.status, ended.value
    run, call, ledger = ctx.context.run_id, ctx.tool_call_id, ctx.context.emitter.ledger
    try:
        key = view.business_key(ctx.context, json.loads(ctx.tool_arguments)) if view.business_key else None
        hashed = args_hash(ctx.tool_arguments)
        entry = await ledger.begin(run, call, ctx.tool_name, view.effect, hashed, key)
        if entry.state == "done":
            ctx.context.repeat(entry.result["did"])
            return entry.result.get("status", "done"), entry.result["value"]
    except Exception as error:
        # `business_key` is the author's code, and a call that is not noted must not be made, whatever the error.
        _complain(f"tool {ctx.tool_name} could not be noted", error)
        return "failed", AWAY
    if not entry.fresh and not (view.keyed and key):
        await _settle(ledger.mark_unknown(run, call))
        return "unknown", UNKNOWN
    if ctx.context.emitter.is_over:
        # The process was suspended: the next attempt may have reported an unknown result.
        if entry.fresh:
            await _settle(ledger.forget(run, call))
        return "failed", AWAY
    ctx.context.emitter.note_effect(call, view.result)
    try:
        with _recording(ctx.context) as did:
            ended = await _call_guarded(ctx, view, body)
    except asyncio.CancelledError:
        # The run was stopped or timed out in the middle of the call: its effect is unknown.
        await _settle(ledger.mark_unknown(run, call))
        raise
    if ended.answered:
        told = {} if ended.status == "done" else {"status": ended.status}
        await _settle(ledger.keep_result(run, call, {"value": ended.value, "did": did, **told}))
    elif ended.status == "failed":
        await _settle(ledger.forget(run, call))
    else:
        await _settle(ledger.mark_unknown(run, call))
    return ended.status, ended.value


def _complain(what: str, error: Exception) -> None:
    """Log a failure; of a part that is away there is nothing more to say."""
    if isinstance(error, Unavailable):
        log.warning("%s, a part is away", what)
    else:
        log.error("%s", what, exc_info=error)


async def _settle(noting: Awaitable[None]) -> None:
    """Note how a call ended, though the run be stopped meanwhile: what is known must not become unknown."""
    await asyncio.shield(_try_to_note(noting))


async def _try_to_note(noting: Awaitable[None]) -> None:
    """Note how a call ended; when that fails, the intent stays, which a take-over reads as unknown."""
    try:
        await noting
    except Exception as error:
        # The tool has acted: no error of the store may make the run act as if it had not.
        _complain("the end of a call could not be noted", error)


@contextmanager
def _recording(context: RunContext) -> Iterator[list[Json]]:
    """Keep what a body does to state and page: the ledger's result must bring it back after a crash."""
    did: list[Json] = []
    before = deepcopy(context.private)
    token = recorded.set(did)
    try:
        yield did
    finally:
        recorded.reset(token)
        changes = {key: value for key, value in context.private.items() if before.get(key) != value}
        gone = [key for key in before if key not in context.private]
        if changes or gone:
            did.append({"did": "private", "changes": deepcopy(changes), "gone": gone})


NOT_ALLOWED = {"error": "not_allowed", "message": "This tool may not be used here. Go on without it."}
"""The result of a call whose scopes the app excludes: the model was not offered the tool, or the app has changed."""

AWAY = {"error": "unavailable", "message": "Not done: try again later."}

UNKNOWN = {
    "error": "unknown_outcome",
    "message": "Nobody knows whether this was done. Do not repeat it; say that it must be checked.",
}


class _Ended(NamedTuple):
    """The end of a tool's body."""

    status: ToolStatus
    value: Any
    answered: bool = False
    """The call has been made, and this is what it gave: a `once` one is not made again."""


async def _call_guarded(
    ctx: ToolContext[RunContext], view: ToolDeclaration, body: Callable[[], Awaitable[Any]]
) -> _Ended:
    """Return the border of a tool: every failure becomes one neutral sentence for the model."""
    once = view.effect == "once"
    unclear: ToolStatus = "unknown" if once else "failed"
    try:
        async with asyncio.timeout(view.timeout_s):
            return _Ended("done", as_json(await body()), answered=True)
    except ToolFailure as failure:
        value = {"error": failure.code, "message": str(failure)}
        return _Ended("failed", value, answered=not failure.undone)
    except TimeoutError:
        log.warning("tool %s did not answer in %s s", ctx.tool_name, view.timeout_s)
        return _Ended(
            unclear, UNKNOWN if once else {"error": "timeout", "message": "The tool took too long."}
        )
    except Unavailable:
        log.warning("tool %s failed, a part is away", ctx.tool_name)
        return _Ended(unclear, UNKNOWN if once else AWAY)
    except RunFailed as failure:
        log.warning("tool %s failed: %s", ctx.tool_name, code_of(failure, answering=False))
        if once and not view.keyed:
            return _Ended("unknown", UNKNOWN)
        sentence = failure_sentence(failure.code, ctx.context.language)
        return _Ended("failed", {"error": failure.code, "message": sentence})
    except StateTooLarge as error:
        log.error("tool %s: %s", ctx.tool_name, error)
        return _Ended(unclear, UNKNOWN if once else {"error": "state_too_large", "message": str(error)})
    except Exception:
        # The body of a tool is its author's code: its error is an answer to the model and ends no run.
        log.exception("tool %s failed", ctx.tool_name)
        return _Ended(unclear, UNKNOWN if once else {"error": "failed", "message": "The tool failed."})
