"""A part that is too large for the log, fetched over HTTP: by its own visitor, through its own session, as a file."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from tests.integration.ws.inside import Inside, inside
from tests.integration.ws.visitor import PATIENCE_S, Answer


@pytest.fixture
async def instance(tmp_path: Path, parts: dict[str, str]) -> AsyncIterator[Inside]:
    """Yield a server in this loop, on each column of parts."""
    async with inside(tmp_path, **parts) as running:
        yield running


@pytest.mark.once
async def test_a_blob_is_sent_as_a_file_to_its_own_visitor_alone(instance: Inside) -> None:
    visitor, store = instance.visitor, instance.ready.parts.store

    async def get(who: object, path: str) -> Answer:
        return await asyncio.to_thread(who.request, "GET", path)  # type: ignore[attr-defined]

    ids = [(await asyncio.to_thread(visitor.request, "POST", "/v1/sessions", {})).body["id"] for _ in "ab"]
    session = await store.sessions.load(ids[0])
    blob = await store.blobs.put(
        principal=session.principal,
        session_id=session.id,
        media_type="application/json",
        data=b'"<script>alert(1)</script>"',
    )
    found = await get(visitor, f"/v1/sessions/{ids[0]}/blobs/{blob.id}")
    assert (found.status, found.body) == (200, "<script>alert(1)</script>")
    assert found.headers["content-disposition"].startswith("attachment")
    assert found.headers["cache-control"] == "no-store"
    assert found.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in found.headers["content-security-policy"]
    assert (await get(visitor.stranger(), f"/v1/sessions/{ids[0]}/blobs/{blob.id}")).status == 404
    assert (await get(visitor, f"/v1/sessions/{ids[1]}/blobs/{blob.id}")).status == 404
    assert (await get(visitor, f"/v1/sessions/{ids[0]}/blobs/blb_none")).status == 404


@pytest.mark.once
async def test_a_blob_is_sent_to_the_bearer_of_its_own_conversation_alone(instance: Inside) -> None:
    visitor, store = instance.visitor, instance.ready.parts.store
    tickets = [await asyncio.to_thread(visitor.ticket) for _ in "ab"]
    talk = await visitor.open(hello={"ticket": tickets[0]["ticket"]})
    session = await store.sessions.load(talk.session)
    blob = await store.blobs.put(
        principal=session.principal, session_id=session.id, media_type="application/json", data=b"{}"
    )
    path = f"{visitor.served.url}/v1/sessions/{session.id}/blobs/{blob.id}"
    token, other = talk.welcome["resume_token"], tickets[1]["ticket"]
    async with httpx2.AsyncClient(headers={"origin": visitor.served.url}, timeout=PATIENCE_S) as http:
        answers = [
            await http.get(path, headers={"authorization": f"Bearer {each}"})
            for each in (token, other, "no.no")
        ]
    assert [each.status_code for each in answers] == [200, 404, 401]
    assert answers[0].content == b"{}"
