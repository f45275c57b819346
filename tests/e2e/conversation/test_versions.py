"""A sent message is written anew in its place; its versions are switched between, in every tab and after a reload."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import expect

from tests.e2e.axe import is_without_fault
from tests.e2e.conversation.person import Person

pytestmark = pytest.mark.page

PICTURES = os.environ.get("VERSIONS_PICTURES")


async def photographed(seller: Person, name: str) -> None:
    """Take the picture of a state in both themes, where a person wants to look."""
    if PICTURES:
        for theme in ("light", "dark"):
            await seller.page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
            await seller.page.screenshot(path=Path(PICTURES) / f"{name}-{theme}.png")


async def test_a_message_is_edited_answered_again_and_switched_by_keyboard(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    for text in ("Primeira resposta.", "Segunda resposta.", "Terceira resposta."):
        model.will_say(text)
    await seller.open()
    await seller.say("Quero vender uma Bimby")
    await expect(seller.rows.last).to_contain_text("Primeira resposta.")
    await seller.settled()
    other = await seller.tab()
    page = seller.page
    edit = page.get_by_role("button", name="Editar mensagem")
    field = page.get_by_role("textbox", name="Nova versão da mensagem")
    # The field is left without a change by Escape, and the focus is where it was.
    await edit.focus()
    await page.keyboard.press("Enter")
    await expect(field).to_have_value("Quero vender uma Bimby")
    await page.keyboard.press("Escape")
    await expect(field).to_have_count(0)
    await expect(edit).to_be_focused()
    await page.keyboard.press("Enter")
    await field.fill("Quero vender uma Bimby TM6")
    await photographed(seller, "editing-desktop")
    await is_without_fault(page, ".edit-form")
    await field.press("Enter")
    await expect(seller.rows.last).to_contain_text("Segunda resposta.")
    await seller.settled()
    assert await seller.said() == ["Quero vender uma Bimby TM6", "Segunda resposta."]
    await seller.page.locator("#log loopwire-actions [data-action=again]").focus()
    await page.keyboard.press("Enter")
    await expect(seller.rows.last).to_contain_text("Terceira resposta.")
    await seller.settled()
    assert await seller.said() == ["Quero vender uma Bimby TM6", "Terceira resposta."]
    await photographed(seller, "versions-desktop")
    back = page.get_by_role("button", name="Versão anterior")
    await back.focus()
    await page.keyboard.press("Enter")
    await expect(seller.rows.last).to_contain_text("Segunda resposta.")
    await expect(page.get_by_role("img", name="Versão 2 de 3")).to_be_visible()
    await expect(back).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(seller.rows.last).to_contain_text("Primeira resposta.")
    await expect(back).to_be_disabled()
    await expect(page.get_by_role("button", name="Versão seguinte")).to_be_focused()
    await expect(page.locator("#announcer")).to_contain_text("Versão 1 de 3")
    for each in (seller, other):
        await expect(each.rows.last).to_contain_text("Primeira resposta.")
        await each.settled()
        await each.shows_what_is_stored()
    assert await seller.drawn() == await other.drawn()
    await _goes_on_after_a_reload(seller, other)


async def _goes_on_after_a_reload(seller: Person, other: Person) -> None:
    page = seller.page
    edit = page.get_by_role("button", name="Editar mensagem")
    field = page.get_by_role("textbox", name="Nova versão da mensagem")
    await seller.reload()
    await expect(page.get_by_role("img", name="Versão 1 de 3")).to_be_visible()
    assert await seller.said() == ["Quero vender uma Bimby", "Primeira resposta."]
    await seller.shows_what_is_stored()
    await page.set_viewport_size({"width": 390, "height": 844})
    await photographed(seller, "versions-phone")
    await edit.click()
    await photographed(seller, "editing-phone")
    # Another tab shows another version meanwhile: what is being written is not lost.
    await field.fill("Afinal é uma TM7")
    await other.page.get_by_role("button", name="Versão seguinte").click()
    await expect(seller.rows.last).to_contain_text("Segunda resposta.")
    await expect(page.locator("#composer-text")).to_have_value("Afinal é uma TM7")


@pytest.mark.conformance
async def test_the_wire_of_the_log_passes_behind_the_field_of_an_edit(quick, kept_person):
    seller: Person = await kept_person(quick, phone=True)
    await seller.open()
    for text in ("quero vender um iPhone 12", "sim"):
        await seller.say(text)
        await seller.settled()
    page = seller.page
    await page.get_by_role("button", name="Editar mensagem").last.click()
    await expect(page.get_by_role("textbox", name="Nova versão da mensagem")).to_be_focused()
    form = await page.locator(".edit-form").bounding_box()
    assert form
    # Left of the text and of the buttons, where the wire stands on a phone.
    box = {"x": form["x"] + 2, "y": form["y"] + form["height"] / 2, "width": 28, "height": 4}
    drawn = Image.open(BytesIO(await page.screenshot(clip=box, animations="disabled")))
    assert len(drawn.convert("RGB").getcolors() or []) == 1
