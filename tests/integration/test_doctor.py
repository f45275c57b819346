"""`python -m server doctor`, and the sentence of a taken port: what an operator reads when something is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.modelserver import ModelServer, Scripted
from tests.parts.ports import free_port
from tests.parts.server import ROOT, clean_environment
from tests.parts.wait import until_async

KEY = "sk-not-to-be-printed"


async def run(command: str, folder: Path, **settings: str) -> tuple[int, str]:
    """Run a command to its end; return its code and all that it said."""
    environment = {**clean_environment(), "LOOPWIRE_DATA_DIR": str(folder), **settings}
    with (folder / "said").open("w") as said:
        argv = [sys.executable, "-m", "server", command]
        child = subprocess.Popen(argv, cwd=ROOT, env=environment, stdout=said, stderr=subprocess.STDOUT)
        try:
            await until_async(lambda: child.poll() is not None, what="the end", seconds=120)
        finally:
            child.kill()
            child.wait()
    text = (folder / "said").read_text()
    assert KEY not in text and "Traceback" not in text
    return child.returncode, text


async def test_without_a_key_it_says_that_the_demo_answers(tmp_path):
    code, text = await run("doctor", tmp_path)
    assert code == 0
    assert "the demo model answers" in text


async def test_a_model_server_that_lists_its_models_is_fine(tmp_path):
    async with ModelServer(Scripted()) as server:
        code, text = await run(
            "doctor",
            tmp_path,
            OPENAI_API_KEY=KEY,
            OPENAI_BASE_URL=server.base_url,
            LOOPWIRE_MODEL="test-model",
        )
    assert code == 0
    assert "ok    model" in text


async def test_a_model_that_is_not_listed_is_a_note(tmp_path):
    async with ModelServer(Scripted()) as server:
        code, text = await run(
            "doctor", tmp_path, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.base_url, LOOPWIRE_MODEL="other"
        )
    assert code == 0
    assert "does not list other" in text


async def test_nobody_at_the_address_is_told(tmp_path):
    url = f"http://127.0.0.1:{free_port()}/v1"
    code, text = await run("doctor", tmp_path, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url)
    assert code == 1
    assert "FAIL  model     the server of OPENAI_BASE_URL (127.0.0.1) cannot be reached" in text


async def test_a_taken_port_is_one_sentence(tmp_path):
    async with ModelServer(Scripted()) as other:
        port = other.base_url.rpartition(":")[2].partition("/")[0]
        code, text = await run("serve", tmp_path, PORT=port)
    assert code == 1
    assert text == f"Port {port} of 127.0.0.1 cannot be opened. Stop who has it, or set PORT.\n"


async def test_an_approval_for_a_tool_that_no_service_has_is_said_by_doctor_and_at_the_start(tmp_path):
    file = tmp_path / "apps.toml"
    file.write_text('[demo]\napprovals = ["create_itm"]\n')
    sentence = "App 'demo': approvals: there is no tool 'create_itm'; there are "
    code, text = await run("doctor", tmp_path, LOOPWIRE_APPS=str(file))
    assert code == 1 and f"FAIL  apps      {sentence}" in text
    code, text = await run("serve", tmp_path, LOOPWIRE_APPS=str(file), PORT=str(free_port()))
    assert code == 1 and text.splitlines()[-1].startswith(sentence)


async def test_a_database_that_is_not_there_is_named_without_its_password(tmp_path):
    port = free_port()
    code, text = await run("doctor", tmp_path, DATABASE_URL=f"postgresql://me:{KEY}@127.0.0.1:{port}/x")
    assert code == 1
    assert f"FAIL  database  the server of DATABASE_URL (127.0.0.1:{port}) cannot be reached" in text
