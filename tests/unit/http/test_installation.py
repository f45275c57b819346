"""The manifest, the service worker and the page without a connection, as a browser is given them."""

from __future__ import annotations

import base64
import hashlib
import io
import re
from pathlib import Path

import httpx2
import pytest
from PIL import Image
from starlette.applications import Starlette

from server.html.render import Renderer
from server.http.assets import assets
from server.http.failures import HANDLERS
from server.http.installation import Installation
from server.languages import LANGUAGES, LOCALES

ROOT = Path(__file__).parents[3]
WEB = ROOT / "web"
PAPER = {"light": "#fcfcfa", "dark": "#14161b"}


def client(*, installable: bool = True) -> httpx2.AsyncClient:
    """A browser at a server of these routes."""
    installation = Installation(WEB, Renderer(WEB), installable=installable)
    app = Starlette(routes=[*installation.routes(), *assets(ROOT)], exception_handlers=HANDLERS)
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_manifest_names_the_app_in_the_language_of_its_address(language: str):
    async with client() as browser:
        answer = await browser.get(f"/manifest.webmanifest?language={language}&theme=dark")
        assert answer.headers["content-type"] == "application/manifest+json"
        manifest = answer.json()
        assert (manifest["name"], manifest["short_name"], manifest["display"]) == (
            "Loopwire",
            "Loopwire",
            "standalone",
        )
        assert manifest["id"] == manifest["start_url"] == manifest["scope"] == "/"
        assert manifest["lang"] == LOCALES[language].tag
        assert manifest["description"] == Renderer(WEB).words.say(language, "page.description")
        assert manifest["theme_color"] == manifest["background_color"] == PAPER["dark"]
        for theme in ("light", "", "purple"):
            other = await browser.get(f"/manifest.webmanifest?language={language}&theme={theme}")
            assert other.json()["theme_color"] == PAPER["light"]


async def test_the_manifest_names_icons_of_their_sizes_and_one_survives_a_round_mask():
    async with client() as browser:
        icons = (await browser.get("/manifest.webmanifest")).json()["icons"]
        assert {(each["sizes"], each["purpose"]) for each in icons} == {
            ("192x192", "any"),
            ("512x512", "any"),
            ("512x512", "maskable"),
        }
        for each in icons:
            answer = await browser.get(each["src"])
            assert (answer.status_code, answer.headers["content-type"]) == (200, each["type"])
            drawn = Image.open(io.BytesIO(answer.content)).convert("RGBA")
            assert f"{drawn.width}x{drawn.height}" == each["sizes"]
            if each["purpose"] == "maskable":
                assert furthest_ink(drawn) < 0.4 * drawn.width
                assert drawn.getpixel((0, 0)) == drawn.getpixel((511, 511)) == (252, 252, 250, 255)
        apple = Image.open(io.BytesIO((WEB / "static/icons/apple-180.png").read_bytes()))
        assert apple.size == (180, 180)


def furthest_ink(drawn: Image.Image) -> float:
    """How far from the middle something else than the background is drawn."""
    width, height = drawn.size
    ink = [
        (x, y) for x in range(width) for y in range(height) if drawn.getpixel((x, y)) != (252, 252, 250, 255)
    ]
    assert ink
    return max(float(((x - width / 2) ** 2 + (y - height / 2) ** 2) ** 0.5) for x, y in ink)


@pytest.mark.parametrize("path", ["/manifest.webmanifest?language=fr", "/service-worker.js"])
async def test_manifest_and_service_worker_are_revalidated_at_each_use(path: str):
    async with client() as browser:
        answer = await browser.get(path)
        assert answer.headers["cache-control"] == "no-cache"
        same = await browser.get(path, headers={"if-none-match": answer.headers["etag"]})
        assert (same.status_code, same.content) == (304, b"")


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_offline_page_has_all_that_it_needs_and_its_policy_allows_nothing_else(language: str):
    async with client() as browser:
        answer = await browser.get(
            f"/offline?language={language}&theme=dark", headers={"cookie": "language=xx"}
        )
    page, policy = answer.text, answer.headers["content-security-policy"]
    words = Renderer(WEB).words
    assert f'<html lang="{LOCALES[language].tag}" data-theme="dark">' in page
    for key in ("offline.title", "offline.text", "offline.kept", "page.again"):
        assert words.say(language, key) in page
    for name, directive in (("style", "style-src"), ("script", "script-src")):
        [text] = re.findall(rf"<{name}>(.*?)</{name}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert re.findall(r"""(?:src=|url\(|@import|rel=)""", page) == []
    assert "vary" not in answer.headers


async def test_a_page_that_is_not_installable_serves_a_worker_that_removes_itself():
    async with client(installable=False) as browser:
        assert (await browser.get("/manifest.webmanifest")).status_code == 404
        assert (await browser.get("/offline")).status_code == 404
        worker = await browser.get("/service-worker.js")
        assert worker.headers["content-type"].startswith("text/javascript")
        assert "unregister()" in worker.text
        assert '"fetch"' not in worker.text
