"""W3C Trace Context: a valid one is continued, and no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server import log as logs
from server.tracing.trace_context import TraceContext, follow_with, incoming, outgoing_headers, take_headers

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
VALID = f"00-{TRACE}-{SPAN}-01"


def state_of(*values: str) -> str:
    found = TraceContext.of([VALID], values)
    assert found is not None
    return found.state


@pytest.mark.parametrize(
    ("text", "sampled"),
    [
        (VALID, True),
        (f"00-{TRACE}-{SPAN}-00", False),
        (f"00-{TRACE}-{SPAN}-03", True),
        (f"cc-{TRACE}-{SPAN}-01", True),
        (f"01-{TRACE}-{SPAN}-01-what-comes-later", True),
    ],
)
def test_a_valid_traceparent_is_taken_and_given_on_as_version_0(text: str, sampled: bool) -> None:
    found = TraceContext.of([text], [])
    assert found == TraceContext(TRACE, SPAN, sampled)
    assert found is not None
    assert found.headers() == {"traceparent": f"00-{TRACE}-{SPAN}-0{int(sampled)}"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        VALID.upper(),
        VALID + " ",
        VALID + "\n",
        VALID + "-x",
        f"ff-{TRACE}-{SPAN}-01",
        f"0-{TRACE}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{TRACE}-{'0' * 16}-01",
        f"00-{TRACE[:-1]}-{SPAN}-01",
        f"00-{TRACE[:-1]}g-{SPAN}-01",
        f"00-{TRACE}-{SPAN}-1",
        f"01-{TRACE}-{SPAN}-01x",
        f"01-{TRACE}-{SPAN}-01-{'x' * 256}",
        f"01-{TRACE}-{SPAN}-01-a\r\nx: y",
        f"00-{TRACE}-{SPAN}-0\uff11",
        '{"trace": 1}',
    ],
)
def test_a_malformed_traceparent_is_ignored(text: str) -> None:
    assert TraceContext.of([text], []) is None


def test_two_traceparents_are_none() -> None:
    assert TraceContext.of([VALID, VALID], []) is None
    assert TraceContext.of([], ["a=b"]) is None
    for stored in (None, "", "a=1", VALID.upper()):
        assert TraceContext.parse(stored) is None


@pytest.mark.parametrize(
    ("values", "state"),
    [
        (["a=1"], "a=1"),
        (["a=1", "b=2"], "a=1,b=2"),
        (["a=1 ,\tb=2,,"], "a=1,b=2"),
        (["fw529a3039@dt=x y", "9a@b=~"], "fw529a3039@dt=x y,9a@b=~"),
        (["a=1,a=2"], ""),
        (["a=1", "a=1"], ""),
        (["A=1"], ""),
        (["a"], ""),
        (["a="], ""),
        (["a=1\r\nx: y"], ""),
        (["a=ä"], ""),
        (["a=b=c"], ""),
        ([",".join(f"a{n}=1" for n in range(32))], ",".join(f"a{n}=1" for n in range(32))),
        ([",".join(f"a{n}=1" for n in range(33))], ""),
        (["a=" + "x" * 256, "b=" + "x" * 251], "a=" + "x" * 256 + ",b=" + "x" * 251),
        (["a=" + "x" * 256, "b=" + "x" * 252], ""),
    ],
)
def test_a_tracestate_goes_on_whole_or_not_at_all(values: list[str], state: str) -> None:
    assert state_of(*values) == state


_hex = "0123456789abcdef"


@given(
    st.text(_hex, min_size=32, max_size=32).filter(lambda text: text.strip("0")),
    st.text(_hex, min_size=16, max_size=16).filter(lambda text: text.strip("0")),
    st.booleans(),
    st.lists(st.from_regex(r"[a-z][a-z0-9_*/-]{0,9}=[!-+\--<>-~]{1,20}", fullmatch=True), max_size=9),
)
def test_a_stored_trace_context_is_read_again(
    trace: str, span: str, sampled: bool, members: list[str]
) -> None:
    read = TraceContext.of([f"00-{trace}-{span}-0{int(sampled)}"], members)
    assert read is not None
    assert TraceContext.parse(str(read)) == read
    assert len(str(read)) <= 600


@given(st.text(max_size=300), st.lists(st.text(max_size=600), max_size=3))
def test_outgoing_trace_headers_are_printable_ascii(parent: str, states: list[str]) -> None:
    for found in (TraceContext.of([parent], states), TraceContext.of([VALID], states)):
        for value in found.headers().values() if found else ():
            assert value.isascii()
            assert value.isprintable()


def test_a_request_without_one_belongs_to_no_trace_of_the_request_before() -> None:
    take_headers([(b"traceparent", VALID.encode()), (b"tracestate", b"a=1")])
    assert incoming() == f"{VALID} a=1"
    assert logs.trace_id.get() == TRACE
    take_headers([(b"traceparent", b"\xff")])
    assert (incoming(), logs.trace_id.get()) == (None, None)


def test_outgoing_headers_name_the_current_span() -> None:
    assert outgoing_headers() == {}
    now: list[TraceContext | None] = [None]
    follow_with(lambda: now[0])
    assert outgoing_headers() == {}
    now[0] = TraceContext(TRACE, SPAN, state="a=1")
    assert outgoing_headers() == {"traceparent": VALID, "tracestate": "a=1"}
    follow_with(lambda: None)
