"""The command line in a terminal: words, numbered choices, a yes, Ctrl-C, and the log of a session."""

from __future__ import annotations

import asyncio
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.conversation.models import remote
from tests.modelserver import Scripted
from tests.parts.model import Model, sentences
from tests.parts.server import ROOT, Served, clean_environment, served
from tests.parts.wait import until

pytestmark = pytest.mark.once

PROMPT = r">\S* "
SOURCES = ROOT / "sdk/python/src"


class Terminal:
    """A program in a terminal of its own, or with its output in a pipe."""

    def __init__(self, home: Path, *arguments: str) -> None:
        """Start `loopwire` with these arguments, as a user with this home folder."""
        self._ours, theirs = pty.openpty()
        self.shown = ""
        environment = {**clean_environment(), "PYTHONPATH": str(SOURCES), "HOME": str(home)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "loopwire", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)
        os.set_blocking(self._ours, False)

    def type(self, line: str) -> None:
        """Write a line."""
        os.write(self._ours, f"{line}\n".encode())

    def shows(self, pattern: str) -> re.Match[str]:
        """Wait until the terminal shows something new, and forget what was before it."""

        def seen() -> re.Match[str] | None:
            self._read()
            return re.search(pattern, self.shown)

        found = until(seen, what=f"{pattern} in {self.shown!r}")
        assert found is not None
        self.shown = self.shown[found.end() :]
        return found

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def ends(self) -> int:
        """Wait for the end, and return the exit code. Output is read meanwhile: a full terminal holds its writer."""

        def ended() -> bool:
            self._read()
            return self.process.poll() is not None

        until(ended, what="the end")
        return self.process.wait()

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        os.close(self._ours)

    def _read(self) -> None:
        try:
            self.shown += os.read(self._ours, 65_536).decode(errors="replace")
        except (BlockingIOError, OSError):
            return


@pytest.fixture
def terminals(tmp_path: Path) -> Iterator[list[Terminal]]:
    """Yield the terminals of one person, who has a home.

    A shell that runs the tests in the background has them ignore SIGINT, which a program would inherit.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    opened: list[Terminal] = []
    yield opened
    for each in opened:
        each.close()
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a server whose app asks before an item is made."""
    file: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_item"]\n')
    with served({"LOOPWIRE_DEMO_DELAY_MS": "0", "LOOPWIRE_APPS": str(file)}) as running:
        yield running


def test_a_sale_is_completed_by_numbers_and_a_yes_and_its_log_is_read(
    asking: Served, tmp_path: Path, terminals: list[Terminal]
) -> None:
    begin = ("chat", asking.url, "--service", "submission", "--language", "en")
    terminals.append(talk := Terminal(tmp_path, *begin))
    session = talk.shows(r"ses_\w+").group()
    talk.shows(PROMPT)
    talk.type("Polly Magic")
    talk.shows(r"get_catalog done")
    talk.shows(r"1\. Yes, Polly Magic")
    talk.shows(PROMPT)
    talk.type("1")
    talk.shows("→ loop_os_ai_submission_product_options_agent")
    talk.shows(r"y/n\S* ")
    talk.type("perhaps")
    talk.shows(r"y/n\S* ")
    talk.type("y")
    talk.shows("create_item done")
    talk.shows(PROMPT)
    talk.interrupt()
    talk.shows(f"--session {session}")
    assert talk.ends() == 0

    terminals.append(log := Terminal(tmp_path, "tail", session, "--url", asking.url))
    log.shows(r'-\d+ \{"type": "SNAPSHOT"')
    terminals.append(again := Terminal(tmp_path, "chat", asking.url, "--session", session))
    again.shows(PROMPT)
    again.type("ok")
    log.shows(r'-\d+ \{"type": "RUN_STARTED"')
    log.shows(r'"type": "RUN_FINISHED"')
    log.interrupt()
    assert log.ends() == 130
    assert oct((tmp_path / ".config/loopwire/visitors.json").stat().st_mode)[-3:] == "600"


@pytest.mark.conformance
def test_a_message_is_edited_and_answered_again_and_its_first_version_is_shown_with_its_choices(
    asking: Served, tmp_path: Path, terminals: list[Terminal]
) -> None:
    begin = ("chat", asking.url, "--service", "submission", "--language", "en")
    terminals.append(talk := Terminal(tmp_path, *begin))
    for line, *shown in (
        ("Polly Magic", r"1\. Yes, Polly Magic"),
        ("/edit 1 Bimby TM5", r"1\. Yes, Bimby TM5"),
        ("/again", r"1\. Yes, Bimby TM5"),
        ("/version 4", "There is no such message"),
        ("/version 1", "> Polly Magic", r"1\. Yes, Polly Magic"),
        ("1", "→ loop_os_ai_submission_product_options_agent"),
    ):
        talk.shows(PROMPT)
        talk.type(line)
        for each in shown:
            talk.shows(each)


@pytest.mark.conformance
def test_a_form_is_filled_in_line_by_line(asking: Served, tmp_path: Path, terminals: list[Terminal]) -> None:
    terminals.append(talk := Terminal(tmp_path, "chat", asking.url, "--service", "chat", "--language", "en"))
    talk.shows(PROMPT)
    talk.type("Can I arrange a pick-up?")
    for line in ("yesterday", "1", "ana@example.org", "", "2031-05-02", "1", "ana@example.org", ""):
        talk.shows(r"(?i)\S+\x1b\[0m $")
        talk.type(line)
    talk.shows("2031-05-02")
    talk.shows(PROMPT)


def test_ctrl_c_stops_the_answer_and_then_leaves(tmp_path: Path, terminals: list[Terminal]) -> None:
    with remote("responses") as running:

        async def talk() -> None:
            async with running.model(Scripted()) as server:
                Model(server).held(sentences(10)).let(6)
                await asyncio.to_thread(interrupts)

        def interrupts() -> None:
            terminals.append(person := Terminal(tmp_path, "chat", running.served.url, "--service", "chat"))
            person.shows(PROMPT)
            person.type("Olá")
            person.shows("Frase 1 tem")
            person.interrupt()
            person.shows("stopped")
            person.shows(PROMPT)
            person.interrupt()
            person.shows("Go on with")
            assert person.ends() == 0

        asyncio.run(talk())


def test_input_from_a_pipe_is_answered_line_by_line(asking: Served, tmp_path: Path) -> None:
    environment = {**clean_environment(), "PYTHONPATH": str(SOURCES), "HOME": str(tmp_path)}
    argv = [
        sys.executable,
        "-m",
        "loopwire",
        "chat",
        asking.url,
        "--service",
        "submission",
        "--language",
        "en",
    ]
    done = subprocess.run(
        argv, input="Polly Magic\n1", capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1. Yes, Polly Magic" in done.stdout
    assert "\x1b" not in done.stdout
    assert "→ loop_os_ai_submission_product_options_agent" in done.stdout


@pytest.mark.conformance
def test_an_error_is_printed_in_one_line(asking: Served, tmp_path: Path) -> None:
    environment = {**clean_environment(), "PYTHONPATH": str(SOURCES), "HOME": str(tmp_path)}
    argv = [sys.executable, "-m", "loopwire", "tail", "ses_none", "--url", asking.url]
    done = subprocess.run(argv, capture_output=True, text=True, env=environment, timeout=60, check=False)
    assert done.returncode == 1
    assert done.stderr == "loopwire: This does not exist. (not_found)\n"
