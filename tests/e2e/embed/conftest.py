"""A shop on one site and a Loopwire on another: the pages of the shop, and the browser that shows them."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import BrowserContext, Frame, Locator, Page, expect

from tests.e2e.conversation.conftest import SWIFT
from tests.parts.ports import free_port
from tests.parts.server import Backend, Served, apart, served

SECRET = "the secret of the shop, of 32 bytes and more"
"""What the shop signs its tokens with, which say who its users are."""

ALL_BLOCKED = """if (window !== top) for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("blocked", "SecurityError"); } });"""
"""What a frame finds where the browser blocks the storage of other sites."""


class Host(BaseHTTPRequestHandler):
    """Answers every request with the page that the test has set."""

    server: Hosts

    def do_GET(self) -> None:
        """Answer."""
        headers, body = self.server.page
        self.send_response(200)
        for name, value in {"content-type": "text/html; charset=utf-8", **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Hosts(ThreadingHTTPServer):
    """The sites of others. Chromium leads all names below `localhost` here, and takes two of them for two sites."""

    daemon_threads = True
    page: tuple[dict[str, str], str] = ({}, "")


@dataclass
class Site:
    """A Loopwire on a site of its own, and the pages of another site that embed it."""

    served: Served
    chat: str
    hosts: Hosts
    asked: list[str] = field(default_factory=list)
    """The paths that were asked for at the Loopwire, in order."""

    @property
    def strict(self) -> dict[str, str]:
        """Return the strictest headers under which a page of the shop still shows the chat."""
        policy = f"default-src 'none'; script-src {self.chat}; frame-src {self.chat}"
        policy += "; require-trusted-types-for 'script'; trusted-types 'none'"
        return {"content-security-policy": policy, "cross-origin-embedder-policy": "require-corp"}

    def tag(self, **data: str) -> str:
        """Return the line by which a page embeds the widget."""
        given = "".join(f' data-{name}="{value}"' for name, value in {"app": "shop", **data}.items())
        return f'<script src="{self.chat}/widget.js"{given} async></script>'

    async def visit(
        self,
        page: Page,
        body: str,
        *,
        head: str = "",
        headers: dict[str, str] | None = None,
        at: str = "shop",
        html: str = 'lang="pt"',
    ) -> None:
        """Open a page of the shop with this body; `headers` are its own, `html` the attributes of its root."""
        width = '<meta name="viewport" content="width=device-width, initial-scale=1">'
        top = f"<!doctype html><html {html}><head><title>Loja</title>{width}{head}</head>"
        self.hosts.page = headers or {}, f"{top}<body><main><h1>Gira-discos</h1>{body}</main></body></html>"
        page.on("request", lambda request: self._note(request.url))
        await page.goto(f"{self.at(at)}/")

    def at(self, name: str) -> str:
        """Return the origin of a site of others."""
        return f"http://{name}.localhost:{self.hosts.server_address[1]}"

    def _note(self, url: str) -> None:
        if url.startswith(self.chat):
            self.asked.append(url.removeprefix(self.chat))


@contextmanager
def hosting(pages: type[BaseHTTPRequestHandler]) -> Iterator[Hosts]:
    """Yield the sites of others, with these pages."""
    with Hosts(("127.0.0.1", 0), pages) as server:
        answering = threading.Thread(target=server.serve_forever)
        answering.start()
        yield server
        server.shutdown()
        answering.join()


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    """Yield the sites of others, each with the page that the test sets."""
    with hosting(Host) as server:
        yield server


@contextmanager
def serving(
    backend: Backend,
    hosts: Hosts,
    folder: Path,
    *,
    sites: tuple[str, ...] = ("shop",),
    theme: str = "{}",
    **settings: str,
) -> Iterator[Served]:
    """Yield a Loopwire with an app whose pages are on these sites."""
    with (
        apart(backend) as parts,
        serving_on(parts, hosts, folder, sites=sites, theme=theme, **settings) as server,
    ):
        yield server


@contextmanager
def serving_on(
    parts: Backend,
    hosts: Hosts,
    folder: Path,
    *,
    sites: tuple[str, ...] = ("shop",),
    theme: str = "{}",
    **settings: str,
) -> Iterator[Served]:
    """Yield it on parts that no other server shares."""
    path, port = folder / "apps.toml", free_port()
    origins = [f"http://{site}.localhost:{hosts.server_address[1]}" for site in sites]
    identities = f'identities = {{ secret = "{SECRET}" }}'
    own = f'title = "Vender no Desvão"\ntheme = {theme}\norigins = {json.dumps(origins)}'
    path.write_text(f"[shop]\n{own}\n{identities}\n")
    given = {"LOOPWIRE_APPS": str(path), "LOOPWIRE_ALLOWED_ORIGINS": chat_at(port), **settings}
    with served({**parts.environment, **SWIFT, **given}, port=port) as server:
        yield server


@contextmanager
def secure_site(backend: Backend, hosts: Hosts) -> Iterator[Site]:
    """Yield a Loopwire whose cookies are those of HTTPS; a browser takes them from this machine without it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(backend, hosts, Path(folder), LOOPWIRE_SECURE_COOKIES="1") as server,
    ):
        yield Site(server, chat_at(int(server.url.rpartition(":")[2])), hosts)


@pytest.fixture(scope="module")
def running(backend: Backend, hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield the Loopwire that the tests of a file share."""
    with serving(backend, hosts, tmp_path_factory.mktemp("apps")) as server:
        yield server


@pytest.fixture
def site(running: Served, hosts: Hosts) -> Site:
    """Return the shop and its Loopwire."""
    return Site(running, chat_at(int(running.url.rpartition(":")[2])), hosts)


def chat_at(port: int) -> str:
    """Return the origin of a Loopwire at this port, on a site of its own."""
    return f"http://chat.localhost:{port}"


@dataclass
class Widget:
    """The widget of a page."""

    page: Page
    host: str = "loopwire-chat"

    @property
    def launcher(self) -> Locator:
        """Return its button."""
        return self.page.locator(f"{self.host} button[part=launcher]")

    @property
    def window(self) -> Locator:
        """Return its window."""
        return self.page.locator(f"{self.host} [part=window]")

    @property
    def counted(self) -> Locator:
        """Return how many messages are unread."""
        return self.launcher.locator("b")

    async def frame(self) -> Frame:
        """Return the frame, as soon as its conversation can begin."""
        handle = await self.page.locator(f"{self.host} iframe").element_handle()
        frame = await handle.content_frame()
        assert frame is not None
        await expect(frame.locator("body.closable")).to_be_attached()
        return frame

    async def open(self) -> Frame:
        """Open it by its button."""
        await self.launcher.click()
        return await self.frame()


async def cookies_of(context: BrowserContext, host: str) -> list[dict[str, Any]]:
    """Return the cookies that a browser keeps for a host."""
    return [dict(each) for each in await context.cookies() if str(each.get("domain", "")).lstrip(".") == host]


async def block_cookies_of_other_sites(page: Page) -> None:
    """Let the frames of a page have partitioned cookies alone, as where third-party cookies are blocked.

    Chromium's switches for it (`--test-third-party-cookie-phaseout`) have no effect in the shell without windows.
    """
    controls = await page.context.new_cdp_session(page)
    exempt = {"disableThirdPartyCookieMetadata": True, "disableThirdPartyCookieHeuristics": True}
    await controls.send("Network.enable")
    await controls.send("Network.setCookieControls", {"enableThirdPartyCookieRestriction": True, **exempt})
