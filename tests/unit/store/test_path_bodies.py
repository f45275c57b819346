"""Of the messages of other branches the bodies are not decoded: a path costs what it shows."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import text

from server.protocol.events import ours
from server.store import Store
from tests.contract.store.conftest import Talks
from tests.contract.store.test_versions import edit, finish
from tests.parts.postgres import copy_tables


async def test_a_path_is_read_without_the_bodies_of_other_versions(tmp_path: Path) -> None:
    copy_tables(tmp_path)
    store = await Store.open(None, data_dir=tmp_path)
    try:
        talk = await Talks(store)()
        await talk.turn("a")
        versions = [(await talk.turn("b"))[0]["id"]]
        for number in range(3):
            told = await finish(talk, await edit(talk, versions[-1], f"b{number}"), f"re: b{number}")
            versions.append(told[0]["id"])
        ids = [each["id"] for each in (await store.messages.transcript(talk.session.id)).messages]
        async with store.database.write() as connection:
            for (other,) in (await connection.execute(text("SELECT id FROM messages"))).all():
                if other not in ids:  # Who decodes it fails.
                    broken = text("UPDATE messages SET body = '{' WHERE id = :other")
                    await connection.execute(broken, {"other": other})
        stored, history = await store.messages.conversation(talk.session.id, 100, 100)
        assert [each["content"] for each in stored.messages] == ["a", "re: a", "b2", "re: b2"]
        assert ours(stored.messages[2])["versions"] == versions
        assert [each["content"] for each in history] == ["a", "re: a", "b2", "re: b2"]
        page = await store.messages.page(talk.session.id, talk.session.principal)
        assert [each["id"] for each in page.messages] == ids
    finally:
        await store.aclose()
