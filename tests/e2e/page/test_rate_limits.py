"""A rate-limited page: it shows the reason, the time of the next try, and keeps the draft."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.e2e.page.conftest import Gallery
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.page

OLDER = """() => {
    const place = document.getElementById("older");
    place.hidden = false;
    place.firstElementChild.dataset.before = "msg_1";
}"""
"""Offer the messages before the first one of the page."""

LIMITED = {"code": "rate_limited", "message": "This was sent too often in a short time. Wait a moment."}


async def limits(gallery: Gallery, page: Page, kind: str = "message", **more: object) -> None:
    """Open a state and refuse the first frame of a type as one too many.

    `more` stands in the refusal: with `retry_after` the client sends the frame again after so many seconds.
    """
    await gallery.open(page, "options")
    await gallery.refuse(page, "options", kind, {"retry": True, **LIMITED, **more}, times=1)


async def say(page: Page, text: str) -> None:
    """Write a message and send it."""
    await page.fill("#composer-text", text)
    await page.press("#composer-text", "Enter")


@pytest.mark.parametrize(("seconds", "when"), [(45.2, r"daqui a 46 s"), later(3600, r"às \d\d:\d\d")])
async def test_a_message_too_many_says_when_it_goes_and_is_kept(gallery, page, seconds, when):
    await limits(gallery, page, retry_after=seconds)
    await say(page, "mais uma")
    words = f"Foram muitas mensagens em pouco tempo: esta fica guardada e segue sozinha {when}"
    await expect(page.locator("#sending small span")).to_have_text(re.compile(f"^{words}$"))
    await expect(page.locator("#sending .bubble")).to_have_text("mais uma")
    await expect(page.locator("#announcer span")).to_have_text(re.compile(words))


async def test_a_message_too_many_goes_by_itself_when_the_time_has_come(gallery, page):
    await limits(gallery, page, retry_after=0.3)
    await say(page, "mais uma")
    (sent,) = await until_async(lambda: gallery.received(page, "options", "message"))
    assert [sent["id"]] == await gallery.refused(page, "options")


async def test_a_page_that_may_not_connect_yet_says_when_it_does(gallery, new_page, troubles):
    page = await new_page()

    async def refuse(route: Route) -> None:
        error = {"error": {**LIMITED, "retry_after": 40}}
        await route.fulfill(status=429, headers={"retry-after": "40"}, json=error)

    await page.route("**/v1/tickets", refuse)
    await page.goto(gallery.of("options"))
    bar = page.locator("#connection")
    await expect(bar).to_contain_text("Foram abertas demasiadas ligações em pouco tempo.")
    await expect(bar).to_contain_text("Volta a ligar sozinha daqui a 40 s; o que escrever fica guardado.")
    await page.unroute("**/v1/tickets")
    await bar.get_by_role("button", name="Tentar já").click()
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await expect(bar).to_be_hidden()
    troubles[:] = [each for each in troubles if "429" not in each]


async def edit(page: Page, text: str) -> Locator:
    """Edit the last message and send its new version; returns the form."""
    await page.locator("#log .row-user").last.get_by_role("button", name="Editar mensagem").click()
    form = page.locator(".edit-form")
    await form.get_by_role("textbox").fill(text)
    await form.get_by_role("textbox").press("Enter")
    return form


async def test_a_version_too_many_says_when_it_goes_and_goes_by_itself(gallery, page):
    await limits(gallery, page, "edit", retry_after=0.9)
    form = await edit(page, "outro texto")
    words = "Foram muitos pedidos em pouco tempo: este fica guardado e segue sozinho daqui a 1 s"
    await expect(page.locator("#announcer")).to_contain_text(words)
    (sent,) = await until_async(lambda: gallery.received(page, "options", "edit"))
    assert [sent["id"]] == await gallery.refused(page, "options")
    assert sent["content"] == [{"type": "text", "text": "outro texto"}]
    await expect(form).to_have_count(0)


@pytest.mark.conformance
async def test_a_version_that_waits_shows_it_and_its_text_and_can_be_cancelled(gallery, page):
    await limits(gallery, page, "edit", retry_after=45.2)
    form = await edit(page, "outro texto")
    await expect(form.locator(".hint")).to_contain_text("segue sozinho daqui a 46 s")
    await expect(form.get_by_role("textbox")).to_have_value("outro texto")
    await form.get_by_role("button", name="Cancelar").click()
    await expect(form).to_have_count(0)
    assert await page.evaluate("loopwire.outbox.waiting().length") == 0
    # The next one is a version of its own.
    await expect(await edit(page, "mais outro")).to_have_count(0)
    (sent,) = await gallery.received(page, "options", "edit")
    assert sent["content"] == [{"type": "text", "text": "mais outro"}]


@pytest.mark.conformance
async def test_a_version_that_is_refused_as_one_too_many_does_not_speak_of_a_queue(gallery, page):
    await limits(gallery, page, "edit")
    form = await edit(page, "outro texto")
    await expect(form.get_by_role("alert")).to_have_text(
        "Foram muitos pedidos em pouco tempo. Tente outra vez daqui a pouco."
    )
    await expect(form.get_by_role("textbox")).to_have_value("outro texto")
    await expect(form.get_by_role("textbox")).to_be_enabled()


@pytest.mark.conformance
async def test_a_version_that_is_written_without_internet_says_that_it_waits(gallery, new_page, troubles):
    page = await new_page()
    await gallery.open(page, "options")
    await page.context.set_offline(True)
    await expect(page.locator("body[data-state=offline]")).to_be_attached()
    form = await edit(page, "outro texto")
    await expect(form.locator(".hint")).to_have_text("Segue quando a ligação voltar")
    await expect(form.get_by_role("textbox")).to_have_value("outro texto")
    await page.context.set_offline(False)
    await expect(form).to_have_count(0)
    (sent,) = await gallery.received(page, "options", "edit")
    assert sent["content"] == [{"type": "text", "text": "outro texto"}]
    troubles.clear()


async def test_an_answer_that_is_asked_for_again_too_often_says_when_it_comes(gallery, page):
    await limits(gallery, page, "regenerate", retry_after=0.9)
    row = page.locator(".row-text").last
    await row.hover()
    await row.get_by_role("button", name="Responder de novo").click()
    hint = page.locator("#composer-hint")
    await expect(hint).to_contain_text("segue sozinho daqui a 1 s")
    await until_async(lambda: gallery.received(page, "options", "regenerate"))
    await expect(hint).not_to_contain_text("segue sozinho")


async def rate(page: Page) -> Locator:
    """Rate the last answer as not useful; returns its row."""
    row = page.locator(".row-text").last
    await row.get_by_role("button", name="Pouco útil").press("Enter")
    return row


async def test_a_rating_too_many_says_when_it_goes_and_goes_by_itself(gallery, page):
    await limits(gallery, page, "feedback", retry_after=0.9)
    row = await rate(page)
    words = "Foram muitos pedidos em pouco tempo: este fica guardado e segue sozinho daqui a 1 s"
    await expect(page.locator("#announcer")).to_contain_text(words)
    (sent,) = await until_async(lambda: gallery.received(page, "options", "feedback"))
    assert [sent["id"]] == await gallery.refused(page, "options")
    await expect(row).not_to_contain_text("segue sozinho")


@pytest.mark.conformance
async def test_a_rating_and_its_reason_that_wait_show_until_when(gallery, page):
    await limits(gallery, page, "feedback", retry_after=45.2)
    row = await rate(page)
    await expect(row.locator("> .hint")).to_contain_text("segue sozinho daqui a 46 s")
    await gallery.refuse(
        page, "options", "feedback", {"retry": True, **LIMITED, "retry_after": 3_600}, times=1
    )
    await row.get_by_label("Está errado").check()
    await row.get_by_role("button", name="Enviar").click()
    await expect(row.locator("> .hint").last).to_contain_text("segue sozinho às")


async def test_a_rating_and_its_reason_that_are_one_too_many_say_when_to_try_again(gallery, page):
    await limits(gallery, page, "feedback", retry=False)
    row = await rate(page)
    again = "Foram muitos pedidos em pouco tempo. Tente outra vez daqui a 60 s."
    await expect(row.get_by_role("alert")).to_have_text(again)
    await rate(page)
    await until_async(lambda: gallery.received(page, "options", "feedback"))
    await gallery.refuse(page, "options", "feedback", {**LIMITED}, times=1)
    await row.get_by_label("Está errado").check()
    await row.get_by_role("button", name="Enviar").click()
    await expect(row.locator(".reasons").get_by_role("alert")).to_have_text(again)
    await row.get_by_role("button", name="Enviar").click()
    await expect(row.locator(".reasons")).to_have_count(0)


async def test_earlier_messages_asked_for_too_often_say_when_to_ask_again(gallery, new_page, troubles):
    page = await new_page()
    await gallery.open(page, "options")
    await page.evaluate(OLDER)

    async def refuse(route: Route) -> None:
        await route.fulfill(status=429, headers={"retry-after": "40"}, json={"error": LIMITED})

    await page.route("**/older?*", refuse)
    await page.get_by_role("button", name="Ver mensagens anteriores").click()
    await expect(page.locator(".column > [role=alert]")).to_have_text(
        "Foram muitos pedidos em pouco tempo. Tente outra vez daqui a 40 s."
    )
    troubles[:] = [each for each in troubles if "429" not in each]
