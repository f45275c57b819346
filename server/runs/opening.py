"""How a run begins in its log: anew, or made whole again where an earlier holder left it."""

from typing import Any

from server.agents.context import public_state
from server.protocol import events
from server.protocol.commands import parts_text
from server.protocol.events import Event, ours
from server.protocol.transcript import Transcript
from server.store import Claim, Run


def opening_events(claim: Claim, now_ms: int) -> list[Event]:
    """The start and the user's message; with a checkpoint, what is shown up to it."""
    run = claim.run
    opening = [events.run_started(run.session_id, run.id, attempt=run.attempt, kind=run.kind, at=now_ms)]
    opening.extend(user_message(run))
    if claim.checkpoint is not None:
        opening.extend(rewound(claim))
    return opening


def user_message(run: Run) -> list[Event]:
    """The message that began the run."""
    return [
        events.text_start(
            run.message_id, "user", at=run.created_at, client_id=run.client_id, content=run.content
        ),
        events.text_content(run.message_id, parts_text(run.content)),
        events.text_end(run.message_id),
    ]


def unanswered(run: Run) -> Transcript:
    """The run as it stands before any agent did anything."""
    fresh = Transcript.of([], {})
    fresh.apply(events.run_started(run.session_id, run.id, attempt=run.attempt))
    for event in user_message(run):
        fresh.apply(event)
    return fresh


def rewound(claim: Claim) -> list[Event]:
    """Everything of the run up to its last checkpoint, and nothing after it."""
    run, checkpoint = claim.run, claim.checkpoint
    if checkpoint is not None:
        messages, state = checkpoint.messages, checkpoint.state
    else:
        messages, state = unanswered(run).messages, claim.session.state
    own = [each for each in messages if ours(each).get("run_id") == run.id]
    revised = [each for each in messages if ours(each).get("run_id") != run.id]
    return [
        events.messages_snapshot(own, scope="run", attempt=run.attempt),
        *_activities(revised),
        events.state_snapshot(public_state(state)),
    ]


def snapshot_of_run(folded: Transcript, run: Run) -> list[Event]:
    """What a log that lost everything must begin with: this run so far, and what it changed before it."""
    own = folded.only(folded.run_messages(run.id))
    begun = [
        events.messages_snapshot(event["messages"], scope="run", attempt=run.attempt)
        if event["type"] == "MESSAGES_SNAPSHOT"
        else event
        for event in own.snapshot_events(run.session_id)
    ]
    revised = (folded.message(each) for each in folded.revised)
    return [*begun, *_activities([each for each in revised if each])]


def _activities(messages: list[dict[str, Any]]) -> list[Event]:
    return [events.activity(each["id"], each["activityType"], each["content"]) for each in messages]
