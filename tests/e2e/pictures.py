"""The states of the page as pictures: `python -m tests.e2e.pictures [WALK…]` writes docs/screenshots.

What is seen is a served Loopwire with its demo model; only the wire between server and browser is held at the right
moment, so that a state which lasts milliseconds stands still. What waits for a person is shown from the gallery, whose
clock stands.
"""

from __future__ import annotations

import asyncio
import io
import json
import socket
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.async_api import Browser, Page, async_playwright, expect

from tests.e2e.hold import Hold
from tests.e2e.scenarios import NOW
from tests.modelserver import ModelServer, Plan, Scripted, Text, named
from tests.parts import process
from tests.parts.chromium import executable
from tests.parts.ports import free_port
from tests.parts.server import served
from tests.parts.wait import until

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs/screenshots"
SCREENS = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1440, "height": 900}}
BROKEN = (
    "A Bimby TM5 está no catálogo, da Vorwerk. A Varoma vem com ela, ou vende-a à parte? Diga também o ano."
)
SETTLED = "body:not(:has(#sending li, #queue li)) #log:not([data-running]):has(> .row)"


class Album:
    """One visitor's walk through the product, photographed."""

    def __init__(self, page: Page, hold: Hold, screen: str, url: str) -> None:
        """Begin on this page."""
        self.page, self.hold, self.screen, self.url = page, hold, screen, url
        self._taken: dict[str, bytes] = {}

    async def take(self, state: str) -> None:
        """Photograph a state in both themes."""
        for theme in ("light", "dark"):
            await self.page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            raw = await self.page.screenshot(animations="disabled", caret="hide")
            self._taken[f"{state}-{self.screen}-{theme}.webp"] = raw

    def develop(self) -> None:
        """Write what was taken, after the walk: an answer does not wait for an encoder."""
        for name, raw in self._taken.items():
            picture = Image.open(io.BytesIO(raw)).convert("RGB")
            picture.save(FOLDER / name, "WEBP", lossless=True, quality=80, method=4)

    async def settled(self) -> None:
        """Wait until nothing runs and nothing is on its way."""
        await self.page.wait_for_selector(SETTLED, state="attached")

    async def say(self, text: str) -> None:
        """Write something and send it."""
        await self.page.fill("#composer-text", text)
        await self.page.press("#composer-text", "Enter")

    async def choose(self, label: str) -> None:
        """Click an open option and wait for what comes of it."""
        await self.page.locator(".row-block.open .option", has_text=label).first.click()
        await expect(self.page.locator(".row-user .bubble").last).to_contain_text(label, ignore_case=True)
        await self.settled()

    async def start(self, text: str) -> None:
        """Begin another conversation."""
        await self.page.goto(self.url)
        await self.say(text)


def says(kind: str, *words: str) -> Callable[[str], bool]:
    """Recognise a frame by its event's type and by words in it."""
    return lambda text: f'"type":"{kind}"' in text.replace(" ", "") and all(word in text for word in words)


def nth(count: int, kind: str) -> Callable[[str], bool]:
    """Recognise the nth event of a type, also inside a batch."""
    seen = [0]

    def recognise(text: str) -> bool:
        frame = json.loads(text)
        frames = frame.get("batch", [frame])
        seen[0] += sum(each.get("event", {}).get("type") == kind for each in frames)
        return seen[0] >= count

    return recognise


async def submission(album: Album) -> None:
    """From the empty page to the finished item."""
    page = album.page
    await page.goto(album.url)
    await album.take("01-empty")
    album.hold.at = nth(2, "TOOL_CALL_RESULT")
    await album.say("Tenho uma Fujifilm X-T30 II com a XF 18-55 mm, comprada em 2022")
    await album.settled()
    await page.locator(".row-block.open .option").first.click()
    await expect(page.locator(".row-tool.running")).to_be_visible()
    await album.take("03-tool-running")
    album.hold.let_go()
    await album.settled()
    await album.take("04-handoff")
    await album.choose("Prateado")
    await album.choose("Excelente")
    await album.choose("Sim")
    await page.locator("form.form input").fill("uns milhares")
    await page.press("form.form input", "Enter")
    await expect(page.locator("[aria-invalid=true]")).to_be_visible()
    await album.settled()
    await album.take("06-form-error")
    await page.locator("form.form input").fill("12000")
    await page.press("form.form input", "Enter")
    await expect(page.locator(".row-user .bubble").last).to_have_text("12000")
    await album.settled()
    await album.choose("Nada visível")
    understood = await page.input_value("form.form input")
    await page.press("form.form input", "Enter")
    await expect(page.locator(".row-user .bubble").last).to_have_text(understood)
    await album.settled()
    await page.locator("form.form input").fill("Caixa, fatura, correia")
    await page.press("form.form input", "Enter")
    await expect(page.locator(".row-user .bubble").last).to_have_text("Caixa, fatura, correia")
    await album.settled()
    await album.choose("Não")
    await expect(page.locator(".tag.good")).to_be_visible()
    await album.take("12-finished-item")


async def answering(album: Album) -> None:
    """Take pictures while an answer comes."""
    page = album.page
    await page.goto(album.url)
    await album.say("Quero vender uma consola")
    await album.settled()
    await expect(page.locator("[data-more]")).to_be_visible()
    await album.take("05-options")
    album.hold.at = nth(8, "TEXT_MESSAGE_CONTENT")
    await album.say("O que é preciso para vender aqui?")
    await expect(page.locator("loopwire-text")).to_be_visible()
    await expect(page.locator("loopwire-text")).not_to_be_empty()
    await album.take("02-streaming")
    album.hold.let_go()
    await album.settled()
    await page.click("#demo button")
    await album.take("11-demo-notice")
    await page.click("#demo button")
    await page.context.set_offline(True)
    await expect(page.get_by_role("status")).to_be_visible()
    await page.fill("#composer-text", "É uma Switch OLED branca")
    await album.take("10-offline")
    await page.context.set_offline(False)


async def slow(album: Album) -> None:
    """Take pictures of what can be done about an answer that takes long."""
    page = album.page
    await album.start("Tenho uma Bimby TM5 com a Varoma, quase sem uso")
    await expect(page.locator("loopwire-text")).to_be_visible()
    await album.say("Ah, e ainda tenho a caixa e a fatura.")
    await expect(page.locator("#queue li small")).to_be_visible()
    await album.take("07-queued")
    await page.get_by_role("button", name="Retirar").click()
    await expect(page.locator(".row-user.unanswered")).to_be_visible(timeout=60_000)
    await album.settled()
    await album.start("Tenho uma Bimby TM5 com a Varoma, quase sem uso")
    await expect(page.locator("loopwire-text")).to_contain_text("Vorwerk")
    await page.press("#composer-text", "Escape")
    await expect(page.locator(".ended.stopped").last).to_be_visible()
    await album.settled()
    await album.take("08-stopped")


async def failing(album: Album) -> None:
    """An answer that the model's server cuts in the middle."""
    await album.start("Tenho uma Bimby TM5 com a Varoma, quase sem uso")
    await expect(album.page.locator(".ended.failed")).to_be_visible()
    await album.settled()
    await album.take("09-failed")


async def waiting(album: Album) -> None:
    """A call that waits for a yes, and several questions of which some are answered wrongly."""
    page = album.page
    await page.clock.set_fixed_time(NOW / 1000)
    await page.goto(f"{album.url}/s/approval")
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await album.take("13-approval")
    await page.goto(f"{album.url}/s/ask")
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await page.get_by_label("Nome de quem entrega").fill("Ana Sousa")
    await page.get_by_label("E-mail").fill("ana")
    await page.get_by_label("Quantas caixas").fill("duas")
    await page.press("#row-blk_1 form input >> nth=3", "Enter")
    await expect(page.get_by_label("E-mail")).to_be_focused()
    await album.take("14-ask")


async def services(album: Album) -> None:
    """The list of services, a form with its answer, and the page of the API."""
    page = album.page
    await page.goto(f"{album.url}/services")
    await album.take("15-services")
    await page.get_by_role("link", name="Estimativa de valor").click()
    await expect(page.locator("form.request")).to_be_visible()
    await album.take("16-service-form")
    await page.get_by_role("button", name="Pedir resposta").click()
    await expect(page.locator(".response")).to_be_visible()
    await album.settled()
    await album.take("17-service-result")
    await page.goto(f"{album.url}/docs")
    await album.take("18-docs")
    decision = page.locator("#decision")
    await decision.get_by_role("button", name="Enviar").click()
    await expect(decision.get_by_role("status")).to_contain_text("200")
    await decision.locator(".try").evaluate("form => form.scrollIntoView({ block: 'start' })")
    await album.take("19-docs-answer")


async def embedded(album: Album) -> None:
    """The chat on the page of a shop."""
    page = album.page
    await page.goto(f"{album.url}/demo")
    await page.locator("loopwire-chat button[part=launcher]").click()
    frame = page.frame_locator("loopwire-chat:not([mode=inline]) iframe")
    await expect(frame.locator("body.closable")).to_be_attached()
    await frame.locator("#composer-text").fill("Polly Magic, da Chicco")
    await frame.locator("#composer-text").press("Enter")
    await expect(frame.locator(".row-block.open .option").first).to_be_visible()
    await frame.locator(SETTLED).wait_for(state="attached")
    await album.take("20-widget")
    await page.evaluate("Loopwire.close()")
    await page.evaluate("document.getElementById('ask').scrollIntoView()")
    await expect(page.frame_locator("loopwire-chat[mode=inline] iframe").locator("#empty")).to_be_visible()
    await album.take("21-inline")
    await page.evaluate("document.getElementById('value').scrollIntoView()")
    form = page.frame_locator("#value iframe")
    await expect(form.locator("form[action]")).to_be_visible()
    await album.take("22-form")


def answers(port: int) -> bool:
    """Return whether the server answers."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def gallery() -> Iterator[str]:
    """Yield the scripted conversations, for what a demo model does not ask."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        child = process.start([sys.executable, "-m", "tests.e2e.gallery", str(port)], log=log, cwd=ROOT)
        try:
            until(lambda: answers(port), seconds=120, what="the gallery")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.stop(child)


Walk = Callable[[Album], Awaitable[None]]


async def photograph(browser: Browser, url: str, *walks: Walk) -> None:
    """Walk through a server on both screens: all of these ways, or those that the command names."""
    walks = tuple(each for each in walks if each.__name__ in (sys.argv[1:] or [each.__name__]))
    for screen, size in SCREENS.items() if walks else ():
        phone = screen == "phone"
        context = await browser.new_context(viewport=size, is_mobile=phone, has_touch=phone, locale="pt-PT")
        for walk in walks:
            page, hold = await context.new_page(), Hold()
            page.set_default_timeout(20_000)
            await page.route_web_socket("**/ws", hold.wire)
            album = Album(page, hold, screen, url)
            await walk(album)
            album.develop()
            await page.close()
        await context.close()


async def main() -> None:
    """Take all pictures."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=15_000)
    async with async_playwright() as playwright:
        path = executable()
        browser = await playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        with gallery() as url:
            await photograph(browser, url, waiting)
        with served({"LOOPWIRE_DEMO_DELAY_MS": "20"}) as running:
            await photograph(browser, running.url, submission, answering, services, embedded)
        with served({"LOOPWIRE_DEMO_DELAY_MS": "1500"}) as running:
            await photograph(browser, running.url, slow)
        port = free_port()
        address = {"OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "sk-test"}
        async with ModelServer(Scripted(), port=port, api_key="sk-test") as model:
            model.brain.extend([Plan([Text(BROKEN)]), Plan([Text(BROKEN)])])
            model.faults.add(named("cut", after=12), times=2)
            with served(address) as running:
                await photograph(browser, running.url, failing)
        await browser.close()
    sizes = [path.stat().st_size for path in FOLDER.glob("*.webp")]
    print(f"{len(sizes)} pictures, {sum(sizes) / 1e6:.1f} MB in {FOLDER.name}")  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main())
