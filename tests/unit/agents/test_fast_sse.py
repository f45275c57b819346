"""Bytes of a stream become the data of its events, with any bytes between them and cut at any place."""

import itertools
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.agents.model.fast.sse import SseFrames

LINES = st.sampled_from(
    ["data: olá ünïcode", "data:x", "data", "data: [1]", "event: a.b", ": keep-alive", "id: 7", "", "", "🚲"]
)


def meant(text: str) -> list[str]:
    """Return what the standard says, one character after the other."""
    found: list[str] = []
    data: list[str] = []
    for line in text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]:
        if not line and data:
            found.append("\n".join(data))
            data = []
        elif line.startswith("data:"):
            data.append(line.removeprefix("data:").removeprefix(" "))
    return found


def cut(data: bytes, places: list[int]) -> Iterator[bytes]:
    """Return the same bytes in pieces."""
    edges = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return (data[a:b] for a, b in itertools.pairwise(edges))


def read(pieces: Iterator[bytes]) -> list[str]:
    frames = SseFrames()
    return [each.decode() for piece in pieces for each in frames.feed(piece)]


@given(
    st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r"]))),
    st.lists(st.integers(0, 999)),
    st.booleans(),
)
def test_chunk_borders_line_ends_and_comments_do_not_change_the_data_of_events(
    lines: list[tuple[str, str]], places: list[int], marked: bool
) -> None:
    lines = [(line, end) for line, end in lines if line != "data"]
    text = "\ufeff" * marked + "".join(line + end for line, end in lines)
    assert read(cut(text.encode(), places)) == meant(text)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_an_event_that_is_cut_everywhere_is_read_once(size: int) -> None:
    data = "\ufeffevent: x\r\ndata: á\r\ndata: 🚲\r\n\r\n: c\r\n\r\ndata: z\n\n".encode()
    pieces = iter([data[i : i + size] for i in range(0, len(data), size)])
    assert read(pieces) == ["á\n🚲", "z"]


def test_a_line_end_after_a_cut_one_is_a_line_end_of_its_own() -> None:
    assert read(iter([b"data: a\r", b"\n", b"\n", b"data: b\r", b"\n", b"\r", b"\n"])) == ["a", "b"]


def test_an_event_without_its_blank_line_is_not_returned() -> None:
    assert read(iter([b"data: a\n\ndata: b\n"])) == ["a"]
    assert read(iter([])) == []
