"""The messages that arrive while the window of a chat is closed, as its launcher shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Frame, Page, expect

from tests.e2e.embed.conftest import Hosts, Site, Widget, chat_at, serving_on
from tests.e2e.embed.test_page_messages import say, signed
from tests.e2e.embed.test_widget import is_accessible
from tests.integration.api.test_app_keys import Program
from tests.parts.app_keys import new_key
from tests.parts.server import Backend, apart

pytestmark = pytest.mark.once

HEAR = "window.heard = []; addEventListener('loopwire:unread', ({ detail }) => heard.push(detail))"
WRITE = """(text) => {
  document.getElementById("composer-text").value = text;
  document.getElementById("composer-text").form.requestSubmit();
}"""
"""What writes in a window that nobody sees."""

ORDER = """(badge) => {
  const [first, second] = [0, 1].map((at) => {
    const range = document.createRange();
    range.setStart(badge.firstChild, at);
    range.setEnd(badge.firstChild, at + 1);
    return range.getBoundingClientRect().left;
  });
  return first < second;
}"""
"""Whether the first letter of the badge stands left of the second one."""


@dataclass
class Office:
    """A shop, and an operator of its app."""

    site: Site
    program: Program
    numbers: Iterator[int]

    def write(self, session: str, times: int = 1) -> None:
        """Write messages to a visitor."""
        for _ in range(times):
            sent = {"id": f"o{next(self.numbers)}", "name": "Ana", "content": "Olá! Sou a Ana."}
            assert self.program.request("POST", f"/v1/sessions/{session}/messages", sent).status < 300


@pytest.fixture(scope="module")
def office(backend: Backend, hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """Yield one for all tests of this file."""
    folder: Path = tmp_path_factory.mktemp("apps")
    with apart(backend) as parts, serving_on(parts, hosts, folder) as server:
        environment = {**parts.environment, "LOOPWIRE_APPS": str(folder / "apps.toml")}
        key = new_key(server, environment, "shop", "operator")
        site = Site(server, chat_at(int(server.url.rpartition(":")[2])), hosts)
        yield Office(site, Program(server, key=key), count())


async def closed(office: Office, page: Page, *, html: str = 'lang="pt"', **data: str) -> tuple[Frame, str]:
    """Begin a conversation and close its window; return its frame and its session."""
    await office.site.visit(page, office.site.tag(service="chat", **data), html=html)
    await page.evaluate(HEAR)
    frame = await Widget(page).open()
    await say(frame, "olá, quem és?")
    session: str = await frame.evaluate("loopwire.session")
    await page.evaluate("Loopwire.close()")
    await expect(Widget(page).window).to_be_hidden()
    return frame, session


async def test_the_launcher_counts_each_message_of_others_once_until_the_window_is_opened(
    office: Office, new_page: Any
) -> None:
    page: Page = await new_page()
    frame, session = await closed(office, page)
    widget = Widget(page)

    async def shows(badge: str, name: str) -> None:
        await expect(widget.counted).to_have_text(badge)
        await expect(widget.launcher).to_have_attribute("aria-label", name)

    await frame.evaluate(WRITE, "e o que vendes?")
    await shows("1", "Abrir o chat, 1 mensagem por ler")
    await expect(frame.locator("#log .row-text").nth(1)).to_be_attached()
    await expect(frame.locator("body")).to_have_attribute("data-running", "")
    office.write(session)
    await shows("2", "Abrir o chat, 2 mensagens por ler")
    assert await page.evaluate("heard") == [{"count": 1}, {"count": 2}]
    await is_accessible(page)
    office.write(session, 8)
    await shows("9+", "Abrir o chat, 10 mensagens por ler")

    await widget.launcher.click()
    await expect(widget.counted).to_be_hidden()
    await expect(widget.launcher).to_have_attribute("aria-label", "Chat")
    office.write(session)
    await expect(frame.locator("#log .row-person")).to_have_count(10)
    assert [each["count"] for each in await page.evaluate("heard")] == [*range(1, 11), 0]


@pytest.mark.conformance
async def test_another_user_finds_no_count_of_the_former_one(office: Office, new_page: Any) -> None:
    page: Page = await new_page()
    frame, session = await closed(office, page, language="en")
    widget = Widget(page)
    await page.evaluate("(token) => Loopwire.identify(token)", signed("ana"))
    await expect(frame.locator("body")).to_have_attribute("data-state", "open")
    office.write(session)
    await expect(widget.launcher).to_have_attribute("aria-label", "Open chat, 1 unread message")
    await page.evaluate("(token) => Loopwire.identify(token)", signed("eva"))
    await expect(widget.counted).to_be_hidden()
    await expect(widget.launcher).to_have_attribute("aria-label", "Chat")
    assert await page.evaluate("heard") == [{"count": 1}, {"count": 0}]


@pytest.mark.conformance
async def test_the_badge_is_read_in_each_direction_and_takes_the_colours_of_the_page(
    office: Office, new_page: Any
) -> None:
    page: Page = await new_page()
    _, session = await closed(office, page, html='lang="pt" dir="rtl"', position="left")
    await page.add_style_tag(content="loopwire-chat::part(badge) { letter-spacing: 1px }")
    badge = Widget(page).counted
    office.write(session, 10)
    await expect(badge).to_have_text("9+")
    assert await badge.evaluate(ORDER)

    async def style(name: str) -> str:
        value: str = await badge.evaluate("(badge, name) => getComputedStyle(badge)[name]", name)
        return value

    assert await style("letterSpacing") == "1px"
    assert await style("backgroundColor") == "rgb(176, 37, 28)"
    assert (await style("color")).startswith("lch(100 ")
    await page.evaluate(
        "document.querySelector('loopwire-chat').style.setProperty('--loopwire-badge', '#ffee00')"
    )
    assert (await style("color")).startswith("lch(0 ")
    await page.emulate_media(forced_colors="active")
    assert await style("backgroundColor") != "rgb(255, 238, 0)"
    assert await style("outlineColor") == await style("color")
