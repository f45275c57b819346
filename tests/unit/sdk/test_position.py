"""The client's place in the log: each event once, in order, and a hole is seen."""

from __future__ import annotations

import pytest

from loopwire.backoff import FIRST_S, LONGEST_S, Next, next_after, pause_before
from loopwire.position import Position, Verdict


@pytest.mark.parametrize(
    ("frame", "verdict"),
    [
        ({"seq": 4}, Verdict.DROP),
        ({"seq": 5}, Verdict.DROP),
        ({"seq": 6}, Verdict.APPLY),
        ({"seq": 7}, Verdict.HOLE),
        ({"seq": 9, "from": 6}, Verdict.APPLY),
        ({"seq": 9, "from": 3}, Verdict.APPLY),
        ({"seq": 9, "from": 7}, Verdict.HOLE),
    ],
)
def test_a_frame_is_judged_by_the_number_before(frame: dict[str, int], verdict: Verdict) -> None:
    assert Position(5, "a.1").judge(frame) is verdict


def test_a_client_without_a_position_sees_a_hole_before_every_event() -> None:
    assert Position().judge({"seq": 1}) is Verdict.HOLE


def test_the_epoch_changes_where_a_frame_names_one() -> None:
    position = Position(1, "a.1")
    position.move({"seq": 2})
    assert (position.seq, position.epoch) == (2, "a.1")
    position.move({"seq": 3, "epoch": "a.2"})
    assert (position.seq, position.epoch) == (3, "a.2")


@pytest.mark.parametrize(
    ("codes", "what"),
    [
        ((1001, 1006, 1008, 1011, 1012, 4408), Next.RESUME),
        ((1013, 4429), Next.LATER),
        ((4401,), Next.TICKET),
        ((1000, 1002, 1003, 1007, 1009, 4400, 4403, 4404, 4409, 4410), Next.STOP),
    ],
)
def test_a_close_code_asks_for_what_the_table_says(codes: tuple[int, ...], what: Next) -> None:
    assert {next_after(code, welcomed=True) for code in codes} == {what}


def test_before_the_welcome_only_close_codes_of_the_server_count() -> None:
    for code in (1000, 1002, 1003, 1007, 1009, 1010):
        assert next_after(code, welcomed=False) is Next.RESUME
    assert next_after(1013, welcomed=False) is Next.LATER
    assert next_after(4403, welcomed=False) is Next.STOP


def test_reconnect_pauses_are_spread_over_the_second_half_of_the_longest_one() -> None:
    pauses = [pause_before(2) for _ in range(1000)]
    assert 0.5 <= min(pauses) < 0.55
    assert 0.95 < max(pauses) <= 1.0


def test_pauses_grow_to_a_longest_one() -> None:
    for attempt in range(40):
        full = min(LONGEST_S, FIRST_S * 2**attempt)
        assert full / 2 <= pause_before(attempt) <= full
