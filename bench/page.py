"""`python -m bench.page`: what the first and the second view of the page cost on a phone with a slow line.

It prints requests, bytes as they came over the line, and the time until the page's script takes messages, then the
weight of what embeds a chat beside the published bundles of others. Requests and bytes are facts, which a test holds;
the time depends on the machine. It takes about a minute.
"""

import asyncio
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from playwright.async_api import Browser, BrowserContext, Page, async_playwright

from bench.programs import loopwire, model
from bench.weights import lines
from tests.parts.chromium import QUIET, executable

LINE = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750}
"""1.6 Mbit/s down, 750 kbit/s up, 150 ms there and back."""
PHONE: Mapping[str, Any] = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 3,
    "is_mobile": True,
    "has_touch": True,
    "locale": "pt-PT",
}
MOST_REQUESTS, MOST_BYTES, MOST_SECONDS = 10, 103_000, 1.2
GOAL_BYTES = 110_000
"""The goal of the first view; a test holds it to fewer, so that what is added shows before the goal is missed."""

SECOND_REQUESTS = 1
MOST_NEEDED_BYTES = {"/": 65_000, "/embed/demo": 30_000}
"""What may come until a message can be sent, by page, without the font."""

MOST_GZIPPED_BYTES = 30_000
"""What the widget's loader and its frame may weigh until a message can be sent, by gzip, without the heads."""

NOT_AWAITED = (".woff2", "/icons.svg")
"""The font and the pictures of the buttons: a message can be sent before they are there, as a test shows."""

MARK_READY = """() => Object.defineProperty(window, "loopwire", {
  configurable: true,
  set(value) {
    performance.mark("takes messages");
    Object.defineProperty(window, "loopwire", { value, writable: true });
  },
})"""
"""The page sets `window.loopwire` in the task in which it begins to take messages."""

TAKES_MESSAGES = "() => performance.getEntriesByName('takes messages')[0]?.startTime"
_CAME_LATER = """(ready) => performance.getEntriesByType("resource")
  .filter(({ responseEnd }) => responseEnd > ready).map(({ name }) => name)"""


@dataclass
class View:
    """One view of a page: each file that came over the line with its bytes, and when a message could be sent."""

    bytes_of: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    """What of that had come when a message could be sent, by the clock of the page, or at an unknown time."""
    seconds: float = 0.0

    @property
    def requests(self) -> int:
        """Return how many files were asked for."""
        return len(self.bytes_of)

    @property
    def needed_bytes(self) -> int:
        """Bytes that came before a message could be sent, without the font: no message waits for it."""
        return sum(size for name, size in self.before.items() if not name.endswith(".woff2"))

    @property
    def bytes(self) -> int:
        """Bytes of all of them, heads included."""
        return sum(self.bytes_of.values())


async def view(page: Page, url: str) -> View:
    """Open an address on a slow line, and write down what came until nothing more was asked for."""
    seen = View()
    asked: dict[str, str] = {}
    cached: set[str] = set()
    line = await page.context.new_cdp_session(page)
    line.on("Network.requestWillBeSent", lambda event: _note(asked, event))
    line.on("Network.requestServedFromCache", lambda event: cached.add(event["requestId"]))
    line.on("Network.responseReceived", lambda event: _note_cached(cached, event))
    line.on("Network.loadingFinished", lambda event: _note_bytes(seen, asked, cached, event))
    await line.send("Network.enable")
    await line.send("Network.emulateNetworkConditions", LINE)
    await page.add_init_script(f"({MARK_READY})()")
    await page.goto(url, wait_until="commit")
    ready = await (await page.wait_for_function(TAKES_MESSAGES, polling="raf")).json_value()
    seen.seconds = float(ready) / 1000
    await page.wait_for_load_state("networkidle")
    later = await page.evaluate(_CAME_LATER, ready)
    seen.before = {name: size for name, size in seen.bytes_of.items() if name not in later}
    await line.detach()
    return seen


def _note(asked: dict[str, str], event: dict[str, Any]) -> None:
    if event["request"]["url"].startswith("http"):
        asked[event["requestId"]] = event["request"]["url"]


def _note_cached(cached: set[str], event: dict[str, Any]) -> None:
    if event["response"].get("fromDiskCache") or event["response"].get("fromServiceWorker"):
        cached.add(event["requestId"])


def _note_bytes(seen: View, asked: dict[str, str], cached: set[str], event: dict[str, Any]) -> None:
    name = event["requestId"]
    if name in asked and name not in cached:
        seen.bytes_of[asked[name]] = seen.bytes_of.get(asked[name], 0) + int(event["encodedDataLength"])


async def views(context: BrowserContext, url: str) -> tuple[View, View]:
    """Open an address in a context that has seen nothing yet, and once more in a page of its own."""
    pages = [await context.new_page(), await context.new_page()]
    return await view(pages[0], url), await view(pages[1], url)


async def _measure(browser: Browser, url: str) -> tuple[View, View]:
    context = await browser.new_context(**PHONE)
    try:
        return await views(context, url)
    finally:
        await context.close()


async def _run(url: str) -> list[str]:
    """Print the views, and return the addresses of what a frame waits for until a message can be sent."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=executable(), args=list(QUIET))
        frame = View()
        print(
            "| page | view | requests | kB | s until a message can be sent | goal |\n"
            "| --- | --- | --- | --- | --- | --- |"
        )
        for path in ("/", "/embed/demo"):
            measured = await _measure(browser, url + path)
            frame = measured[0]
            for name, each in zip(("first", "second"), measured, strict=True):
                print(row(path, name, each))
                if "BENCH_FILES" in os.environ:
                    for file, size in each.bytes_of.items():
                        needed = "" if file in each.before else " (later)"
                        print(f"{size:8,} {file.removeprefix(url)}{needed}", file=sys.stderr)
        await browser.close()
    print(
        f"\nHeld by a test: {MOST_REQUESTS} requests and {MOST_BYTES // 1000} kB, then {SECOND_REQUESTS} request.\n"
    )
    return [name for name in frame.before if not name.endswith(NOT_AWAITED)]


def row(path: str, name: str, seen: View) -> str:
    """Return a view as a line of the table; the first one of `/` has a goal."""
    goal = "-"
    if (path, name) == ("/", "first"):
        met = seen.requests <= MOST_REQUESTS and seen.bytes <= GOAL_BYTES and seen.seconds <= MOST_SECONDS
        goal = f"<= {MOST_REQUESTS} requests, {GOAL_BYTES // 1000} kB, {MOST_SECONDS} s: {'met' if met else 'missed'}"
    return f"| `{path}` | {name} | {seen.requests} | {seen.bytes / 1000:.1f} | {seen.seconds:.2f} | {goal} |"


def gzipped_bytes(addresses: Iterable[str]) -> int:
    """Return the bytes of bodies as a client gets them that accepts gzip: the bundles of others are weighed so too."""
    asked = (Request(each, headers={"accept-encoding": "gzip"}) for each in addresses)
    weight = 0
    for each in asked:
        with urlopen(each) as answer:
            weight += len(answer.read())
    return weight


def main() -> int:
    """Measure and print."""
    with (
        tempfile.TemporaryDirectory(prefix="loopwire-page-") as folder,
        Path(folder, "log").open("wb+") as log,
        model(log) as source,
    ):
        server = loopwire(source.base_url, folder, log)
        try:
            url = f"http://127.0.0.1:{server.port}"
            needed = asyncio.run(_run(url))
            for line in lines(gzipped_bytes([f"{url}/widget.js"]), gzipped_bytes(needed)):
                print(line, flush=True)
        finally:
            server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
