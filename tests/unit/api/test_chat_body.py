"""The body of POST /chat as Deep Chat writes it: a form is read as the JSON that it stands for."""

from __future__ import annotations

import json

import pytest

from server.api.deep_chat.body import ChatBody, read_chat_body
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
