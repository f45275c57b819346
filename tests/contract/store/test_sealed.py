"""Sealed content belongs to its run: a writer of the database cannot give one person's document to another run."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from sqlalchemy import bindparam, select, update

from server.errors import IdReused, NotFound
from server.store import Store, Submitted, Unreadable, opened_run
from server.store.seal import is_sealed, sealed_type
from server.store.tables import blobs, callbacks, runs
from tests.contract.store.conftest import Talk

URL = "https://shop.example/hook"


def content_of(name: str, picture: str = "blb_1") -> list[dict[str, Any]]:
    """Return a request about a person's document."""
    return [
        {"type": "input", "text": "a document", "data": {"name": name}},
        {"type": "image", "blob_id": picture},
    ]


async def ask(talk: Talk, name: str, client_id: str | None = None, **more: Any) -> Submitted:
    """Submit a request whose data is sealed."""
    return await talk.store.runs.submit(
        session_id=talk.session.id,
        principal=talk.session.principal,
        client_id=client_id or name,
        content=more.pop("content", None) or content_of(name),
        language="pt",
        private=True,
        **more,
    )


async def opened(store: Store, submitted: Submitted) -> Any:
    """Return the data of a request as its run reads it."""
    return opened_run(await store.runs.get(submitted.run_id), store.seal).content[0]["data"]


async def swap(store: Store, table: Any, column: str, one: str, other: str) -> None:
    """Exchange the contents of two rows, as an attacker does who can write to the database."""
    rows = await store.database.fetch(select(table.c.id, table.c[column]).where(table.c.id.in_([one, other])))
    values = {row.id: getattr(row, column) for row in rows}
    change = update(table).where(table.c.id == bindparam("this")).values({column: bindparam("value")})
    for this, value in ((one, values[other]), (other, values[one])):
        await store.database.execute(change, {"this": this, "value": value})


async def test_the_data_of_a_request_is_sealed_and_read_by_its_own_run(talk: Talk) -> None:
    ana = await ask(talk, "Ana")
    stored = await talk.store.runs.get(ana.run_id)
    assert "Ana" not in str(stored.content)
    assert await opened(talk.store, ana) == {"name": "Ana"}


async def test_requests_of_two_runs_cannot_be_exchanged(talk: Talk) -> None:
    ana, rui = await ask(talk, "Ana"), await ask(talk, "Rui")
    await swap(talk.store, runs, "content", ana.run_id, rui.run_id)
    for each in (ana, rui):
        with pytest.raises(Unreadable):
            await opened(talk.store, each)


async def test_a_request_is_not_read_with_the_picture_of_another(talk: Talk) -> None:
    ana = await ask(talk, "Ana")
    stored = (await talk.store.runs.get(ana.run_id)).content
    changed = [stored[0], {**stored[1], "blob_id": "blb_2"}]
    await talk.store.database.execute(update(runs).where(runs.c.id == ana.run_id).values(content=changed), {})
    with pytest.raises(Unreadable):
        await opened(talk.store, ana)


async def test_a_repeated_request_is_known_though_it_is_sealed_for_its_run(talk: Talk) -> None:
    first = await ask(talk, "Ana", "key")
    again = await ask(talk, "Ana", "key")
    assert (again.run_id, again.dup) == (first.run_id, True)
    for other in (content_of("Rui"), content_of("Ana", "blb_2")):
        with pytest.raises(IdReused):
            await ask(talk, "", "key", content=other)


async def test_a_request_that_an_earlier_version_has_sealed_is_read_and_known(talk: Talk) -> None:
    ana = await ask(talk, "Ana", "key")
    store, name = talk.store, f"request {talk.session.id}"
    part, picture = content_of("Ana")
    early = [{**part, "data": store.seal.close_json(part["data"], name)}, picture]
    await store.database.execute(update(runs).where(runs.c.id == ana.run_id).values(content=early), {})
    assert await opened(store, ana) == {"name": "Ana"}
    assert (await ask(talk, "Ana", "key")).dup
    with pytest.raises(IdReused):
        await ask(talk, "Rui", "key")


async def put_document(talk: Talk, data: bytes) -> str:
    """Store a picture that is sealed."""
    return await talk.store.blobs.put_image(
        principal="ana",
        session_id=talk.session.id,
        media_type="image/jpeg",
        data=data,
        size=(40, 30),
        keep_s=600,
        sealed=True,
    )


async def test_pictures_of_documents_cannot_be_exchanged_and_the_same_one_is_found_again(talk: Talk) -> None:
    store, (ana, rui) = talk.store, [await put_document(talk, each) for each in (b"Ana", b"Rui")]
    assert (await store.blobs.get(ana, "ana", sealed=True)).data == b"Ana"
    assert await put_document(talk, b"Ana") == ana
    await swap(store, blobs, "data", ana, rui)
    for each in (ana, rui):
        with pytest.raises(NotFound):
            await store.blobs.get(each, "ana", sealed=True)


async def test_a_picture_that_an_earlier_version_has_sealed_is_read_and_found_again(talk: Talk) -> None:
    ana = await put_document(talk, b"Ana")
    early = talk.store.seal.close(b"Ana", f"picture {talk.session.id}")
    as_early = {"data": early, "sha256": hashlib.sha256(early).hexdigest()}
    await talk.store.database.execute(update(blobs).where(blobs.c.id == ana).values(**as_early), {})
    with pytest.raises(NotFound):
        await talk.store.blobs.get(ana, "ana")
    found = await talk.store.blobs.get(ana, "ana", sealed=True)
    assert (found.data, found.media_type) == (b"Ana", "image/jpeg")
    assert sealed_type(found.media_type) == "sealed:image/jpeg"
    assert await put_document(talk, b"Ana") == ana


async def end_with_callbacks(talk: Talk) -> None:
    """Answer two requests whose responses are to be posted."""
    for name in ("Ana", "Rui"):
        await ask(talk, name, callback_url=URL)
        await talk.finish(await talk.claim(), private=True, response={"name": name}, messages=[])


async def test_callbacks_of_two_runs_cannot_be_exchanged_and_go_to_no_other_address(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    store = talk.store
    await end_with_callbacks(talk)
    ids = [each for each, *_ in await store.callbacks.states(talk.session.id)]
    await swap(store, callbacks, "body", *ids)
    assert [await store.callbacks.claim("me", 30) for _ in ids] == [None, None]
    assert [(each.name, each.levelname) for each in caplog.records] == [
        ("server.store.runs.callbacks", "WARNING")
    ] * 2
    await swap(store, callbacks, "body", *ids)
    await store.database.execute(
        update(callbacks).where(callbacks.c.id == ids[0]).values(url="https://thief.example/"), {}
    )
    await store.callbacks.replay(None)
    posted = [await store.callbacks.claim("me", 30) for _ in ids]
    assert [each.body for each in posted if each is not None] == ['{"name":"Rui"}']


async def test_a_callback_that_an_earlier_version_has_sealed_is_posted(talk: Talk) -> None:
    await end_with_callbacks(talk)
    early = talk.store.seal.close_text('{"name":"Ana"}', f"callback {talk.session.id}")
    await talk.store.database.execute(update(callbacks).values(body=early), {})
    claimed = await talk.store.callbacks.claim("me", 30)
    assert claimed is not None and claimed.body == '{"name":"Ana"}'


async def test_a_response_is_its_runs_own_and_sealed_where_it_is_private(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    store, asked = talk.store, []
    for name, end in (
        ("Ana", {"private": True, "response": {"name": "Ana"}}),
        ("Rui", {"private": True, "response": {"name": "Rui"}}),
        ("Eva", {"response": [{"name": "Eva"}]}),
        ("Ivo", {"private": True, "outcome": "error", "code": "limit"}),
    ):
        asked.append((await ask(talk, name)).run_id)
        assert await store.runs.response(asked[-1]) is None
        await talk.finish(await talk.claim(), messages=[], **end)
    responses = [await store.runs.response(each) for each in asked]
    assert responses == [{"name": "Ana"}, {"name": "Rui"}, [{"name": "Eva"}], None]
    assert await store.runs.response("run_none") is None
    query = select(runs.c.response).order_by(runs.c.place)
    stored = [row.response for row in await store.database.fetch(query)]
    assert [is_sealed(each) for each in stored] == [True, True, False, False]
    assert stored[2:] == responses[2:]
    assert caplog.records == []
    await swap(store, runs, "response", *asked[:2])
    assert [await store.runs.response(each) for each in asked[:2]] == [None, None]
    assert {(each.name, each.levelname) for each in caplog.records} == {
        ("server.store.runs.queue", "WARNING")
    }
