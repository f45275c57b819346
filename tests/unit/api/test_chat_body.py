"""The body of POST /chat as Deep Chat writes it: a form is read as the JSON that it stands for."""

from __future__ import annotations

import json

import pytest

from server.api.deep_chat.body import ChatBody, WrongFields, read_chat_body, read_chat_request
from server.errors import BadJson
from tests.parts.images import form
from tests.unit.api.test_multipart_forms import request_of

BASE = {
    "loopos_core_base_url": "https://core.shop.example/",
    "loopos_submission_base_url": "https://submission.shop.example/",
}
SAID = json.dumps({"role": "user", "text": "olá"})


async def body_of(**fields: str) -> ChatBody:
    """Read a form with these fields."""
    return await read_chat_body(request_of(*form({**BASE, "message1": SAID, **fields}, [])))


@pytest.mark.parametrize("depth", [300, 500, 850, 15_000])
@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("message1", '{"role": "user", "text": "olá", "custom": %s}'),
        ("session_extra_data", '{"a": %s}'),
    ],
)
async def test_json_in_a_form_is_nested_no_deeper_than_that_of_a_body(
    field: str, text: str, depth: int
) -> None:
    with pytest.raises(BadJson):
        await body_of(**{field: text % ("[" * depth + "]" * depth)})


async def test_json_in_a_form_may_be_nested_as_people_nest_it() -> None:
    body = await body_of(session_extra_data='{"a": %s}' % ("[" * 100 + "]" * 100))
    assert body.request.session_extra_data is not None


OPTIONAL = (
    "session_id",
    "language",
    "images",
    "conversation",
    "callback_url",
    "loopos_core_context",
    "error",
)
NOTHING = ("", "null", "undefined", "[object Object]")


@pytest.mark.parametrize("text", NOTHING)
async def test_what_deep_chat_writes_for_no_value_is_no_value(text: str) -> None:
    """It appends `String(value)` for each of its `additionalBodyProps`."""
    plain = await body_of()
    assert plain.request.session_id is None
    found = await body_of(session_extra_data=text, **dict.fromkeys(OPTIONAL, text))
    assert found.request == plain.request
    with pytest.raises(WrongFields) as refused:
        await body_of(loopos_core_base_url=text)
    assert [each["type"] for each in refused.value.detail] == ["missing"]


PHOTOS = ["https://shop.example/a.png?size=1,2", "data:image/png;base64,AAAA"]


@pytest.mark.parametrize("text", [json.dumps(PHOTOS), ",".join(PHOTOS)])
async def test_pictures_in_a_form_are_a_list(text: str) -> None:
    """`String(list)` has commas between; a caller who knows that writes JSON."""
    assert (await body_of(images=text)).sources() == PHOTOS


async def test_messages_in_a_form_may_be_one_list() -> None:
    fields = {**BASE, "messages": f'[{{"role": "assistant", "text": "Olá"}}, {SAID}]'}
    body = await read_chat_body(request_of(*form(fields, [])))
    assert [each.text for each in body.request.messages] == ["Olá", "olá"]
    with pytest.raises(WrongFields):
        await read_chat_body(request_of(*form({**BASE, "messages": "3"}, [b"x"])))


@pytest.mark.parametrize("name", ["null", "undefined", "None", "NaN", "[object Object]"])
async def test_a_name_that_says_that_there_is_none_names_no_conversation(name: str) -> None:
    """Otherwise all callers that have none would share one conversation."""
    raw = {**BASE, "messages": [json.loads(SAID)], "session_id": name}
    assert (await read_chat_request(json.dumps(raw).encode())).session_id is None
    kept = await read_chat_request(json.dumps({**raw, "session_id": name + "1"}).encode())
    assert kept.session_id == name + "1"
