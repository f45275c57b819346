"""The list of the inbox as a fragment: the page has it, and the stream sends it again whenever it has changed."""

from dataclasses import dataclass

from server.endpoints.dependencies import Dependencies
from server.html.render import Renderer
from server.store import OperatorAccount
from server.store.conversations.inbox import InboxLine

MOST_LISTED = 100
"""Conversations that the list shows."""


@dataclass(frozen=True)
class InboxLists:
    """Reads and draws lists."""

    parts: Dependencies
    renderer: Renderer

    async def lines(self, account: OperatorAccount, words: str) -> list[InboxLine]:
        """Return what an account's list shows."""
        return await self.parts.store.inbox.list_lines(
            account.id, account.roles, MOST_LISTED, without=self.requests, words=words
        )

    @property
    def requests(self) -> list[str]:
        """Return the services whose answers to requests are no conversations."""
        return [name for name, each in self.parts.services.items() if each.contract is not None]

    def draw(self, lines: list[InboxLine], account: OperatorAccount, language: str, current: str) -> str:
        """Draw the list; `current` is the conversation that the operator looks at."""
        return self.renderer.page(
            "inbox/lines.html",
            language,
            lines=lines,
            current=current,
            several=len(account.roles) > 1,
        )
