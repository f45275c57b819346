"""The fast models make of any stream what the SDK's own models make of it.

No stream here was recorded at a provider: all are made by our model server, after the documentation of both dialects.
"""

import itertools
import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.contract.agents.streams import both, frames
from tests.modelserver import Call, Pace, Plan, Reasoning, Refusal, Text
from tests.modelserver.plan import pairs
from tests.modelserver.wire_chat import error_frame as chat_error
from tests.modelserver.wire_responses import error_frame as responses_error
from tests.parts.sampled import examples, later, one_of

pytestmark = pytest.mark.parametrize("api", ["responses", "chat"])

WORDS = st.text(st.sampled_from('aé🚲 \n"\\{}:\u2028'), min_size=1, max_size=40)
OUTPUTS = st.lists(
    st.one_of(
        WORDS.map(Text),
        WORDS.map(Reasoning),
        st.tuples(st.sampled_from(["look", "pay"]), WORDS).map(lambda x: Call(x[0], {"word": x[1]}, "")),
    ),
    min_size=1,
    max_size=4,
)
NULLS = (
    *(
        "id",
        "created_at",
        "created",
        "model",
        "status",
        "usage",
        "error",
        "incomplete_details",
        "item",
        "item_id",
    ),
    *(
        "sequence_number",
        "content_index",
        "index",
        "logprobs",
        "finish_reason",
        "role",
        "content",
        "tool_calls",
    ),
)
"""Fields that the SDK's classes read when they are null, whatever their types say."""
ENDINGS = st.sampled_from(["complete", "complete", "complete", "length", "content_filter", "failed"])


def cut(data: bytes, places: list[int]) -> list[bytes | Exception]:
    """Return the same bytes in pieces."""
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(edges)]


@example(  # A call that has no id begins with the end of the answer, which is cut before that.
    outputs=[Call("look", {"word": ":"}, "")],
    ending="length",
    places=[],
    kept=None,
    dressed="",
    nulls=frozenset({"id"}),
)
@settings(max_examples=examples(40), deadline=None)
@given(
    outputs=OUTPUTS,
    ending=ENDINGS,
    places=st.lists(st.integers(0, 20_000), max_size=30),
    kept=st.one_of(st.none(), st.integers(0, 30)),
    dressed=st.sampled_from(["", "crlf", "comments"]),
    nulls=st.frozensets(st.sampled_from(NULLS), max_size=4),
)
async def test_any_stream_has_the_same_outcome_in_both_models(
    api: str,
    outputs: list[Any],
    ending: Any,
    places: list[int],
    kept: int | None,
    dressed: str,
    nulls: frozenset[str],
) -> None:
    if api == "chat":  # A chat message has one text; the reasoning comes before it.
        outputs = sorted(outputs, key=lambda each: not isinstance(each, Reasoning))
    each = frames(api, Plan(outputs, pace=Pace(chunking=pairs), ending=ending))[:kept]
    if nulls:
        each = [changed(frame, replaced(dict.fromkeys(nulls))) for frame in each]
    if dressed == "comments":
        each = [b": keep-alive\n\n" + frame for frame in each]
    data = b"".join(each)
    if dressed == "crlf":
        data = data.replace(b"\n", b"\r\n")
    theirs, ours = await both(api, cut(data, places))
    assert ours == theirs


PLAN = Plan([Text("Vejo já. "), Call("look", {"word": "á"}, "used"), Call("pay", {"amount": 3}, "c2")])


async def test_calls_usage_and_the_request_id_are_read_from_a_stream(api: str) -> None:
    theirs, ours = await both(api, list(frames(api, PLAN)))
    assert ours == theirs
    assert ours.text == "Vejo já. " and [call[0] for call in ours.calls] == ["look", "pay"]
    assert ours.calls[1][2] == "c2" and ours.output[1]["call_id"] != "used"
    assert ours.named is not None and ours.named[1] == "req_1" and ours.spent["totalTokens"] > 0


async def test_a_refusal_is_shown_and_kept(api: str) -> None:
    theirs, ours = await both(api, list(frames(api, Plan([Refusal("Isso não posso.")]))))
    assert ours == theirs and ours.text == "Isso não posso."
    assert ours.output[0]["content"][0]["type"] == "refusal"


ERROR = {"type": "server_error", "code": "rate_limit_exceeded", "message": "Not now.", "param": None}


def odd(api: str) -> dict[str, list[bytes | Exception]]:
    """Return what may come after three events of an answer."""
    error = chat_error(ERROR) if api == "chat" else responses_error(ERROR)
    rest: dict[str, list[bytes | Exception]] = {
        "error": [error.data],
        "bare error": [b'data: {"error": {"message": "no", "code": "insufficient_quota"}}\n\n'],
        "error without a code": [b'data: {"error": "no"}\n\n'],
        "no json": [b"data: {\n\n"],
        "read error": [httpx2.ReadError("gone")],
        "torn": [httpx2.RemoteProtocolError("torn")],
        "silence": [httpx2.ReadTimeout("silent")],
        "end": [],
        "done": [b"data: [DONE]\n\n"],
        "done before the rest": [
            b"data: [DONE]\n\n",
            *frames(api, Plan([Text("um dois três quatro")], pace=Pace(chunking=pairs)))[9:],
        ],
        "unknown": [b'data: {"type": "response.from.tomorrow", "x": {"y": [1]}}\n\n'],
    }
    return rest


def joined(pieces: list[bytes | Exception]) -> list[bytes | Exception]:
    """Return the same in one piece, as a slow reader gets it."""
    parts: list[bytes | Exception] = [b"".join(each for each in pieces if isinstance(each, bytes))]
    return parts + [each for each in pieces if isinstance(each, Exception)]


@pytest.mark.parametrize("name", list(odd("chat")))
@pytest.mark.parametrize("before", [later(0), 2, later(9)])
@pytest.mark.parametrize("whole", [False, True])
async def test_a_fault_in_mid_stream_has_the_same_outcome_in_both_models(
    api: str, name: str, before: int, whole: bool
) -> None:
    each = frames(api, Plan([Text("um dois três quatro")], pace=Pace(chunking=pairs)))
    pieces = [*each[:before], *odd(api)[name]]
    theirs, ours = await both(api, joined(pieces) if whole else pieces)
    assert ours == theirs and ours.code is not None
    assert ours.text or before < 9


async def test_a_response_error_event_ends_an_answer_of_responses_alone(api: str) -> None:
    each = frames(api, Plan([Text("um dois três")], pace=Pace(chunking=pairs)))
    error = b'data: {"type": "response.error", "code": "rate_limit_exceeded", "message": "x"}\n\n'
    theirs, ours = await both(api, [*each[:5], error, *each[5:]])
    assert ours == theirs and (ours.code == "model_error") == (api == "responses")


def changed(frame: bytes, change: Any) -> bytes:
    """Return a frame whose JSON was changed."""
    head, mark, data = frame.partition(b"data: ")
    if data.startswith(b"[DONE]"):
        return frame
    value = json.loads(data)
    change(value)
    return head + mark + json.dumps(value).encode() + b"\n\n"


def replaced(fields: dict[str, Any]) -> Callable[[Any], None]:
    """These fields with these values, at every depth."""

    def change(value: Any) -> None:
        if isinstance(value, dict):
            value.update({name: said for name, said in fields.items() if name in value})
        for each in value if isinstance(value, list) else list(value.values()):
            if isinstance(each, dict | list):
                change(each)

    return change


def unknown_fields(value: Any) -> None:
    """Fields that no version knows, at every depth."""
    for each in value if isinstance(value, list) else list(value.values()):
        if isinstance(each, dict | list):
            unknown_fields(each)
    if isinstance(value, dict):
        value["x_vendor"] = {"n": [1, None]}


def no_details(value: Any) -> None:
    """Usage without its details, as small servers send it."""
    usage = (value.get("response") or value).get("usage")
    if usage:
        for name in [name for name in usage if name.endswith("_details")]:
            usage[name] = None


def no_output(value: Any) -> None:
    """An end that does not repeat the items."""
    if value.get("type") == "response.completed":
        value["response"]["output"] = []


@pytest.mark.parametrize("change", [unknown_fields, no_details])
async def test_unknown_and_missing_fields_change_no_outcome(api: str, change: Any) -> None:
    plan = Plan([Reasoning("Hm, pois."), *PLAN.outputs])
    theirs, ours = await both(api, [changed(frame, change) for frame in frames(api, plan)])
    assert ours == theirs and ours.code is None


@pytest.mark.parametrize("name", one_of(2, NULLS))
async def test_a_null_field_has_the_same_outcome_in_both_models(api: str, name: str) -> None:
    plan = Plan([Reasoning("Hm, pois."), *PLAN.outputs])
    theirs, ours = await both(api, [changed(frame, replaced({name: None})) for frame in frames(api, plan)])
    assert ours == theirs


@pytest.mark.parametrize("name", ["usage", "error", "incomplete_details"])
@pytest.mark.parametrize("value", ["text", later(7), later(["text"])])
async def test_a_final_event_with_a_wrong_type_in_place_of_an_object_is_read(
    api: str, name: str, value: Any
) -> None:
    def change(event: Any) -> None:
        if event.get("type") == "response.completed":
            event["response"][name] = value

    theirs, ours = await both(api, [changed(frame, change) for frame in frames(api, PLAN)])
    assert ours.code is None
    if name != "usage":  # The SDK's own model breaks on that one.
        assert ours == theirs


async def test_a_text_without_an_output_index_is_shown(api: str) -> None:
    _, whole = await both(api, list(frames(api, PLAN)))
    placeless = [changed(frame, replaced({"output_index": None})) for frame in frames(api, PLAN)]
    _, ours = await both(api, placeless)
    assert ours.code is None and (ours.text, ours.calls[1]) == (whole.text, whole.calls[1])


async def test_items_that_the_final_event_omits_are_taken_from_the_stream(api: str) -> None:
    whole, ours = await both(api, list(frames(api, PLAN)))
    _, bare = await both(api, [changed(frame, no_output) for frame in frames(api, PLAN)])
    assert bare.output and [item["type"] for item in bare.output] == [item["type"] for item in ours.output]
    assert [call[:2] for call in bare.calls] == [call[:2] for call in whole.calls]
