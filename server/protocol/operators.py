"""The words and acts of operators in a conversation: as a part of their run's content, and as events.

The parts are the server's own: no client may send one, and they are none of a message of the visitor.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from server.protocol import events
from server.protocol.content_parts import OPERATOR, OPERATOR_TEXT, OPERATOR_WHISPER
from server.protocol.events import Event

ACTIVITY = "operator"
"""The type of the activity that says that an operator joined or left: `{"status": "joined" | "left", "name"}`."""

MOST_NAME = 80
"""Characters of an operator's name."""

PARTS = frozenset({OPERATOR_TEXT, OPERATOR_WHISPER, OPERATOR})

Part = Mapping[str, Any]


def said_part(text: str, name: str | None) -> dict[str, Any]:
    """Return the content of a run by which an operator says something."""
    return {"type": OPERATOR_TEXT, "said": text, "name": name}


def whisper_part(text: str, name: str | None) -> dict[str, Any]:
    """Return the content of a run by which an operator tells the agents something that the visitor does not read."""
    return {"type": OPERATOR_WHISPER, "said": text, "name": name}


def change_part(status: Literal["joined", "left"], name: str | None) -> dict[str, Any]:
    """Return the content of a run by which an operator joins or leaves."""
    return {"type": OPERATOR, "status": status, "name": name}


def operator_events(content: Sequence[Part], message_id: str, at: int) -> list[Event]:
    """Return the events of what an operator said or did in a run; none where no operator did anything."""
    told: list[Event] = []
    for part in content:
        if part["type"] == OPERATOR_TEXT:
            told += [
                events.text_start(message_id, "assistant", name=part["name"], at=at, operator=True),
                events.text_content(message_id, part["said"]),
                events.text_end(message_id),
            ]
        elif part["type"] == OPERATOR:
            shown = {"status": part["status"], "name": part["name"]}
            told.append(events.activity(message_id, ACTIVITY, shown, at=at))
    return told


def joins(content: Iterable[Part]) -> bool:
    """Return whether an operator joins by this run: what waits for the visitor is closed."""
    return any((part["type"], part.get("status")) == (OPERATOR, "joined") for part in content)


def words_for_model(content: Iterable[Part]) -> str:
    """Return an operator's message as the model reads it, on the assistant's side; empty where there is none."""
    return "\n".join(
        f"[{_SPOKEN[part['type']].format(_name_suffix(part))}]\n{part['said']}"
        for part in content
        if part["type"] in _SPOKEN
    )


_SPOKEN = {
    OPERATOR_TEXT: "This was written by a person of the team{}, not by an agent.",
    OPERATOR_WHISPER: "A note of a person of the team{} for the agents alone. The visitor does not see it.",
}


def _name_suffix(part: Part) -> str:
    return f", {part['name']}" if part["name"] else ""
