"""The log lines of a database outage: its beginning, a reminder now and then, its end."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import DataError, IntegrityError, OperationalError

from server.errors import Unavailable
from server.store.engine import outage
from server.store.engine.outage import Outage

BEGUN, OVER = "database unavailable: ConnectionRefusedError", "the database answers again"


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Return the log as an operator reads it."""
    caplog.set_level(logging.INFO)
    return caplog


async def fails(away: Outage, *, writes: bool = False) -> None:
    """Ask a database that is away."""
    with pytest.raises(Unavailable):
        async with away.errors_as_unavailable(writes=writes):
            raise ConnectionRefusedError


async def goes_well(away: Outage, *, writes: bool = False) -> None:
    """Ask a database that is there."""
    async with away.errors_as_unavailable(writes=writes):
        pass


def log_lines(log: pytest.LogCaptureFixture) -> list[str]:
    """Return what the log says, without how long it took."""
    return [each.getMessage().partition(",")[0] for each in log.records]


async def test_an_outage_is_one_warning_and_one_line_when_it_is_over(log):
    away = Outage()
    await goes_well(away)
    for _ in range(20):
        await fails(away)
        await fails(away, writes=True)
    assert log_lines(log) == [BEGUN]
    await goes_well(away, writes=True)
    await goes_well(away)
    assert log_lines(log) == [BEGUN, OVER]


async def test_a_long_outage_is_told_again_and_again(log, monkeypatch):
    monkeypatch.setattr(outage, "SAY_AGAIN_S", 0.0)
    away = Outage()
    for _ in range(3):
        await fails(away)
    await goes_well(away)
    assert log_lines(log) == [BEGUN, BEGUN, BEGUN, OVER]


async def test_an_intermittent_outage_is_logged_once(log):
    away = Outage()
    for _ in range(20):
        await fails(away)
        await goes_well(away)
    assert log_lines(log) == [BEGUN, OVER]


async def test_a_database_that_only_reads_is_not_well(log):
    away = Outage()
    await fails(away, writes=True)
    await goes_well(away)
    assert away.writes_fail
    assert log_lines(log) == [BEGUN]
    await goes_well(away, writes=True)
    assert not away.writes_fail
    assert log_lines(log) == [BEGUN, OVER]


async def test_an_outage_is_told_every_half_minute_and_its_end_says_how_long_it_took(log, monkeypatch):
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(outage, "time", SimpleNamespace(monotonic=lambda: clock.now))
    away, levels = Outage(), []
    log.set_level(logging.DEBUG)
    for seconds in (0, 29, 30, 59, 60):
        clock.now = 1000.0 + seconds
        await fails(away, writes=bool(seconds % 2))
        levels.append(log.records[-1].levelname)
    assert levels == ["WARNING", "DEBUG", "WARNING", "DEBUG", "WARNING"]
    clock.now = 1072.0
    await goes_well(away, writes=True)
    assert log.records[-1].getMessage() == "the database answers again, after 72 s"
    clock.now = 2000.0
    await fails(away)
    clock.now = 2005.0
    await goes_well(away)
    assert log.records[-1].getMessage() == "the database answers again, after 5 s"


async def test_an_outage_is_unavailable_for_a_second_and_a_bug_of_ours_stays_one():
    away = Outage()
    with pytest.raises(Unavailable) as refused:
        async with away.errors_as_unavailable(writes=False):
            raise TimeoutError
    assert refused.value.retry_after == 1.0
    for error in (KeyError(), IntegrityError("x", {}, Exception()), DataError("x", {}, Exception())):
        with pytest.raises(type(error)):
            async with away.errors_as_unavailable(writes=True):
                raise error
    assert not away.writes_fail


async def test_an_outage_lasts_since_its_first_failure_of_either_kind(log, monkeypatch):
    clock = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(outage, "time", SimpleNamespace(monotonic=lambda: clock.now))
    away = Outage()
    for seconds, writes in ((0, True), (10, False), (15, True)):
        clock.now = 1000.0 + seconds
        await fails(away, writes=writes)
    clock.now = 1020.0
    await goes_well(away, writes=True)
    assert log.records[-1].getMessage() == "the database answers again, after 20 s"
    assert {each.name for each in log.records} == {"server.store.engine.outage"}


async def test_a_failure_of_the_driver_is_told_by_its_own_name(log):
    away = Outage()
    with pytest.raises(Unavailable):
        async with away.errors_as_unavailable(writes=False):
            raise OperationalError("SELECT 1", {}, ConnectionResetError())
    assert log_lines(log) == ["database unavailable: ConnectionResetError"]
