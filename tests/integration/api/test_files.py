"""Pictures in messages: uploaded, sent, read by the model in both dialects, shown again, private to their principal."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.integration.requests.test_images import seen
from tests.integration.ws.visitor import PATIENCE_S, Answer, Talk, Visitor
from tests.modelserver import ModelServer, Scripted
from tests.parts.images import form, png
from tests.parts.model import KEY
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.server import Served, Servers

pytestmark = pytest.mark.once


async def upload(
    visitor: Visitor, session: str, data: bytes, kind: str = "image/png", **headers: str
) -> Answer:
    """Upload a picture as it is."""
    path = f"/v1/sessions/{session}/files"
    given = {"content-type": kind, **headers}
    return await asyncio.to_thread(visitor.request, "POST", path, data, headers=given)


def message(id: str, *content: dict[str, Any]) -> dict[str, Any]:
    """Return a frame with these parts."""
    return {"type": "message", "id": id, "content": list(content)}


def image(uploaded: Answer) -> dict[str, Any]:
    """Return the part that names an uploaded picture."""
    return {"type": "image", "blob_id": uploaded.body["blob_id"]}


async def send(talk: Talk, frame: dict[str, Any]) -> dict[str, Any]:
    """Send it and wait for its ack or error."""
    await talk.send(frame)
    return await talk.until(lambda each: each.get("id") == frame["id"])


@pytest.fixture
async def visitor(loopwire: Served) -> AsyncIterator[Visitor]:
    """Yield a visitor of the shared server, whose demo model sees no pictures."""
    made = Visitor(loopwire)
    yield made
    await made.aclose()


@pytest.mark.parametrize("dialect", ["responses", later("chat")])
async def test_a_model_sees_a_picture_in_its_message_and_in_later_ones(
    serve_each: Servers, dialect: str
) -> None:
    script = Scripted(["Uma cadeira.", "Vermelha."])
    async with ModelServer(script, port=free_port(), api_key=KEY) as model:
        served = serve_each(
            {
                "OPENAI_BASE_URL": model.base_url,
                "OPENAI_API_KEY": KEY,
                "LOOPWIRE_MODEL": "test-model",
                "LOOPWIRE_MODEL_API": dialect,
            }
        )
        visitor = Visitor(served)
        talk = await visitor.open(hello={"ticket": visitor.ticket(service="chat")["ticket"]})
        told = await upload(visitor, talk.session, png("blue", (2000, 1000)))
        assert told.status == 201
        assert (told.body["width"], told.body["height"]) == (1600, 800)
        assert "run_id" in await send(talk, message("m1", {"type": "text", "text": "O que é?"}, image(told)))
        await talk.finished()
        await talk.say("E a cor?", "m2")
        await talk.finished()
        for request in script.requests:
            (url,) = seen(request.body)
            assert Image.open(BytesIO(base64.b64decode(url.partition(",")[2]))).size == (1600, 800)
        # What the log, the messages and the stored items hold is its name and its size.
        first = talk.transcript.messages[0]
        assert first["content"] == "O que é?"
        named = {name: told.body[name] for name in ("blob_id", "url", "width", "height")}
        part = {"type": "image", **named}
        assert first["metadata"]["loopwire"]["content"][1] == part
        assert "base64" not in json.dumps(talk.frames)
        await visitor.aclose()


async def test_a_picture_without_a_word_is_a_message(visitor: Visitor) -> None:
    talk = await visitor.open()
    body, headers = form({}, [png()], name="file")
    path = f"/v1/sessions/{talk.session}/files"
    told = await asyncio.to_thread(visitor.request, "POST", path, body, headers=headers)
    assert told.status == 201
    again = await upload(visitor, talk.session, png())
    assert again.body == told.body
    await send(talk, message("m1", image(told)))
    await talk.finished()
    assert [each["role"] for each in talk.transcript.messages] == ["user", "assistant"]
    assert "imagens" in talk.transcript.messages[1]["content"]
    shown = await asyncio.to_thread(visitor.request, "GET", told.body["url"])
    assert shown.headers["content-type"] == "image/jpeg"
    later = await visitor.open(session=talk.session)
    assert later.transcript.messages == talk.transcript.messages


async def test_uploads_need_write_access_and_messages_take_own_pictures_alone(visitor: Visitor) -> None:
    talk, stranger = await visitor.open(), visitor.stranger()
    other = await stranger.open()
    told = await upload(visitor, talk.session, png())
    assert (await upload(stranger, talk.session, png())).status == 404
    foreign = await upload(visitor, talk.session, png(), origin="https://evil.example")
    assert foreign.status in (401, 403)
    for sender, id, part in (
        (other, "m1", image(told)),
        (talk, "m2", {"type": "image", "blob_id": "blb_none"}),
    ):
        assert (await send(sender, message(id, part)))["code"] == "not_found"
    many = [image(told)] * 9
    assert (await send(talk, message("m3", *many)))["code"] == "too_long"
    assert talk.transcript.messages == other.transcript.messages == []


WRONG = {
    "words": (b"hello", "image/png", 422, "image_unreadable"),
    "JSON": (b"{}", "application/json", 415, "unsupported_media_type"),
    "no boundary": (b"x", "multipart/form-data", 400, "bad_frame"),
    "a broken form": (b"x", "multipart/form-data; boundary=b", 400, "bad_frame"),
    "another charset": (
        b"x",
        "multipart/form-data; boundary=b; charset=punycode",
        415,
        "unsupported_media_type",
    ),
    "a form without a file": (*form({"a": "b"}, []), 400, "bad_frame"),
    "two files": (*form({}, [png(), png()]), 400, "bad_frame"),
    "many files": (*form({}, [png()] * 9), 413, "too_long"),
    "many fields": (*form({f"f{n}": "x" for n in range(1_001)}, [png()]), 400, "bad_frame"),
    # Drawn when it is sent: that takes half a second, and every process of the tests loads this file.
    "a bomb": (partial(png, size=(6_000, 6_000)), "image/png", 422, "image_unreadable"),
}


@pytest.mark.parametrize("wrong", WRONG)
async def test_an_upload_that_is_no_picture_is_refused(visitor: Visitor, wrong: str) -> None:
    body, kind, status, code = WRONG[wrong]
    session = (await asyncio.to_thread(visitor.request, "POST", "/v1/sessions", {})).body["id"]
    header = kind["content-type"] if isinstance(kind, dict) else kind
    answer = await upload(visitor, session, body() if callable(body) else body, header)
    told = answer.body.get("error", answer.body)
    assert (answer.status, told["code"]) == (status, code), answer.body


async def test_a_file_over_ten_megabytes_is_refused_before_it_is_sent(visitor: Visitor) -> None:
    session = (await asyncio.to_thread(visitor.request, "POST", "/v1/sessions", {})).body["id"]
    host = visitor.served.url.removeprefix("http://")
    reader, writer = await asyncio.open_connection(*host.split(":"))
    head = f"POST /v1/sessions/{session}/files HTTP/1.1\r\nhost: {host}\r\ncookie: {visitor.cookie}\r\n"
    writer.write(f"{head}content-type: image/png\r\ncontent-length: {10 * 1024 * 1024 + 1}\r\n\r\n".encode())
    assert b" 413 " in await asyncio.wait_for(reader.readline(), PATIENCE_S)
    writer.close()
