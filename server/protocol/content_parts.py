"""The types of the parts that the content of a run consists of, by their names in the wire and in the database."""

from collections.abc import Mapping
from typing import Any, Final

TEXT: Final = "text"
"""Words that a person wrote."""

ANSWER: Final = "answer"
"""A click or a filled field in a block."""

IMAGE: Final = "image"
"""A picture, named by its `blob_id`."""

# The server alone writes the following.

CONTEXT: Final = "context"
"""The data that the sender's page gives with a message."""

INPUT: Final = "input"
"""The request of a service, with its data and the text that people read."""

SWITCH: Final = "switch"
"""The run shows another version of a message."""

RESUME: Final = "resume"
"""The answer to an interrupt."""

EXPIRED: Final = "expired"
"""An interrupt without an answer in time."""

OPERATOR_TEXT: Final = "operator_text"
"""Words that an operator wrote."""

OPERATOR_WHISPER: Final = "operator_whisper"
"""Words of an operator that the agents alone read."""

OPERATOR: Final = "operator"
"""An operator joins or leaves."""

OPERATOR_PARTS = (OPERATOR_TEXT, OPERATOR_WHISPER, OPERATOR)

VISITOR_PARTS = frozenset({TEXT, ANSWER, IMAGE, CONTEXT})
"""The parts of a message that a visitor wrote in a conversation."""


def page_data(context: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the content part with the data of the sender's page; none where it sends none."""
    return [{"type": CONTEXT, "data": context}] if context else []
