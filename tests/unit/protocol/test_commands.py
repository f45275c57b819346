"""A client's frame is judged before any part takes it: each kind of bad frame has its own error."""

import json
from typing import Annotated, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from server.errors import BadFrame, LoopwireError
from server.protocol import commands, content_parts
from server.protocol.commands import MAX_COMMENT, Plain, parse_command
from server.protocol.schema import FOLDER


def message(text: Any = "Olá", **changes: Any) -> dict[str, Any]:
    return {"type": "message", "id": "c1", "content": [{"type": "text", "text": text}], **changes}


def edit(**changes: Any) -> dict[str, Any]:
    return {**message(), "type": "edit", "message_id": "msg_1", **changes}


GOOD: list[dict[str, Any]] = [
    {"type": "hello", "ticket": "t" * 43, "last_seq": 3, "epoch": "a.1", "v": 1},
    {"type": "hello", "resume_token": "a.b.c"},
    message(),
    message("x" * 8000),
    message(id="A-z_0.9:" * 8),
    {
        "type": "message",
        "id": "c1",
        "content": [
            {"type": "answer", "block_id": "blk_1", "name": "product", "value": 7, "label": "iPhone"}
        ],
    },
    message(tools=[]),
    message(tools=[{"name": f"a-{n}"} for n in range(16)]),
    message(
        tools=[{"name": "where", "description": "d", "parameters": {"type": "object", "properties": {}}}]
    ),
    message(tools=[{"name": "reserve", "effect": True}], context={"product": "iPhone 12", "tags": ["a"]}),
    message(context={"a": "é" * 4_091}),
    edit(context={"product": 7}),
    edit(context={"weight": [1.5, -2e-3]}),
    {"type": "cancel"},
    {"type": "cancel", "id": "c2", "run_id": "run_1"},
    {"type": "cancel", "message_id": "c1"},
    {
        "type": "resume",
        "id": "c3",
        "entries": [{"interrupt_id": "int_1", "status": "resolved", "payload": {"a": 1}}],
    },
    {"type": "tool_result", "id": "c4", "tool_call_id": "cal_1", "content": "{}"},
    {"type": "feedback", "id": "c5", "message_id": "msg_1", "value": None},
    {
        "type": "feedback",
        "id": "c6",
        "message_id": "msg_1",
        "value": "down",
        "reason": "unsafe",
        "comment": "x" * 500,
    },
    {"type": "typing"},
]

BAD: list[tuple[str | bytes, str]] = [
    ("", "bad_json"),
    ("{", "bad_json"),
    ("{}{}", "bad_json"),
    ("{/* */}", "bad_json"),
    ("{'type':'typing'}", "bad_json"),
    ("﻿{}", "bad_json"),
    ('{"type":"typ\ning"}', "bad_json"),
    ('{"type":NaN}', "bad_json"),
    ('{"type":1e999}', "bad_json"),
    ('{"type":-1e999}', "bad_json"),
    ('{"type":' + "1" * 10_000 + "}", "bad_json"),
    (b'{"type":"\xff"}', "bad_json"),
    ("[" * 60_000, "bad_json"),
    ('"\udcff"', "bad_json"),
    (" " * 65_537, "too_long"),
    ("null", "bad_frame"),
    ("1", "bad_frame"),
    ('"x"', "bad_frame"),
    ("[]", "bad_frame"),
    ("{}", "unknown_type"),
    ('{"type":1}', "unknown_type"),
    (json.dumps({"type": "x" * 10_000}), "unknown_type"),
    (json.dumps({"type": "RUN_FINISHED", "threadId": "a", "runId": "b"}), "unknown_type"),
    (json.dumps({"type": "welcome"}), "unknown_type"),
    (json.dumps(message(id=1)), "bad_frame"),
    (json.dumps(message(id="")), "bad_frame"),
    (json.dumps(message(id="x" * 65)), "bad_frame"),
    (json.dumps(message(id="a\nb")), "bad_frame"),
    (json.dumps(message(id="a\n")), "bad_frame"),
    (json.dumps(message(extra=1)), "bad_frame"),
    (json.dumps(message(content=[])), "bad_frame"),
    (json.dumps(message(content="Olá")), "bad_frame"),
    (json.dumps(message(content=[{"type": "image", "source": {}}])), "bad_frame"),
    (json.dumps(message(5)), "bad_frame"),
    (json.dumps(message("a\0b")), "bad_frame"),
    (json.dumps(message("\ud800")), "bad_frame"),
    (json.dumps({**message(), "\0": 1}), "bad_frame"),
    (json.dumps(message("x" * 8001)), "too_long"),
    (json.dumps(message("")), "empty"),
    (json.dumps(message(" \n\t ")), "empty"),
    (json.dumps({"type": "hello", "epoch": "x" * 10_000}), "bad_frame"),
    (json.dumps({"type": "hello", "last_seq": -1}), "bad_frame"),
    (json.dumps({"type": "hello", "last_seq": "1"}), "bad_frame"),
    (
        json.dumps({"type": "resume", "id": "c", "entries": [{"interrupt_id": "i", "status": "maybe"}]}),
        "bad_frame",
    ),
]


def nested(depth: int) -> dict[str, Any]:
    payload: Any = 1
    for _ in range(depth):
        payload = [payload]
    entry = {"interrupt_id": "int_1", "status": "resolved", "payload": payload}
    return {"type": "resume", "id": "c1", "entries": [entry]}


def test_the_name_of_an_answer_is_made_plain_and_measured_then() -> None:
    part = {"type": "answer", "block_id": "blk_1", "value": 1, "label": "um"}
    (read,) = parse_command(json.dumps(message(content=[{**part, "name": "\x01" * 64 + "item"}]))).content  # type: ignore[union-attr]
    assert read.name == "item"  # type: ignore[union-attr]
    for name in ("", "\x01", "a" * 65):
        with pytest.raises(LoopwireError):
            parse_command(json.dumps(message(content=[{**part, "name": name}])))


@pytest.mark.parametrize("frame", GOOD, ids=lambda frame: frame["type"])
def test_a_good_frame_becomes_its_command(frame: dict[str, Any]) -> None:
    command = parse_command(json.dumps(frame))
    assert command.model_dump(exclude_unset=True) == frame
    assert parse_command(json.dumps(frame).encode()) == command


@pytest.mark.parametrize(("raw", "code"), BAD, ids=lambda value: str(value)[:40])
def test_a_bad_frame_is_refused_by_its_kind(raw: str | bytes, code: str) -> None:
    with pytest.raises(LoopwireError) as caught:
        parse_command(raw)
    assert caught.value.code == code
    assert caught.value.close_code is None


WRONG: list[tuple[dict[str, Any], str]] = [
    (message(content="secret"), "content: Input should be a valid list."),
    (message(content=[]), "content: List should have at least 1 item"),
    (
        message(content=[{"type": "secret"}]),
        "content.0: Its type should be one of 'text', 'answer', 'image'.",
    ),
    (message(["secret"]), "content.0.text: Input should be a valid string."),
    (message(content=[{"type": "text"}]), "content.0.text: Field required."),
    (message("secret\0"), "content: a text may not hold NUL (U+0000)."),
    (message("secret\ud800"), "content: a text may not hold half a surrogate pair."),
    ({"type": "message", "content": []}, "id: Field required."),
    (message(extra="secret"), "extra: Extra inputs are not permitted."),
    (message(**{"secret <b>": 1}), "(an odd name): Extra inputs are not permitted."),
    (
        {"type": "feedback", "id": "c", "message_id": "m", "value": "secret"},
        "value: Input should be 'up' or 'down'.",
    ),
    (
        {"type": "feedback", "id": "c", "message_id": "m", "value": "down", "reason": "secret"},
        "reason: Input should be 'wrong', 'unhelpful', 'unsafe' or 'other'.",
    ),
    (
        {"type": "feedback", "id": "c", "message_id": "m", "value": "down", "comment": "x" * 501},
        "comment: String should have at most 500 characters.",
    ),
    (
        {"type": "feedback", "id": "c", "message_id": "m", "value": "up", "comment": "secret"},
        "Only a thumb down has a reason or a comment.",
    ),
    (
        {"type": "resume", "id": "c", "entries": [{"interrupt_id": "i", "status": "secret"}]},
        "entries.0.status: ",
    ),
    (
        message(
            content=[{"type": "answer", "block_id": "b", "name": "n", "value": [{"secret": 1}], "label": "l"}]
        ),
        "content.0.value: Input should be a valid string.",
    ),
]


@pytest.mark.parametrize(("frame", "told"), WRONG, ids=lambda value: str(value)[:40])
def test_the_refusal_names_the_field_and_never_shows_what_stood_there(
    frame: dict[str, Any], told: str
) -> None:
    with pytest.raises(LoopwireError) as caught:
        parse_command(json.dumps(frame))
    assert told in caught.value.message
    assert "secret" not in caught.value.message


def test_nesting_is_bounded_and_useful_depth_is_not_refused() -> None:
    assert parse_command(json.dumps(nested(11)))
    with pytest.raises(LoopwireError) as caught:
        parse_command(json.dumps(nested(14)))
    assert caught.value.code == "bad_frame"


def test_a_frame_of_exactly_the_limit_is_read() -> None:
    frame = json.dumps({"type": "typing"})
    assert parse_command(frame + " " * (commands.MAX_FRAME - len(frame)))


@pytest.mark.parametrize(("given_id", "told"), [("c7", "c7"), (7, None), ("x" * 65, None), ("a\n", None)])
def test_the_refusal_names_the_frame_when_the_frame_has_a_proper_id(given_id: Any, told: str | None) -> None:
    with pytest.raises(LoopwireError) as caught:
        parse_command(json.dumps({"type": "message", "id": given_id, "content": []}))
    assert caught.value.id == told


def test_the_text_of_a_message_is_its_texts_and_the_labels_of_its_answers() -> None:
    parts = [
        {"type": "text", "text": "O meu é este:"},
        {"type": "answer", "block_id": "blk_1", "name": "product", "value": 7, "label": "iPhone 13"},
    ]
    command = parse_command(json.dumps(message(content=parts)))
    assert isinstance(command, commands.Message)
    assert commands.parts_text(command.content) == "O meu é este:\niPhone 13" == commands.parts_text(parts)


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_no_text_or_bytes_do_more_than_raise_our_errors(raw: str | bytes) -> None:
    try:
        parse_command(raw)
    except LoopwireError as error:
        assert error.code in {"bad_json", "bad_frame", "unknown_type", "too_long", "empty"}


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)
_types = st.sampled_from(["hello", "message", "cancel", "resume", "tool_result", "feedback", "typing"])


@given(_types, st.dictionaries(st.sampled_from(["id", "content", "entries", "v", "value", "run_id"]), _json))
def test_no_shape_of_a_known_type_does_more_than_raise_our_errors(type_: str, fields: dict[str, Any]) -> None:
    try:
        parse_command(json.dumps({**fields, "type": type_}))
    except LoopwireError as error:
        assert error.code in {"bad_frame", "too_long", "empty"}


@pytest.mark.parametrize(
    "tools",
    [
        [{"name": f"a{n}"} for n in range(17)],
        [{"name": "a"}, {"name": "a"}],
        [{"name": "a b"}],
        [{"name": "a" * 65}],
        [{"name": ""}],
        [{"name": "a", "parameters": {"type": "array"}}],
        [{"name": "a", "parameters": []}],
        [{"name": "a", "run": "alert(1)"}],
        [{"name": f"a{n}", "description": "é" * 2_000} for n in range(3)],
        {"name": "a"},
    ],
)
def test_tools_of_a_page_that_are_too_much_or_odd_are_refused(tools: Any) -> None:
    with pytest.raises(LoopwireError) as refused:
        parse_command(json.dumps(message(tools=tools)))
    assert refused.value.code == "bad_frame"


@pytest.mark.parametrize("context", [["a"], "a", {"a": "é" * 4_093}, {"a": {"b": "\0"}}])
@pytest.mark.parametrize("kind", ["message", "edit"])
def test_a_context_that_is_too_much_or_odd_is_refused(kind: str, context: Any) -> None:
    frame = message(context=context) if kind == "message" else edit(context=context)
    with pytest.raises(LoopwireError) as refused:
        parse_command(json.dumps(frame))
    assert refused.value.code == "bad_frame"


def test_parts_that_only_the_server_writes_have_no_text() -> None:
    said = [{"type": "resume", "payload": {"label": "x"}}, {"type": "text", "text": "a"}, {"type": "expired"}]
    assert commands.parts_text(said) == "a"


def test_a_client_may_send_the_parts_of_a_visitor_but_for_the_data_of_the_page() -> None:
    models = get_args(get_args(commands.Part)[0])
    sent = {get_args(each.model_fields["type"].annotation)[0] for each in models}
    assert sent == content_parts.VISITOR_PARTS - {content_parts.CONTEXT}


def picture(count: int, *more: dict[str, Any]) -> dict[str, Any]:
    return message(content=[*({"type": "image", "blob_id": f"blb_{n}"} for n in range(count)), *more])


def answer(value: object) -> dict[str, Any]:
    """Return the part of a click or a filled field with this value."""
    return {"type": "answer", "block_id": "blk_1", "name": "items", "value": value, "label": "x"}


def described(size: int) -> list[dict[str, Any]]:
    """Return tools of so many bytes of JSON, as the server measures them."""
    tools = [{"name": f"a{n}", "description": "", "parameters": {"é": 1}, "effect": False} for n in range(5)]
    left = size - len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())
    for each in tools:
        each["description"] = "x" * min(left, 2_000)
        left -= min(left, 2_000)
    return tools


def context(size: int) -> dict[str, Any]:
    """Return what a page says of itself in so many bytes."""
    return {"é": 1, "text": "x" * (size - len('{"é":1,"text":""}'.encode()))}


@pytest.mark.parametrize(
    ("fits", "beyond", "code"),
    [
        (picture(8), picture(9), "too_long"),
        (message(tools=described(8_192)), message(tools=described(8_193)), "bad_frame"),
        (message(context=context(8_192)), message(context=context(8_193)), "bad_frame"),
        (nested(12), nested(13), "bad_frame"),
        (
            message(content=[{"type": "text", "text": "x" * 3_999}, {"type": "text", "text": "x" * 4_000}]),
            message(content=[{"type": "text", "text": "x" * 4_000}, {"type": "text", "text": "x" * 4_000}]),
            "too_long",
        ),
        (
            message(content=[answer("x" * 4_000), answer("x" * 4_000)]),
            message(content=[answer("x" * 4_000), answer("x" * 4_001)]),
            "too_long",
        ),
        (
            message(content=[answer(["x" * 7_996])]),
            message(content=[answer(["x" * 200] * 41)]),
            "too_long",
        ),
    ],
    ids=["pictures", "tools", "context", "nesting", "text", "values", "list"],
)
def test_a_frame_at_its_bound_is_accepted_and_one_above_is_refused(
    fits: dict[str, Any], beyond: dict[str, Any], code: str
) -> None:
    assert parse_command(json.dumps(fits))
    with pytest.raises(LoopwireError) as refused:
        parse_command(json.dumps(beyond))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ([], "A frame is a JSON object."),
        (
            message(extra=1),
            "This frame does not have the right fields: extra: Extra inputs are not permitted.",
        ),
        (picture(9), "A message may have 8 pictures."),
        (message(tools=[{"name": "a"}, {"name": "a"}]), "Two tools have the same name."),
        (
            message(tools=[{"name": "a", "parameters": {"type": "array"}}]),
            "The parameters of a tool must be an object.",
        ),
        (message(tools=described(8_193)), "The tools are too long."),
        (message(context=context(8_193)), "The context is longer than 8192 bytes."),
        (nested(13), "entries: this is nested too deep."),
        (message(context={"a\0": 1}), "context: a text may not hold NUL (U+0000)."),
        ({**message(), "a\0": 1}, "The name of a field may not hold NUL (U+0000)."),
    ],
    ids=lambda value: str(value)[-40:],
)
def test_a_refusal_says_what_is_wrong(frame: Any, told: str) -> None:
    with pytest.raises(LoopwireError) as refused:
        parse_command(json.dumps(frame))
    assert refused.value.message == told


def test_a_picture_alone_is_a_message() -> None:
    assert parse_command(json.dumps(picture(1)))
    assert parse_command(json.dumps(picture(1, {"type": "text", "text": " "})))


def test_a_thumb_down_alone_has_a_reason() -> None:
    frame = {"type": "feedback", "id": "c", "message_id": "m", "reason": "wrong"}
    assert parse_command(json.dumps({**frame, "value": "down"}))
    for value in ("up", None):
        with pytest.raises(LoopwireError):
            parse_command(json.dumps({**frame, "value": value}))


def test_the_longest_comment_is_the_one_that_is_published() -> None:
    published = json.loads((FOLDER / "schema.json").read_text(encoding="utf-8"))["$defs"]["Feedback"]
    bounds = {each.get("maxLength") for each in published["properties"]["comment"]["anyOf"]}
    assert MAX_COMMENT in bounds


def test_a_field_of_any_json_is_made_plain() -> None:
    field: TypeAdapter[Any] = TypeAdapter(Annotated[Any, Plain])
    assert field.validate_python({"\x1ba": ["b\r\n", 1]}) == {"a": ["b\n", 1]}


def test_an_answer_of_thousands_of_numbers_has_few_faults() -> None:
    """A fault for each of 32,000 numbers was made, to tell the first one."""
    answer = {"type": "answer", "block_id": "b", "name": "n", "value": ["a"] * 64, "label": "l"}
    parse_command(json.dumps(message(content=[answer])))
    for value in (["a"] * 65, [1] * 32_000):
        with pytest.raises(BadFrame, match=r"content\.0\.value") as caught:
            parse_command(json.dumps(message(content=[answer | {"value": value}]), separators=(",", ":")))
        fault = caught.value.__cause__
        assert isinstance(fault, ValidationError)
        assert fault.error_count() < 8
