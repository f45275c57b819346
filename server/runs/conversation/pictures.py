"""The pictures that a run's model is shown, read from the store."""

import base64
from collections.abc import Iterable, Sequence
from typing import Any

from server.agents.run.history import images_in
from server.errors import NotFound
from server.protocol.content_parts import IMAGE
from server.store import Session, Store

MOST_SHOWN_PICTURES = 8
"""Pictures that one call of a model is given; of older ones it reads that they were there."""


def image_part(session_id: str, blob_id: str, width: int, height: int) -> dict[str, Any]:
    """Return a picture as a part of a message's content: where it is read, and its size in pixels."""
    url = f"/v1/sessions/{session_id}/blobs/{blob_id}"
    return {"type": IMAGE, "blob_id": blob_id, "url": url, "width": width, "height": height}


async def pictures_of(items: Iterable[dict[str, Any]], session: Session, store: Store) -> dict[str, str]:
    """Return the newest pictures that these items name, as data URLs by their ids; those that expired are missing."""
    found: dict[str, str] = {}
    named = _newest(images_in(items))
    # A user may have claimed the conversation since the run was.
    owner = (await store.sessions.owner_of(session.id) if named else None) or session.principal
    for id in named:
        try:
            blob = await store.blobs.get(id, owner, sealed=True)
        except NotFound:
            continue
        found[id] = f"data:{blob.media_type};base64,{base64.b64encode(blob.data).decode()}"
    return found


def _newest(ids: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(reversed(ids)))[:MOST_SHOWN_PICTURES]
