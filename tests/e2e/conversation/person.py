"""A person at the page in a real browser: writes, clicks, reloads, and compares what is shown with what is stored."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from difflib import unified_diff
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from playwright.async_api import BrowserContext, ConsoleMessage, Locator, Page, Response, expect

from server.html.render import Renderer
from server.loopos.shown_texts import shown_texts
from server.protocol.transcript import Transcript
from tests.e2e.conversation.in_page import OBSERVE, ROWS, WIDE
from tests.parts.chromium import NewPage, Troubles
from tests.parts.server import Served
from tests.parts.wait import until_async

ROOT = Path(__file__).parents[3]
DESKTOP = {"width": 1440, "height": 900}
PHONE = {"width": 360, "height": 740}
LOCALES = {"pt": "pt-PT", "en": "en-GB"}
YES = {"pt": "sim", "en": "yes"}
MOST_ANSWERS = 40
PLACES = 4
"""So many messages are taken at once: one is answered, and the others wait."""
OF_A_POLLY = ("Excelente", "Sim", "Sim", "03/2022", "só a caixa")
OF_AN_IPHONE = ("Excelente", "Sim", "87", "Sim", "03/2022", "só a caixa")
"""The answers of a sale from its first question to its card, for a test that is about something else."""
LATE_FONT = "was preloaded using link preload"
SETTLED = "body:not(:has(#sending li, #queue li)) #log:not([data-running]):has(> .row)"

HAS_TOUCH = "navigator.maxTouchPoints > 0"

FORGET_WORKER = """async () => {
    if (!navigator.serviceWorker || location.protocol === "about:") return;
    for (const each of await navigator.serviceWorker.getRegistrations()) await each.unregister();
    for (const each of await caches.keys()) await caches.delete(each);
}"""

_addresses = itertools.count(1)
_heard: WeakKeyDictionary[BrowserContext, Troubles] = WeakKeyDictionary()
"""The list of the test that has a browser at the moment, for what the browser complains of."""
_renderer = Renderer(ROOT / "web", {})
_renderer.know_texts(shown_texts())


@dataclass
class Person:
    """One browser context with its pages; `page` is the one at hand."""

    page: Page
    served: Served
    language: str = "pt"

    @classmethod
    async def at(
        cls,
        served: Served,
        new_page: NewPage,
        troubles: Troubles,
        *,
        language: str = "pt",
        phone: bool = False,
        **more: Any,
    ) -> Person:
        """Open a browser of a new person, at an address of their own."""
        page = await new_page(
            locale=LOCALES[language],
            viewport=PHONE if phone else DESKTOP,
            is_mobile=phone,
            has_touch=phone,
            **more,
        )
        context = page.context
        number = next(_addresses)
        await context.set_extra_http_headers({"x-forwarded-for": f"10.7.{number // 250}.{number % 250 + 1}"})
        if context not in _heard:
            await context.add_init_script(OBSERVE)
            context.on("console", lambda said: _said(said, _heard[context]))
            context.on("requestfailed", lambda request: _failed(request, _heard[context]))
            context.on("response", lambda response: _answered(response, _heard[context]))
        _heard[context] = troubles
        return cls(page, served, language)

    async def leave(self) -> None:
        """Close the other tabs and forget the service worker, so that the next person can have this browser."""
        for page in self.page.context.pages:
            if page is not self.page:
                await page.close()
        await self.page.evaluate(FORGET_WORKER)
        await self.page.goto("about:blank")

    async def tab(self) -> Person:
        """Open this conversation in a second tab."""
        page = await self.page.context.new_page()
        other = Person(page, self.served, self.language)
        await other.open(self.path)
        return other

    @property
    def path(self) -> str:
        """Return where the page is."""
        return self.page.url.removeprefix(self.served.url)

    @property
    def session(self) -> str:
        """Return the conversation's id."""
        return self.path.removeprefix("/s/").partition("?")[0]

    async def open(self, path: str = "/") -> None:
        """Open an address; a conversation is connected before anything is done there."""
        await self.page.goto(self.served.url + path)
        if path.startswith("/s/"):
            await self.connected()

    async def reload(self) -> None:
        """Load the page again."""
        await self.page.reload()
        await self.connected()

    async def connected(self) -> None:
        """Wait until the wire is open."""
        await expect(self.page.locator("body[data-state=open]")).to_be_attached()

    async def settled(self) -> None:
        """Wait until nothing is on its way and nobody answers."""
        await self.page.locator(SETTLED).wait_for(state="attached")

    async def say(self, text: str) -> None:
        """Write a message and press Enter."""
        await self.page.fill("#composer-text", text)
        await expect(self.page.locator("#send")).to_be_enabled()
        await self.page.press("#composer-text", "Enter")

    async def begin(self, *messages: str) -> str:
        """Say these messages without the page, in a new conversation; the second waits for the answer to the first.

        Returns the conversation's path. A test uses it for what it needs and another test types.
        """
        given = await self.page.context.request.post(
            f"{self.served.url}/v1/tickets", data={"language": self.language}
        )
        session = (await given.json())["session_id"]
        await self._send(session, messages)
        return f"/s/{session}"

    async def more(self, *messages: str) -> None:
        """Say these in the open conversation, without the page, and wait until all are answered there."""
        written = self.page.locator("#log > .row-user")
        for first in range(0, len(messages), PLACES):
            some = messages[first : first + PLACES]
            before = await written.count()
            await self._send(self.session, some)
            await expect(written).to_have_count(before + len(some))
            await self.settled()

    async def _send(self, session: str, messages: Sequence[str]) -> None:
        """Post them in turn; few may wait for an answer at once, and the next one waits for its place."""
        commands = f"{self.served.url}/v1/sessions/{session}/commands"

        async def taken(frame: dict[str, Any]) -> bool:
            answer = await self.page.context.request.post(commands, data=frame)
            assert answer.ok or (await answer.json())["code"] == "busy", await answer.text()
            return answer.ok

        for text in messages:
            frame = {"type": "message", "id": str(uuid4()), "content": [{"type": "text", "text": text}]}
            await until_async(partial(taken, frame), what="a place in the queue")

    @property
    def rows(self) -> Locator:
        """Return the rows of the log."""
        return self.page.locator("#log > .row")

    @property
    def asked(self) -> Locator:
        """Return the question that waits for an answer."""
        return self.page.locator("#log > .row-block.open:has(loopwire-choices, form)")

    async def type_answer(self) -> None:
        """Answer the open question by words in the composer."""
        form = self.asked.locator("form input")
        if await form.count():
            await self.say(await field_answer(form))
            return
        first = self.asked.locator(".option").first
        is_yes = await first.get_attribute("data-name") in {"confirm", "options"}
        await self.say(YES[self.language] if is_yes else str(await first.get_attribute("data-label")))

    async def click_answer(self) -> None:
        """Answer the open question by its own buttons."""
        form = self.asked.locator("form input")
        if await form.count():
            await form.fill(await field_answer(form))
            await self.press(self.asked.locator(".primary"))
        else:
            await self.press(self.asked.locator(".option").first)

    async def press(self, control: Locator) -> None:
        """Press with a finger where the screen takes one, else with the mouse."""
        await (control.tap() if await self.page.evaluate(HAS_TOUCH) else control.click())

    async def sell(
        self, answer: Callable[[], Awaitable[None]], *, each: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        """Answer until the item has its card; `each` looks at every state on the way."""
        for _ in range(MOST_ANSWERS):
            await self.settled()
            if each:
                await each()
            if await self.page.locator("#log .card.item").count():
                return
            await expect(self.asked).to_have_count(1)
            await answer()
        raise AssertionError("the conversation does not come to an end")

    async def earlier(self) -> None:
        """Show the whole conversation, also what was before the page's first row."""
        button = self.page.locator("#older:not([hidden]) button")
        while await button.count():
            before = await self.rows.count()
            await button.click()
            await expect(self.rows.nth(before)).to_be_attached()
            await expect(self.page.locator("#older button:not([disabled])")).to_be_attached()

    async def drawn(self) -> list[str]:
        """Return what the log shows, line by line."""
        lines: list[str] = await self.page.evaluate(ROWS, None)
        return lines

    async def stored(self) -> list[dict[str, Any]]:
        """Return the conversation's messages as REST gives them."""
        found: list[dict[str, Any]] = []
        before = ""
        while True:
            page = await self.rest(f"/v1/sessions/{self.session}/messages?limit=100{before}")
            found = [*page["messages"], *found]
            if page["before"] is None:
                return found
            before = f"&before={page['before']}"

    async def stored_drawn(self) -> list[str]:
        """Return what the stored messages look like when they are drawn."""
        html = _renderer.log(Transcript.of(await self.stored(), {}), self.language)
        lines: list[str] = await self.page.evaluate(ROWS, html)
        return lines

    async def shows_what_is_stored(self) -> None:
        """Hold the log against the stored conversation: nothing is missing, doubled or out of order.

        What is live may be ahead of what is committed for a moment, and the other way round.
        """
        differ = [""]

        async def same() -> bool:
            stored, drawn = await self.stored_drawn(), await self.drawn()
            differ[0] = "\n".join(unified_diff(stored, drawn, "stored", "shown", "", "", 4))
            return not differ[0]

        try:
            await until_async(same, what="the page and the store to agree")
        except AssertionError:
            raise AssertionError(differ[0]) from None

    async def said(self) -> list[str]:
        """Return the words of the rows that hold text, in order."""
        texts: list[str] = await self.page.locator("#log [id^=text-]").all_text_contents()
        return [each.strip() for each in texts]

    async def rest(self, path: str) -> Any:
        """Ask the API as a script of the page would."""
        ask = "async (path) => { const answer = await fetch(path); return [answer.status, await answer.json()]; }"
        status, body = await self.page.evaluate(ask, path)
        assert status == 200, (path, status, body)
        return body

    async def seen(self, what: str) -> list[Any]:
        """Return what was observed in the page since it was loaded."""
        found: list[Any] = await self.page.evaluate(f"window.seen.{what}")
        return found

    async def stays_in_its_width(self) -> None:
        """Nothing can be scrolled sideways."""
        wide = await self.page.evaluate(WIDE)
        assert not wide, wide


async def field_answer(field: Locator) -> str:
    """Return an answer to a field: a number, a month, or words that are both."""
    return "12" if await field.get_attribute("inputmode") == "decimal" else "03/2022"


def _said(said: ConsoleMessage, troubles: Troubles) -> None:
    """A font that came late is not used, which a browser tells: how late is a matter of the machine."""
    if said.type != "error" and LATE_FONT not in said.text:
        troubles.append(f"{said.type}: {said.text}")


def _failed(request: Any, troubles: Troubles) -> None:
    """Write down a request that got no answer; leaving a page ends its requests, which is no failure."""
    if request.failure != "net::ERR_ABORTED":
        troubles.append(f"{request.method} {request.url}: {request.failure}")


def _answered(response: Response, troubles: Troubles) -> None:
    if response.status >= 400:
        troubles.append(f"{response.request.method} {response.url}: {response.status}")
