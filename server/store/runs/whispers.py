"""The whispers of a conversation, for the inbox: what operators wrote for the agents alone, and no visitor reads."""

from dataclasses import dataclass

from sqlalchemy import select

from server.protocol.content_parts import OPERATOR_WHISPER
from server.store.engine.database import StorePart
from server.store.tables import runs

MOST_WHISPERS = 200
"""The newest whispers of a conversation that the inbox shows."""


@dataclass(frozen=True, slots=True)
class Whisper:
    """A text of an operator for the agents; `at` is in ms since the epoch, `name` the operator's."""

    message_id: str
    text: str
    name: str | None
    at: int


class Whispers(StorePart):
    """Reads whispers. Each is stored as the content of a run without a model, a note of the glossary."""

    async def newest(self, session_id: str) -> list[Whisper]:
        """Return the `MOST_WHISPERS` newest whispers of a conversation, the oldest of them first."""
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
