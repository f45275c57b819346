"""The notices that an operator types: the readers of the conversation get them, and nothing stores them."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server.bidi import strip_overrides
from server.http.inbox.conversation import InboxConversations
from server.limit_counters import Windows
from server.protocol.envelope import TypingNotice
from server.store import OperatorAccount, Session


class TypingNotices:
    """Takes them from the inbox, as many as a socket may send frames."""

    def __init__(self, conversations: InboxConversations) -> None:
        self._conversations = conversations
        self._limit = Windows(conversations.parts.limits.frames_per_socket)

    def routes(self) -> list[BaseRoute]:
        """POST /inbox/s/{id}/typing."""
        tell = self._conversations.change(self._tell, self._limit)
        return [Route("/inbox/s/{id}/typing", tell, methods=["POST"])]

    async def _tell(self, request: Request, session: Session, account: OperatorAccount) -> Response:
        """Show the visitor that the operator types, if it is the one who has taken over."""
        if session.operator is not None and session.operator["name"] == account.name:
            notice = TypingNotice(name=strip_overrides(account.name))
            await self._conversations.parts.bus.notify(session.id, notice.encode())
        return Response(status_code=HTTPStatus.NO_CONTENT)
