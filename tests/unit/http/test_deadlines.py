"""The times that a server gives to its clients, as they fit each other and what the documents promise."""

from __future__ import annotations

from pathlib import Path

from server.http.body_limits import BOUNDS, LARGE_S, SMALL_S, WITH_IMAGES, WITH_IMAGES_S
from server.http.hardened import BODY_S, HEAD_S, LEAVE_S, STALL_S
from server.http.hardened_socket import CLOSE_S
from server.http.server import GRACE_S, PING_S, PONG_S


def test_a_head_has_five_seconds_and_a_body_as_long_as_the_slowest_that_is_taken() -> None:
    assert HEAD_S == 5
    assert max(seconds for _, _, seconds in BOUNDS) <= BODY_S <= 60
    assert 15 == SMALL_S < LARGE_S < WITH_IMAGES_S


def test_a_dead_line_is_noticed_within_thirty_five_seconds_and_a_reader_that_stopped_within_ten() -> None:
    assert PING_S == 15
    assert PING_S + PONG_S == 35
    assert STALL_S == 10


def test_a_leaving_server_ends_requests_and_sockets_within_its_grace_time() -> None:
    assert 0 < LEAVE_S < GRACE_S
    assert 0 < CLOSE_S <= GRACE_S <= 3


def test_the_page_for_operators_names_each_path_whose_bodies_hold_pictures() -> None:
    page = (Path(__file__).parents[3] / "docs/operations.md").read_text()
    (sentence,) = [line for line in page.splitlines() if line.startswith("A body may have 64 KiB")]
    paths = {path for path, most, _ in BOUNDS if most == WITH_IMAGES}
    assert "the services" in sentence  # At paths that begin with `/loopos_ai_`.
    assert [each for each in sorted(paths - {"/loopos_ai_"}) if f"`{each}`" not in sentence] == []
