"""The stream of an inbox page: the list whenever it changes, and the frames of the open conversation.

Both are sent over one response, since browsers open few connections to a server.
"""

import json
from contextlib import suppress
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server import patterns
from server.api.sse_writer import SseWriter, event_frame
from server.api.stream import HEADERS, serve_stream, wait_for_leave
from server.asgi import Asgi, Receive, Scope, Send
from server.auth import Grant
from server.errors import RateLimited, Unauthorized, Unavailable
from server.http.inbox.access import NotSignedIn
from server.http.inbox.conversation import InboxConversations, words_of
from server.http.inbox.watch import InboxWatch
from server.protocol.commands import Hello
from server.rooms.admission import Admission
from server.rooms.connection import Connection
from server.store import Session, SignedIn
from server.tasks import Tasks, happens_within

AGAIN_S = 20.0
"""So late at most a stream notices that its sign-in has ended, or that a conversation was deleted."""

LEAVING = (1012, "drain")

_POSITION = patterns.compile(r"(.{1,64})-([0-9]{1,15})\Z")


class InboxStreams:
    """Opens streams and ends them when the process leaves."""

    def __init__(self, conversations: InboxConversations, admission: Admission, watch: InboxWatch) -> None:
        self.conversations = conversations
        self.admission = admission
        self.watch = watch
        self.open: set[Connection] = set()

    def routes(self) -> list[BaseRoute]:
        """GET /inbox/events, with `?session=` for one conversation beside the list."""
        return [Route("/inbox/events", self._events)]

    def drain(self) -> None:
        """Send all readers away; they come back to another process."""
        for connection in self.open:
            connection.close(*LEAVING)

    async def _events(self, request: Request) -> Response | Asgi:
        access, id = self.conversations.access, request.query_params.get("session")
        if request.method == "HEAD":
            return Response(status_code=405)
        if id:
            signed_in, session = await self.conversations.find(request, id)
            await self.conversations.record(signed_in.account, session.app, session.id, "events")
        else:
            signed_in, session = await access.signed_in(request), None
        for app in signed_in.account.roles:
            await self.conversations.record(signed_in.account, app, None, "list")
        return InboxStream(self, request, signed_in, session)


@dataclass(eq=False)
class InboxStream:
    """The response that goes on until the operator leaves, or is sent away."""

    streams: InboxStreams
    request: Request
    signed_in: SignedIn
    session: Session | None

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Stream; what comes in is only that the reader has left, or that everything is sent."""
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        writer, tasks = SseWriter(), Tasks()
        language = self.streams.conversations.parts.language_of(self.request)
        connection = Connection(writer, html=True, language=language, framing=event_frame)
        self.streams.open.add(connection)
        pump = tasks.spawn(writer.pump(send), name="inbox stream")
        tasks.spawn(self._send_lists(connection), name="inbox list")
        try:
            if self.streams.admission.draining:
                connection.close(*LEAVING)
            await serve_stream(connection, self._serve(connection, receive))
            await pump
        finally:
            self.streams.open.discard(connection)
            writer.drop()
            await tasks.aclose()

    async def _serve(self, connection: Connection, receive: Receive) -> None:
        """Serve the open conversation, if there is one, until the reader has left."""
        if self.session is None:
            await wait_for_leave(receive)
        else:
            await self._follow(self.session, connection, receive)

    async def _follow(self, session: Session, connection: Connection, receive: Receive) -> None:
        grant = Grant(session.id, self.signed_in.id, None, connection.language)
        inbox, reader = self.streams.conversations.parts.store.inbox, self.signed_in.account.id
        async with self.streams.admission.membership(connection, session, grant, self._hello()):
            try:
                await wait_for_leave(receive)
            finally:
                with suppress(Unavailable):
                    await inbox.mark_read(reader, session.id)

    async def _send_lists(self, connection: Connection) -> None:
        """Send the list whenever it has changed, for as long as the sign-in lasts."""
        account, lists = self.signed_in.account, self.streams.conversations.lists
        words, current = words_of(self.request), self.session.id if self.session else ""
        sent = ""
        with self.streams.watch.listen(account.roles) as changed:
            while not connection.closing:
                changed.clear()
                try:
                    await self.streams.conversations.access.signed_in(self.request)
                    drawn = lists.draw(
                        await lists.lines(account, words), account, connection.language, current
                    )
                except NotSignedIn:
                    connection.close_with_code(Unauthorized())
                    return
                except (Unavailable, RateLimited):
                    drawn = sent
                if drawn != sent:
                    connection.put(json.dumps({"type": "inbox", "content": drawn}).encode())
                    sent = drawn
                await happens_within(changed, AGAIN_S)

    def _hello(self) -> Hello:
        """Read the position that the page has, or the stream before this one had."""
        shown = self.request.headers.get("last-event-id") or self.request.query_params.get("position", "")
        position = _POSITION.match(shown)
        if position is None:
            return Hello(type="hello")
        return Hello(type="hello", epoch=position[1], last_seq=int(position[2]))
