"""`python -m server serve` as an operator meets it: ready soon, without warnings, and stopped by a signal."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import urllib.request

import psutil
import pytest

from tests.parts.missing import skip_missing
from tests.parts.sampled import later
from tests.parts.server import ROOT, Served, is_ready
from tests.parts.wait import until


def complaints(served: Served) -> list[str]:
    """Return the log lines at warning or above, and whatever is a traceback."""
    lines = served.log_text().splitlines()
    logged = [json.loads(line) for line in lines if line.startswith("{")]
    loud = [str(line) for line in logged if line.get("level") in {"WARNING", "ERROR", "CRITICAL"}]
    return loud + [line for line in lines if line.startswith("Traceback")]


def is_alive(process: psutil.Process) -> bool:
    """Return whether the process runs. A zombie that nobody waits for does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.once
def test_a_server_is_ready_serves_its_page_and_ends_without_a_complaint(backend, serve):
    served = serve(backend.environment, fresh=True)
    with urllib.request.urlopen(f"{served.url}/") as answer:
        assert answer.status == 200
        assert answer.headers["content-type"].startswith("text/html")
    assert served.stop() == 0
    assert complaints(served) == []
    assert not is_ready(served)


@pytest.mark.parametrize("how", [later(signal.SIGTERM), signal.SIGKILL])
def test_the_embedded_redis_ends_with_its_server(serve, how):
    served = serve()
    started = psutil.Process(served.process.pid).children(recursive=True)
    assert started, "the embedded Redis was not started as a child"
    if how is signal.SIGTERM:
        served.stop()
    else:
        served.process.kill()
        served.process.wait(60)
    until(lambda: not any(map(is_alive, started)), what="the embedded Redis to end")


def test_a_second_server_on_the_same_data_is_refused_with_a_sentence(serve):
    first = serve()
    with pytest.raises(AssertionError, match="the server ended with 1") as refused:
        serve(data_dir=first.data_dir)
    assert "Traceback" not in str(refused.value)
    assert is_ready(first)


def test_a_wrong_setting_is_told_in_a_sentence(serve):
    with pytest.raises(AssertionError, match="the server ended with 2") as refused:
        serve({"PORT": "many"}, fresh=True)
    assert "PORT" in str(refused.value)
    assert "Traceback" not in str(refused.value)


@pytest.mark.conformance
def test_a_server_starts_again_on_the_data_of_a_killed_one(serve):
    first = serve()
    first.kill()
    assert is_ready(serve(data_dir=first.data_dir))


@pytest.mark.conformance
def test_the_curl_example_of_the_protocol_brings_a_first_answer(serve, tmp_path):
    if shutil.which("curl") is None:
        skip_missing("curl", "apt-get install curl")
    printed = re.search(r"```sh\n(.+?)```", (ROOT / "docs/protocol/README.md").read_text(), re.DOTALL)
    assert printed is not None
    served = serve()
    lines = printed[1].replace("http://127.0.0.1:8000", served.url)
    assert served.url in lines
    said = subprocess.run(
        ["/bin/sh", "-c", lines],
        env={"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)},
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert '"type":"ack","id":"m1"' in said.stdout, said.stderr
    assert '"TEXT_MESSAGE_CONTENT"' in said.stdout
    assert '"event":{"type":"RUN_FINISHED"' in said.stdout
