"""A server with two apps, and operators of both who have signed in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from server.store import Store
from tests.integration.conversation.seller import new_address
from tests.integration.ws.visitor import Talk, Visitor
from tests.parts.operators import Operator, new_account
from tests.parts.server import Backend, Served, apart, served

APPS = '[demo]\nnotes = ["We answer <b>soon</b>."]\n[shop]\norigins = ["https://shop.example"]\n'


@dataclass
class Office:
    """A server, and what its commands are given."""

    served: Served
    environment: dict[str, str]

    async def operator(self, name: str, role: str = "agent", app: str = "demo") -> Operator:
        """Make an account and sign in."""
        await new_account(self.served, self.environment, name, role, app)
        operator = Operator(self.served, address=new_address(), headers={"Accept-Language": "en"})
        assert operator.sign_in(name).status == 303
        return operator

    async def actions(self, session: str) -> list[str]:
        """Return what is recorded of a session, the oldest first."""
        store = await Store.open_beside(self.environment.get("DATABASE_URL"), data_dir=self.served.data_dir)
        found = await store.operator_actions.list_newest(100, session_id=session)
        await store.aclose()
        return [each.action for each in found][::-1]


@pytest.fixture(scope="package")
def inbox_server(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """Yield one for the tests of conversations."""
    path: Path = tmp_path_factory.mktemp("apps") / "apps.toml"
    path.write_text(APPS)
    with apart(backend) as own:
        environment = {"LOOPWIRE_DEMO_DELAY_MS": "0", **own.environment, "LOOPWIRE_APPS": str(path)}
        with served(environment) as running:
            yield Office(running, environment)
            assert "Traceback" not in running.log_text()


@pytest.fixture
async def visitor(inbox_server: Office) -> AsyncIterator[Visitor]:
    """A visitor at the page."""
    new = Visitor(inbox_server.served)
    yield new
    await new.aclose()


@pytest.fixture
async def talk(visitor: Visitor) -> Talk:
    """Return a conversation in which something was said and answered."""
    begun = await visitor.open()
    await begun.say("Olá, o que é que posso vender aqui?", "m1")
    await begun.finished()
    return begun
