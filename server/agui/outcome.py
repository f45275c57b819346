"""The outcome of a run in the words of the caller's version of AG-UI."""

from typing import Any

from server.protocol.events import Event, ours


def with_outcome(event: Event, *, reads_1_0: bool) -> Event:
    """Return RUN_FINISHED with the outcome as AG-UI's clients know it.

    A run that waits for a tool of the page is over for AG-UI: the results come as messages of the next run. Clients
    before 1.0 reject an outcome that is `cancelled` or names the calls. Both go without: the calls follow from the
    stream, and our own data say that the run was cancelled. `success` would tell assistant-ui that no call is open.
    """
    outcome = _outcome(event)
    if reads_1_0:
        return {**event, "outcome": outcome}
    without = {key: value for key, value in event.items() if key != "outcome"}
    if outcome["type"] == "cancelled":
        return {**without, "metadata": {"loopwire": {**ours(event), "outcome": "cancelled"}}}
    return without if "pendingToolCallIds" in outcome else {**event, "outcome": outcome}


def _outcome(event: Event) -> dict[str, Any]:
    outcome: dict[str, Any] = event.get("outcome") or {"type": "success"}
    asked = outcome.get("interrupts")
    if outcome["type"] != "interrupt" or asked is None:
        return outcome
    people = [each for each in asked if ours(each).get("kind") != "tool"]
    if people:
        return {**outcome, "interrupts": people}
    return {"type": "success", "pendingToolCallIds": [each["toolCallId"] for each in asked]}
