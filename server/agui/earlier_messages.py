"""The part of a long conversation that no run reads: it is read for one caller in pages, and each page is sent at once.

Every page is one query of bounded size, and other tasks run between two pages.
"""

from msgspec import Raw

from server.agui.block_texts import with_written_blocks
from server.agui.links import message_with_addresses
from server.agui.names import Names
from server.protocol.codec import encode_event
from server.store import Store

PAGE = 100
"""Messages that are read and written without a pause of the loop's other work."""


async def read_earlier(store: Store, names: Names, first: str) -> dict[str, Raw]:
    """Return the messages before this one as JSON, by the caller's ids, oldest first."""
    pages: list[dict[str, Raw]] = []
    cursor: str | None = first
    while cursor is not None:
        page = await store.messages.before(names.session_id, cursor, PAGE)
        drawn = page.messages
        if names.writes_blocks:
            drawn = with_written_blocks(drawn, names.language, running=None)
        shown = (names.rename_message(each) for each in drawn)
        pages.append({each["id"]: _encode_message(each, names.server) for each in shown})
        cursor = page.cursor
    return {id: each for page in reversed(pages) for id, each in page.items()}


def _encode_message(message: dict[str, object], server: str) -> Raw:
    addressed = message_with_addresses(message, server)
    return addressed if isinstance(addressed, Raw) else Raw(encode_event(addressed))
