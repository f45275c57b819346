"""References to content that is too large for the log: it is stored beside the log, and its owner can fetch it."""

import json
import logging
from typing import Any

from server.errors import LoopwireError, NotFound
from server.protocol.codec import encode_json
from server.protocol.event_kinds import kind_of
from server.protocol.events import Event
from server.protocol.shown_state import MOST_BYTES
from server.store import Session, Store

MEDIA_TYPE = "application/json"

log = logging.getLogger(__name__)


class References:
    """Stores the large content of one session."""

    def __init__(self, store: Store, session: Session) -> None:
        self._store = store
        self._session = session

    async def within(self, events: tuple[Event, ...]) -> tuple[Event, ...]:
        """Return the events as they are published: what is over 64 KiB is `{reference, bytes, media_type}` instead.

        Without `reference` it could not be kept: it is over a megabyte, or the database is away.
        """
        return tuple([await self._replace_in_event(each) if is_large(each) else each for each in events])

    async def _owner(self) -> str:
        """Return the principal of the conversation by now: a user may have claimed it since the run began.

        Raises NotFound when it was deleted.
        """
        owner = await self._store.sessions.owner_of(self._session.id)
        if owner is None:
            raise NotFound
        return owner

    async def _replace_in_event(self, event: Event) -> Event:
        data = _visible_json(event).encode()
        try:
            blob = await self._store.blobs.put(
                principal=await self._owner(),
                session_id=self._session.id,
                media_type=MEDIA_TYPE,
                data=data,
            )
        except LoopwireError as error:
            log.warning("content of %d bytes was not stored: %s", len(data), error.code)
            return cut(event)
        return _with(event, len(data), f"/v1/sessions/{self._session.id}/blobs/{blob.id}")


def is_large(event: Event) -> bool:
    """Return whether this is a result or a block that is too large to be published."""
    content = kind_of(event).content
    return (
        content is not None
        and content.is_referable(event)
        and len(_visible_json(event).encode()) > MOST_BYTES
    )


def cut(event: Event) -> Event:
    """Return only how large it was."""
    return _with(event, len(_visible_json(event).encode()), None)


def _visible_json(event: Event) -> str:
    """Return the visible content as JSON."""
    content = event["content"]
    return content if isinstance(content, str) else encode_json(content)


def _with(event: Event, size: int, path: str | None) -> Event:
    about: dict[str, Any] = {"bytes": size, "media_type": MEDIA_TYPE}
    if path is not None:
        about = {"reference": path, **about}
    if isinstance(event["content"], str):
        return {**event, "content": json.dumps(about)}
    block = event["content"]
    name = str(block.get("legend") or block.get("title") or MEDIA_TYPE)[:200]
    row = {"title": name, "note": f"{-(-size // 1024)} KiB", **({} if path is None else {"link": path})}
    shown = {"kind": "list", "legend": name, "rows": [row], "status": block.get("status", "closed")}
    return {**event, "content": {**shown, **about}}
