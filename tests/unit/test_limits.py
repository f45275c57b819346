"""The limits as an operator sets them: one syntax, a sentence for what is none, and a table that names each."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from server.limits import PREFIX, Limits, limit_texts, pairs_of, rate_text
from server.settings import Settings, names


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("20/10s", ((20, 10.0),)),
        ("20/10s, 100/1m", ((20, 10.0), (100, 60.0))),
        ("1/2h,100000/1d", ((1, 7200.0), (100_000, 86400.0))),
    ],
)
def test_a_rate_is_read_and_written_alike(text: str, pairs: object) -> None:
    assert pairs_of(text) == pairs
    assert rate_text(pairs) == text.replace(" ", "")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["x", "20", "20/10", "20/", "0/1s", "1/0s", "-1/1s", "1.5/1s", "1/1w", ",", "1/1s;1/1m"]
)
def test_a_malformed_rate_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValidationError, match="is not a rate such as 20/10s or 20/10s,100/1m"):
        Limits(messages_per_session=text)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["100001/1m", "5/2d", "5/25h"])
def test_a_rate_that_would_be_remembered_too_long_is_refused(text: str) -> None:
    with pytest.raises(ValidationError, match="is more than 100000 or longer than a day"):
        Limits(messages_per_session=text)  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, -1, 100_001, "many"])
def test_a_count_is_a_number_from_one_on(count: object) -> None:
    with pytest.raises(ValidationError):
        Limits(queued_per_session=count)  # type: ignore[arg-type]


def test_each_limit_is_a_setting_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    defaults = limit_texts(Limits())
    assert defaults and set(defaults) <= names() and all(each.startswith(PREFIX) for each in defaults)
    changed = {name: "7" if text.isdigit() else "7/7s" for name, text in defaults.items()}
    for name, text in changed.items():
        monkeypatch.setenv(name, text)
    assert limit_texts(Settings()) == changed


SERVER = Path(__file__).parents[2] / "server"
TESTS = Path(__file__).parents[1]


def text_of(folder: Path) -> str:
    return "\n".join(each.read_text() for each in sorted(folder.rglob("*.py")))


def test_each_limit_is_read_by_the_server_and_tried_by_a_test() -> None:
    """A test sets it for a served process, or gives `Limits` with it to the part that keeps it."""
    server, tests = text_of(SERVER), text_of(TESTS / "integration")
    assert set(re.findall(r"\blimits\.(\w+_per_\w+|unfinished_kib|waiting_picture_kib)\b", server)) == set(
        Limits.model_fields
    )
    folders = (TESTS / "contract", *(TESTS / "unit" / each for each in ("callbacks", "mcp", "store")))
    given = re.findall(r"\b\w+_per_\w+(?==\d)", "".join(map(text_of, folders)))
    tried = {*re.findall(r"[A-Z_]+", tests), *(each.upper() for each in given)}
    assert [name for name in limit_texts(Limits()) if not {name, name.removeprefix(PREFIX)} & tried] == []


def test_each_rate_that_endpoints_share_is_spent() -> None:
    server = text_of(SERVER)
    rates = re.findall(r"@cached_property\n    def (\w+)\(self\) -> RequestRate:", server)
    assert rates and [name for name in rates if not re.search(rf"(?:parts|self)\.{name}\b", server)] == []
