"""The conversations that a process keeps: the newest part of each, within a bound on memory."""

from __future__ import annotations

import gc
import tracemalloc
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agents.run.history import last
from server.bus import cache
from server.protocol.codec import decode_json, encode_json
from server.runs.conversation import snapshots
from server.runs.conversation.conversation_cache import MESSAGES, Conversation, ConversationCache, memory_of
from server.runs.conversation.snapshots import Snapshots

EMPTY = Conversation.read(None, [], [], older=False)


def message_of(number: int, words: str = "") -> dict[str, Any]:
    own = {"run_id": f"run_{number}", "at": number}
    text = f"message {number} {words}"
    return {"id": f"msg_{number}", "role": "assistant", "content": text, "metadata": {"loopwire": own}}


def item(number: int, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": f"item {number}"}


@given(
    st.lists(st.tuples(st.integers(1, 30), st.lists(st.sampled_from(["user", "assistant"]), max_size=5))),
    st.integers(1, 8),
)
def test_a_kept_conversation_equals_a_new_reading_after_each_run(
    turns: list[tuple[int, list[str]]], most: int
) -> None:
    kept, messages, items = EMPTY, [], []
    for number, (count, roles) in enumerate(turns):
        more = [message_of(1000 * number + each) for each in range(count)]
        added = [item(len(items) + place, role) for place, role in enumerate(roles)]
        messages += more
        items += added
        run = [*kept.messages, *more]
        kept = kept.after(f"run_{number}", run, added, older=kept.older, most_items=most)
        assert kept.messages == messages[-MESSAGES:]
        assert kept.older == (len(messages) > MESSAGES)
        assert kept.history is not None
        assert last(kept.history, most) == last(items, most)
        assert len(kept.history) <= most + 1, "one more shows that there are older ones"
        again = Conversation.read(kept.last_run, kept.messages, kept.history, older=kept.older)
        assert kept == again


def test_a_message_that_a_run_changed_is_measured_anew() -> None:
    kept = EMPTY.after("run_1", [message_of(1), message_of(2)], [], older=False, most_items=5)
    longer = message_of(1, "and much more than before" * 100)
    changed = kept.after("run_2", [longer, kept.messages[1]], [], older=False, most_items=5)
    assert changed.bytes - kept.bytes == memory_of(longer) - memory_of(message_of(1))


@pytest.mark.parametrize("kind", ["call", "block"])
def test_a_waiting_message_is_kept_with_all_that_follows_it(kind: str) -> None:
    block = {"kind": "form", "status": "open", "interrupt_id": "int_1"}
    call = {**message_of(0), "toolCalls": []}
    call["metadata"] = {"loopwire": {"waits": {"kind": "form"}}}
    waits = call if kind == "call" else {"id": "blk", "role": "activity", "content": block}
    rest = [message_of(each) for each in range(1, 2 * MESSAGES)]
    kept = EMPTY.after("run_1", [message_of(-1), waits, *rest], [], older=False, most_items=5)
    assert (kept.messages, kept.older) == ([waits, *rest], True)
    result = {"id": "res", "role": "tool", "toolCallId": call["id"], "content": ""}
    done = result if kind == "call" else message_of(5000)
    settled = {**waits, "content": {**block, "status": "closed"}} if kind == "block" else waits
    after = kept.after("run_2", [settled, *rest, done], [], older=True, most_items=5)
    assert after.messages == [*rest, done][-MESSAGES:]


def test_the_cache_keeps_the_conversations_used_last_within_its_memory() -> None:
    def conversation(number: int) -> Conversation:
        return Conversation.read(
            f"run_{number}", [message_of(number, "x" * 1000)], [item(number)], older=False
        )

    each = conversation(1).bytes
    kept = ConversationCache(10 * each + 200)
    for number in range(30):
        kept.put(f"ses_{number}", conversation(number))
        kept.get("ses_0", "run_0")
        assert kept.bytes <= 10 * each + 200
        assert kept.bytes == sum(one.bytes for one in kept)
    assert len(kept) == 10
    assert kept.get("ses_0", "run_0") is not None, "it was used all the time"
    assert kept.get("ses_1", "run_1") is None
    assert kept.get("ses_29", "run_28") is None, "it is another run's"
    kept.put("ses_29", conversation(31))
    assert len(kept) == 10


def test_a_conversation_larger_than_the_cache_is_not_kept() -> None:
    kept = ConversationCache(5000)
    kept.put("ses_1", Conversation.read("run_1", [message_of(1, "x" * 10_000)], [], older=False))
    assert (len(kept), kept.bytes) == (0, 0)


def test_the_bytes_of_a_conversation_are_those_that_python_allocates() -> None:
    """Within a fifth: an allocator rounds, and some texts are shared."""
    made = encode_json([[message_of(each, "word " * (each % 40)) for each in range(40)] for _ in range(10)])
    gc.collect()
    here = tracemalloc.Filter(inclusive=True, filename_pattern=__file__, all_frames=True)
    tracemalloc.start(20)
    try:
        held = [Conversation.read("run", messages, [], older=False) for messages in decode_json(made)]
        # Other threads of this process allocate meanwhile: what this test called is counted alone.
        took = sum(each.size for each in tracemalloc.take_snapshot().filter_traces([here]).traces)
    finally:
        tracemalloc.stop()
    counted = sum(each.bytes for each in held)
    assert 0.8 * took < counted < 1.2 * took, (counted, took)


def test_a_conversation_as_large_as_the_cache_is_kept() -> None:
    conversation = Conversation.read("run_1", [message_of(1)], [], older=False)
    kept = ConversationCache(conversation.bytes)
    kept.put("ses_1", conversation)
    assert (len(kept), kept.bytes) == (1, conversation.bytes)


def test_conversations_without_messages_take_memory_too() -> None:
    kept = ConversationCache(100_000)
    for number in range(1000):
        kept.put(f"ses_{number}", Conversation.read(f"run_{number}", [], [], older=False))
    assert 10 < len(kept) < 1000


def test_a_forgotten_conversation_takes_no_memory_from_others() -> None:
    conversation = Conversation.read("run_1", [message_of(1)], [], older=False)
    kept = ConversationCache(conversation.bytes)
    kept.put("ses_1", conversation)
    kept.clear()
    assert (len(kept), kept.bytes, kept.get("ses_1", "run_1")) == (0, 0, None)
    kept.put("ses_2", conversation)
    assert len(kept) == 1


def test_the_texts_of_a_list_are_counted() -> None:
    texts = ["x" * 1000 + str(each) for each in range(10)]
    assert memory_of({"rows": texts}) > 10_000


class Shared:
    """The store and the cache of several processes: what one keeps, another finds."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], bytes] = {}
        self.cache = self

    async def put(self, key: str, stamp: str, value: bytes) -> None:
        if len(value) <= cache.MOST_BYTES:
            self.kept[key, stamp] = value

    async def get(self, key: str, stamp: str) -> bytes | None:
        return self.kept.get((key, stamp))


def process(bus: Any) -> Snapshots:
    return Snapshots(None, bus, most_bytes=64 << 20, shared=True)  # type: ignore[arg-type]


@pytest.mark.parametrize("history", [None, [], [item(1), item(2, "assistant")]])
@pytest.mark.parametrize("older", [True, False])
async def test_another_process_reads_a_conversation_as_it_was_kept(
    history: list[dict[str, Any]] | None, older: bool
) -> None:
    shared: Any = Shared()
    said = [message_of(1, "ç \ud800 字"), message_of(2)]
    kept = Conversation.read("run_1", said, history, older=older)
    await process(shared).keep("ses_1", kept)
    session: Any = SimpleNamespace(id="ses_1", last_run="run_1")
    (value,) = shared.kept.values()
    assert Conversation.read("run_1", **decode_json(value)) == kept
    if history is not None:
        assert await process(shared).conversation(session, 10) == kept


@pytest.mark.parametrize("character", ["x", "ç", "字"])
async def test_of_a_conversation_that_is_too_large_for_redis_little_is_encoded(
    character: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes: list[int] = []

    def encode(value: Any) -> str:
        text = encode_json(value)
        sizes.append(len(text.encode()))
        return text

    monkeypatch.setattr(snapshots, "encode_json", encode)
    here, shared = process(bus := Shared()), bus.kept
    many = [message_of(number, character * 50_000) for number in range(200)]
    await here.keep("ses_1", Conversation.read("run_1", many, many, older=False))
    assert sum(sizes) <= cache.MOST_BYTES + 200_000
    assert not shared
    assert here.kept["ses_1"].messages == many, "this process has it"
    await here.keep("ses_1", Conversation.read("run_2", many[:3], many[:3], older=False))
    assert list(shared) == [(snapshots.cache_key("ses_1"), "run:run_2")]
