"""A text of a body is made plain before it is measured; compared values are never changed."""

from __future__ import annotations

import json
from typing import Any, Literal, get_origin

import pytest
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from server.agui.cancel import CancelRequest
from server.agui.input import RunAgentInput
from server.api.identify import IdentifyBody, RevokeBody
from server.api.operators import OperatorEntry, OperatorMessage
from server.api.push import EndedSubscription, PushKeys, PushSubscription
from server.api.sessions import NewSession, SessionChange
from server.api.tickets import TicketBody
from server.endpoints.bodies import JsonBody
from server.openai_clients.body import ContentPart, ConversationRef, InputItem, ResponseBody

GOOD: dict[type[JsonBody], dict[str, Any]] = {
    NewSession: {},
    SessionChange: {},
    TicketBody: {},
    OperatorMessage: {"id": "o1", "content": "a"},
    OperatorEntry: {},
    IdentifyBody: {"token": None},
    RevokeBody: {},
    PushKeys: {"p256dh": "p", "auth": "a"},
    PushSubscription: {"endpoint": "https://a", "keys": {"p256dh": "p", "auth": "a"}},
    EndedSubscription: {"endpoint": "https://a"},
    ContentPart: {"type": "input_text"},
    InputItem: {},
    ConversationRef: {"id": "c"},
    ResponseBody: {"model": "chat", "input": "a"},
    CancelRequest: {"threadId": "t"},
    RunAgentInput: {"threadId": "t", "runId": "r", "messages": []},
}
PLAIN = {
    (SessionChange, "title"),
    (OperatorMessage, "content"),
    (ContentPart, "text"),
    (InputItem, "content"),
    (ResponseBody, "input"),
}
SHAPED = {(OperatorMessage, "id"), (IdentifyBody, "token"), (IdentifyBody, "resume_token")}
"""What has a shape in which there is no control character: of a token its signature is checked."""


def is_text(field: FieldInfo) -> bool:
    """Return whether any text may stand there."""
    return "str" in str(field.annotation) and get_origin(field.annotation) not in (Literal, list)


FIELDS = [
    (model, name, field.alias or name)
    for model in GOOD
    for name, field in model.model_fields.items()
    if is_text(field)
]


def read(model: type[JsonBody], /, **fields: Any) -> Any:
    """Read a body as a request does."""
    return model.model_validate_json(json.dumps({**GOOD[model], **fields}))


def test_the_samples_cover_all_json_bodies_and_their_fields() -> None:
    assert set(GOOD) == set(JsonBody.__subclasses__())
    assert len(FIELDS) == 42


@pytest.mark.parametrize("control", ["\0", "\x01", "\x1b", "\n", "\x7f", "\x85"], ids=ascii)
@pytest.mark.parametrize(
    ("model", "name", "alias"), [each for each in FIELDS if each[:2] not in PLAIN | SHAPED]
)
def test_an_id_with_a_control_character_is_refused(
    model: type[JsonBody], name: str, alias: str, control: str
) -> None:
    assert getattr(read(model, **{alias: "á\u2028"}), name) == "á\u2028"
    with pytest.raises(ValidationError, match="may not hold control characters"):
        read(model, **{alias: f"a{control}"})


@pytest.mark.parametrize("control", ["\0", "\x01", "\x1b", "\n", "a\n", "\x7f", "\x85"], ids=ascii)
def test_an_id_of_a_message_is_a_word(control: str) -> None:
    with pytest.raises(ValidationError):
        read(OperatorMessage, id=control)


def test_the_message_of_an_operator_is_made_plain() -> None:
    assert read(OperatorMessage, content="a\x07\r\nb").content == "a\nb"
    for content in ("", "\x07", "a\0"):
        with pytest.raises(ValidationError):
            read(OperatorMessage, content=content)


def test_a_title_is_made_plain_and_measured_then() -> None:
    assert read(SessionChange, title="a\x07\r\nb").title == "a\nb"
    assert read(SessionChange, title="\x07" * 9 + "a" * 120).title == "a" * 120
    for title in ("", "\x07", "a" * 121, "a\0"):
        with pytest.raises(ValidationError):
            read(SessionChange, title=title)
