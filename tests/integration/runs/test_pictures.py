"""A model is shown the newest pictures of its conversation, and no more than one call may bear."""

from __future__ import annotations

import base64

import pytest

from server.agents.run.history import user_item
from server.runs.conversation.pictures import MOST_SHOWN_PICTURES, image_part, pictures_of
from server.store import Store


@pytest.mark.parametrize("more", [0, 1, 3])
async def test_the_newest_pictures_are_shown_and_of_the_oldest_none(store: Store, more: int) -> None:
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="en")
    ids = [
        await store.blobs.put_image(
            principal="vis_1",
            session_id=session.id,
            media_type="image/webp",
            data=bytes([each]),
            size=(1, 1),
            keep_s=60,
        )
        for each in range(MOST_SHOWN_PICTURES + more)
    ]
    items = [user_item([image_part(session.id, each, 1, 1)]) for each in ids]
    shown = await pictures_of(items, session, store)
    assert list(shown) == list(reversed(ids))[:MOST_SHOWN_PICTURES]
    newest = base64.b64encode(bytes([MOST_SHOWN_PICTURES + more - 1])).decode()
    assert shown[ids[-1]] == f"data:image/webp;base64,{newest}"


async def test_a_picture_that_has_expired_is_missing_among_the_others(store: Store) -> None:
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="en")
    ids = []
    for number, keep_s in enumerate((60, -1, 60)):
        kept = await store.blobs.put_image(
            principal="vis_1",
            session_id=session.id,
            media_type="image/png",
            data=bytes([number]),
            size=(1, 1),
            keep_s=keep_s,
        )
        ids.append(kept)
    items = [user_item([image_part(session.id, each, 1, 1)]) for each in ids]
    assert list(await pictures_of(items, session, store)) == [ids[2], ids[0]]


async def test_a_picture_that_is_sealed_and_named_twice_is_opened_for_a_run_once(store: Store) -> None:
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="en")
    id = await store.blobs.put_image(
        principal="vis_1",
        session_id=session.id,
        media_type="image/png",
        data=b"picture",
        size=(1, 1),
        keep_s=60,
        sealed=True,
    )
    items = [user_item([image_part(session.id, id, 1, 1)])] * 2
    url = f"data:image/png;base64,{base64.b64encode(b'picture').decode()}"
    assert await pictures_of(items, session, store) == {id: url}


async def test_the_pictures_of_a_conversation_that_a_user_has_claimed_meanwhile_are_shown(
    store: Store,
) -> None:
    session = await store.sessions.create(app="demo", principal="vis_1", service="test", language="en")
    id = await store.blobs.put_image(
        principal="vis_1",
        session_id=session.id,
        media_type="image/png",
        data=b"picture",
        size=(1, 1),
        keep_s=60,
    )
    assert await store.hand_overs.hand_over("demo", "vis_1", "usr_ana") == [session.id]
    items = [user_item([image_part(session.id, id, 1, 1)])]
    assert list(await pictures_of(items, session, store)) == [id]
