"""The command that shows the log of a session: its lines, its exit code, and in whose name it asks."""

from __future__ import annotations

import argparse
import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from loopwire import cli
from loopwire.cli import main
from tests.unit.sdk.api_server import TICKET, ApiServer, Asked, api_server, greet_and_stay, respond_with
from tests.unit.sdk.socket_server import Caller, answer, numbered, snapshot

ANSWER = answer(words="Olá.")
COOKIE = "__Host-loopwire_visitor=vis_1"


async def tell_and_leave(caller: Caller) -> None:
    """Send a snapshot and two events, and close for good."""
    await caller.greet()
    await caller.say(*numbered(ANSWER[:2]))
    await caller.socket.close(4403, "forbidden")


def respond(asked: Asked) -> bytes:
    return respond_with(200, TICKET, set_cookie=f"{COOKIE}; Path=/")


async def tail(server: ApiServer, file: Path, *arguments: str) -> int:
    """Run the command in a thread, as its loop is its own."""
    argv = ["tail", "ses_1", "--url", server.url, "--visitors", str(file), *arguments]
    with ThreadPoolExecutor(1, "person") as pool:
        return await asyncio.get_running_loop().run_in_executor(pool, main, argv)


async def test_a_log_is_shown_line_by_line_to_its_visitor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOPWIRE_KEY", raising=False)
    file = tmp_path / "deep/visitors.json"
    async with api_server(respond, greet_and_stay, tell_and_leave) as server:
        assert await tail(server, file) == 1
    shown = capsys.readouterr()
    lines = [each.partition(" ") for each in shown.out.splitlines()]
    assert [each[0] for each in lines] == ["a.1-0", "a.1-1", "a.1-2"]
    nothing = {"type": "SNAPSHOT", "events": len(snapshot(0)["events"])}
    assert [json.loads(each[2]) for each in lines] == [nothing, *ANSWER[:2]]
    assert shown.out.isascii()
    assert shown.err == "loopwire: forbidden\n"
    assert json.loads(file.read_text()) == {server.url: COOKIE}
    assert server.asked[0].body == {"session_id": "ses_1"}
    assert "cookie" not in server.asked[0].headers
    async with api_server(respond, greet_and_stay, tell_and_leave) as again:
        file.write_text(json.dumps({again.url: "loopwire_visitor=before"}))
        assert await tail(again, file) == 1
        assert again.asked[0].headers["cookie"] == "loopwire_visitor=before"


async def test_a_log_is_shown_to_a_user_of_an_app(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOOPWIRE_KEY", "lwk_1")
    file = tmp_path / "visitors.json"
    async with api_server(respond, greet_and_stay, tell_and_leave) as server:
        assert await tail(server, file, "--user", "eva") == 1
        headers = server.asked[0].headers
        assert (headers["authorization"], headers["loopwire-user"]) == ("Bearer lwk_1", "eva")
    assert not file.exists()
    assert len(capsys.readouterr().out.splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["Talk with the agents of a Loopwire.", "talk", "show the numbered log of a session"]),
        (["chat"], ["what the conversation is for", "an earlier conversation", "pt, en, es, fr or de"]),
        (["tail"], ["the user whom the key in LOOPWIRE_KEY speaks for", "the file of this person's cookies"]),
    ],
)
def test_the_help_says_what_each_argument_is_for(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--help"])
    assert ended.value.code == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith("usage: loopwire ")
    for each in words:
        assert f" {each}" in shown


@pytest.mark.parametrize("command", ["chat", "tail"])
def test_without_more_the_server_is_on_this_machine_and_the_cookies_are_in_the_home_folder(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it runs here: another program may listen at that address."""
    given: list[argparse.Namespace] = []

    async def take(arguments: argparse.Namespace) -> None:
        given.append(arguments)

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(cli, f"_{command}", take)
    assert main([command, *(["ses_1"] if command == "tail" else [])]) == 0
    assert given[0].url == "http://127.0.0.1:8000"
    assert given[0].visitors == tmp_path / ".config/loopwire/visitors.json"
    assert given[0].session == ("ses_1" if command == "tail" else None)


def test_the_command_line_without_a_command_exits_with_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert "required" in capsys.readouterr().err
