"""Promised times that are too long to wait for: the sums of settings and constants."""

from server.api.sse_writer import KEEP_ALIVE_S
from server.auth.tokens import RESUME_SECONDS
from server.bus.log.log import KEPT_EVENTS, LOG_TTL_S
from server.cli.hard_deadline import CLOSING_S
from server.http.hardened import LEAVE_S
from server.http.hardened_socket import CLOSE_S
from server.http.server import GRACE_S, config
from server.rooms.admission import HEARTBEAT_MS, RESUME_WINDOW_S
from server.rooms.staggered_close import SPREAD_S
from server.settings import Settings

ANSWERS_GET_S = 25
KILLED_AFTER_S = 30
"""By a platform, from SIGTERM on."""

NOTICED_S = 35
"""So late at most it is noticed that nobody is at the other end of a socket."""

SPREAD_S_PROMISED = (2, 5)


async def nothing(*_: object) -> None:
    """Be an application."""


def served(settings: Settings):
    return config(nothing, host=settings.host, port=settings.port, trusted_proxies="", limits=settings)


def test_the_drain_is_25_seconds_and_ends_before_the_process_is_killed(monkeypatch):
    monkeypatch.delenv("LOOPWIRE_DRAIN_SECONDS", raising=False)
    drain_s = Settings().drain_seconds
    assert drain_s == ANSWERS_GET_S
    assert drain_s + CLOSING_S < KILLED_AFTER_S


def test_the_waits_of_closing_fit_into_the_time_of_closing():
    assert served(Settings()).timeout_graceful_shutdown == GRACE_S < CLOSING_S
    assert max(LEAVE_S, CLOSE_S) <= GRACE_S


def test_sockets_are_sent_away_over_two_to_five_seconds_while_answers_end():
    least, most = SPREAD_S_PROMISED
    assert least <= SPREAD_S <= most < ANSWERS_GET_S


def test_a_dead_socket_is_noticed_within_thirty_five_seconds():
    serving = served(Settings())
    assert serving.ws_ping_interval is not None
    assert serving.ws_ping_timeout is not None
    assert serving.ws_ping_interval + serving.ws_ping_timeout <= NOTICED_S


def test_the_ping_interval_equals_the_announced_heartbeat():
    assert served(Settings()).ws_ping_interval == KEEP_ALIVE_S == HEARTBEAT_MS / 1000
    assert 2 * HEARTBEAT_MS / 1000 < NOTICED_S


def test_the_log_and_the_token_outlive_the_resume_window():
    assert RESUME_WINDOW_S == 120
    assert min(LOG_TTL_S, RESUME_SECONDS) >= RESUME_WINDOW_S
    assert KEPT_EVENTS >= 4096
