"""The answers that redis-py has received beyond the one that was asked for, and connections that have none."""

from __future__ import annotations

from types import SimpleNamespace

import hiredis
import pytest

from server.bus.redis import drain_parser
from server.bus.redis.drain_parser import NOT_ENOUGH_DATA, beyond


def received(data: bytes, *, encoding: str | None = None) -> SimpleNamespace:
    """Return a connection of redis-py that has received so much."""
    more = {} if encoding is None else {"encoding": encoding}
    reader = hiredis.Reader(notEnoughData=NOT_ENOUGH_DATA, **more)
    reader.feed(data)
    return SimpleNamespace(_parser=SimpleNamespace(_reader=reader))


def test_whole_answers_are_given_and_a_torn_one_is_left() -> None:
    connection = received(b"$1\r\na\r\n:2\r\n$3\r\nto")
    assert list(beyond(connection)) == [b"a", 2]
    assert list(beyond(connection)) == []


def test_an_answer_is_given_as_it_came_whatever_the_address_says_of_its_encoding() -> None:
    assert list(beyond(received(b"$1\r\na\r\n", encoding="utf-8"))) == [b"a"]


def test_an_unknown_parser_has_no_further_answers() -> None:
    for each in (
        object(),
        SimpleNamespace(_parser=None),
        SimpleNamespace(_parser=SimpleNamespace(_reader=[])),
    ):
        assert list(beyond(each)) == []


def test_a_redis_py_without_its_mark_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drain_parser, "NOT_ENOUGH_DATA", None)
    assert list(beyond(received(b":2\r\n"))) == []
