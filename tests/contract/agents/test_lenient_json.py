"""The fast reading of JSON is as lenient as Python's: numbers that are none, halves of characters, odd choices."""

import json
from typing import Any

import pytest

from server.protocol.codec import decode_event, encode_event
from tests.contract.agents.streams import both, frames
from tests.modelserver import Call, Pace, Plan, Reasoning, Text
from tests.modelserver.plan import pairs
from tests.parts.sampled import later

pytestmark = pytest.mark.parametrize("api", ["responses", "chat"])

HIGH, LOW = "\ud83d", "\udeb2"
PLAN = Plan(
    [Reasoning("Hm, pois."), Text("Vejo já. "), Call("look", {"word": "á"}, "c1")], pace=Pace(chunking=pairs)
)


def with_field(frame: bytes, value: bytes) -> bytes:
    """Return a frame with a field that nobody reads."""
    head, mark, data = frame.partition(b"data: {")
    return head + mark + b'"x_vendor": ' + value + b", " + data if mark else frame


@pytest.mark.parametrize(
    "value",
    [
        b"NaN",
        later(b"[-Infinity]"),
        b"1e999",
        later(b"9" * 40),
        b'"\\ud83d"',
        later(b'{"\\udeb2": "a\\ud83d"}'),
        later(b'"a\x01b"'),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
async def test_an_odd_value_of_an_unread_field_changes_no_outcome(
    api: str, value: bytes, whole: bool
) -> None:
    pieces: list[Any] = [with_field(frame, value) for frame in frames(api, PLAN)]
    theirs, ours = await both(api, [b"".join(pieces)] if whole else pieces)
    assert ours == theirs
    if value != b'"a\x01b"':  # A bare control character is no JSON for anybody.
        assert ours.code is None and ours.text == "Vejo já. " and [call[0] for call in ours.calls] == ["look"]


@pytest.mark.parametrize("value", [{}, "", 0, False])
async def test_a_falsy_value_in_place_of_choices_counts_as_no_choices(api: str, value: Any) -> None:
    odd = b"data: " + json.dumps({"type": "from.tomorrow", "choices": value}).encode() + b"\n\n"
    each = frames(api, PLAN)
    theirs, ours = await both(api, [each[0], odd, *each[1:]])
    assert ours == theirs and ours.text == "Vejo já. "


async def test_the_last_usage_counts_when_each_piece_of_a_text_brings_one(api: str) -> None:
    """As vLLM counts when it is asked for continuous usage; Responses has it in the end alone."""
    pieces: list[Any] = []
    for frame in frames(api, PLAN):
        head, mark, data = frame.partition(b"data: ")
        value = json.loads(data) if data.startswith(b"{") else {}
        if "choices" in value:
            counted = 10 + len(pieces)
            usage = {"prompt_tokens": 5, "completion_tokens": counted, "total_tokens": 5 + counted}
            value["usage"] = usage if value["choices"] and not value["choices"][0]["finish_reason"] else None
            pieces.append(head + mark + json.dumps(value).encode() + b"\n\n")
        else:
            pieces.append(frame)
    theirs, ours = await both(api, pieces)
    assert ours == theirs and ours.usage


def text_answer(api: str, deltas: list[str]) -> list[bytes | Exception]:
    """Return an answer with a text in exactly these deltas, the text as a whole in its end."""
    counted = Plan([Text("".join("x" for _ in deltas))], pace=Pace(chunking=list))
    left = list(deltas)

    def changed(value: Any) -> None:
        if value.get("type") == "response.output_text.delta":
            value["delta"] = left.pop(0)
        for choice in value.get("choices") or ():
            if choice["delta"].get("content"):
                choice["delta"]["content"] = left.pop(0)

    made: list[bytes | Exception] = []
    for frame in frames(api, counted):
        head, mark, data = frame.partition(b"data: ")
        if data.startswith(b"{"):
            value = json.loads(data)
            changed(value)
            data = (
                json.dumps(value).replace(json.dumps("x" * len(deltas)), json.dumps("".join(deltas))).encode()
            )
        made.append(head + mark + data.rstrip(b"\n") + b"\n\n")
    assert left == []
    return made


CUT = {
    "an emoji in two": (["ol", f"á{HIGH}", f"{LOW}!", " sim"], "olá🚲! sim"),
    "each half alone": (["o", HIGH, LOW, "."], "o🚲."),
    "its first half only": (["o", HIGH, "x"], "o\ufffdx"),
    "its second half only": (["o", LOW, "x"], "o\ufffdx"),
    "its first half at the end": (["olá", f"!{HIGH}"], "olá!\ufffd"),
    "the wrong way round": (["o", LOW, HIGH, "."], "o\ufffd\ufffd."),
    "two first halves": (["o", HIGH, HIGH, f"{LOW}."], "o\ufffd🚲."),
}


@pytest.mark.parametrize("name", list(CUT))
@pytest.mark.parametrize("whole", [False, True])
async def test_an_emoji_that_was_cut_in_two_is_shown(api: str, name: str, whole: bool) -> None:
    deltas, seen = CUT[name]
    pieces: list[Any] = text_answer(api, deltas)
    theirs, ours = await both(api, [b"".join(pieces)] if whole else pieces)
    assert ours.code is None and ours.text == seen
    assert ours.output[0]["content"][0]["text"] == seen
    rest = [(each.shown, each.usage, each.named, each.code, each.answering) for each in (ours, theirs)]
    assert rest[0] == rest[1]
    assert decode_event(encode_event({"delta": theirs.text})), "the SDK's own model stops nothing either"


@pytest.mark.parametrize("whole", [False, True])
async def test_half_an_emoji_before_a_torn_event_is_shown_as_a_replacement(api: str, whole: bool) -> None:
    answer = text_answer(api, ["olá", f"!{HIGH}", " sim"])
    told = next(at for at, each in enumerate(answer) if b" sim" in each)
    pieces: list[Any] = [*answer[:told], b"data: {\n\n"]
    theirs, ours = await both(api, [b"".join(pieces)] if whole else pieces)
    assert ours.text == "olá!\ufffd"
    assert ours.code == theirs.code is not None


async def test_half_a_character_in_call_arguments_is_replaced(api: str) -> None:
    each = frames(api, Plan([Call("look", {"word": "aHALFb"}, "c1")]))
    pieces: list[Any] = [frame.replace(b"HALF", b"\\ud83d") for frame in each]
    _, ours = await both(api, pieces)
    assert ours.code is None and [call[0] for call in ours.calls] == ["look"]
    assert json.loads(ours.calls[0][1]) == {"word": "a\ufffdb"}
