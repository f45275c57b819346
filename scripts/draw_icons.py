"""Draw the icons of the installed page from web/static/logo.svg, by the Chromium of the tests.

Run it as `python scripts/draw_icons.py`; a test compares the files with what it draws.
"""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from playwright.async_api import Browser, async_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from server.html.files.page_files import background_colours  # noqa: E402
from tests.parts.chromium import QUIET, executable  # noqa: E402

WEB = ROOT / "web"
FOLDER = WEB / "static" / "icons"
CENTRE = (17, 9)
"""The middle of the drawn line, in units of the logo."""

ICONS = {
    "icon-192": (192, 46, 10),
    "icon-512": (512, 46, 10),
    "maskable-512": (512, 52, 0),
    "apple-180": (180, 46, 0),
}
"""The width in pixels, the width in units of the logo, and the radius of the corners in these units.

A system cuts a maskable icon to a circle of 80 % of its width: the line is 38 units long, so it needs 48 units.
"""


def icon_svg(name: str) -> str:
    """Return an icon as SVG: the line of the logo on the page's light background."""
    pixels, units, radius = ICONS[name]
    line = re.findall(r"<path[^>]*/>", (WEB / "static" / "logo.svg").read_text())[0]
    x, y = (each - units / 2 for each in CENTRE)
    fill = background_colours(WEB)["light"]
    paper = f'<rect x="{x}" y="{y}" width="{units}" height="{units}" rx="{radius}" fill="{fill}"/>'
    size = f'width="{pixels}" height="{pixels}" viewBox="{x} {y} {units} {units}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{paper}{line}</svg>'


async def draw_icon(browser: Browser, name: str) -> bytes:
    """Return an icon as PNG."""
    pixels = ICONS[name][0]
    page = await browser.new_page(viewport={"width": pixels, "height": pixels})
    await page.set_content(f'<body style="margin: 0; display: grid">{icon_svg(name)}')
    drawn = await page.screenshot(omit_background=True)
    await page.close()
    return drawn


async def write_icons() -> None:
    """Write all icons."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable(), args=list(QUIET))
        FOLDER.mkdir(exist_ok=True)
        for name in ICONS:
            (FOLDER / f"{name}.png").write_bytes(await draw_icon(browser, name))
        await browser.close()


if __name__ == "__main__":
    asyncio.run(write_icons())
