"""The record of actions as a page, for admins: of the apps that they are admins of."""

from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from server.endpoints.dependencies import Dependencies
from server.errors import NotFound
from server.http.inbox.access import InboxAccess
from server.http.inbox.renderer import InboxRenderer

MOST_ACTIONS = 200


@dataclass(frozen=True)
class AuditPage:
    """Draws the newest actions."""

    parts: Dependencies
    access: InboxAccess
    inbox_renderer: InboxRenderer

    def routes(self) -> list[BaseRoute]:
        """GET /inbox/audit."""
        return [Route("/inbox/audit", self._show)]

    async def _show(self, request: Request) -> Response:
        """Show actions; to an agent there is no such page. Looking is an action too."""
        account = (await self.access.signed_in(request)).account
        apps = [app for app, role in account.roles.items() if role == "admin"]
        if not apps:
            raise NotFound
        store, actions = self.parts.store, []
        for app in apps:
            await store.operator_actions.record(app=app, key_id=account.id, session_id=None, action="audit")
            actions += await store.operator_actions.list_newest(MOST_ACTIONS, app=app)
        actions.sort(key=lambda each: (each.at, each.id), reverse=True)
        names = {each.id: each.name for each in await store.operator_accounts.list_all()}
        return self.inbox_renderer.page(
            request, "inbox/audit.html", account=account, actions=actions[:MOST_ACTIONS], names=names
        )
