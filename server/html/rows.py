"""A transcript as the rows of the page: rows that the page folds together are one row here."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from server.protocol.blocks import KINDS
from server.protocol.codec import read_json
from server.protocol.events import ours
from server.protocol.operators import ACTIVITY as OPERATOR
from server.protocol.transcript import REASONING, Transcript

Message = Mapping[str, Any]
Messages = list[dict[str, Any]]

_OF_PEOPLE = frozenset({"user", "person", OPERATOR})

_WORK = frozenset({"tool", "thought"})
"""The rows of what agents do beside their words."""

FOLDED = 2
"""This many finished tool calls and thoughts fold into one line, also where agents handed over between them."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of the conversation. `id` is the message's; `kind` names the template that draws it.

    `agent` is given when its name is shown above the row; `inner` are the rows that this one folds together.
    """

    id: str
    kind: str
    run_id: str
    message: Message
    agent: str = ""
    at: int | None = None
    ended: Mapping[str, Any] = field(default_factory=dict)
    parts: Mapping[str, Any] = field(default_factory=dict)
    inner: tuple["PageRow", ...] = ()


def rows(transcript: Transcript) -> list[PageRow]:
    """Return the rows of a whole conversation, in order."""
    found: list[PageRow] = []
    work: list[PageRow] = []
    place = 0
    for index in range(len(transcript.messages)):
        row = _single(transcript, index)
        if row is None:
            continue
        if _folds(row):
            place = place if work else len(found)
            work.append(row)
            continue
        if row.kind != "handoff":
            found[place:place] = _fold_calls(transcript, work)
            work, place = [], len(found)
        found.append(row)
    found[place:place] = _fold_calls(transcript, work)
    return found


def last_kind(transcript: Transcript) -> str:
    """Return the kind of the row of the last message that is drawn; empty when there is none."""
    drawn = (_single(transcript, index) for index in reversed(range(len(transcript.messages))))
    return next((row.kind for row in drawn if row is not None), "")


def row_of(transcript: Transcript, message_id: str) -> PageRow | None:
    """Return the row that draws a message; None when it is not drawn."""
    messages = transcript.messages
    index = next((at for at in range(len(messages) - 1, -1, -1) if messages[at]["id"] == message_id), None)
    row = None if index is None else _single(transcript, index)
    if row is None or index is None or not _folds(row):
        return row
    group = [*_neighbours(transcript, index, -1)[::-1], row, *_neighbours(transcript, index, 1)]
    folded = _fold_calls(transcript, group)
    return folded[0] if len(folded) == 1 else row


def beside(transcript: Transcript, changed: Sequence[str]) -> list[str]:
    """Return the ids of messages that are drawn anew though nothing in them changed.

    Those are calls whose block changed for which they wait, and the handoff that is the last row of a run which ended
    after a call: that call is folded into a line above the handoff.
    """
    messages = transcript.messages
    known = {each: message for each in changed if (message := transcript.message(each)) is not None}
    answered = {each for each, message in known.items() if "interrupt_id" in _content(message)}
    waits = (each for each in messages if answered and "waits" in ours(each))
    found = [str(each["id"]) for each in waits if ours(each)["waits"].get("block_id") in answered]
    ended = {ours(each).get("run_id") for each in known.values() if "ended" in ours(each)}
    of_run = (each for each in messages[::-1] if ended and ours(each).get("run_id") in ended)
    last = next((each for each in of_run if each.get("activityType") == "handoff"), None)
    return found + ([str(last["id"])] if last is not None else [])


def row_id(message: Message, messages: Messages) -> str:
    """Return the id of the message whose row draws this one.

    A call's row has its progress and result; a question that is asked again, since its answer was refused, stands where
    it stood first.
    """
    if message["role"] == "tool":
        return str(message["toolCallId"])
    if message["role"] == "activity" and message["activityType"] == "tool_progress":
        return str(message["content"]["tool_call_id"])
    while (before := _before(message, messages)) is not None:
        message = before
    return str(message["id"])


def _before(message: Message, messages: Messages) -> Message | None:
    """Return the question that a block asks again, if it is on this page."""
    asked = _content(message).get("again_of")
    return next((each for each in messages if each["id"] == asked), None) if asked else None


def _single(transcript: Transcript, index: int) -> PageRow | None:
    """Return a message as a row of its own; None when another's row draws it, or nothing does."""
    message = transcript.messages[index]
    kind = _kind(transcript.messages, index)
    if not kind:
        return None
    own = ours(message)
    return PageRow(
        id=str(message["id"]),
        kind=kind,
        run_id=str(own.get("run_id", "")),
        message=_newest(transcript.messages, index) if kind == "block" else message,
        agent=_agent(message) if _is_first(transcript.messages, index) else "",
        at=own.get("at"),
        ended=_end_of(transcript, index),
        parts=_parts(transcript, index) if kind == "tool" else _thought(message) if kind == "thought" else {},
    )


def _newest(messages: Messages, index: int) -> Message:
    """Return the block that a row draws: of a question that was asked again, the last one."""
    found: Message = messages[index]
    fields = {found["id"]}
    for later in messages[index + 1 :]:
        if _content(later).get("again_of") == found["id"]:
            found = later
            fields.add(found["id"])
    content = _content(found)
    fields.add(content.get("again_of", ""))
    is_refused = content.get("value") and not content.get("confirm")
    if is_refused and content.get("again_of") and _was_written_elsewhere(fields, found, messages):
        return {**found, "content": {**content, "value": ""}}
    return found


def _was_written_elsewhere(fields: Set[str], block: Message, messages: Messages) -> bool:
    """Return whether the value of a block is the answer that it refuses, written in the composer and not in a field.

    Words of the composer may be meant for another question. A text that the block offers to edit is no such answer.
    Where the message is not on this page, the value is taken for an answer of the field.
    """
    run_id, value = ours(dict(block)).get("run_id"), str(_content(block)["value"])
    asked = [each for each in messages if each["role"] == "user" and ours(each).get("run_id") == run_id]
    parts = [part for each in asked for part in ours(each).get("content") or ()]
    said = [*(each.get("content") for each in asked), *(part.get("value") for part in parts)]
    is_refused = any(value in " ".join(str(each).split()) for each in said)
    return is_refused and not any(part.get("block_id") in fields for part in parts)


def _kind(messages: Messages, index: int) -> str:
    """Return the template of a message; empty for what has no row of its own."""
    message = messages[index]
    if row_id(message, messages) != message["id"]:
        return ""
    if message["role"] == "activity":
        if message["activityType"] in ("handoff", OPERATOR):
            return str(message["activityType"])
        return "block" if message["content"].get("kind") in KINDS else ""
    if message["role"] == "assistant":
        if ours(dict(message)).get("operator"):
            return "person"
        return "tool" if message.get("toolCalls") else "text"
    return {"user": "user", REASONING: "thought"}.get(message["role"], "")


def _folds(row: PageRow) -> bool:
    return row.kind in _WORK and row.parts["status"] == "done"


def _fold_calls(transcript: Transcript, calls: list[PageRow]) -> list[PageRow]:
    """Return finished work that belongs together as one row, when it is enough."""
    if len(calls) < FOLDED:
        return calls
    first, last = calls[0], calls[-1]
    inner = tuple(replace(each, agent="", ended={}) for each in calls)
    took = sum(each.parts.get("duration_ms") or 0 for each in calls)
    ended = {} if last.ended and _passed_on(transcript, first.id, last.id) else last.ended
    whole = replace(first, id=f"steps_{first.id}", kind="steps", inner=inner, ended=ended)
    return [replace(whole, parts={"duration_ms": took})]


def _passed_on(transcript: Transcript, first_id: str, last_id: str) -> bool:
    """Return whether the conversation was handed over between two messages."""
    ids = [each["id"] for each in transcript.messages]
    between = transcript.messages[ids.index(first_id) : ids.index(last_id)]
    return any(each.get("activityType") == "handoff" for each in between)


def _neighbours(transcript: Transcript, index: int, way: int) -> list[PageRow]:
    """Return the finished work that folds with this row, nearest first."""
    found: list[PageRow] = []
    at = index + way
    while 0 <= at < len(transcript.messages):
        row = _single(transcript, at)
        if row is not None and _folds(row):
            found.append(row)
        elif row is not None and row.kind != "handoff":
            break
        at += way
    return found


def _is_first(messages: Messages, index: int) -> bool:
    """Return whether the agent's name is shown above this row: at its first row after the words of a person.

    A thought is passed over: it is no word of the agent.
    """
    if _kind(messages, index) not in {"text", *_WORK}:
        return False
    before = index - 1
    while before >= 0 and _kind(messages, before) in {"", "thought"}:
        before -= 1
    return before < 0 or _kind(messages, before) in _OF_PEOPLE


def _agent(message: Message) -> str:
    """Return who speaks or calls here."""
    return str(message.get("name") or ours(dict(message)).get("agent", ""))


def _end_of(transcript: Transcript, index: int) -> Mapping[str, Any]:
    """Return how the run broke off when this is the last row of it, and whether words of it are kept."""
    messages = transcript.messages
    run_id = ours(messages[index]).get("run_id")
    ended: Mapping[str, Any] = {}
    later: list[int] = []
    for at in range(index, len(messages)):
        if ours(messages[at]).get("run_id") != run_id:
            break
        later += [at] if at > index and _kind(messages, at) else []
        ended = ours(messages[at]).get("ended") or ended
    if not ended or (later and not _all_fold_above(transcript, index, later)):
        return {}
    return {**ended, "kept": _remains_of([each for each in messages if ours(each).get("run_id") == run_id])}


def _remains_of(messages: Messages) -> str:
    """Return what is left of a run that broke off: a text, work, the answer that began it, or only a message."""
    if any(each["role"] == "assistant" and (each.get("content") or "").strip() for each in messages):
        return "text"
    done = (
        each for each in messages if each["role"] == "tool" and ours(each).get("status", "done") == "done"
    )
    if any(done):
        return "work"
    return "" if any(each["role"] == "user" for each in messages) else "answer"


def _all_fold_above(transcript: Transcript, index: int, later: Sequence[int]) -> bool:
    """Return whether the rows after this handoff are finished work that folds into a line above it."""
    messages = transcript.messages
    if _kind(messages, index) != "handoff" or not all(_is_work(transcript, at) for at in later):
        return False
    before = index - 1
    while before >= 0 and _kind(messages, before) in {"", "handoff"}:
        before -= 1
    return before >= 0 and _is_work(transcript, before)


def _is_work(transcript: Transcript, index: int) -> bool:
    """Return whether this is a finished call or thought."""
    row = _single(transcript, index)
    return row is not None and _folds(row)


def _thought(message: Message) -> Mapping[str, Any]:
    """Return what the row of a summary of reasoning draws beside its text."""
    own = ours(dict(message))
    status = "running" if own.get("open") else "done"
    return {
        "status": status,
        "duration_ms": own.get("duration_ms") or 0,
        "truncated": own.get("truncated", False),
    }


def _parts(transcript: Transcript, index: int) -> Mapping[str, Any]:
    """Return what a call's row draws: public arguments, progress, result, status and time.

    A run closes its calls before it ends, unless they wait for a person: one of another run without a result has it on
    another page.
    """
    messages = transcript.messages
    call = messages[index]
    function = call["toolCalls"][0]["function"]
    found: dict[str, Any] = {
        "name": function["name"],
        "args": _object(function["arguments"]),
        "result": {},
        "progress": {},
        "status": _open_status(transcript, call),
        "waits": ours(call).get("waits", {}).get("kind", ""),
    }
    for message in messages[index + 1 :]:
        if message["id"] == call["id"] or row_id(message, messages) != call["id"]:
            continue
        if message["role"] == "tool":
            own = ours(message)
            found["status"] = own.get("status", "done")
            found["duration_ms"] = own.get("duration_ms") or 0
            found["result"] = _object(message["content"])
        else:
            found["progress"] = message["content"]
    found["refused"] = found["status"] == "stopped" and _not_confirmed(transcript, call)
    return found


def _not_confirmed(transcript: Transcript, call: dict[str, Any]) -> bool:
    """Return whether a person did not approve this call: they refused, were late, or wrote something else."""
    block = transcript.message(ours(call).get("waits", {}).get("block_id", ""))
    told = _content(block)
    return told.get("kind") == "approval" and told.get("status") in ("declined", "closed", "expired")


def _open_status(transcript: Transcript, call: dict[str, Any]) -> str:
    """Return the status of a call without a result: at work, waiting for a person, or answered on another page."""
    run, own = transcript.run, ours(call)
    runs = run is not None and run.status == "running"
    if runs and run is not None and run.id == own.get("run_id"):
        return "running"
    if "waits" not in own:
        return "done"
    block = transcript.message(own["waits"].get("block_id", ""))
    # A page of older messages has no run: a call without a block may have its result on the next page.
    if (block is None and run is not None) or _content(block).get("status") == "open":
        return "waiting"
    return "running" if runs else "done"


def _content(message: Message | None) -> Mapping[str, Any]:
    """Return the text of an activity; nothing for other messages."""
    found = (message or {}).get("content")
    return found if isinstance(found, dict) else {}


def _object(text: str) -> dict[str, Any]:
    """Read a public view: an object as it is, anything else under one unnamed key."""
    try:
        value = read_json(text or "{}")
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"": value}
