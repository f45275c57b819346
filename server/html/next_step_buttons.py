"""The buttons of the next steps, shown while no question waits: every answer has something to click."""

from server.protocol.events import ours
from server.protocol.transcript import Transcript

_ASKING = frozenset({"choices", "form", "approval", "ask"})
_FINISHED = frozenset({"complete", "refused"})

MOST_BACK = 3
"""The most items to which buttons lead back."""

_BEGIN = {
    "submission": ("lead.phone", "lead.camera", "lead.console", "lead.bike", "lead.sellable"),
    "chat": ("empty.chat.example.search", "empty.chat.example.box", "empty.chat.example.messages"),
}
"""The first step into each conversational service, as keys of the words."""


def leads_of(transcript: Transcript, service: str) -> tuple[str, ...]:
    """Return the keys of the labels; none while a run works, a question waits, or a retry is offered."""
    run = transcript.run
    last = transcript.messages[-1] if transcript.messages else None
    if last is None or (run is not None and run.status == "running") or _broke_off(transcript, last):
        return ()
    if asks(transcript) or (last.get("activityType") == "block" and last["content"].get("kind") == "card"):
        return ()
    if service == "submission" and transcript.state.get("item_id"):
        is_finished = transcript.state.get("status") in _FINISHED
        if _looks_for_next(transcript):
            return (*_BEGIN[service], *(("card.correct.label",) if is_finished else ()))
        return ("card.correct.label", "card.another") if is_finished else ("lead.continue",)
    return _BEGIN.get(service, ())


def ways_back_of(transcript: Transcript, service: str) -> tuple[dict[str, str], ...]:
    """Return product and reference of the earlier items to which buttons lead back, the newest first."""
    if service != "submission" or not leads_of(transcript, service):
        return ()
    state = transcript.state
    left = [*state.get("earlier", ())]
    if state.get("item_id") and _looks_for_next(transcript):
        left.append({"product": state["product"], "reference": state["reference"]})
    return tuple(reversed(left))[:MOST_BACK]


def last_said(transcript: Transcript) -> str:
    """Return the text of the person's newest message; empty without one."""
    said = (str(each.get("content", "")) for each in reversed(transcript.messages) if each["role"] == "user")
    return next(said, "")


def _looks_for_next(transcript: Transcript) -> bool:
    """Return whether the conversation left the item to find the product of the next one."""
    moved = [each for each in transcript.messages if each.get("activityType") == "handoff"]
    return bool(moved) and "identification" in moved[-1]["content"]["to"]


def asks(transcript: Transcript) -> bool:
    """Return whether a question waits for the person's answer."""
    shown = (each["content"] for each in transcript.messages if each.get("activityType") == "block")
    return any(each["kind"] in _ASKING and each.get("status") == "open" for each in shown)


def _broke_off(transcript: Transcript, last: dict[str, object]) -> bool:
    """Return whether the last run failed or was stopped: the row of its end has the buttons then."""
    run_id = ours(last).get("run_id")
    return any("ended" in ours(each) for each in transcript.messages if ours(each).get("run_id") == run_id)
