"""A store on each kind of database in turn, and the few steps that every test takes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from server.loopos.seed import load_catalog
from server.store import Claim, Finish, Renewal, Session, Store, Submitted
from server.store.engine import engines
from tests.parts.wait import PATIENCE_S


@pytest.fixture
async def store(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Store]:
    """Yield an open store with an empty database; of fifty racers the last may wait long for a connection."""
    monkeypatch.setattr(engines, "POOL_TIMEOUT_S", PATIENCE_S)
    monkeypatch.setattr(engines, "TURN_S", PATIENCE_S)
    store = await Store.open(database_url, data_dir=tmp_path)
    yield store
    await store.aclose()


def an_order(product_id: int | None = None) -> dict[str, Any]:
    """Return the arguments of an item that the catalog accepts: the first values of a product with several options."""
    catalog = load_catalog()
    product = (
        catalog.product_by_id[product_id]
        if product_id
        else next(p for p in catalog.products if len(p.options) > 1)
    )
    return {
        "product_id": product.id,
        "brand_id": product.brand_id,
        "option_value_ids": [option.option_value_ids[0] for option in product.options],
    }


@dataclass
class Talk:
    """One session and what may be done in it, with the arguments that do not matter filled in."""

    store: Store
    session: Session

    async def say(self, text: str, client_id: str | None = None, **more: Any) -> Submitted:
        """Submit a message; its id is its text unless another one is given."""
        return await self.store.runs.submit(
            session_id=self.session.id,
            principal=self.session.principal,
            client_id=client_id or text,
            content=[{"type": "text", "text": text}],
            language="pt",
            **more,
        )

    async def claim(self, lease_s: float = 10) -> Claim:
        """Claim what is due; there must be something."""
        claim = await self.store.runs.claim("me", lease_s)
        assert claim is not None
        return claim

    async def renew(self, claim: Claim, lease_s: float) -> Renewal:
        """Keep the lease of one run."""
        held = {claim.run.id: claim.run.fence}
        return (await self.store.runs.renew(held, lease_s))[claim.run.id]

    async def finish(
        self, claim: Claim, *texts: str, told: bool = True, **changes: Any
    ) -> list[dict[str, Any]]:
        """End a run with these messages of the assistant after its user's."""
        messages = [
            {"id": claim.run.message_id, "role": "user", "content": claim.run.content[0]["text"]},
            *(
                {"id": f"{claim.run.id}.{place}", "role": "assistant", "content": text}
                for place, text in enumerate(texts)
            ),
        ]
        fields: dict[str, Any] = {
            "outcome": "success",
            "code": None,
            "messages": messages,
            "state": {"said": claim.run.client_id},
            "items": [{"role": message["role"], "content": message["content"]} for message in messages],
            "agent": "agent",
            "last_seq": claim.session.last_seq + 10,
            **changes,
        }
        await self.store.runs.finish(claim.run.id, claim.run.fence, Finish(**fields))
        if told:
            await self.store.runs.mark_published(claim.run.id, claim.run.fence)
        return fields["messages"]

    async def turn(self, text: str, *answers: str, **changes: Any) -> list[dict[str, Any]]:
        """Say something and have it answered."""
        await self.say(text)
        return await self.finish(await self.claim(), *(answers or (f"re: {text}",)), **changes)


class Talks:
    """Begins sessions."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def __call__(self, principal: str = "ana", **more: Any) -> Talk:
        fields = {"app": "demo", "service": "submission", "language": "pt", "principal": principal, **more}
        return Talk(self._store, await self._store.sessions.create(**fields))


@pytest.fixture
def talks(store: Store) -> Talks:
    """Makes as many sessions as a test wants."""
    return Talks(store)


@pytest.fixture
async def talk(talks: Talks) -> Talk:
    """Return one session of ana's."""
    return await talks()
