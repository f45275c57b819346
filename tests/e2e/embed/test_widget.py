"""The widget on a page of another site, in a browser that gives frames neither cookies nor storage."""

from __future__ import annotations

import asyncio
import io
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Frame, Page, Route, expect

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.conversation.person import Person
from tests.e2e.conversation.test_lost_connection import only_cuts
from tests.e2e.embed.conftest import (
    ALL_BLOCKED,
    Hosts,
    Site,
    Widget,
    block_cookies_of_other_sites,
    cookies_of,
    secure_site,
)
from tests.e2e.still import at_rest
from tests.parts.sampled import later
from tests.parts.server import Backend
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

SETTLED = "body:not(:has(#sending li, #queue li)) #log:not([data-running]):has(> .row)"
HOSTILE = "<style>* { all: unset !important; } *::before { content: 'x' !important; }</style>"
EVIL = """<script>
  top.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize" }, "*");
  onmessage = () => (document.title = "got a port");
</script>"""
"""What another frame of the shop's page tries, an advertisement for instance."""

CONNECTIONS = """[...document.querySelector("loopwire-chat").shadowRoot.querySelectorAll("link[rel=preconnect]")]
  .map(({ href }) => href)"""
"""The servers to which the widget opens a connection early."""

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


async def say(frame: Frame, text: str) -> None:
    """Write a message in a frame and wait for its answer."""
    await frame.fill("#composer-text", text)
    await frame.press("#composer-text", "Enter")
    await expect(frame.locator("#log .bubble", has_text=text)).to_be_visible()
    await frame.locator(SETTLED).wait_for(state="attached")


async def is_accessible(page: Page) -> None:
    """Axe finds nothing in the page and in its frames."""
    await at_rest(page)
    for each in page.frames:
        await each.evaluate(AXE)
    found = await looked_at(page, {"runOnly": {"type": "tag", "values": TAGS}})
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found["violations"]] == []
    assert found["passes"] > 0


async def focused(page: Page) -> str:
    """Return what has the focus in the widget: its button, its frame, or nothing."""
    part: str = await page.evaluate("document.activeElement.shadowRoot?.activeElement?.part.value ?? ''")
    return part


async def test_a_strict_page_talks_without_cookies_and_storage(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await page.context.add_init_script(ALL_BLOCKED)
    await site.visit(page, site.tag(), headers=site.strict)
    assert await page.evaluate("crossOriginIsolated === false && trustedTypes !== undefined")
    widget = Widget(page)
    await expect(widget.launcher).to_have_attribute("aria-label", "Chat")
    await widget.launcher.hover()
    assert site.asked == ["/widget.js"]
    await is_accessible(page)

    frame = await widget.open()
    await expect(widget.launcher).to_have_attribute("aria-expanded", "true")
    assert await focused(page) == "frame"
    await expect(frame.locator("#composer-text")).to_be_focused()
    await expect(frame.locator("#title")).to_have_text("Vender no Desvão")
    await say(frame, "Polly Magic")
    # The network goes while the answer comes.
    await frame.locator(".row-block.open .option").first.click()
    await page.context.set_offline(True)
    await expect(frame.locator("body[data-state=offline]")).to_be_attached()
    await page.context.set_offline(False)
    await expect(frame.locator("body[data-state=open]")).to_be_attached()
    await frame.locator(SETTLED).wait_for(state="attached")
    rows = await frame.locator("#log > .row").count()

    await page.evaluate("document.querySelector('loopwire-chat').setAttribute('language', 'en')")
    await expect(page.frame_locator("loopwire-chat iframe").locator("html[lang=en]")).to_be_attached()
    frame = await widget.frame()
    await expect(frame.locator("#log > .row")).to_have_count(rows)

    await frame.press("#composer-text", "Escape")
    await expect(widget.window).to_be_hidden()
    await expect(widget.launcher).to_have_attribute("aria-label", "Chat")
    assert await focused(page) == "launcher"
    await page.evaluate("addEventListener('loopwire:unread', ({ detail }) => (window.unread = detail.count))")
    await frame.evaluate("document.querySelector('.row-block.open .option').click()")
    await expect(widget.counted).to_be_visible()
    count = int(await widget.counted.inner_text())
    assert count >= 1
    await frame.locator(SETTLED).wait_for(state="attached")
    assert await page.evaluate("window.unread") >= count
    await is_accessible(page)
    await widget.launcher.click()
    await expect(widget.counted).to_be_hidden()
    await expect(frame.locator("#composer-text")).to_be_focused()
    await is_accessible(page)
    assert await cookies_of(page.context, "chat.localhost") == []
    secrets = [path for path in site.asked if "lwf_" in path or "eyJ" in path]
    assert secrets == []
    only_cuts(troubles)


@pytest.mark.parametrize("late", ["frame_rows.js", *map(later, ("frame_rows.css", "htmx.min.js"))])
async def test_a_file_that_a_frame_loads_late_is_loaded_again_after_a_failure(
    site: Site, new_page: Any, troubles: Any, late: str
) -> None:
    page: Page = await new_page()
    lost: list[str] = []

    async def lose(route: Route) -> None:
        lost.append(route.request.url)
        await route.abort()

    await page.route(f"**/{late}*", lose)
    await site.visit(page, site.tag())
    frame = await Widget(page).open()
    await frame.fill("#composer-text", "Polly Magic")
    await frame.press("#composer-text", "Enter")
    await expect(frame.locator("body[data-state=waiting]")).to_be_attached()
    assert len(lost) >= 2
    await expect(frame.locator("#sending li")).to_contain_text("Polly Magic")
    await page.unroute(f"**/{late}*")
    await expect(frame.locator("#log .bubble", has_text="Polly Magic")).to_be_visible()
    await frame.locator(SETTLED).wait_for(state="attached")
    await frame.locator(".row-block.open .option").first.click()
    await expect(frame.locator("#log .answered").first).to_be_visible()
    assert all("ERR_FAILED" in each or late in each for each in troubles), troubles
    troubles.clear()


async def test_a_sale_with_a_picture_ends_with_its_item(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(), headers=site.strict)
    frame = await Widget(page).open()
    seller = Person(frame, site.served)  # type: ignore[arg-type]
    raw = io.BytesIO()
    Image.new("RGB", (320, 240), "teal").save(raw, "JPEG")
    files = [{"name": "a.jpg", "mimeType": "image/jpeg", "buffer": raw.getvalue()}]
    await frame.set_input_files("#photos-input", files)  # type: ignore[arg-type]
    await seller.say("Polly Magic")
    await seller.settled()
    await until_async(
        lambda: frame.evaluate("document.querySelector('#log .row-user img')?.naturalWidth > 0"),
        what="the picture",
    )
    await seller.sell(seller.click_answer)
    await frame.locator(".card.item a", has_text="Ver o artigo").click()
    dialog = frame.locator("dialog article")
    await expect(dialog).to_contain_text("Polly Magic")
    await page.keyboard.press("Escape")
    await expect(dialog).to_have_count(0)
    await expect(Widget(page).window).to_be_visible()
    thumb = frame.locator("#log loopwire-actions [data-action=up]").last
    await thumb.evaluate("(button) => button.click()")
    await expect(thumb).to_have_attribute("aria-pressed", "true")


async def test_a_hostile_page_neither_breaks_the_widget_nor_reads_it(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(), head=HOSTILE)
    widget = Widget(page)
    await page.evaluate("window.heard = []; addEventListener('message', ({ data }) => heard.push(data))")
    frame = await widget.open()
    box, window = await widget.launcher.bounding_box(), await widget.window.bounding_box()
    assert box is not None and window is not None
    assert (box["width"], box["height"]) == (56, 56)
    assert (window["width"], round(window["height"])) == (400, 600)
    assert await page.evaluate("document.querySelector('loopwire-chat iframe')") is None
    with pytest.raises(Exception, match="Blocked a frame"):
        await page.evaluate(
            "document.querySelector('loopwire-chat').shadowRoot.querySelector('iframe').contentWindow.document"
        )

    # An answer to the frame without its nonce, or from another page, has no effect.
    lies = """() => {
      const frame = document.querySelector('loopwire-chat').shadowRoot.querySelector('iframe').contentWindow;
      for (const id of [1, undefined, heard[0].id]) {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => heard.push(data);
        frame.postMessage({ jsonrpc: '2.0', id, result: { hostContext: { theme: 'dark' } } }, '*', [port2]);
      }
    }"""
    await page.evaluate(lies)
    site.hosts.page = {}, EVIL
    add = "(src) => document.body.append(Object.assign(document.createElement('iframe'), { src }))"
    await page.evaluate(add, site.at("evil"))
    await until_async(lambda: page.evaluate("heard.some(({ id }) => id === 1)"), what="the foreign frame")
    await say(frame, "Polly Magic")
    assert await frame.evaluate("document.documentElement.dataset.theme ?? ''") != "dark"
    assert [await each.title() for each in page.frames if each.url.startswith(site.at("evil"))] == [""]
    assert await page.evaluate("heard.filter(({ method }) => method !== 'ui/initialize')") == []

    # A page that goes on without being loaded anew: the conversation stays where it is.
    await page.evaluate("history.pushState({}, '', '/two'); document.body.innerHTML = '<h1>Two</h1>'")
    swap = f"""const body = document.createElement('body'); const again = document.createElement('script');
      Object.assign(again, {{ src: '{site.chat}/widget.js' }}); again.dataset.app = 'shop'; body.append(again);
      document.documentElement.replaceChild(body, document.body); new Promise((done) => (again.onload = done))"""
    await page.evaluate(swap)
    await expect(page.locator("loopwire-chat")).to_have_count(1)
    await expect(frame.locator("#log .bubble")).to_have_text("Polly Magic")
    troubles.clear()


@pytest.mark.conformance
async def test_escape_elsewhere_in_the_page_is_the_pages_own(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    await site.visit(page, '<dialog><input id="own"></dialog>' + site.tag())
    widget = Widget(page)
    await widget.open()
    await page.evaluate("document.querySelector('dialog').showModal()")
    await expect(page.locator("#own")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.locator("dialog")).to_be_hidden()
    await expect(widget.window).to_be_visible()
    assert await focused(page) != "launcher"
    await widget.launcher.focus()
    await page.evaluate(
        "addEventListener('keydown', (event) => event.preventDefault(), { capture: true, once: true })"
    )
    await page.keyboard.press("Escape")
    await expect(widget.window).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(widget.window).to_be_hidden()


@pytest.mark.conformance
async def test_the_loader_may_be_a_module(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    module = site.tag().replace(" async>", ' type="module">')
    await site.visit(page, module, headers=site.strict)
    await Widget(page).open()


async def test_fifty_removed_chats_leave_neither_listeners_nor_elements(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag())
    await expect(Widget(page).launcher).to_be_visible()
    session = await page.context.new_cdp_session(page)

    async def left() -> list[int]:
        counts = []
        for what in ("window", "document", "document.documentElement"):
            found = await session.send("Runtime.evaluate", {"expression": what})
            listeners = await session.send(
                "DOMDebugger.getEventListeners", {"objectId": found["result"]["objectId"]}
            )
            counts.append(len(listeners["listeners"]))
        return [*counts, await page.evaluate("document.querySelectorAll('*').length")]

    await page.evaluate("Loopwire.destroy()")
    before = await left()
    mounts = """async () => {
      for (let turn = 0; turn < 50; turn += 1) {
        const chat = document.createElement('loopwire-chat');
        chat.setAttribute('app', 'shop');
        document.body.append(chat);
        if (turn % 10 === 0) chat.open();
        if (turn % 2) chat.remove(); else chat.destroy();
        await null;
      }
    }"""
    await page.evaluate(mounts)
    assert await left() == before
    assert page.frames == [page.main_frame]


async def test_the_widget_fills_the_screen_of_a_phone_and_closes_by_its_back_button(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page(**PHONE)
    await site.visit(page, site.tag())
    widget = Widget(page)
    frame = await widget.open()
    assert await widget.window.bounding_box() == {"x": 0, "y": 0, "width": 390, "height": 844}
    assert (
        float(
            await frame.evaluate(
                "parseFloat(getComputedStyle(document.getElementById('composer-text')).fontSize)"
            )
        )
        >= 16
    )
    assert await frame.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await is_accessible(page)
    await page.evaluate("history.back()")
    await expect(widget.window).to_be_hidden()
    assert page.url == site.at("shop") + "/"
    entries = await page.evaluate("history.length")
    await widget.launcher.click()
    await expect(widget.window).to_be_visible()
    await frame.locator("#close").click()
    await expect(widget.window).to_be_hidden()
    await until_async(lambda: page.evaluate("!history.state?.loopwire"), what="the former entry")
    assert await page.evaluate("history.length") == entries
    await expect(widget.launcher).to_be_visible()


@pytest.mark.parametrize("way", ["hover", later("focus")])
async def test_who_comes_to_the_button_has_a_connection_before_the_chat_is_opened(
    site: Site, new_page: Any, way: str
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag())
    launcher = Widget(page).launcher
    await expect(launcher).to_be_visible()
    assert await page.evaluate(CONNECTIONS) == []
    await (launcher.hover() if way == "hover" else launcher.focus())
    assert await page.evaluate(CONNECTIONS) == [f"{site.chat}/"]
    assert site.asked == ["/widget.js"]


async def test_the_widget_requests_only_its_loader_before_the_consent(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    early = "<script>window.Loopwire = [['open']]</script>"
    await site.visit(page, site.tag(consent="required", mode="sidebar", position="left"), head=early)
    widget = Widget(page)
    await expect(widget.window).to_contain_text("chat.localhost")
    await widget.launcher.hover()
    await is_accessible(page)
    assert await page.evaluate(CONNECTIONS) == []
    assert site.asked == ["/widget.js"]
    assert await page.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    yes, no = widget.window.get_by_role("button", name="OK"), widget.window.get_by_role("button").last
    await expect(widget.window).to_contain_text(f"O chat é carregado e guardado em {site.chat}")
    assert await no.inner_text() == "Agora não"
    await expect(no).to_be_focused()
    await no.click()
    await expect(widget.window).to_be_hidden()
    await widget.launcher.click()
    window = await widget.window.bounding_box()
    assert window is not None
    assert window["height"] < 200
    assert site.asked == ["/widget.js"]
    await yes.click()
    frame = await widget.frame()
    await expect(frame.locator("#composer-text")).to_be_focused()
    box = await widget.window.bounding_box()
    assert box is not None
    assert (box["x"], box["y"], box["width"], box["height"]) == (0, 0, 400, 720)
    await is_accessible(page)
    await page.evaluate("Loopwire.close()")
    await expect(widget.window).to_be_hidden()


async def test_an_inline_chat_grows_with_its_conversation_and_a_plain_frame_needs_no_script(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page()
    element = (
        '<loopwire-chat app="shop" mode="inline" height="auto" theme="dark" language="fr"></loopwire-chat>'
    )
    address = f"{site.chat}/embed/shop?service=chat&amp;theme=light&amp;accent=ffee00"
    plain = f'<iframe id="plain" src="{address}" width="400" height="500" title="Chat"></iframe>'
    form = f'<iframe id="form" src="{site.chat}/embed/shop?service=value_estimation" title="Valor"></iframe>'
    await site.visit(page, f'{element}{plain}{form}<script src="{site.chat}/widget.js" async></script>')
    handle = await page.locator("loopwire-chat iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    await expect(frame.locator("html[data-theme=dark]")).to_be_attached()
    await expect(frame.locator("#close")).to_be_hidden()
    await expect(page.locator("loopwire-chat button")).to_have_count(0)
    fits = "innerHeight >= document.getElementById('talk').scrollHeight"
    await until_async(lambda: frame.evaluate(fits), what="the whole frame")
    before = await frame.evaluate("innerHeight")
    await say(frame, "Polly Magic")
    await until_async(lambda: frame.evaluate(f"{fits} && innerHeight !== {before}"), what="the higher frame")
    assert await page.evaluate("document.activeElement.localName") == "loopwire-chat"
    # The app has no French: the frame is drawn once, in another language.
    assert len([path for path in site.asked if path.startswith("/embed/shop?theme=dark")]) == 1
    second = page.frame_locator("#plain")
    await second.locator("#composer-text").fill("olá")
    await second.locator("#composer-text").press("Enter")
    await expect(second.locator("#log .row-text").first).to_be_visible()
    asked = page.frame_locator("#form")
    await asked.locator("form.request .primary").click()
    await expect(asked.locator("#log .response")).to_be_visible()
    await is_accessible(page)


async def test_a_page_of_another_site_shows_no_frame(site: Site, new_page: Any, troubles: Any) -> None:
    page: Page = await new_page()
    frames = [f"{site.chat}/embed/shop", f"{site.chat}/", f"{site.chat}/demo"]
    await site.visit(page, "".join(f'<iframe src="{each}"></iframe>' for each in frames), at="evil")
    await page.wait_for_load_state("load")
    refused = [each for each in troubles if "frame-ancestors" in each]
    assert len(refused) == len(frames)
    assert {each.url for each in page.frames[1:]} == {"chrome-error://chromewebdata/"}
    troubles.clear()


async def test_a_reload_finds_the_conversation_by_a_partitioned_cookie_until_its_visitor_deletes_it(
    backend: Backend, hosts: Hosts, new_page: Any
) -> None:
    with secure_site(backend, hosts) as own:
        page: Page = await new_page()
        await block_cookies_of_other_sites(page)
        await own.visit(page, own.tag())
        await say(await Widget(page).open(), "Polly Magic")
        [cookie] = await cookies_of(page.context, "chat.localhost")
        assert (cookie["name"], cookie["sameSite"]) == ("__Host-loopwire_frame", "None")
        assert (cookie["secure"], cookie["httpOnly"]) == (True, True)
        assert cookie["partitionKey"] == "http://shop.localhost"
        await page.reload()
        frame = await Widget(page).open()
        await expect(frame.locator("#log .bubble")).to_have_text("Polly Magic")
        await frame.locator("#more").click()
        await frame.locator("#erase").click()
        await expect(frame.locator(".erasure")).to_be_visible()
        await is_accessible(page)
        await frame.locator(".erasure .primary").click()
        await expect(frame.locator("#talk.new-talk")).to_be_attached()
        await page.reload()
        frame = await Widget(page).open()
        await expect(frame.locator("#talk.new-talk")).to_be_attached()
        assert (await cookies_of(page.context, "chat.localhost"))[0]["value"] != cookie["value"]
        await page.close()


@pytest.mark.conformance
async def test_two_frames_of_a_first_visit_are_of_one_visitor_whom_a_reload_finds(
    backend: Backend, hosts: Hosts, new_page: Any
) -> None:
    with secure_site(backend, hosts) as own:
        page: Page = await new_page()
        inline = '<loopwire-chat app="shop" mode="inline" service="chat"></loopwire-chat>'
        plain = f'<iframe id="plain" src="{own.chat}/embed/shop?service=submission" title="Vender"></iframe>'
        loader = f'<script src="{own.chat}/widget.js" async></script>'
        held: list[Route] = []

        async def hold(route: Route) -> None:
            """Let both go at once, so that neither has the cookie of the other."""
            held.append(route)
            if len(held) == 2:
                await asyncio.gather(*(each.continue_() for each in held))

        await page.route("**/embed/**", hold, times=2)
        await own.visit(page, inline + plain + loader)
        frames = []
        for each in ("loopwire-chat iframe", "#plain"):
            handle = await page.locator(each).element_handle()
            frame = await handle.content_frame()
            assert frame is not None
            await expect(frame.locator("form[data-ready]")).to_be_attached()
            frames.append(frame)
        await frames[0].fill("#composer-text", "olá, quem és?")
        await frames[0].press("#composer-text", "Enter")
        await expect(frames[0].locator("#log .row-text").first).to_be_visible()
        await say(frames[1], "Polly Magic")
        assert len(await cookies_of(page.context, "chat.localhost")) == 1
        await page.reload()
        await expect(
            page.frame_locator("loopwire-chat iframe").locator("#log .row-text").first
        ).to_be_visible()
        await expect(page.frame_locator("#plain").locator("#log .bubble")).to_have_text("Polly Magic")
        await page.close()
