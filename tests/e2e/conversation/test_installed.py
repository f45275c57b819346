"""The installed page: what it shows while its server is away, and that it never shows an old page otherwise."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, Route, expect

from tests.e2e.axe import is_without_fault
from tests.e2e.conversation.person import DESKTOP, PHONE
from tests.parts import process
from tests.parts.chromium import NewPage, Troubles
from tests.parts.ports import free_port
from tests.parts.sampled import later
from tests.parts.server import ROOT, Served, clean_environment, is_ready, served
from tests.parts.wait import until, until_async

pytestmark = [pytest.mark.page, pytest.mark.once]

TITLES = {
    "pt-PT": "Sem ligação ao Loopwire",
    "en-GB": "No connection to Loopwire",
    "es-ES": "Sin conexión con Loopwire",
    "fr-FR": "Pas de connexion à Loopwire",
    "de-DE": "Keine Verbindung zu Loopwire",
}
REGISTERED = """async () =>
  (await navigator.serviceWorker.getRegistrations()).filter(({ active }) => active?.state === "activated").length"""
ANY = "async () => (await navigator.serviceWorker.getRegistrations()).length"
STORED = "async () => (await (await caches.open('loopwire:offline')).keys()).map(({ url }) => url)"
SOURCES = """() => performance.getEntriesByType("resource").filter(({ name }) => /\\.(js|css)$/.test(name))
  .map((each) => each.workerMatchedSourceType)"""
HIDDEN = """(hidden) => {
  Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
TRUSTED = "; require-trusted-types-for 'script'; trusted-types loopwire loopwire-worker"


async def written(page: Page, url: str, text: str = "uma bicicleta") -> None:
    """Open the page and write: its service worker is registered after that."""
    await page.goto(url)
    await expect(page.locator("#composer[data-ready]")).to_be_attached()
    await page.fill("#composer-text", text)
    await until_async(lambda: page.evaluate(REGISTERED), what="the worker")


async def stores_alone(page: Page, part: str) -> bool:
    """Whether one page is stored, with this in its address."""
    [*stored] = await page.evaluate(STORED)
    return len(stored) == 1 and part in stored[0]


async def stores_other(page: Page, former: str) -> bool:
    """Whether one page is stored, and not the former one."""
    stored = await page.evaluate(STORED)
    return len(stored) == 1 and stored != [former]


async def is_gone(page: Page) -> bool:
    """Whether there is no worker."""
    return bool(await page.evaluate(ANY) == 0)


@pytest.mark.parametrize(
    ("locale", "viewport"),
    [
        ("en-GB", PHONE),
        later("en-GB", DESKTOP),
        *(later(each, PHONE) for each in ("pt-PT", "es-ES", "fr-FR", "de-DE")),
    ],
)
async def test_a_reload_without_a_server_says_so_and_the_page_comes_back_with_the_server(
    new_page: NewPage, troubles: Troubles, tmp_path: Path, locale: str, viewport: dict[str, int]
) -> None:
    page = await new_page(locale=locale, viewport=viewport)
    port = free_port()
    with served(port=port, data_dir=tmp_path / "data") as running:
        await written(page, running.url)
    troubles.clear()
    await page.reload()
    await expect(page.get_by_role("heading")).to_have_text(TITLES[locale])
    assert locale.startswith(await page.evaluate("document.documentElement.lang"))
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await page.evaluate("getComputedStyle(document.querySelector('h1')).fontSize") == "30px"
    await is_without_fault(page, "h1")
    with served(port=port, data_dir=tmp_path / "data"):
        await expect(page.locator("#composer[data-ready]")).to_be_attached()
        await expect(page.locator("#composer-text")).to_have_value("uma bicicleta")
        # The browser tells of each request that got no answer.
        assert [each for each in troubles if "ERR_CONNECTION_REFUSED" not in each] == []
        troubles.clear()


@pytest.mark.conformance
async def test_the_offline_page_follows_the_language_and_the_theme_of_the_page(
    new_page: NewPage, quick: Served
) -> None:
    page = await new_page(viewport=DESKTOP, color_scheme="light")
    await written(page, quick.url)
    assert [url.partition("?")[2].split("&version")[0] for url in await page.evaluate(STORED)] == [
        "language=pt&theme="
    ]
    await page.locator("[data-theme-switch]").click()
    await expect(page.locator("meta[name=theme-color]").first).to_have_attribute("content", "rgb(20, 22, 27)")
    await page.locator("button[data-language=de]").click()
    await expect(page.locator("html[lang=de]")).to_be_attached()
    await until_async(lambda: stores_alone(page, "language=de&theme=dark"), what="the German page")


async def test_the_worker_passes_every_answer_of_the_server_and_no_file_goes_through_it(
    new_page: NewPage, quick: Served, troubles: Troubles
) -> None:
    page = await new_page(viewport=DESKTOP)
    await written(page, quick.url)
    await page.reload()
    await expect(page.locator("#composer[data-ready]")).to_be_attached()
    assert await page.evaluate("() => Boolean(navigator.serviceWorker.controller)")
    assert set(await page.evaluate(SOURCES)) == {"network"}
    for path, heading in (("/s/ses_nothing", "Esta página não existe"), ("/services", "Serviços")):
        answer = await page.goto(quick.url + path)
        assert answer is not None and answer.status == (404 if "nothing" in path else 200)
        await expect(page.get_by_role("heading", level=1)).to_have_text(heading)
        await is_without_fault(page, "h1")
    troubles.clear()  # The 404.
    assert await page.evaluate("async () => (await caches.keys()).join()") == "loopwire:offline"
    [only] = await page.evaluate(STORED)
    assert "/offline?" in only


@pytest.mark.conformance
async def test_a_view_that_is_only_looked_at_and_a_frame_register_no_worker(
    new_page: NewPage, quick: Served
) -> None:
    page = await new_page(viewport=DESKTOP)
    await page.goto(quick.url)
    await expect(page.locator("#composer[data-ready]")).to_be_attached()
    await page.wait_for_load_state("networkidle")
    assert await page.evaluate(ANY) == 0
    await page.goto(f"{quick.url}/embed/demo")
    await expect(page.locator("#composer[data-ready]")).to_be_attached()
    await page.fill("#composer-text", "Olá")
    await page.press("#composer-text", "Enter")
    await expect(page.locator("#log .row-user")).to_be_attached()
    await page.wait_for_load_state("networkidle")
    assert await page.locator("link[rel=manifest]").count() == 0
    assert await page.evaluate(ANY) == 0


async def test_the_worker_is_registered_under_trusted_types(new_page: NewPage, quick: Served) -> None:
    page = await new_page(viewport=DESKTOP)

    async def tighten(route: Route) -> None:
        answer = await route.fetch()
        policy = answer.headers["content-security-policy"] + TRUSTED
        await route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": policy})

    await page.route(quick.url + "/", tighten)
    await written(page, quick.url + "/")
    assert await page.evaluate(REGISTERED) == 1


@pytest.mark.conformance
async def test_a_second_deployment_shows_its_own_page_at_once(
    new_page: NewPage, troubles: Troubles, tmp_path: Path
) -> None:
    page = await new_page(viewport=DESKTOP)
    port = free_port()
    with served(port=port, data_dir=tmp_path / "data") as running:
        await written(page, running.url)
        [stored] = await page.evaluate(STORED)
    troubles.clear()
    with deployed_again(tmp_path, port, "Escreva aqui, nesta nova versão") as running:
        await page.goto(running.url)
        await expect(page.locator("#composer-text")).to_have_attribute(
            "placeholder", "Escreva aqui, nesta nova versão"
        )
        await until_async(lambda: stores_other(page, stored), what="the page of the new version")
        troubles.clear()  # The tab looked for its server in between.


@contextmanager
def deployed_again(folder: Path, port: int, placeholder: str) -> Iterator[Served]:
    """Run another version of the server: a copy whose composer says something else."""
    copy = folder / "copy"
    for name in ("server", "web", "sdk"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("node_modules"))
    words = copy / "web/words/pt.json"
    texts = json.loads(words.read_text()) | {"empty.submission.placeholder": placeholder}
    words.write_text(json.dumps(texts))
    with (copy / "web/static/css/page.css").open("a") as sheet:
        sheet.write("main { scroll-padding: 1px; }\n")
    env = clean_environment() | {
        "HOST": "127.0.0.1",
        "PORT": str(port),
        "LOOPWIRE_DATA_DIR": str(folder / "data"),
    }
    child = process.start([sys.executable, "-m", "server", "serve"], log=folder / "log", env=env, cwd=copy)
    running = Served(f"http://127.0.0.1:{port}", child, folder / "data", folder / "log")
    try:
        until(lambda: child.poll() is not None or is_ready(running), seconds=120, what="/readyz")
        assert child.poll() is None, process.tail(running.log)
        yield running
    finally:
        process.stop(child)


@pytest.mark.conformance
async def test_a_page_that_is_no_longer_installable_removes_its_worker(
    new_page: NewPage, troubles: Troubles, tmp_path: Path
) -> None:
    page = await new_page(viewport=DESKTOP)
    port = free_port()
    with served(port=port, data_dir=tmp_path / "data") as running:
        await written(page, running.url)
    troubles.clear()
    apps = tmp_path / "apps.toml"
    apps.write_text("[demo]\ninstallable = false\n")
    with served({"LOOPWIRE_APPS": str(apps)}, port=port, data_dir=tmp_path / "data") as running:
        await page.goto(running.url)
        assert await page.locator("link[rel=manifest]").count() == 0
        await until_async(lambda: is_gone(page), what="the worker to be removed")
        assert await page.evaluate("async () => (await caches.keys()).length") == 0
        troubles.clear()  # The tab looked for its server in between.


@pytest.mark.parametrize("hidden", [later(False, id="shown"), pytest.param(True, id="hidden")])
async def test_the_offline_page_asks_once_at_a_time_and_not_in_a_hidden_tab(
    new_page: NewPage, quick: Served, troubles: Troubles, hidden: bool
) -> None:
    page = await new_page(viewport=DESKTOP)
    asked: list[str] = []
    answering = asyncio.Event()

    async def hold(route: Route) -> None:
        asked.append(route.request.url.rpartition("/")[2])
        await answering.wait()
        await route.fulfill(status=503)

    await page.route("**/healthz*", hold)
    await page.clock.install()
    await page.goto(f"{quick.url}/offline?language=pt")
    await page.evaluate(HIDDEN, hidden)
    await page.clock.run_for(60_000)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.evaluate(HIDDEN, hidden)
    await page.evaluate("void fetch('/healthz?last')")
    await until_async(lambda: "healthz?last" in asked, what="the last request")
    assert asked == (["healthz?last"] if hidden else ["healthz", "healthz?last"])
    await page.evaluate(HIDDEN, False)
    await page.evaluate("void fetch('/healthz?shown')")
    await until_async(lambda: "healthz?shown" in asked, what="the request of the shown tab")
    assert asked.count("healthz") == 1
    answering.set()
    await page.unroute_all(behavior="wait")
    await until_async(lambda: len(troubles) == len(asked), what="the complaint of each 503")
    troubles.clear()
