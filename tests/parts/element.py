"""The element of Deep Chat on a page of another origin, as a marketplace embeds it: a small server, and a driver."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from playwright.async_api import Locator, Page, Request

from tests.parts.missing import skip_missing

FOLDER = Path(__file__).parent / "deep_chat"
BUNDLE = FOLDER / "node_modules/deep-chat/dist/deepChat.bundle.js"
FILES = {"/chat.html": FOLDER / "chat.html", "/deep-chat.js": BUNDLE}


class _Files(SimpleHTTPRequestHandler):
    """Serves these files and says nothing."""

    def translate_path(self, path: str) -> str:
        """Find a file by its path."""
        return str(FILES.get(path.partition("?")[0], FOLDER / "none"))

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="session")
def shop_origin() -> Iterator[str]:
    """Yield the origin of a page with the element."""
    if not BUNDLE.exists():
        skip_missing("the element of Deep Chat", "make parts")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Files) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        serving.join()


class ElementPage:
    """A page with the element, whose conversation has a name of its own."""

    def __init__(self, page: Page, server: str, way: str) -> None:
        self.page = page
        self.posted: list[str] = []
        """The media type of each request at /chat."""
        self.frames = 0
        """What was sent over a socket."""
        self._query = urlencode({"way": way, "server": server, "session": str(uuid4())})

    async def open(self, origin: str) -> None:
        """Open it. A socket connects by itself, and what is typed before it is open would be lost."""
        self.page.on("request", self._note_request)
        self.page.on("websocket", lambda socket: socket.on("framesent", self._note_frame))
        await self.page.goto(f"{origin}/chat.html?{self._query}")
        await self.page.locator("#text-input").wait_for()
        await self.page.wait_for_function("() => window.ready()")

    def buttons(self) -> Locator:
        """Return the buttons that can be clicked."""
        return self.page.locator(".deep-chat-suggestion-button")

    def error(self) -> Locator:
        """Return the bubble of an error."""
        return self.page.locator(".error-message-text")

    async def say(self, text: str) -> None:
        """Type something and send it."""
        await self.page.locator("#text-input").fill(text)
        await self.page.locator("#text-input").press("Enter")

    async def attach(self, *pictures: bytes) -> None:
        """Choose pictures."""
        files = [
            {"name": f"{n}.png", "mimeType": "image/png", "buffer": data} for n, data in enumerate(pictures)
        ]
        async with self.page.expect_file_chooser() as chosen:
            await self.page.locator("#upload-images-icon").click()
        await (await chosen.value).set_files(files)  # type: ignore[arg-type]
        await self.page.locator(".image-attachment").nth(len(files) - 1).wait_for()

    async def answered(self, count: int) -> None:
        """Wait until so many messages of the user have their answers, and nothing is under way."""
        await self.page.wait_for_function("(count) => window.answered(count)", arg=count)

    async def messages(self) -> list[dict[str, Any]]:
        """Return what the element keeps of the conversation."""
        found: list[dict[str, Any]] = await self.page.evaluate(
            "() => document.querySelector('deep-chat').getMessages()"
        )
        return found

    def _note_request(self, request: Request) -> None:
        if request.method == "POST":
            self.posted.append(request.headers["content-type"].partition(";")[0])

    def _note_frame(self, _: object) -> None:
        self.frames += 1
