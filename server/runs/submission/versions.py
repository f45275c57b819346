"""The commands on versions of messages: each is a run that leaves the active path, through the session's queue.

They stop the running answer: a person who replaces a message does not wait for its answer.
"""

from collections.abc import Awaitable, Callable, Sequence

from server.errors import TooManyVersions
from server.protocol.commands import ClientTool, Edit, Part, Regenerate, Switch
from server.protocol.content_parts import CONTEXT, SWITCH, page_data
from server.protocol.envelope import Ack
from server.runs.submission.input_submitter import InputSubmitter
from server.store import SessionOwner, Store
from server.store.rows import Json

Content = Callable[[SessionOwner, Sequence[Part]], Awaitable[list[Json]]]
"""Makes of the parts of a message what is stored of them."""

Tools = Callable[[SessionOwner, Sequence[ClientTool]], list[Json]]
"""Makes of the tools of a page what is stored of them, or refuses them."""


class VersionCommands:
    """Adds versions of messages and switches between them."""

    def __init__(
        self,
        *,
        store: Store,
        submitter: InputSubmitter,
        most: int,
        content: Content,
        tools: Tools,
    ) -> None:
        """Let a message have at most so many versions; `content` and `tools` make what is stored of a message."""
        self._store = store
        self._submitter = submitter
        self.most = most
        self._content = content
        self._tools = tools

    async def edit(self, session: SessionOwner, edit: Edit, language: str) -> Ack:
        """Commit another version of a message and its run, then acknowledge; the same id again is a duplicate.

        Raises NotFound, NotEditable for a message of agents or operators, and TooManyVersions.
        """
        found = await self._store.versions.find(session.id, edit.message_id)
        await self._require_room(session, edit.id, found.versions)
        tools = self._tools(session, edit.tools) if edit.tools else found.tools
        before = [part for part in found.content if part["type"] == CONTEXT]
        shown = before if edit.context is None else page_data(edit.context)
        content = [*await self._content(session, edit.content), *shown]
        branch = {"version_of": found.message_id}
        return await self._submit(session, edit.id, content, language, branch, tools=tools)

    async def regenerate(self, session: SessionOwner, again: Regenerate, language: str) -> Ack:
        """Commit the same message as another version, to be answered once more. Raises as `edit`."""
        found = await self._store.versions.find(session.id, again.message_id, of_answer=True)
        await self._require_room(session, again.id, found.versions)
        branch = {"version_of": found.message_id}
        return await self._submit(session, again.id, found.content, language, branch, tools=found.tools)

    async def switch(self, session: SessionOwner, switch: Switch, language: str) -> Ack:
        """Commit that another version is shown. Raises NotFound, and NotEditable for a message of agents."""
        found = await self._store.versions.find(session.id, switch.message_id)
        content: list[Json] = [{"type": SWITCH, "message_id": found.message_id}]
        branch = {"switch_to": found.message_id}
        return await self._submit(session, switch.id, content, language, branch, kind="note")

    async def _require_room(self, session: SessionOwner, id: str, versions: int) -> None:
        """Refuse one version too many; one that was stored before is acknowledged all the same."""
        if versions >= self.most and not await self._store.runs.find_sent(session.id, [id]):
            raise TooManyVersions(id=id)

    async def _submit(
        self,
        session: SessionOwner,
        id: str,
        content: list[Json],
        language: str,
        branch: Json,
        *,
        tools: list[Json] | None = None,
        kind: str = "agent",
    ) -> Ack:
        submitted = await self._submitter.submit(
            session, id, content=content, language=language, tools=tools, branch=branch, kind=kind
        )
        said = None if kind == "note" else submitted.message_id
        return Ack(id=id, dup=submitted.dup or None, run_id=submitted.run_id, message_id=said)
