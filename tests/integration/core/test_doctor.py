"""`python -m server doctor` with Cores at addresses: it asks each, and reports the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.core_server import CoreFault, CoreServer
from tests.core_server.faults import SECRET
from tests.integration.core.conftest import TOKEN
from tests.integration.core.test_conversations import app_table, environment_of
from tests.integration.test_doctor import run
from tests.parts.sampled import later


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [("status", "status 500"), later("page", "refused 404"), later("shape", "contract")],
)
async def test_doctor_says_how_a_core_fails(
    core_server: CoreServer, tmp_path: Path, kind: str, sentence: str
) -> None:
    core_server.faults.add(CoreFault(kind, times=None))
    code, text = await run("doctor", tmp_path, **environment_of(tmp_path, app_table("demo", core_server)))
    assert code == 1
    assert (
        f"FAIL  cores     the Core of [demo] at {core_server.url} gives no usable answer ({sentence})" in text
    )
    assert SECRET not in text and TOKEN not in text


async def test_doctor_says_that_a_core_answers_or_lacks_its_token(
    core_server: CoreServer, tmp_path: Path
) -> None:
    environment = environment_of(tmp_path, app_table("demo", core_server))
    code, text = await run("doctor", tmp_path, **environment)
    assert code == 0 and "ok    cores" in text
    code, text = await run("doctor", tmp_path, **{**environment, "TEST_CORE_TOKEN": ""})
    assert code == 1
    assert (
        "FAIL  cores     LOOPWIRE_APPS: [demo] core_token_variable names TEST_CORE_TOKEN, which is not set."
        in text
    )
    code, text = await run("serve", tmp_path, PORT="0", **{**environment, "TEST_CORE_TOKEN": ""})
    assert code != 0
    assert "core_token_variable names TEST_CORE_TOKEN, which is not set." in text
