"""`python -m server doctor`, and the sentence of a taken port: what an operator reads when something is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import asyncpg
import pytest

from server.store.migrations import UPGRADE_LOCK
from tests.modelserver import ModelServer, Scripted
from tests.modelserver.faults import ServerError
from tests.parts.ports import free_port
from tests.parts.postgres import fresh_database
from tests.parts.process import kill_group
from tests.parts.redis import REDIS_SERVER, running, valkey_binary
from tests.parts.sampled import later
from tests.parts.server import ROOT, clean_environment, started
from tests.parts.wait import until_async

KEY = "sk-not-to-be-printed"


async def run(command: str, folder: Path, *, fresh: bool = False, **settings: str) -> tuple[int, str]:
    """Run a command to its end; return its code and all that it said."""
    environment = {**clean_environment(), "LOOPWIRE_DATA_DIR": str(folder), **settings}
    said = folder / "said"
    said.unlink(missing_ok=True)
    child = started(["server", command], log=said, env=environment, fresh=fresh)
    try:
        await until_async(lambda: child.poll() is not None, what="the end", seconds=120)
    finally:
        kill_group(child)
        code = child.wait(60)
    text = said.read_text()
    assert KEY not in text and "Traceback" not in text
    return code, text


async def test_doctor_says_that_the_demo_model_answers_without_a_key(tmp_path):
    code, text = await run("doctor", tmp_path)
    assert code == 0
    assert "the demo model answers" in text


async def test_a_model_server_that_lists_its_models_and_answers_is_fine(tmp_path):
    async with ModelServer(Scripted(["ok"])) as server:
        code, text = await run(
            "doctor",
            tmp_path,
            OPENAI_API_KEY=KEY,
            OPENAI_BASE_URL=server.base_url,
            LOOPWIRE_MODEL="test-model",
        )
    assert code == 0
    assert "ok    model" in text


@pytest.mark.conformance
async def test_tables_that_another_process_makes_for_ever_are_not_waited_for(postgres_server, tmp_path):
    with fresh_database(postgres_server) as url:
        other = await asyncpg.connect(url)
        try:
            await other.execute("SELECT pg_advisory_lock($1)", UPGRADE_LOCK)
            holder = other.get_server_pid()
            code, text = await run("doctor", tmp_path, DATABASE_URL=url)
        finally:
            await other.close()
    assert code == 1
    assert re.search(rf"FAIL  database  another process .*process {holder}, whose client is", text)


@pytest.mark.parametrize("status", [404, later(405), later(501)])
async def test_doctor_names_the_setting_for_a_model_server_without_responses(tmp_path, status):
    async with ModelServer(Scripted(["ok"])) as server:
        server.faults.add(ServerError(status), times=None, when=lambda call: call.dialect == "responses")
        model = {"OPENAI_BASE_URL": server.base_url, "LOOPWIRE_MODEL": "test-model"}
        code, text = await run("doctor", tmp_path, OPENAI_API_KEY=KEY, **model)
        assert code == 1
        assert f"has no /responses ({status}): set LOOPWIRE_MODEL_API=chat" in text
        code, text = await run("doctor", tmp_path, OPENAI_API_KEY=KEY, LOOPWIRE_MODEL_API="chat", **model)
    assert code == 0
    assert "ok    model" in text


async def test_a_model_that_refuses_to_answer_is_told(tmp_path):
    async with ModelServer(Scripted()) as server:
        model = {"OPENAI_BASE_URL": server.base_url, "LOOPWIRE_MODEL": "test-model"}
        code, text = await run("doctor", tmp_path, OPENAI_API_KEY=KEY, **model)
    assert code == 1
    assert "refuses an answer of test-model (400): see LOOPWIRE_MODEL" in text


@pytest.mark.conformance
async def test_doctor_notes_a_model_that_its_server_does_not_list(tmp_path):
    async with ModelServer(Scripted(["ok"])) as server:
        code, text = await run(
            "doctor", tmp_path, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=server.base_url, LOOPWIRE_MODEL="other"
        )
    assert code == 0
    assert "does not list other" in text


async def test_doctor_reports_a_model_server_that_cannot_be_reached(tmp_path):
    port = free_port()
    url = f"http://127.0.0.1:{port}/v1"
    code, text = await run("doctor", tmp_path, OPENAI_API_KEY=KEY, OPENAI_BASE_URL=url)
    assert code == 1
    assert f"FAIL  model     the server of OPENAI_BASE_URL (127.0.0.1:{port}) cannot be reached" in text


async def test_a_taken_port_is_one_sentence(tmp_path):
    async with ModelServer(Scripted()) as other:
        port = other.base_url.rpartition(":")[2].partition("/")[0]
        code, text = await run("serve", tmp_path, fresh=True, PORT=port)
    assert code == 1
    assert text == f"Port {port} of 127.0.0.1 cannot be opened. Stop who has it, or set PORT.\n"


async def test_doctor_notes_a_port_that_another_program_has(tmp_path):
    async with ModelServer(Scripted()) as other:
        port = other.base_url.rpartition(":")[2].partition("/")[0]
        code, text = await run("doctor", tmp_path, PORT=port)
    assert code == 0
    assert f"note  port      {port} of 127.0.0.1 cannot be opened (Address already in use)" in text


async def test_a_port_that_is_free_or_a_loopwires_is_no_note(tmp_path, serve):
    code, text = await run("doctor", tmp_path, PORT=str(free_port()))
    assert code == 0 and "note  port" not in text
    port = serve().url.rpartition(":")[2]
    code, text = await run("doctor", tmp_path, PORT=port)
    assert code == 0 and "note  port" not in text


async def test_a_redis_that_is_not_there_is_named_without_its_password(tmp_path):
    port = free_port()
    code, text = await run("doctor", tmp_path, REDIS_URL=f"redis://me:{KEY}@127.0.0.1:{port}/0")
    assert code == 1
    assert f"FAIL  redis     the server of REDIS_URL (127.0.0.1:{port}) does not answer" in text


async def test_doctor_notes_a_redis_that_evicts_keys(tmp_path):
    with running(valkey_binary() or REDIS_SERVER, "--maxmemory-policy", "allkeys-lru") as url:
        code, text = await run("doctor", tmp_path, REDIS_URL=url)
    assert code == 0
    assert "note  redis     maxmemory-policy is allkeys-lru: set it to noeviction" in text
    with running(valkey_binary() or REDIS_SERVER) as url:
        code, text = await run("doctor", tmp_path, REDIS_URL=url)
    assert code == 0 and "ok    redis" in text and "note  redis" not in text


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


@pytest.mark.conformance
async def test_an_address_of_sentinel_is_told_who_stands_behind_the_one_that_is_taken(tmp_path):
    code, text = await run("doctor", tmp_path, REDIS_URL=f"redis+sentinel://:{KEY}@127.0.0.1:1/x")
    assert code == 1
    assert (
        "FAIL  redis     REDIS_URL is one address (redis://, rediss:// or unix://). Addresses of Redis Sentinel"
        in text
    )


@pytest.mark.parametrize("command", ["serve", later("web"), later("worker")])
async def test_a_redis_url_that_is_no_address_is_one_sentence(tmp_path, command):
    settings = {"DATABASE_URL": "postgresql://me@127.0.0.1:1/x"} if command == "worker" else {}
    code, text = await run(command, tmp_path, REDIS_URL="foo", PORT=str(free_port()), **settings)
    assert (code, text) == (1, "REDIS_URL is not an address such as redis://user:password@host:6379/0.\n")


async def test_a_database_url_that_is_no_address_is_not_quoted(tmp_path):
    code, text = await run("doctor", tmp_path, DATABASE_URL=f"postgresql://127.0.0.1:{KEY}/x")
    assert code == 1
    assert "FAIL  database  DATABASE_URL is not an address such as postgresql://" in text


async def test_beside_a_running_server_nothing_is_wrong_with_its_database(tmp_path, serve):
    serve(data_dir=tmp_path)
    code, text = await run("doctor", tmp_path)
    assert "ok    database  in use by a running server" in text
    assert code == 0


async def test_a_host_that_is_an_address_of_a_page_is_not_taken_for_a_taken_port(tmp_path):
    code, text = await run("serve", tmp_path, HOST="http://127.0.0.1:8101")
    said = "HOST: 'http://127.0.0.1:8101' is not a name or an address such as 127.0.0.1; the port stands in PORT\n"
    assert (code, text) == (2, said)


async def test_a_short_secret_is_told_how_long_it_has_to_be(tmp_path):
    code, text = await run("doctor", tmp_path, LOOPWIRE_SECRET="short")
    assert (code, text) == (2, "LOOPWIRE_SECRET: it needs at least 16 characters\n")


async def test_a_data_folder_that_cannot_be_written_is_named_with_its_setting(tmp_path):
    (tmp_path / "file").touch()
    folder = str(tmp_path / "file" / "data")
    said = f"The data folder {folder} cannot be written (Not a directory): set LOOPWIRE_DATA_DIR to one that can."
    code, text = await run("serve", tmp_path, LOOPWIRE_DATA_DIR=folder, PORT=str(free_port()))
    assert (code, text) == (1, f"{said}\n")
    code, text = await run("doctor", tmp_path, LOOPWIRE_DATA_DIR=folder)
    assert code == 1
    assert f"FAIL  secret    {said}" in text and f"FAIL  database  {said}" in text


async def test_a_name_that_no_setting_has_is_noted_with_the_one_that_is_meant(tmp_path):
    code, text = await run("doctor", tmp_path, LOOPWIRE_LANGAUGE="en", LOOPWIRE_ZZ="1")
    assert code == 0
    assert "note  settings  LOOPWIRE_LANGAUGE is not a setting: is LOOPWIRE_LANGUAGE meant?\n" in text
    assert "note  settings  LOOPWIRE_ZZ is not a setting\n" in text


def test_a_printed_command_names_the_python_that_has_the_packages():
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "protocol").glob("*.md")]
    printed = [each for page in pages for each in re.findall(r"\S*python -m server \w+", page.read_text())]
    assert printed
    assert {each.partition(" ")[0].strip("`") for each in printed} == {".venv/bin/python"}
