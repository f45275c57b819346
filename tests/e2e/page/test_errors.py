"""Errors of the page look alike wherever they are: in the log, a dialog, the composer and the connection bar."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Locator, Route, WebSocketRoute, expect

from tests.e2e.page.test_rate_limits import OLDER
from tests.parts.sampled import later
from tests.parts.wait import until_async

LOOK = """(card) => {
    const { backgroundColor, borderBottomColor } = getComputedStyle(card);
    return [backgroundColor, borderBottomColor, getComputedStyle(card.querySelector(".icon")).color];
}"""


ICON = """(line) => {
    const icon = line.querySelector(".icon");
    const { width, height } = icon.getBoundingClientRect();
    return [getComputedStyle(icon).color, width, height, icon.firstElementChild.href.baseVal.split("#")[1]];
}"""

ERASE = """async ([deleted, status]) => {
    const { confirmErasure } = await import("/static/js/erase.js");
    const { words } = await import("/static/js/words.js");
    const answers = deleted ? [{ sessions: [{ id: "ses_1" }] }, {}] : [];
    const refused = { status, headers: { "retry-after": 9 } };
    const ask = async () => answers.length ? Response.json(answers.shift()) : new Response("", refused);
    confirmErasure({ ask, words, gone: () => {} });
}"""
"""Ask as a frame does whether all is to be deleted; after so many deletions each request fails with this status."""


async def look(card: Locator) -> list[str]:
    """Return the colours of an error that is seen, and of its icon."""
    await expect(card).to_be_visible()
    found: list[str] = await card.evaluate(LOOK)
    return found


async def test_a_search_that_is_refused_keeps_the_list_and_says_so(gallery, new_page, troubles):
    page = await new_page()

    async def refuse(route: Route) -> None:
        error = {"code": "rate_limited", "message": "Too many requests.", "retry_after": 9}
        await route.fulfill(status=429, headers={"retry-after": "9"}, json={"error": error})

    await gallery.open(page, "options")
    lines = page.locator("#sessions li")
    count = await lines.count()
    assert count > 0
    await page.route("**/sessions?*", refuse)
    await page.fill("#session-search", "bicicleta")
    await expect(page.locator("#sessions").get_by_role("alert")).to_have_text(
        "Foram muitos pedidos em pouco tempo. Tente outra vez daqui a 9 s."
    )
    await expect(lines).to_have_count(count)
    await page.unroute("**/sessions?*")
    await page.fill("#session-search", "bicicletas")
    await expect(page.locator("#sessions .trouble")).to_have_count(0)
    troubles[:] = [each for each in troubles if "429" not in each]


async def fail(route: Route) -> None:
    """Answer that the service is not available."""
    await route.fulfill(status=503, json={"error": {"code": "unavailable", "message": "Away."}})


def only_refusals(troubles: list[str]) -> None:
    """A browser itself tells of a request without an answer, or with a refusal; nothing else may be told."""
    told = ("Failed to load resource", "503")
    assert [each for each in troubles if not any(text in each for text in told)] == []
    troubles.clear()


@pytest.mark.parametrize(
    "fails", [pytest.param(fail, id="refused"), later(lambda route: route.abort(), id="cut")]
)
async def test_earlier_messages_that_do_not_come_can_be_asked_for_again(gallery, new_page, troubles, fails):
    page = await new_page()
    await gallery.open(page, "options")
    await page.evaluate(OLDER)
    await page.route("**/older?*", fails)
    button = page.get_by_role("button", name="Ver mensagens anteriores")
    await button.click()
    card = page.locator(".column > [role=alert]")
    await expect(card).to_have_text("As mensagens anteriores não chegaram. Tente outra vez.")
    await page.unroute("**/older?*")
    rows = {"rows": '<p id="earlier">antes</p>', "before": None}
    await page.route("**/older?*", lambda route: route.fulfill(json=rows))
    await button.click()
    await expect(page.locator("#log > #earlier")).to_be_visible()
    await expect(card).to_have_count(0)
    await expect(button).to_be_hidden()
    only_refusals(troubles)


@pytest.mark.parametrize(
    "fails", [pytest.param(fail, id="refused"), later(lambda route: route.abort(), id="cut")]
)
async def test_a_language_that_is_not_kept_is_told(gallery, new_page, troubles, fails):
    page = await new_page()
    await gallery.open(page, "options")
    await page.route("**/preferences", fails)
    english = page.locator("[data-language=en]")
    for _ in range(2):
        await english.click()
        await expect(page.locator("#side > [role=alert]")).to_have_text("Não foi feito. Tente outra vez.")
    await page.unroute("**/preferences")
    async with page.expect_navigation():
        await english.click()
    only_refusals(troubles)


async def test_a_rating_that_is_not_stored_is_told_and_taken_back(gallery, page):
    await gallery.open(page, "options")
    await gallery.refuse(page, "options", "feedback", {"code": "not_found"})
    row = page.locator(".row-text").last
    down, card = row.get_by_role("button", name="Pouco útil"), row.get_by_role("alert")
    await down.press("Enter")
    await expect(card).to_have_text("A avaliação não ficou guardada. Tente outra vez.")
    await expect(down).to_have_attribute("aria-pressed", "false")
    await expect(row.locator(".reasons")).to_have_count(0)
    assert "Obrigado" not in str(await page.locator("#announcer").text_content())
    await gallery.refuse(page, "options", "feedback", None, times=0)
    await down.press("Enter")
    await expect(page.locator("#announcer")).to_contain_text("Obrigado")
    await expect(card).to_have_count(0)
    await expect(down).to_have_attribute("aria-pressed", "true")


@pytest.fixture(params=["light", later("dark")])
def scheme(request) -> str:
    """Return the colour scheme that the browser prefers."""
    name: str = request.param
    return name


@pytest.mark.conformance
async def test_an_error_has_the_same_colours_and_icon_everywhere(gallery, new_page, troubles, scheme):
    page = await new_page(color_scheme=scheme)
    await gallery.open(page, "failed")
    colours = await look(page.locator("#log .trouble"))

    await page.fill("#composer-text", "x" * 8_001)
    assert await look(page.locator("#composer-hint")) == colours
    await page.fill("#composer-text", "")
    await expect(page.locator("#composer-hint .icon")).to_have_count(0)

    dialog = page.locator("#session-dialog")
    await page.click("[data-erase]")
    await expect(dialog.locator(".trouble")).to_be_hidden()
    await dialog.locator("[value=yes]").click()  # The gallery has no such route.
    assert await look(dialog.locator(".trouble")) == colours
    await expect(dialog.get_by_role("alert")).to_have_text("Não foi feito. Tente outra vez.")
    await page.keyboard.press("Escape")

    await gallery.open(page, "options")
    await gallery.refuse(page, "options", "edit", {"code": "bad_request"})
    await page.locator("#log .row-user").last.get_by_role("button", name="Editar mensagem").click()
    form = page.locator(".edit-form")
    await form.get_by_role("textbox").press("Enter")
    assert await look(form.get_by_role("alert")) == colours
    await expect(form.get_by_role("alert")).to_have_text("Não foi possível. Tente de novo.")
    await form.get_by_role("textbox").press("Escape")

    await page.locator(".row-text").last.get_by_role("button", name="Pouco útil").press("Enter")
    await until_async(lambda: gallery.received(page, "options", "feedback"))
    await gallery.refuse(page, "options", "feedback", {"code": "bad_request"})
    reasons = page.locator(".reasons")
    await reasons.get_by_label("Está errado").check()
    await reasons.get_by_role("button", name="Enviar").click()
    assert await look(reasons.get_by_role("alert")) == colours
    await expect(reasons.get_by_role("alert")).to_have_text("A razão não ficou registada. Tente outra vez.")

    await gallery.open(page, "form")
    await page.get_by_label("Número de disparos").fill("")
    line = page.locator("#error-blk_5")
    drawn = await line.evaluate(ICON)
    assert drawn[0] == colours[2]
    await page.get_by_role("button", name="Responder", exact=True).click()
    await expect(line).to_have_text("Escreva uma resposta, ou escolha «Não sei».")
    assert await line.evaluate(ICON) == drawn

    closing: list[asyncio.Task[None]] = []

    def close(socket: WebSocketRoute) -> None:
        closing.append(asyncio.ensure_future(socket.close(code=4404)))

    await page.route_web_socket("**/ws", close)
    await page.goto(gallery.of("options"))
    bar = page.locator("#connection")
    await expect(bar).to_contain_text("Esta conversa já não existe.")
    assert await look(bar) == colours
    await asyncio.gather(*closing)
    troubles[:] = [each for each in troubles if "404" not in each]


@pytest.mark.parametrize(
    ("deleted", "status", "told"),
    [
        later(0, 503, "Não foi feito. Tente outra vez."),
        later(1, 503, "Foi apagada uma conversa, as outras não. Tente outra vez."),
        (1, 429, "Foi apagada uma conversa, as outras não. Tente outra vez daqui a 9 s."),
    ],
)
async def test_a_frame_that_did_not_delete_all_shows_the_same_card(gallery, page, deleted, status, told):
    await gallery.open(page, "failed")
    colours = await look(page.locator("#log .trouble"))
    await page.evaluate(ERASE, [deleted, status])
    card = page.locator(".erasure").get_by_role("alert")
    yes = page.locator(".erasure .primary")
    await yes.click()
    assert await look(card) == colours
    await expect(card).to_have_text(told)
    await yes.click()
    await expect(card).to_have_count(1)
    await expect(yes).to_be_enabled()
