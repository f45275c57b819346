"""The icons of the installed page: they are the logo as it is now."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops
from playwright.async_api import Browser

from scripts.draw_icons import FOLDER, ICONS, draw_icon
from tests.parts.sampled import one_of

pytestmark = [pytest.mark.page, pytest.mark.once]

MOST = 24
"""Of 255: what two versions of a browser may smooth differently."""


@pytest.mark.parametrize("name", one_of(4, ICONS))
async def test_an_icon_is_what_its_script_draws_of_the_logo(browser: Browser, name: str) -> None:
    drawn = Image.open(io.BytesIO(await draw_icon(browser, name))).convert("RGBA")
    stored = Image.open(io.BytesIO((FOLDER / f"{name}.png").read_bytes())).convert("RGBA")
    assert drawn.size == stored.size
    furthest = max(high for _, high in ImageChops.difference(drawn, stored).getextrema())
    assert furthest <= MOST, f"{name}: run scripts/draw_icons.py"
