"""The notes of operators for the agents, as they are read again in the inbox: no visitor reads them."""

from dataclasses import dataclass

from sqlalchemy import select

from server.protocol.content_parts import OPERATOR_WHISPER
from server.store.engine.database import StorePart
from server.store.tables import runs

MOST_WHISPERS = 200
"""Notes of a conversation that are read again: the newest."""


@dataclass(frozen=True, slots=True)
class Whisper:
    """A note for the agents."""

    message_id: str
    text: str
    name: str | None
    at: int


class Whispers(StorePart):
    """The notes for the agents, which are the content of their runs."""

    async def newest(self, session_id: str) -> list[Whisper]:
        """Return the notes of a conversation, the oldest first."""
        query = (
            select(runs.c.message_id, runs.c.content, runs.c.created_at)
            .where(
                runs.c.session_id == session_id,
                runs.c.content[0]["type"].as_string() == OPERATOR_WHISPER,
            )
            .order_by(runs.c.place.desc())
            .limit(MOST_WHISPERS)
        )
        rows = await self._database.fetch(query)
        return [
            Whisper(row.message_id, row.content[0]["said"], row.content[0]["name"], row.created_at)
            for row in reversed(rows)
        ]
