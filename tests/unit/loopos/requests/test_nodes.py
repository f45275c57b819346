"""The lookups of nodes of the catalog: few for a request, and others have the event loop between them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from server.agents import RunContext
from server.loopos.core import Core, EmbeddedCore, Found
from server.loopos.requests.nodes import MOST_LOOKUPS, MOST_SEARCHED, CatalogNodes, ways_of
from server.loopos.seed import load_catalog
from server.services import services

LETTERS = "".join(chr(each) for each in (*range(97, 123), *range(0x3B1, 0x3CA), *range(0x430, 0x44D)))
PATH = ">".join(LETTERS)
PATHS = [PATH[each:] + ">" + PATH[:each] for each in range(0, 40, 2)]
WORDS = " ".join(["abcde", "qwert", "smars", "aplle", "samsn"] * 40)


class NotingCore(EmbeddedCore):
    """The embedded Core over the data file; it notes what is looked up, and in which turn of the loop."""

    def __init__(self) -> None:
        nowhere: Any = None
        super().__init__(nowhere, load_catalog(), nowhere)
        self.looked_up: list[tuple[int, str]] = []
        self.turn = 0

    async def search(self, query: str, **more: Any) -> Found:
        """Note the words or the category."""
        self.looked_up.append((self.turn, query or more.get("category") or ""))
        return await super().search(query, **more)

    async def category_key(self, text: str) -> str | None:
        """Note the words."""
        self.looked_up.append((self.turn, text))
        return await super().category_key(text)

    async def count_turns(self) -> None:
        """Count the turns of the loop until the caller stops it."""
        while True:
            self.turn += 1
            await asyncio.sleep(0)


def run_over(core: Core, service: str = "decision") -> RunContext:
    """Return a run with this Core, of which nothing else is asked."""
    nowhere: Any = None
    return RunContext(
        session_id="ses_1", run_id="run_1", principal="vis_1", app="demo", service=service, language="en",
        conversations=nowhere, emitter=nowhere, resources={Core: core},
    )  # fmt: skip


async def prepared(service: str, more: dict[str, Any]) -> tuple[NotingCore, dict[str, Any]]:
    """Return the Core after the facts of a request were gathered, and the facts."""
    contract = services()[service].contract
    assert contract is not None
    core = NotingCore()
    turns = asyncio.create_task(core.count_turns())
    request = contract.request.model_validate(contract.example | more)
    facts = await contract.prepare(run_over(core, service), request)
    turns.cancel()
    return core, facts


HEAVY: dict[str, tuple[str, dict[str, Any]]] = {
    "paths": ("protocol_generator", {"node_context": {"name": PATH[:199], "parent_categories": PATHS}}),
    "words": (
        "protocol_generator",
        {"node_context": {"name": "a", "parent_categories": [WORDS[each:290] for each in range(20)]}},
    ),
    "options": ("decision", {"options": PATHS, "item_context": PATH}),
}


@pytest.mark.parametrize("kind", HEAVY)
async def test_a_request_has_few_lookups_and_a_turn_of_the_loop_for_each(kind: str) -> None:
    core, _ = await prepared(*HEAVY[kind])
    turns, words = zip(*core.looked_up, strict=True)
    assert 10 < len(words) <= MOST_LOOKUPS
    assert sum(map(len, words)) <= MOST_SEARCHED
    assert len(set(turns)) == len(turns)


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        ("Electronics > Smartphones", ["Smartphones", "Electronics", "Electronics > Smartphones"]),
        ("a/b/c/d/e/f", ["f", "e", "d", "c", "a/b/c/d/e/f"]),
        ("a > b > > 🎉 > b", ["b", "a", "a > b > > > b"]),
        ("Sofas", ["Sofas"]),
        (" > 🎉", [">"]),
    ],
)
def test_the_last_parts_of_a_path_are_looked_up_and_the_whole(text: str, ways: list[str]) -> None:
    assert ways_of(text) == ways


async def test_the_same_words_are_looked_up_once() -> None:
    core = NotingCore()
    nodes = CatalogNodes(run_over(core))
    listed = await nodes.products_of("Electronics > Smartphones")
    kinds = await nodes.kinds_of("smart phones")
    asked = len(core.looked_up)
    assert listed and kinds[0]
    assert await nodes.products_of("Smartphones") == listed
    assert await nodes.kinds_of("smart phones") == kinds
    assert len(core.looked_up) == asked


async def test_twenty_categories_with_their_paths_are_all_looked_up() -> None:
    """What a customer asks by the catalog's own paths stays within the lookups of one request."""
    names = [each.name.en for each in load_catalog().categories][:19]
    options = [f"Marketplace > Used > {each}" for each in names] + ["Smartphones"]
    _, facts = await prepared("decision", {"options": options, "item_context": "iPhone 12"})
    assert "Smartphones" in facts["fitting_options"]
