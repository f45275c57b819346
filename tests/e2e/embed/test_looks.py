"""The looks of a widget: the language and the colours of the page, its direction, and the ink of the launcher."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import Page, expect

from tests.e2e.embed.conftest import Hosts, Site, Widget, chat_at, serving
from tests.e2e.embed.test_widget import PHONE
from tests.parts.sampled import later
from tests.parts.server import Backend
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

ROOT = "document.documentElement"
CORNERS = [16, 26, 12]
"""Those of a bubble, of the composer and of an option in pixels, unless an app has its own."""
ACCENT = f"{ROOT}.style.getPropertyValue('--accent')"


async def test_a_frame_takes_the_language_and_the_scheme_of_the_page_and_follows_both(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(), html='lang="de-AT" style="color-scheme: dark"')
    widget = Widget(page)
    frame = await widget.open()
    await expect(frame.locator("html[lang=de][data-theme=dark]")).to_be_attached()
    # It was drawn so at once.
    drawn = [path for path in site.asked if path.startswith("/embed/shop?")]
    assert len(drawn) == 1
    assert "theme=dark" in drawn[0]
    await page.evaluate(f"{ROOT}.style.colorScheme = 'light'")
    await expect(frame.locator("html[data-theme=light]")).to_be_attached()
    await page.evaluate(f"{ROOT}.style.colorScheme = 'light dark'")
    await expect(frame.locator("html:not([data-theme])")).to_be_attached()

    await page.evaluate("Loopwire.close()")
    await page.evaluate(f"{ROOT}.style.colorScheme = 'dark'")
    await expect(frame.locator("html:not([data-theme])")).to_be_attached()
    await widget.launcher.click()
    await expect(frame.locator("html[data-theme=dark]")).to_be_attached()

    await page.evaluate(f"{ROOT}.lang = 'fr'")
    await expect(page.frame_locator("loopwire-chat iframe").locator("html[lang=fr]")).to_be_attached()


async def test_what_the_element_says_is_not_what_the_page_looks_like(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    html = 'lang="de" style="color-scheme: dark"'
    await site.visit(page, site.tag(language="es", theme="light"), html=html)
    frame = await Widget(page).open()
    await expect(frame.locator("html[lang=es][data-theme=light]")).to_be_attached()


async def test_a_frame_has_the_theme_of_its_app_unless_the_page_asks_for_another_one(
    backend: Backend, hosts: Hosts, tmp_path: Path, new_page: Any
) -> None:
    theme = '{ accent = "#7fb2ff", scheme = "dark" }'
    with serving(backend, hosts, tmp_path, theme=theme) as server:
        own = Site(server, chat_at(int(server.url.rpartition(":")[2])), hosts)
        page: Page = await new_page()
        await own.visit(page, own.tag())
        frame = await Widget(page).open()
        await expect(frame.locator("html[data-theme=dark]")).to_be_attached()
        assert "rgb(127,178,255)" in await frame.evaluate(ACCENT)
        await page.evaluate("document.querySelector('loopwire-chat').setAttribute('accent', '#ff9e94')")
        await until_async(lambda: frame.evaluate(f"{ACCENT}.includes('rgb(255,158,148)')"), what="the accent")
        await page.evaluate("document.querySelector('loopwire-chat').removeAttribute('accent')")
        await until_async(lambda: frame.evaluate(f"{ACCENT}.includes('rgb(127,178,255)')"), what="the app's")
        await page.evaluate(f"{ROOT}.style.colorScheme = 'light'")
        await expect(frame.locator("html[data-theme=light]")).to_be_attached()
        await page.evaluate(f"{ROOT}.style.colorScheme = ''")
        await expect(frame.locator("html[data-theme=dark]")).to_be_attached()

        await own.visit(page, own.tag(theme="light", accent="#1f5f46"))
        frame = await Widget(page).open()
        await expect(frame.locator("html[data-theme=light]")).to_be_attached()
        assert "rgb(31,95,70)" in await frame.evaluate(ACCENT)
        await page.close()


SIZES = """() => {
  const of = (selector, name) => parseFloat(getComputedStyle(document.querySelector(selector))[name]);
  const words = (selector) => [of(selector, "fontSize"), of(selector, "lineHeight")];
  const corner = (selector) => of(selector, "borderTopLeftRadius");
  const corners = [corner(".log .bubble"), corner(".composer"), corner(".option")];
  return { body: words("body"), prose: words(".prose"), composer: of("#composer-text", "fontSize"), corners };
}"""


@pytest.mark.parametrize(
    ("theme", "screen", "body", "composer", "round_"),
    [
        later("{}", {}, [16, 26], 16, 1, id="own"),
        pytest.param("{ radius = 7, font_size = 20 }", {}, [20, 32.5], 20, 0.5, id="large"),
        later("{ radius = 0, font_size = 14 }", PHONE, [14, 22.75], 16, 0, id="phone"),
    ],
)
async def test_a_frame_has_the_corners_and_the_size_of_type_of_its_app(
    backend: Backend,
    hosts: Hosts,
    tmp_path: Path,
    new_page: Any,
    theme: str,
    screen: dict[str, Any],
    body: list[float],
    composer: int,
    round_: float,
) -> None:
    with serving(backend, hosts, tmp_path, theme=theme) as server:
        own = Site(server, chat_at(int(server.url.rpartition(":")[2])), hosts)
        page: Page = await new_page(**screen)
        await own.visit(page, own.tag())
        frame = await Widget(page).open()
        await frame.fill("#composer-text", "Polly Magic")
        await frame.press("#composer-text", "Enter")
        await expect(frame.locator(".option").first).to_be_visible()
        await expect(frame.locator(".prose").first).to_be_visible()
        drawn = await frame.evaluate(SIZES)
        assert (drawn["body"], drawn["prose"], drawn["composer"]) == (body, body, composer)
        assert drawn["corners"] == [each * round_ for each in CORNERS]
        # Nothing stands out at the side.
        assert await frame.evaluate(f"{ROOT}.scrollWidth <= innerWidth")
        await page.close()


@pytest.mark.parametrize(
    ("direction", "position", "x", "window_x"),
    [
        ("ltr", "left", 24, 24),
        later("rtl", "right", 1200, 856),
        later("ltr", "right", 1200, 856),
        later("rtl", "left", 24, 24),
    ],
)
async def test_a_chat_stands_where_it_was_put_in_each_direction_of_the_page(
    site: Site, new_page: Any, direction: str, position: str, x: int, window_x: int
) -> None:
    page: Page = await new_page(viewport={"width": 1280, "height": 720})
    await site.visit(page, site.tag(position=position), html=f'lang="pt" dir="{direction}"')
    widget = Widget(page)
    await widget.open()
    button, window = await widget.launcher.bounding_box(), await widget.window.bounding_box()
    assert button is not None
    assert window is not None
    assert (button["x"], window["x"]) == (x, window_x)


@pytest.mark.conformance
async def test_the_launcher_has_the_ink_that_can_be_read_on_its_accent(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    drawn = "(button) => getComputedStyle(button).color"
    for accent, lightness in (("#ffee00", 0), ("#1f5f46", 100), ("#2343c3", 100), ("#7fb2ff", 0)):
        await site.visit(page, site.tag(accent=accent))
        ink = await Widget(page).launcher.evaluate(drawn)
        assert ink.startswith(f"lch({lightness} "), accent
    await page.evaluate(
        "document.querySelector('loopwire-chat').style.setProperty('--loopwire-on-accent', 'rgb(1, 2, 3)')"
    )
    assert await Widget(page).launcher.evaluate(drawn) == "rgb(1, 2, 3)"


@pytest.mark.conformance
async def test_the_sign_of_the_launcher_is_seen_in_forced_colours(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    await page.emulate_media(forced_colors="active")
    await site.visit(page, site.tag())
    launcher = Widget(page).launcher
    await expect(launcher).to_be_visible()

    async def is_drawn() -> bool:
        """Return whether the middle of the button has several colours."""
        picture = Image.open(io.BytesIO(await launcher.screenshot())).convert("RGB")
        colours = picture.crop((14, 14, 42, 42)).getcolors()
        return colours is None or len(colours) > 1

    await until_async(is_drawn, what="the sign")


@pytest.mark.conformance
async def test_opening_on_a_touch_screen_draws_no_ring_around_the_messages(site: Site, new_page: Any) -> None:
    page: Page = await new_page(**PHONE)
    await site.visit(page, site.tag())
    frame = await Widget(page).open()
    await expect(frame.locator("#scroll")).to_be_focused()
    assert await frame.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "none"
