"""The scripted gallery as a process of its own, and the actions of tests of the page on it."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.parts import process
from tests.parts.chromium import NewPage
from tests.parts.ports import free_port
from tests.parts.server import clean_environment, started
from tests.parts.wait import until, until_async


@dataclass(frozen=True)
class Gallery:
    """The server of the scripted conversations."""

    url: str

    def of(self, name: str, **query: str) -> str:
        """Return the address of a state."""
        asked = "&".join(f"{key}={value}" for key, value in query.items())
        return f"{self.url}/{'' if name == 'empty' else f's/{name}'}?{asked}"

    async def open(self, page: Page, name: str, **query: str) -> None:
        """Open a state and wait until it is connected."""
        await page.goto(self.of(name, **query))
        if name not in {"empty", "offline"}:
            await expect(page.locator("body[data-state=open]")).to_be_attached()

    async def go(self, page: Page, name: str, *, pace: float = 0, last: int = 1_000_000) -> None:
        """Let the live events come, `pace` seconds apart, up to the one of number `last`.

        Without a pace it returns when the page has got the last one, so that nothing is redrawn afterwards.
        """
        answer = await page.request.post(f"{self.url}/go/{name}?pace={pace}&last={last}", data="")
        if not pace:
            got = f"Number(document.body.dataset.seq) >= {await answer.json()}"
            await until_async(lambda: page.evaluate(got), what=f"the last event of {name}")

    async def refuse(
        self, page: Page, name: str, kind: str, error: dict[str, object] | None, *, times: int = 1_000_000
    ) -> None:
        """Refuse the next frames of a type with this error, or end the wire; until the page is loaded again."""
        told = {"type": kind, "times": times, "error": error}
        await page.request.post(f"{self.url}/refuse/{name}", data=told)

    async def refused(self, page: Page, name: str) -> list[str]:
        """Return the ids of the frames that were refused."""
        answer = await page.request.get(f"{self.url}/refused/{name}")
        return [frame["id"] for frame in await answer.json()]

    async def received(self, page: Page, name: str, kind: str) -> list[dict[str, object]]:
        """Return the frames of a type that the page has sent."""
        answer = await page.request.get(f"{self.url}/received/{name}")
        return [frame for frame in await answer.json() if frame["type"] == kind]


@pytest.fixture(scope="module")
def gallery(tmp_path_factory) -> Iterator[Gallery]:
    """Yield one gallery for the tests of a file; its states are never changed."""
    port = free_port()
    log = tmp_path_factory.mktemp("gallery") / "log"
    child = started(["tests.e2e.gallery", str(port)], log=log, env=clean_environment(), fresh=False)
    url = f"http://127.0.0.1:{port}"
    try:
        until(lambda: _answers(url), seconds=120, what="the gallery")
        yield Gallery(url)
    finally:
        process.stop(child)


@pytest_asyncio.fixture(loop_scope="session")
async def page(kept_page: NewPage) -> Page:
    """Return the page of this file, which `kept_page` describes; a test that needs one of its own makes it."""
    return await kept_page()


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status == 200
    except OSError:
        return False
