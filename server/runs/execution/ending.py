"""The end of a run: its last event, and the rows that are committed before its publication."""

import time
from collections.abc import Sequence
from typing import Any

from server.agents.run.history import Item, assistant_item, shown_item, whole
from server.agents.run.types import Outcome, Result
from server.agents.service import Service
from server.errors import InstanceLost, Internal
from server.html.deep_chat import deep_chat_messages, with_person
from server.protocol import events
from server.protocol.commands import parts_text
from server.protocol.content_parts import INPUT
from server.protocol.events import Event
from server.protocol.operators import words_for_model
from server.runs.execution.follow_up import MAX_ATTEMPTS
from server.runs.execution.opening import begins_with_message, transcript_before_agents
from server.store import ROOT, Claim, Finish, Interrupt, Run
from server.store.runs.submit import make_title
from server.words import failure_sentence

_SHOWN_USAGE = frozenset(
    {"model", "inputTokens", "outputTokens", "totalTokens", "cachedInputTokens", "reasoningTokens"}
)
"""The parts of a usage that clients get, by AG-UI's names: they do not get its cost."""

STATUS_LINES = {"cancelled": "stopped", "error": "failed", "interrupt": "waiting"}


def now_ms() -> int:
    """Return the time in milliseconds since the epoch."""
    return int(time.time() * 1000)


def error_event(run_id: str, code: str | None, language: str) -> Event:
    """Return the last event of a run that failed; it says why in the language of the message."""
    message = failure_sentence(code, language)
    return events.run_error(message, code or Internal.code, run_id=run_id, at=now_ms())


def end_event(
    session_id: str,
    run_id: str,
    outcome: str,
    code: str | None,
    *,
    language: str,
    usage: dict[str, Any] | None = None,
    interrupts: Sequence[Interrupt] = (),
) -> Event:
    """Return the run's last event for its outcome."""
    if outcome == "error":
        return error_event(run_id, code, language)
    ended: dict[str, Any] = {"type": outcome}
    if outcome == "interrupt":
        ended["interrupts"] = [_interrupt(each) for each in interrupts]
    spent = usage or {}
    estimated = spent.get("estimatedTokens", 0)  # AG-UI has no such field.
    shown = {name: value for name, value in spent.items() if name in _SHOWN_USAGE}
    given = [shown] if len(shown) > 1 else None
    return events.run_finished(session_id, run_id, ended, given, estimated_tokens=estimated, at=now_ms())


def _interrupt(waits: Interrupt) -> dict[str, Any]:
    return events.interrupt(
        waits.id,
        waits.call_id,
        waits.message,
        waits.schema,
        expires_at=waits.expires_at,
        kind=waits.kind,
        block_id=waits.block_id,
    )


def waiting_ids(interrupts: Sequence[Interrupt]) -> set[str]:
    """Return the calls and blocks that wait on when the run has ended."""
    ids = {id for each in interrupts for id in (each.call_id, each.block_id)}
    return {id for id in ids if id is not None}


def nothing_done(claim: Claim, outcome: Outcome, code: str | None) -> Result:
    """Return the result of a run in which no agent did anything, or whose agents failed us."""
    checkpoint, session = claim.checkpoint, claim.session
    items = whole(checkpoint.items) if checkpoint else _input_items(claim.run)
    return Result(
        outcome=outcome,
        code=code,
        items=items,
        agent=checkpoint.agent if checkpoint else session.agent,
        state=dict(checkpoint.state if checkpoint else session.state),
    )


def _input_items(run: Run) -> list[Item]:
    """Return the item of a run's input as a later model reads it; none for a run that no message began."""
    said = words_for_model(run.content)
    if said:
        return [assistant_item(said)]
    item = shown_item(parts_text(run.content), run.content)
    return [item] if item["content"] else []


def result_without_agents(claim: Claim, *, cancelled: bool) -> Result | None:
    """Return the result of a run that asks no agent: stopped before it began, a note, or tried too often; else None."""
    is_note = claim.run.kind == "note"
    # A stop of the visitor is none of what an operator said.
    if cancelled and not claim.takeover and (not is_note or begins_with_message(claim.run)):
        return nothing_done(claim, "cancelled", None)
    if is_note:
        return nothing_done(claim, "success", None)
    if claim.run.attempt > MAX_ATTEMPTS:
        return nothing_done(claim, "error", InstanceLost.code)
    return None


def posted_messages(
    claim: Claim, result: Result, messages: list[dict[str, Any]]
) -> list[dict[str, Any]] | None:
    """Return what is posted of an answer in words, as `/chat` would give it; None where nothing is to be posted."""
    if claim.run.callback_url is None or result.outcome not in ("success", "interrupt"):
        return None
    language = claim.session.language
    return with_person(deep_chat_messages(messages, language), claim.run.kind, language)


def finish_of(
    claim: Claim,
    result: Result,
    service: Service | None,
    *,
    messages: list[dict[str, Any]],
    first_seq: int,
    last_seq: int,
    trace_context: str | None,
) -> Finish:
    """Return the rows that are committed for a result; without its service a session keeps its title."""
    title, line = service.status(result.state) if service is not None else (None, "")
    title = title or _title_of_branch(claim, service)
    if words_for_model(claim.run.content):  # The interrupts of the visitor stay open.
        line = claim.session.status
    return Finish(
        outcome=result.outcome,
        code=result.code,
        messages=messages,
        state=result.state,
        items=result.items,
        agent=result.agent,
        usage=result.usage,
        first_seq=first_seq,
        last_seq=last_seq,
        title=title,
        status_line=STATUS_LINES.get(result.outcome, line),
        interrupts=result.interrupts,
        resume=result.resume,
        response=posted_messages(claim, result, messages) if result.response is None else result.response,
        request=_is_request(claim, service),
        trace_context=trace_context,
        parent=_parent_of(claim),
        private=service is not None and service.contract is not None and bool(service.contract.private),
    )


def _title_of_branch(claim: Claim, service: Service | None) -> str | None:
    """Return the title of a path that names no product, where the title so far is the product of the path it left.

    Those are the first words of the new path. A title that a visitor gave stays.
    """
    branch = claim.branch
    if branch is None or branch.left is None or service is None:
        return None
    if claim.session.title is None or claim.session.title != service.status(branch.left)[0]:
        return None
    first = parts_text(claim.run.content) if branch.parent is None else branch.first
    return make_title(first) if first else None


def _is_request(claim: Claim, service: Service | None) -> bool:
    """Return whether the run executes a request of a service over REST, and is no turn of a conversation."""
    if service is not None and service.contract is not None:
        return True
    return any(part["type"] == INPUT for part in claim.run.content)


def give_up_finish(claim: Claim) -> Finish:
    """Return the end of a run that no attempt could even report on."""
    run = claim.run
    folded = transcript_before_agents(run, claim.branch)
    folded.apply(events.run_error("", InstanceLost.code))  # Of its words none is stored.
    result = nothing_done(claim, "error", InstanceLost.code)
    return Finish(
        outcome=result.outcome,
        code=result.code,
        messages=folded.messages,
        state=result.state,
        items=result.items,
        agent=result.agent,
        first_seq=claim.session.published_seq + 1,
        last_seq=claim.session.published_seq,
        status_line=STATUS_LINES["error"],
        request=_is_request(claim, None),
        parent=_parent_of(claim),
    )


def last_finish(claim: Claim, service: Service | None) -> Finish:
    """Return the end of a run whose input cannot be read or stored: nothing is added to its session."""
    return Finish(
        outcome="error",
        code=InstanceLost.code,
        messages=[],
        state=dict(claim.session.state),
        items=[],
        agent=claim.session.agent,
        first_seq=claim.session.published_seq + 1,
        last_seq=claim.session.published_seq,
        status_line=STATUS_LINES["error"],
        request=service is not None and service.contract is not None,
    )


def _parent_of(claim: Claim) -> str | None:
    """Return what the run's messages follow where it leaves the active path; None where they follow its leaf."""
    return None if claim.branch is None else claim.branch.parent or ROOT
