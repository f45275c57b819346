"""The pictures of a request, read from the store as the model reads them."""

import base64
from typing import Any

from server.store import Run, Session, Store

IMAGE = "image"
"""The type of the content part that names a picture."""


async def pictures_of(run: Run, session: Session, store: Store) -> list[dict[str, Any]]:
    """Return the pictures of a run's content as input parts of the model; nothing for a run without any."""
    found = []
    for part in run.content:
        if part["type"] == IMAGE:
            blob = await store.blobs.get(part["blob_id"], session.principal)
            url = f"data:{blob.media_type};base64,{base64.b64encode(blob.data).decode()}"
            found.append({"type": "input_image", "image_url": url, "detail": "auto"})
    return found
