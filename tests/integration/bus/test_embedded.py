"""The embedded Valkey: it lives as long as its parent, is restarted when killed, and is never started twice."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import redis

from server.bus import EmbeddedBusy, EmbeddedValkey
from server.bus.redis import embedded as embedded_module
from server.errors import CannotStart
from server.tasks import Backoff
from tests.parts.wait import until

ROOT = Path(__file__).parents[3]
PARENT = """
import sys
from pathlib import Path
from server.bus import EmbeddedValkey
server = EmbeddedValkey(Path(sys.argv[1]), binary=Path(sys.argv[2]))
print(server.start(), server.pid, flush=True)
input()
"""


def client(server):
    return redis.Redis.from_url(server.url)


def runs(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.fixture
def parent(folder, binary):
    """Yield another process that started a server in the folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(folder), str(binary)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        line = process.stdout.readline().split()
        yield process, line[0], int(line[1])
        process.kill()


def test_the_embedded_server_starts_answers_and_stops(folder, binary, caplog):
    server = EmbeddedValkey(folder, binary=binary)
    assert server.start() == server.url == f"unix://{folder}/valkey.sock"
    with client(server) as link:
        assert link.ping()
        config = link.config_get("append*")
        assert (config["appendonly"], config["appendfsync"]) == ("yes", "everysec")
    pid = server.pid
    assert runs(pid)
    (keeper,) = [each for each in threading.enumerate() if each.name == "valkey"]
    assert keeper.daemon, "a process that ends without a stop does not wait for it"
    proc = Path(f"/proc/{pid}")
    assert os.getsid(pid) == pid, "an interrupt from the keyboard is not its own"
    assert (proc / "cwd").readlink() == folder
    assert {(proc / "fd" / each).readlink() for each in "012"} == {Path("/dev/null")}
    server.stop()
    server.stop()
    assert server.start() == server.url
    with client(server) as link:
        assert link.ping()
    server.stop()
    assert not runs(pid)
    assert server.pid is None
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING] == []


def test_a_server_that_is_started_again_while_it_stops_is_ended(folder, binary, monkeypatch):
    server = EmbeddedValkey(folder, binary=binary)
    server.start()
    started = []

    class StoppedMeanwhile(subprocess.Popen):
        """A server that starts while the main thread stops it."""

        def __init__(self, *args, **more):
            super().__init__(*args, **more)
            started.append(self)
            stopping.start()
            stopping.join()

    stopping = threading.Thread(target=server.stop)
    monkeypatch.setattr(embedded_module, "STOP_S", 0.01)
    monkeypatch.setattr(embedded_module.subprocess, "Popen", StoppedMeanwhile)
    os.kill(server.pid, signal.SIGKILL)
    until(lambda: started and started[0].poll() is not None, what="the second server to end")
    assert len(started) == 1
    assert not runs(started[0].pid)


def test_kill_9_of_the_parent_leaves_no_server_and_the_data_is_there_again(folder, binary, parent):
    process, url, pid = parent
    with redis.Redis.from_url(url) as link:
        link.set("kept", "yes")
    process.kill()
    process.wait()
    server = EmbeddedValkey(folder, binary=binary)
    server.start()
    try:
        assert not runs(pid)
        with client(server) as link:
            assert link.get("kept") == b"yes"
    finally:
        server.stop()


def test_kill_9_of_the_parent_ends_the_server(parent):
    process, _, pid = parent
    process.kill()
    process.wait()
    until(lambda: not runs(pid), what="the server to end")


def test_a_server_that_has_lived_a_while_is_started_again_at_once_however_often_others_died(
    folder, binary, monkeypatch
):
    pauses = []

    class SeenBackoff(Backoff):
        def next_s(self):
            pauses.append(super().next_s())
            return pauses[-1]

    monkeypatch.setattr(embedded_module, "Backoff", SeenBackoff)
    server = EmbeddedValkey(folder, binary=binary)
    server.start()
    try:
        for living_s, expected in ((60, 1), (60, 2), (0, 1), (60, 2)):
            # Each life is short, or long, beside this.
            monkeypatch.setattr(embedded_module, "RESTART_MOST_S", living_s)
            count, pid = len(pauses), server.pid
            os.kill(pid, signal.SIGKILL)
            until(lambda count=count: len(pauses) > count, what="the pause")
            until(lambda pid=pid: server.pid not in (None, pid), what="a new server")
            assert pauses[-1] == expected * embedded_module.RESTART_FIRST_S
        assert pauses[0] < 0.5, "who uses it hardly notices"
    finally:
        server.stop()


def test_kill_9_of_the_server_brings_it_back_with_its_data(valkey, caplog):
    with client(valkey) as link:
        link.set("kept", "yes")
    first = valkey.pid
    os.kill(first, signal.SIGKILL)
    until(lambda: valkey.pid not in (None, first), what="a new server")

    def value():
        try:
            with client(valkey) as link:
                return link.get("kept")
        except redis.ConnectionError:
            return None

    until(lambda: value() == b"yes", what="the data")
    (line,) = [each for each in caplog.records if "starting it again" in each.getMessage()]
    assert (line.name, line.levelname) == ("server.bus.redis.embedded", "WARNING")


def test_a_second_start_in_the_same_folder_is_refused_with_a_sentence(folder, binary, parent):
    second = EmbeddedValkey(folder, binary=binary)
    with pytest.raises(
        EmbeddedBusy, match=r"Another Loopwire already runs in the data folder .*LOOPWIRE_DATA_DIR"
    ):
        second.start()
    with redis.Redis.from_url(parent[1]) as link:
        assert link.ping(), "the first one is left alone"


def test_a_folder_with_a_long_path_gets_a_short_socket(folder, binary):
    deep = folder / ("x" * 60) / ("y" * 60)
    server = EmbeddedValkey(deep, binary=binary)
    server.start()
    try:
        path = Path(server.url.removeprefix("unix://"))
        assert len(os.fsencode(path)) <= embedded_module.MOST_PATH
        assert path.parent.stat().st_mode & 0o077 == 0
        with client(server) as link:
            assert link.ping()
        assert (deep / "appendonlydir").is_dir() or (deep / "appendonly.aof").exists()
    finally:
        server.stop()


def test_a_server_that_was_never_started_has_no_process_and_can_be_stopped(folder, binary):
    server = EmbeddedValkey(folder, binary=binary)
    assert server.pid is None
    server.stop()


def test_two_long_folders_have_two_sockets_and_each_always_the_same(folder):
    deep = [folder / (letter * 60) / ("y" * 60) for letter in "xz"]
    first, second = (embedded_module.socket_path(each) for each in deep)
    assert first != second
    assert [embedded_module.socket_path(each) for each in deep] == [first, second]


def test_a_server_that_was_never_started_may_be_stopped(folder, binary):
    server = EmbeddedValkey(folder, binary=binary)
    server.stop()
    assert (server.pid, list(folder.iterdir())) == (None, [])


def test_the_data_folder_is_its_owner_s_alone(folder, binary):
    server = EmbeddedValkey(folder / "new" / "data", binary=binary)
    server.start()
    server.stop()
    assert (folder / "new" / "data").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("spoil", [lambda path: path.chmod(0o755), lambda path: path.chmod(0o710)])
def test_a_short_folder_that_others_may_enter_is_not_taken(folder, monkeypatch, spoil):
    monkeypatch.setattr(embedded_module.tempfile, "tempdir", str(folder))
    deep = folder / ("x" * 60) / ("y" * 60)
    first = embedded_module.socket_path(deep).parent
    assert embedded_module.socket_path(deep).parent == first
    spoil(first)
    other = embedded_module.socket_path(deep).parent
    assert other != first
    assert (other.parent, other.stat().st_mode & 0o777) == (folder, 0o700)


def test_a_folder_name_with_odd_characters_works(folder, binary):
    server = EmbeddedValkey(folder / "with space & ?#%41", binary=binary)
    server.start()
    try:
        with client(server) as link:
            assert link.ping()
    finally:
        server.stop()


def test_a_server_that_cannot_start_names_its_log_file(folder, monkeypatch):
    monkeypatch.setattr(embedded_module, "START_S", 0.3)
    server = EmbeddedValkey(folder, binary=Path("/bin/false"))
    with pytest.raises(CannotStart, match=r"did not start; see .*valkey\.log"):
        server.start()
    with pytest.raises(CannotStart, match="did not start"):
        server.start()


def test_the_start_timeout_of_the_embedded_server_is_5_to_30_seconds():
    assert 5 <= embedded_module.START_S <= 30


def test_the_socket_is_in_the_folder_as_long_as_its_path_fits(folder):
    left = embedded_module.MOST_PATH - len(os.fsencode(folder)) - len("//valkey.sock")
    fits, too_long = folder / ("x" * left), folder / ("x" * (left + 1))
    assert embedded_module.socket_path(fits) == fits / "valkey.sock"
    assert embedded_module.socket_path(too_long).parent != too_long


async def test_a_stand_in_with_a_notice_is_used_when_the_wheel_is_missing(folder, monkeypatch, stored):
    from server.bus import Bus  # noqa: PLC0415
    from tests.contract.bus.viewer import Holder, Viewer  # noqa: PLC0415

    monkeypatch.setattr(embedded_module, "bundled_server", lambda: None)
    server = EmbeddedValkey(folder)
    url = server.start()
    assert url.startswith("fake://")
    assert "one process" in server.notice
    bus, other = Bus(url), Bus(url)
    await bus.start()
    await other.start()
    there = await Viewer(other, stored).open()
    holder = await Holder.claim(bus, stored)
    await holder.publish(1, 2)
    await there.sees([1, 2])
    await bus.aclose()
    await other.aclose()
    server.stop()
