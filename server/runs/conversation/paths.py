"""The change of a conversation's active path by a run: the messages of the new path, and the events that show it."""

from dataclasses import replace
from typing import Any

from server.protocol import events
from server.protocol.events import Event
from server.protocol.order import whole_calls
from server.protocol.shown_state import public_state
from server.protocol.transcript import Transcript
from server.runs.conversation.conversation_cache import READ, Conversation, newest
from server.runs.conversation.snapshots import SHOWN, Snapshots
from server.store import Claim, Store


def path_events(path: Transcript, state: dict[str, Any]) -> list[Event]:
    """Return the events that set the active path and its state."""
    return [path_snapshot(path), events.state_snapshot(public_state(state))]


def path_snapshot(path: Transcript) -> Event:
    """Return the end of the path, as much as a snapshot has, which replaces all that any client has."""
    first = whole_calls(path.messages, max(0, len(path.messages) - SHOWN))
    shown = path.messages[first:]
    before = str(shown[0]["id"]) if shown and (first or path.older) else None
    return events.messages_snapshot(shown, scope="path", before=before)


async def locate_branch(claim: Claim, store: Store) -> Claim:
    """Return a claim with where it leaves the active path, and with the state and agent that it goes on with there."""
    command, session, left = claim.run.branch, claim.session, claim.session.state
    branch = await store.versions.find_branch(session.id, command) if command is not None else None
    if branch is None:
        return claim
    if branch.state is not None:
        session = replace(session, state=branch.state, agent=branch.agent)
    return replace(claim, session=session, branch=replace(branch, left=left))


async def read_before(
    claim: Claim, snapshots: Snapshots, store: Store, most_items: int
) -> tuple[Claim, Conversation, Transcript]:
    """Return the claim with its place, and what its run continues, also as it is folded on.

    That is the active path, or where the run leaves that.
    """
    claim = await locate_branch(claim, store)
    before = await _conversation_of(claim, snapshots, store, most_items)
    if claim.branch is not None:
        claim = replace(claim, branch=replace(claim.branch, first=_first_words(before)))
    state = public_state(claim.session.state)
    return claim, before, Transcript.of(before.messages, state, older=before.older)


def _first_words(before: Conversation) -> str | None:
    """Return the text of a conversation's first message, where that is read and the visitor's."""
    first = before.messages[0] if before.messages and not before.older else {}
    return str(first["content"]) if first.get("role") == "user" else None


async def _conversation_of(claim: Claim, snapshots: Snapshots, store: Store, most_items: int) -> Conversation:
    if claim.branch is None:
        return await snapshots.conversation(claim.session, most_items)
    messages, older, items = await store.messages.conversation_until(
        claim.session.id, claim.branch.parent, READ, most_items + 1
    )
    return Conversation.read(None, messages, newest(items, most_items), older=older)
