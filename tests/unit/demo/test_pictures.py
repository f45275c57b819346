"""Pictures of a seller: thanked for, kept with the item, and no reason to lose the thread."""

from __future__ import annotations

import re
from typing import Any

import pytest

from server.errors import CoreUnavailable
from server.loopos.core import EmbeddedCore
from tests.unit.demo.harness import HarnessVisitor, Reply, RunnerHarness
from tests.unit.demo.judging import at
from tests.unit.demo.utterances import PT_PREFILLED

PT_AGAIN = "em aberto|Falta ainda"

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def send_picture(visitor: HarnessVisitor, number: int, *words: str) -> tuple[str, Reply]:
    """Upload a picture and send it; returns its id and what was answered."""
    store = visitor.harness.store
    blob = await store.blobs.put_image(
        principal=visitor.principal,
        session_id=visitor.session_id,
        media_type="image/jpeg",
        data=b"%d" % number,
        size=(40, 30),
        keep_s=600,
    )
    await store.blobs.keep_images([blob], session_id=visitor.session_id, principal=visitor.principal)
    parts: list[dict[str, Any]] = [{"type": "text", "text": each} for each in words]
    return blob, await visitor.send([*parts, {"type": "image", "blob_id": blob}])


async def kept(visitor: HarnessVisitor) -> list[str]:
    """Return the pictures of the visitor's one item."""
    (item,) = await visitor.items()
    return [each.id for each in item.pictures]


@pytest.mark.parametrize(
    ("state", "words"),
    [("list", "lista"), ("storage", PT_AGAIN), ("ready", PT_AGAIN), ("en:one", "list")],
)
async def test_an_open_question_stays_open_after_a_picture(
    harness: RunnerHarness, state: str, words: str
) -> None:
    visitor = await at(harness, state)
    (before,) = visitor.open_blocks()
    _, reply = await send_picture(visitor, 1)
    (after,) = visitor.open_blocks()
    assert (after["name"], after["choices"]) == (before["name"], before["choices"])
    assert re.search("guardada|kept", reply.text)
    assert re.search(words, reply.text)


async def test_an_item_has_the_pictures_of_before_and_after_it_was_made(harness: RunnerHarness) -> None:
    visitor = await harness.visitor()
    first, _ = await send_picture(visitor, 1, PT_PREFILLED[0])
    await visitor.say("sim")
    while not await visitor.items():
        await visitor.say("sim")
    assert await kept(visitor) == [first]
    (asked,) = visitor.open_blocks()
    second, reply = await send_picture(visitor, 2)
    assert await kept(visitor) == [first, second]
    (again,) = visitor.open_blocks()
    assert again["name"] == asked["name"]
    assert "guardada" in reply.text


async def test_the_card_of_an_item_shows_its_first_picture(harness: RunnerHarness) -> None:
    visitor = await at(harness, "text")
    picture, _ = await send_picture(visitor, 5, "só a caixa")
    (card,) = [each for each in visitor.replies[-1].blocks if each["kind"] == "card"]
    assert card["image"] == f"/v1/sessions/{visitor.session_id}/blobs/{picture}"


async def test_a_picture_that_a_core_cannot_take_now_is_given_with_the_next_answer(
    harness: RunnerHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = await at(harness, "select")

    async def away(*_: Any, **__: Any) -> Any:
        raise CoreUnavailable

    with monkeypatch.context() as patched:
        patched.setattr(EmbeddedCore, "add_picture", away)
        picture, reply = await send_picture(visitor, 3)
        assert "guardada" in reply.text
        assert await kept(visitor) == []
    _, _ = await send_picture(visitor, 4)
    assert (await kept(visitor))[0] == picture
