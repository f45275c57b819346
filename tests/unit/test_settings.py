"""Settings: names of the environment, defaults, and the refusals at the start."""

import json
import logging
from pathlib import Path

import pytest
from pydantic import ValidationError

from server import log
from server.settings import Settings, names, strange_names


@pytest.fixture(autouse=True)
def _bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HOST", "PORT", "LOOPWIRE_SECRET", "LOOPWIRE_ALLOWED_ORIGINS"):
        monkeypatch.delenv(name, raising=False)


def test_default_settings_are_a_demo_on_this_machine_only() -> None:
    settings = Settings()
    assert settings.demo
    assert settings.host == "127.0.0.1"
    assert settings.allowed_origins == frozenset()


def test_the_environment_is_read_by_its_names_and_empty_means_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-private")
    monkeypatch.setenv("PORT", "")
    monkeypatch.setenv("LOOPWIRE_ALLOWED_ORIGINS", "https://a.example, http://b.example:8080")
    settings = Settings()
    assert not settings.demo
    assert settings.port == 8000
    assert settings.allowed_origins == {"https://a.example", "http://b.example:8080"}
    assert "sk-private" not in repr(settings)


@pytest.mark.parametrize(
    "origin", ["*", "https://*", "null", "data:", "https://", "https://a/b", "a.example"]
)
def test_an_origin_that_is_not_exact_is_refused_at_the_start(origin: str) -> None:
    with pytest.raises(ValidationError):
        Settings(allowed_origins_text=origin)


@pytest.mark.parametrize(
    "url",
    ["loopwire.example", "ftp://a.example", "https://", "https://a.example/b", "https://a b", "https://a?b"],
)
def test_an_address_that_no_path_can_follow_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(ValidationError, match="is not the address of a server"):
        Settings(public_url=url)
    for good in ("https://loopwire.example/", "http://[::1]:8000"):
        assert Settings(public_url=good).public_url == good.rstrip("/")


def test_a_secret_is_made_once_kept_private_and_shared_by_processes(tmp_path: Path) -> None:
    first = Settings(data_dir=tmp_path / "data").secret
    assert first == Settings(data_dir=tmp_path / "data").secret
    assert len(first) == 64
    assert [each.name for each in (tmp_path / "data").iterdir()] == ["secret"]
    assert (tmp_path / "data" / "secret").stat().st_mode & 0o777 == 0o600
    assert Settings(secret_text="x" * 16, data_dir=tmp_path / "none").secret == b"x" * 16
    with pytest.raises(ValidationError):
        Settings(secret_text="short")


@pytest.mark.parametrize("host", ["http://a", "a:8000", "127.0.0.1:8000", "[::1]", "a/b", "a b", "::zz"])
def test_a_host_that_is_no_name_and_no_address_is_refused_at_the_start(host: str) -> None:
    with pytest.raises(ValidationError, match="is not a name or an address"):
        Settings(host=host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "::1", "fe80::1%eth0", "localhost", "my-host_1.example"])
def test_a_name_or_an_address_is_a_host(host: str) -> None:
    assert Settings(host=host).host == host


@pytest.mark.parametrize(
    ("seconds", "fits"), [("3", True), ("2.9", False), ("0", False), ("nan", False), ("inf", False)]
)
def test_a_lease_lasts_three_seconds_at_least(
    monkeypatch: pytest.MonkeyPatch, seconds: str, fits: bool
) -> None:
    """A process stops writing a second before its end: of one second nothing would be left."""
    monkeypatch.setenv("LOOPWIRE_LEASE_SECONDS", seconds)
    if fits:
        assert Settings().lease_seconds == float(seconds)
    else:
        with pytest.raises(ValidationError, match="LOOPWIRE_LEASE_SECONDS"):
            Settings()


def test_a_name_like_ours_that_no_setting_has_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    before = set(strange_names())
    monkeypatch.setenv("LOOPWIRE_LANGAUGE", "en")
    monkeypatch.setenv("LOOPWIRE_LANGUAGE", "en")
    assert set(strange_names()) - before == {"LOOPWIRE_LANGAUGE"}
    assert {"LOOPWIRE_LANGUAGE", "LOOPWIRE_DATA_DIR"} <= names()


def test_a_log_line_is_one_json_object_with_the_ids_of_its_work() -> None:
    token = log.session_id.set("ses_1")
    try:
        record = logging.LogRecord("a.b", logging.INFO, "", 0, "line\n%s", ("two",), None)
        line = log.JsonFormatter().format(record)
    finally:
        log.session_id.reset(token)
    assert "\n" not in line
    told = json.loads(line)
    assert (told["text"], told["session_id"], told["level"]) == ("line\ntwo", "ses_1", "INFO")
    assert "run_id" not in told


def test_a_failure_is_told_in_its_one_line() -> None:
    try:
        raise RuntimeError("broken")
    except RuntimeError as error:
        record = logging.LogRecord(
            "a", logging.ERROR, "", 0, "x", (), (RuntimeError, error, error.__traceback__)
        )
    assert "broken" in json.loads(log.JsonFormatter().format(record))["error"]


def test_setting_up_logs_twice_does_not_double_the_lines() -> None:
    root, ours = logging.getLogger(), logging.getLogger(log.OURS)
    level, own, before = root.level, ours.level, list(root.handlers)
    try:
        log.setup("WARNING")
        log.setup("ERROR")
        added = [each for each in root.handlers if each not in before]
        assert len(added) == 1
        assert root.level == logging.ERROR
    finally:
        root.handlers[:] = before
        root.setLevel(level)
        ours.setLevel(own)


@pytest.mark.parametrize(
    ("given", "searches"),
    [
        ({}, False),
        ({"OPENAI_API_KEY": "sk-1"}, True),
        ({"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}, True),
        ({"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://api.openai.com.evil.example/v1"}, False),
        ({"OPENAI_API_KEY": "sk-1", "OPENAI_BASE_URL": "https://models.example/v1"}, False),
        ({"OPENAI_API_KEY": "sk-1", "LOOPWIRE_MODEL_SEARCH": "0"}, False),
        ({"OPENAI_API_KEY": "sk-1", "LOOPWIRE_MODEL_API": "chat", "LOOPWIRE_MODEL_SEARCH": "1"}, False),
        ({"OPENAI_API_KEY": "sk-1", "LOOPWIRE_SEARCH_URL": "http://searx:8080"}, False),
    ],
)
def test_the_models_server_searches_where_it_is_openais_own_or_the_operator_says_so(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], searches: bool
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert Settings().model_search is searches


@pytest.mark.parametrize("url", ["searx:8080", "file:///etc/passwd", "http://u:p@searx", "http://searx/?q=1"])
def test_an_address_that_no_search_can_follow_is_refused_at_the_start(url: str) -> None:
    with pytest.raises(ValueError, match="not the address of a server"):
        Settings(search_url=url)
