"""Cookies are read in one pass, and by nothing else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from server.auth import cookie_value, cookie_values

SERVER = Path(__file__).parents[3] / "server"


@pytest.mark.parametrize(
    ("header", "values"),
    [
        ("", []),
        ("a=1", ["1"]),
        ("b=2; a=1", ["1"]),
        ("a=1;a=2", ["1", "2"]),
        (" a = 1 ; b=a", ["1"]),
        ("a", []),
        ("a=", [""]),
        ("a=1=2", ["1=2"]),
        ('a="1"', ['"1"']),
        ("aa=1; A=2", []),
        (";;;=;a=1;", ["1"]),
    ],
)
def test_a_cookie_is_found_by_its_name(header: str, values: list[str]) -> None:
    assert cookie_values(header, "a") == values
    assert cookie_value({"cookie": header}, "a") == (values[-1] if values else "")


def test_a_request_without_cookies_has_none_of_any_name() -> None:
    assert cookie_value({"host": "a.example"}, "a") == ""


@pytest.mark.parametrize("unit", ['\\"', "\\101", "; ", "a=", '"', "\\", ";"])
def test_the_time_grows_with_the_header_and_not_with_its_square(unit: str) -> None:
    def seconds(size: int) -> float:
        header = 'a="' + unit * (size // len(unit)) + '"'
        times = []
        for _ in range(5):
            began = time.process_time()
            cookie_values(header, "a")
            times.append(time.process_time() - began)
        return min(times)

    # Sixteen times the length is 256 times the square.
    assert seconds(480_000) < 80 * max(seconds(30_000), 0.0005)


def test_no_other_parser_reads_cookies() -> None:
    found = [path for path in SERVER.rglob("*.py") if "request.cookies" in path.read_text()]
    assert not found
    assert not [path for path in SERVER.rglob("*.py") if "http.cookies import" in path.read_text()]
