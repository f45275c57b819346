"""The receiver of docs/webhooks.md, run as it stands there: a server posts to it, and it refuses forged events."""

from __future__ import annotations

import os
import re
import sys
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

import loopwire
from server.callbacks.signing import signature_headers
from tests.parts import process
from tests.parts.ports import free_port
from tests.parts.server import ROOT, clean_environment, served
from tests.parts.wait import until

pytestmark = pytest.mark.once

PAGE = (ROOT / "docs/webhooks.md").read_text()
PLACEHOLDER = "whsec_…"
KEY, OTHER_KEY = b"k" * 32, b"o" * 32
SECRET = f"whsec_{b64encode(KEY).decode()}"
FORGED = b'{"type":"item.created","timestamp":"2026-01-31T12:00:00.000Z","data":{"session_id":"ses_forged"}}'


@contextmanager
def sample_receiver(folder: Path) -> Iterator[tuple[str, Path]]:
    """Run the one Python example of the page under uvicorn; give its address and what it prints."""
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code.count(PLACEHOLDER) == 1
    (folder / "receiver.py").write_text(code.replace(PLACEHOLDER, SECRET))
    port, log = free_port(), folder / "log"
    sdk = ROOT / "sdk/python/src"
    env = {**clean_environment(), "PYTHONUNBUFFERED": "1", "PYTHONPATH": f"{folder}{os.pathsep}{sdk}"}
    argv = [sys.executable, "-m", "uvicorn", "receiver:app", "--port", str(port), "--no-access-log"]
    child = process.start(argv, log=log, env=env, cwd=folder)
    try:
        until(lambda: child.poll() is not None or "startup complete" in log.read_text(), what="the sample")
        assert child.poll() is None, process.tail(log)
        yield f"http://127.0.0.1:{port}/loopwire", log
    finally:
        process.stop(child)


async def post_event(url: str, body: bytes, headers: dict[str, str]) -> int:
    """Post an event as a stranger does; return the status of the answer."""
    async with httpx.AsyncClient() as client:
        return (await client.post(url, content=body, headers=headers)).status_code


async def test_the_sample_takes_a_real_event_and_refuses_forged_ones(tmp_path: Path) -> None:
    apps = tmp_path / "apps.toml"
    with sample_receiver(tmp_path) as (url, log):
        apps.write_text(f'[demo]\ncallback_secret = "{SECRET}"\nwebhook_url = "{url}"\n')
        host = url.split("/")[2]
        with served({"LOOPWIRE_APPS": str(apps), "LOOPWIRE_CALLBACK_HOSTS": host}) as running:
            async with loopwire.connect(running.url, service="submission", language="en") as chat:
                expected = f"session.created {chat.session} "
                until(lambda: expected in log.read_text(), what="the event in the sample")
        now = int(time.time())
        forged = signature_headers([OTHER_KEY], "evt_forged", now, FORGED)
        signed = signature_headers([KEY], "evt_signed", now, FORGED)
        late = signature_headers([KEY], "evt_late", now - 3600, FORGED)
        assert await post_event(url, FORGED, {}) == 400
        assert await post_event(url, FORGED, forged) == 400
        assert await post_event(url, FORGED, late) == 400
        assert await post_event(url, FORGED + b" ", signed) == 400
        assert "ses_forged" not in log.read_text()
        assert [await post_event(url, FORGED, signed) for _ in range(2)] == [204, 204]
        assert log.read_text().count("item.created ses_forged") == 1
        assert log.read_text().count("session.created") == 1
