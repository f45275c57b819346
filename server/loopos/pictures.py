"""The pictures of a conversation: what an item keeps of them, and where they are read."""

from collections.abc import Sequence
from typing import Protocol

from server.store.rows import Blob


class SentPicture(Protocol):
    """A picture of a message: its id, its type, and its size in pixels."""

    @property
    def id(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def width(self) -> int: ...
    @property
    def height(self) -> int: ...


class Pictures(Protocol):
    """The pictures of all messages, each read by its own principal only. The store's blobs implement it."""

    async def of_messages(self, session_id: str, principal: str) -> Sequence[SentPicture]:
        """Return the pictures that the messages of a session have, oldest first."""
        ...

    async def get(self, blob_id: str, principal: str) -> Blob:
        """Return a picture with its bytes; NotFound for another's."""
        ...


def picture_path(session_id: str, picture_id: str) -> str:
    """Return the path at which the owner of a conversation reads one of its pictures."""
    return f"/v1/sessions/{session_id}/blobs/{picture_id}"
