"""A server's files are readable by its own user alone, and it reports an older folder or file that is not."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.settings import Settings
from tests.integration.test_doctor import run
from tests.integration.ws.visitor import Visitor
from tests.parts.ports import free_port
from tests.parts.server import Servers

OTHERS = 0o077


@pytest.fixture
def careless() -> Iterator[None]:
    """Yield the usual umask of a shell, with which every user may read new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> dict[str, str]:
    """Return each file, folder and socket that another user may use, with its permissions."""
    modes = {str(each): stat.S_IMODE(each.lstat().st_mode) for each in (folder, *folder.rglob("*"))}
    return {name: oct(mode) for name, mode in modes.items() if mode & OTHERS}


@pytest.mark.usefixtures("careless")
async def test_everything_that_a_server_creates_is_closed_to_other_users(
    serve: Servers, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "data"
    visitor = Visitor(serve(data_dir=folder, fresh=True))
    talk = await visitor.open()
    await talk.say("quero vender um iPhone 12", "m1")
    await talk.finished()
    await visitor.aclose()
    there = {each.name for each in folder.iterdir()}
    assert {"loopwire.db", "loopwire.db-wal", "loopwire.db-shm", "valkey.sock", "secret"} <= there
    assert open_to_others(folder.parent) == {}


@pytest.mark.usefixtures("careless")
def test_a_secret_is_the_first_thing_in_a_private_folder(tmp_path: Path) -> None:
    assert Settings(data_dir=tmp_path / "data").secret
    assert open_to_others(tmp_path / "data") == {}


async def test_a_folder_that_others_may_open_is_said_at_the_start_and_by_doctor(
    serve: Servers, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    sentence = f"the data folder {folder} is open to other users of this machine (mode 0755): run `chmod 700 {folder}`"
    assert f"  note      {sentence}\n" in serve(data_dir=folder).log_text()
    code, text = await run("doctor", tmp_path, LOOPWIRE_DATA_DIR=str(folder))
    assert code == 0 and f"note  files     {sentence}\n" in text
    folder.chmod(0o700)
    code, text = await run("doctor", tmp_path, LOOPWIRE_DATA_DIR=str(folder))
    assert code == 0 and "note  files" not in text


async def test_a_database_of_another_folder_is_named_by_its_own_permissions(tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "data"
    shared.mkdir()
    shared.chmod(0o755)
    database = shared / "other.db"
    settings = {"LOOPWIRE_DATA_DIR": str(own), "DATABASE_URL": f"sqlite:///{database}"}
    code, text = await run("doctor", tmp_path, PORT=str(free_port()), **settings)
    assert code == 0 and "note  files" not in text and database.exists()
    database.chmod(0o644)
    code, text = await run("doctor", tmp_path, PORT=str(free_port()), **settings)
    assert code == 0
    assert (
        f"note  files     the database {database} is open to other users of this machine (mode 0644): "
        f"run `chmod 600 {database}`\n"
    ) in text
