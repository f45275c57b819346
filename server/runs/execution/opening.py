"""The beginning of a run in its log: new, or repaired where an earlier holder left it."""

from collections.abc import Sequence
from typing import Any

from server.protocol import events
from server.protocol.blocks import Notice
from server.protocol.commands import parts_text
from server.protocol.content_parts import CONTEXT, EXPIRED, RESUME, SWITCH
from server.protocol.events import Event, ours
from server.protocol.operators import PARTS, joins, operator_events
from server.protocol.shown_state import public_state
from server.protocol.transcript import Transcript, stopped_result
from server.runs.conversation.older_messages import set_anew
from server.runs.conversation.paths import path_events, path_snapshot
from server.store import Branch, Claim, Run, RunWithoutInput
from server.words import say


def opening_events(claim: Claim, folded: Transcript, now_ms: int) -> list[Event]:
    """Return the start, and what began the run: a message, which ends all waiting, or the answers to what waited.

    A run that leaves the active path says first what the path is now. With the checkpoint of an earlier holder follows
    what is shown up to it.
    """
    opening = [start_event(claim.run, now_ms)]
    if claim.branch is not None:
        opening += path_events(folded, claim.session.state)
    opening += first_messages(claim.run, claim.branch)
    if claim.branch is not None or begins_with_message(claim.run) or joins(claim.run.content):
        opening.extend(folded.settle_events())
    for part in claim.run.content:
        opening.extend(_answer_events(part, now_ms))
    if claim.takeover and claim.checkpoint is not None:
        opening.extend(rewound(claim))
    return opening


def start_event(run: RunWithoutInput, now_ms: int | None = None) -> Event:
    """Return the run's first event."""
    return events.run_started(
        run.session_id,
        run.id,
        attempt=run.attempt,
        parent_run_id=run.parent_run_id,
        kind=run.kind,
        at=now_ms,
    )


def begins_with_message(run: Run) -> bool:
    """Return whether the visitor wrote something; else the run answers an interrupt, tells that it expired, or is an
    operator's.
    """
    return any(part["type"] not in _NO_MESSAGE for part in run.content)


_NO_MESSAGE = frozenset({RESUME, EXPIRED, SWITCH, *PARTS})


def first_messages(run: Run, branch: Branch | None = None) -> list[Event]:
    """Return the input of the run, as the transcript has it: the visitor's message, or an operator's message or action.

    Another version of a message says what it does not undo.
    """
    begun = user_message(run, branch.versions if branch is not None else ())
    if branch is not None and branch.kept and begun:
        notice = Notice(title=say("version.kept", run.language)).to_content()
        begun.append(events.activity(f"kept_{run.message_id}", "block", notice, at=run.created_at))
    return [*begun, *operator_events(run.content, run.message_id, run.created_at)]


def _answer_events(part: dict[str, Any], now_ms: int) -> list[Event]:
    """Return the outcome of an interrupt: a change of its block, and for an expired call its result."""
    changes: list[Event] = []
    payload = part.get("payload")
    status = part["type"]
    if status == RESUME:
        yes = part["kind"] != "approval" or (payload or {}).get("approved")
        status = "answered" if part["status"] == "resolved" and yes else "declined"
    elif status != EXPIRED:
        return []
    if part["block_id"] is not None:
        change = {"status": status, "answered_at": now_ms} | ({} if payload is None else {"answer": payload})
        patch = [{"op": "add", "path": f"/{key}", "value": value} for key, value in change.items()]
        changes.append(events.activity_delta(part["block_id"], "block", patch))
    return [*changes, stopped_result(part["call_id"])] if status == EXPIRED else changes


def user_message(run: Run, versions: Sequence[str] = ()) -> list[Event]:
    """Return the message that began the run, if one did; `versions` are the earlier ones that it replaces."""
    if not begins_with_message(run):
        return []
    text = parts_text(run.content)
    return [
        events.text_start(
            run.message_id,
            "user",
            at=run.created_at,
            client_id=run.client_id,
            content=_visible_parts(run.content),
            versions=[*versions, run.message_id],
        ),
        *([events.text_content(run.message_id, text)] if text else []),
        events.text_end(run.message_id),
    ]


def _visible_parts(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the parts of a message without the data of a request, which may be large: people read its text.

    What the page says of itself is for the agents alone.
    """
    visible = (each for each in content if each["type"] != CONTEXT)
    return [{name: each[name] for name in each if name != "data"} for each in visible]


def transcript_before_agents(run: Run, branch: Branch | None = None) -> Transcript:
    """Return the state of the run before any agent."""
    return Transcript.fold([start_event(run), *first_messages(run, branch)])


def rewound(claim: Claim) -> list[Event]:
    """Return everything of the run up to its last checkpoint, and nothing after it."""
    run, checkpoint = claim.run, claim.checkpoint
    if checkpoint is not None:
        messages, state = checkpoint.messages, checkpoint.state
    else:
        messages, state = transcript_before_agents(run, claim.branch).messages, claim.session.state
    own = [each for each in messages if ours(each).get("run_id") == run.id]
    revised = [each for each in messages if ours(each).get("run_id") != run.id]
    return [
        events.messages_snapshot(own, scope="run", attempt=run.attempt),
        *_activities(revised),
        events.state_snapshot(public_state(state)),
    ]


def snapshot_of_run(folded: Transcript, run: Run) -> list[Event]:
    """Return the first events of a log that lost everything: this run so far, and its changes of earlier messages.

    Of a run that left the active path also the path.
    """
    own = folded.only(folded.run_messages(run.id))
    begun = [
        events.messages_snapshot(event["messages"], scope="run", attempt=run.attempt)
        if event["type"] == "MESSAGES_SNAPSHOT"
        else event
        for event in own.snapshot_events(run.session_id)
    ]
    if run.branch is not None:
        mine = {each["id"] for each in own.messages}
        before = folded.only([each for each in folded.messages if each["id"] not in mine])
        begun.insert(1, path_snapshot(before))
    revised = [each for id in folded.revised if (each := folded.message(id))]
    old = [set_anew(each) for each in revised if each["id"] in folded.recalled]
    return [*begun, *_activities([each for each in revised if each["id"] not in folded.recalled]), *old]


def _activities(messages: list[dict[str, Any]]) -> list[Event]:
    return [events.activity(each["id"], each["activityType"], each["content"]) for each in messages]
