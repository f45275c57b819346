"""The chat inside a host of MCP Apps: the resource of the documentation, behind the proxy of a host."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from mcp import Client
from playwright.async_api import Frame, FrameLocator, Page, expect

from tests.e2e.embed.conftest import Hosts, Site, hosting, serving
from tests.parts.mcp_host import HostPages
from tests.parts.sampled import later
from tests.parts.server import ROOT, Backend, Served
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

DOCUMENT = (ROOT / "docs/embedding.md").read_text()
CALL: dict[str, Any] = {
    "arguments": {"product": "Polly Magic"},
    "result": {"content": [{"type": "text", "text": "The conversation about Polly Magic is open."}]},
}
CONTEXT = {
    "theme": "dark",
    "locale": "de-AT",
    "containerDimensions": {"maxHeight": 5000, "width": 700},
    "toolInfo": {"tool": {"name": "talk_to_shop", "inputSchema": {"type": "object"}}},
}
FLAGS = "allow-scripts allow-same-origin allow-forms"
"""What the sandbox of a View allows in the example host of the reference package."""


@pytest.fixture(scope="module")
def hosts(host_script: Any) -> Iterator[Hosts]:
    """Yield the sites of the host and of its proxy."""
    with hosting(type("PagesOfTheHost", (HostPages,), {"script": host_script})) as server:
        yield server


@pytest.fixture(scope="module")
def running(backend: Backend, hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Yield a Loopwire with an app that names the host and its proxy."""
    folder = tmp_path_factory.mktemp("apps")
    with serving(backend, hosts, folder, sites=("host", "proxy")) as server:
        yield server


async def documented(site: Site) -> dict[str, Any]:
    """Run the server of the documentation, at the Loopwire of the test, and read the resource of its tool."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCUMENT, re.DOTALL)
    made: dict[str, Any] = {}
    exec(code.replace("https://chat.example", site.chat), made)
    async with Client(made["server"]) as client:
        (tool,) = (await client.list_tools()).tools
        assert tool.meta is not None
        (content,) = (await client.read_resource(tool.meta["ui"]["resourceUri"])).contents
        called = await client.call_tool(tool.name, CALL["arguments"])
    assert called.model_dump(mode="json", include={"content": {0: {"type", "text"}}}) == CALL["result"]
    assert content.mime_type == "text/html;profile=mcp-app"
    assert content.meta is not None
    return {"html": content.text, **content.meta["ui"]}  # type: ignore[union-attr]


async def shown(site: Site, page: Page, *, at: str = "host", **given: Any) -> FrameLocator:
    """Show the documented resource in the host at this site; return the View."""
    given = {
        "resource": await documented(site),
        "proxy": site.at("proxy"),
        "way": "write",
        "flags": FLAGS,
        "context": CONTEXT,
        "capabilities": {"openLinks": {}},
        "call": CALL,
        **given,
    }
    await page.goto(f"{site.at(at)}/")
    await page.wait_for_function("() => window.show")
    await page.evaluate("(given) => void show(given)", given)
    return page.frame_locator("iframe").frame_locator("iframe")


async def chat_of(view: FrameLocator) -> Frame:
    """Return the frame of the chat, as soon as its conversation can begin."""
    handle = await view.locator("loopwire-chat iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    await expect(frame.locator("form[data-ready]")).to_be_attached()
    return frame


async def say(frame: Frame, text: str) -> None:
    """Write a message and wait for its answer."""
    await frame.locator("#composer-text").fill(text)
    await frame.locator("#composer-text").press("Enter")
    await expect(frame.locator("#log .bubble", has_text=text)).to_be_visible()
    await expect(frame.locator("#log:not([data-running]) .row-text").last).to_be_visible()


async def told_height(page: Page, frame: Frame) -> int:
    """Return the height of the whole chat, once the host has heard of it."""

    async def is_told() -> bool:
        height = await frame.evaluate(
            "Math.ceil(document.getElementById('talk').getBoundingClientRect().height)"
        )
        return bool(
            height == await page.evaluate("host.heights.at(-1)") == await frame.evaluate("innerHeight")
        )

    await until_async(is_told, what="the height of the chat")
    return int(await page.evaluate("host.heights.at(-1)"))


@pytest.mark.parametrize("way", ["write", pytest.param("srcdoc", marks=pytest.mark.conformance)])
async def test_a_host_shows_the_documented_resource_and_the_chat_adapts_to_it(
    site: Site, new_page: Any, way: str
) -> None:
    page: Page = await new_page()
    view = await shown(site, page, way=way)
    chat = view.frame_locator("loopwire-chat iframe")
    await expect(chat.locator("html[data-theme=dark][lang=de]")).to_be_attached()
    frame = await chat_of(view)
    await say(frame, "Polly Magic")
    before = await told_height(page, frame)
    assert await frame.evaluate("loopwire.context") == {
        "tool": "talk_to_shop",
        "arguments": CALL["arguments"],
        "result": CALL["result"]["content"][0]["text"],
    }
    await say(frame, "um Polly Beam")
    assert await told_height(page, frame) > before > 300

    await page.evaluate("(context) => host.bridge.setHostContext(context)", {**CONTEXT, "theme": "light"})
    await expect(chat.locator("html[data-theme=light][lang=de]")).to_be_attached()
    await page.evaluate("(context) => host.bridge.setHostContext(context)", {**CONTEXT, "locale": "fr"})
    await expect(chat.locator("html[data-theme=dark][lang=fr]")).to_be_attached()
    await expect(chat.locator("#log .bubble", has_text="Polly Magic")).to_be_visible()

    assert await page.evaluate("host.bridge.teardownResource({})") == {}
    await expect(view.locator("loopwire-chat")).to_have_count(0)
    assert await page.evaluate("[host.app, host.failures]") == [{"name": "Loopwire", "version": "1"}, []]


@pytest.mark.parametrize("can", [True, pytest.param(False, marks=pytest.mark.conformance)])
async def test_the_host_opens_the_links_of_the_chat_where_it_can(
    site: Site, new_page: Any, troubles: Any, can: bool
) -> None:
    page: Page = await new_page()
    view = await shown(site, page, capabilities={"openLinks": {}} if can else {})
    frame = await chat_of(view)
    await say(frame, "Polly Magic")
    link = """() => {
      const made = document.createElement("a");
      Object.assign(made, { href: "https://shop.example/a?b", textContent: "Loja" });
      document.getElementById("log").append(made);
    }"""
    await frame.evaluate(link)
    await frame.get_by_role("link", name="Loja").click()
    if can:
        await until_async(lambda: page.evaluate("host.opened.length"), what="the link")
        assert await page.evaluate("host.opened") == ["https://shop.example/a?b"]
    else:
        await until_async(lambda: any("allow-popups" in each for each in troubles), what="the refusal")
        assert await page.evaluate("host.opened") == []
        troubles.clear()
    assert len(page.context.pages) == 1


@pytest.mark.conformance
async def test_a_long_result_is_cut_to_what_a_chat_takes(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    result = {"content": [{"type": "text", "text": "a" * 9_000}]}
    frame = await chat_of(await shown(site, page, call={**CALL, "result": result}))
    await say(frame, "Polly Magic")
    context = await frame.evaluate("loopwire.context")
    assert context == {"tool": "talk_to_shop", "arguments": CALL["arguments"], "result": "a" * 1_000}


@pytest.mark.conformance
async def test_a_view_that_no_host_shows_is_a_chat_as_well(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    await page.goto(f"{site.at('host')}/")
    source = f"{site.chat}/widget-mcp-app.js"
    await page.evaluate(
        """(src) => {
          const script = Object.assign(document.createElement("script"), { src });
          script.dataset.app = "shop";
          document.body.append(script);
        }""",
        source,
    )
    handle = await page.locator("loopwire-chat iframe").element_handle()
    frame = await handle.content_frame()
    assert frame is not None
    await say(frame, "Polly Magic")


@pytest.mark.conformance
async def test_the_conversation_scrolls_where_it_is_higher_than_the_host_allows(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page()
    view = await shown(site, page, context={**CONTEXT, "containerDimensions": {"maxHeight": 400}})
    frame = await chat_of(view)
    await say(frame, "Polly Magic")
    assert await told_height(page, frame) == 400
    await expect(frame.locator("#composer-text")).to_be_in_viewport(ratio=1)
    await expect(frame.locator("#log > .row").last).to_be_in_viewport()
    scrolls = "({ scrollHeight, clientHeight }) => scrollHeight > clientHeight"
    assert await frame.locator("#scroll").evaluate(scrolls)


@pytest.mark.conformance
async def test_a_view_of_a_fixed_height_is_filled_by_the_chat(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    insets = {"top": 10, "right": 0, "bottom": 20, "left": 0}
    context = {"containerDimensions": {"height": 200, "width": 700}, "safeAreaInsets": insets}
    view = await shown(site, page, context=context)
    frame = await chat_of(view)
    assert await frame.evaluate("innerHeight") == 170
    assert await page.evaluate("host.heights") == []


@pytest.mark.parametrize(
    ("at", "flags"),
    [
        later("host", "allow-scripts allow-forms", id="a View without an origin"),
        pytest.param("thief", FLAGS, id="a host that the app does not name"),
    ],
)
async def test_the_chat_is_refused_where_one_of_the_windows_above_it_is_unknown(
    site: Site, new_page: Any, troubles: Any, at: str, flags: str
) -> None:
    page: Page = await new_page()
    view = await shown(site, page, at=at, flags=flags, way="srcdoc")
    await expect(view.get_by_role("alert")).to_be_visible()
    assert any("frame-ancestors" in each for each in troubles)
    # The View itself has found its host, also from an origin of its own.
    assert await page.evaluate("host.isReady")
    troubles.clear()


async def test_a_view_reads_and_answers_its_host_alone(site: Site, new_page: Any) -> None:
    page: Page = await new_page()
    view = await shown(site, page)
    frame = await chat_of(view)
    await page.evaluate("addEventListener('message', ({ data }) => (host.pong ||= data.id === 'ping'))")
    lie = "{ jsonrpc: '2.0', id: 'lie', method: 'ui/resource-teardown', params: {} }"
    await frame.evaluate(f"parent.postMessage({lie}, '*')")
    asked = "{ jsonrpc: '2.0', id: 'ping', method: 'ping' }"
    await page.evaluate(f"host.frame.contentWindow.postMessage({asked}, '*')")
    await until_async(lambda: page.evaluate("host.pong"), what="the answer to the ping")
    await expect(view.locator("loopwire-chat")).to_have_count(1)
