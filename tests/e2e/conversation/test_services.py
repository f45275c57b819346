"""The services in the browser: reachable from the page, usable by keyboard alone, readable on a phone, accessible."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import FilePayload, Page, expect

from server.services import services
from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.conversation.conftest import NewPerson
from tests.e2e.conversation.person import PHONE, SETTLED
from tests.parts.chromium import NewPage, Troubles
from tests.parts.images import noisy_png
from tests.parts.sampled import is_whole, later
from tests.parts.server import Served

pytestmark = pytest.mark.page

FORMS = [name for name, each in services().items() if each.contract and each.contract.form]
RULES = {"runOnly": {"type": "tag", "values": TAGS}}
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def large() -> FilePayload:
    """Return a picture that a page makes smaller."""
    return {"name": "card.png", "mimeType": "image/png", "buffer": noisy_png((1800, 1200))}


async def test_a_service_is_found_from_the_page_and_answers_by_keyboard_alone(
    quick: Served, person: NewPerson
) -> None:
    someone = await person(quick, language="en", permissions=["clipboard-read", "clipboard-write"])
    page = someone.page
    await page.goto(quick.url)
    await page.get_by_role("link", name="Services").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Value estimation").focus()
    await page.keyboard.press("Enter")
    await page.get_by_role("button", name="Get the answer").focus()
    await page.keyboard.press("Enter")
    answer = page.locator(".response")
    await expect(answer.get_by_role("heading")).to_contain_text("Value estimation")
    await expect(answer.locator("dt").first).to_have_text("Second-hand price")
    await expect(answer.locator("dd").first).to_have_text(re.compile(r"^€[\d.]+ \(€[\d.]+\sto\s€[\d.]+\)$"))
    await answer.get_by_text("Show JSON").click()
    await expect(answer.locator("pre")).to_contain_text('"value_out_average"')
    for refuses in ("", "navigator.clipboard.writeText = () => Promise.reject(new Error('refused'));"):
        await page.evaluate("navigator.clipboard.writeText('nothing')")
        await page.evaluate(f"() => {{ {refuses} }}")
        await answer.get_by_role("button", name="Copy JSON").focus()
        await page.keyboard.press("Enter")
        await expect(answer.locator("[data-copy-data] use")).to_have_attribute("href", re.compile("#check"))
        await expect(page.locator("#announcer")).to_contain_text("Copied")
        copied = json.loads(await page.evaluate("navigator.clipboard.readText()"))
        assert copied["value_out_min"] <= copied["value_out_average"] <= copied["value_out_max"]
    await page.reload()
    await expect(page.locator(".response")).to_contain_text("Second-hand price")


@pytest.mark.parametrize("phone", [later(False, id="desktop"), pytest.param(True, id="phone")])
async def test_the_pages_of_services_pass_the_accessibility_check(
    quick: Served, person: NewPerson, troubles: Troubles, large: FilePayload, phone: bool
) -> None:
    """Each form as it comes, answers to it, and a form that comes again because a field is empty.

    All forms and answers are the same blocks with other words: each of them is looked at in `make conformance`.
    """
    someone = await person(quick, phone=phone, color_scheme="dark" if phone else "light")
    page = someone.page
    await page.goto(quick.url + "/services")
    await read_by_everybody(page)
    listed = await page.locator(".service-list a").evaluate_all("all => all.map(each => each.pathname)")
    assert {f"/services/{name}" for name in FORMS} <= set(listed)
    for name in FORMS if is_whole() else FORMS[::4]:
        await page.goto(f"{quick.url}/services/{name}")
        for picture in await page.locator("input[data-picture]").all():
            await picture.set_input_files(large)
        await expect(page.locator(".chosen img:visible")).to_have_count(
            await page.locator("input[data-picture]").count()
        )
        await read_by_everybody(page)
        await page.locator("form.request .button.primary").click()
        await expect(page.locator(SETTLED)).to_be_attached()
        await expect(page.locator(".response dd").first).not_to_be_empty()
        assert await page.evaluate(WIDE) == 0, name
        await read_by_everybody(page)
    await page.goto(quick.url + "/services/decision")
    for field in ("Pergunta", "O artigo"):
        await page.get_by_label(field).fill("")
    await page.locator("form.request .button.primary").click()
    await expect(page.get_by_label("Pergunta")).to_be_focused()
    await expect(page.get_by_label("Pergunta")).to_have_accessible_description("Escreva uma resposta.")
    await read_by_everybody(page)
    troubles[:] = [each for each in troubles if "422" not in each]


@pytest.mark.conformance
async def test_a_document_is_photographed_checked_and_gone_from_the_page(
    quick: Served, person: NewPerson, large: FilePayload
) -> None:
    """A picture is made small, shown and taken back; one that is none is refused there; no page keeps one."""
    page = (await person(quick, phone=True, language="en")).page
    await page.goto(f"{quick.url}/services/id_validator")
    front = page.get_by_label("Front", exact=True)
    await front.set_input_files({"name": "IMG_1.HEIC", "mimeType": "image/heic", "buffer": b"none"})
    await expect(front).to_have_accessible_description(re.compile("HEIC"))
    await page.locator("form.request .button.primary").click()
    await expect(front).to_be_focused()
    await expect(front).to_have_accessible_description(re.compile("HEIC"))
    assert await front.evaluate("field => field.files.length") == 0
    async with page.expect_file_chooser() as opened:
        await page.get_by_role("button", name="Take a picture: Front").click()
    await (await opened.value).set_files(large)
    await expect(page.get_by_role("img", name="Front")).to_be_visible()
    assert await front.get_attribute("aria-invalid") is None
    assert await front.evaluate("field => [field.files[0].name, field.files[0].type]") == [
        "picture",
        "image/jpeg",
    ]
    await page.get_by_role("button", name="Remove the picture: Front").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("img", name="Front")).to_be_hidden()
    await expect(front).to_be_focused()
    await front.set_input_files(large)
    await expect(page.get_by_role("img", name="Front")).to_be_visible()
    await page.get_by_role("button", name="Get the answer").click()
    await expect(page.locator(".response dd").first).to_have_text("ERROR_IMAGE_QUALITY")
    assert await page.locator("img").count() == 0
    await page.go_back()
    assert await front.evaluate("field => field.files.length") == 0
    await expect(page.get_by_role("img", name="Front")).to_be_hidden()


async def test_what_is_written_in_a_form_survives_a_reload_but_not_a_new_visit(
    quick: Served, person: NewPerson
) -> None:
    page = (await person(quick, language="en")).page
    await page.goto(f"{quick.url}/services/decision")
    item = page.get_by_label("The item")
    example = await item.input_value()
    await item.fill("A bicycle with two wheels.")
    await page.reload()
    await expect(item).to_have_value("A bicycle with two wheels.")
    await page.goto(f"{quick.url}/services")
    await page.goto(f"{quick.url}/services/decision")
    await expect(item).to_have_value(example)


async def test_no_browser_stores_the_number_of_a_document(quick: Served, person: NewPerson) -> None:
    page = (await person(quick, language="en")).page
    await page.goto(f"{quick.url}/services/id_validator")
    await page.get_by_label("Number").fill("87654321X")
    await page.reload()
    assert "87654321X" not in await page.evaluate("JSON.stringify([{...sessionStorage}, {...localStorage}])")


@pytest.mark.conformance
async def test_the_values_of_an_estimation_stay_in_the_card_on_a_phone(
    quick: Served, new_page: NewPage
) -> None:
    page = await new_page(locale="de-DE", viewport=PHONE)
    await page.goto(f"{quick.url}/services/value_estimation")
    for field, text in {"name": "Rolex Submariner", "brand": "Rolex", "category": "Uhren"}.items():
        await page.locator(f"[name$='item.data.{field}']").fill(text)
    await page.locator("form.request .button.primary").click()
    await expect(page.locator(".response dd").first).not_to_be_empty()
    beyond = """rows => rows.map(row => [row, ...row.children].map(each => each.getBoundingClientRect().right))
      .filter(([row, ...cells]) => cells.some(cell => cell > row + 0.5))"""
    assert await page.locator(".response .lines > div").evaluate_all(beyond) == []


@pytest.mark.conformance
async def test_the_button_for_a_conversation_has_one_line_in_each_language(
    quick: Served, new_page: NewPage
) -> None:
    for language in ("pt", "en", "es", "fr", "de"):
        page = await new_page(locale=language, viewport={"width": 1280, "height": 900})
        await page.goto(quick.url)
        height = await page.locator(".side .new").evaluate("each => each.getBoundingClientRect().height")
        assert height == 40, language


@pytest.mark.conformance
async def test_the_chat_button_covers_no_value_of_the_demo_listing(quick: Served, new_page: NewPage) -> None:
    for language in ("pt", "de"):
        page = await new_page(locale=language, viewport=PHONE)
        await page.goto(f"{quick.url}/demo")
        ends = await page.locator(".offer .lines dd").evaluate_all(
            "all => all.map(each => innerWidth - each.getBoundingClientRect().right)"
        )
        assert ends and min(ends) >= 24 + 56, language


async def read_by_everybody(page: Page) -> None:
    """Require that a page has nothing to scroll to the side for, and nothing that axe finds wrong."""
    assert await page.evaluate(WIDE) == 0, page.url
    await page.evaluate(AXE)
    assert (await looked_at(page, RULES))["violations"] == [], page.url


@pytest.mark.conformance
async def test_a_request_is_tried_in_the_page_of_the_api_and_its_faults_are_read_there(
    quick: Served, new_page: NewPage, troubles: Troubles
) -> None:
    page = await new_page(locale="en-GB", viewport=PHONE, is_mobile=True, has_touch=True)
    await page.goto(f"{quick.url}/docs")
    tried = page.locator("#decision .try")
    await tried.get_by_role("button", name="Send").focus()
    await page.keyboard.press("Enter")
    await expect(tried.get_by_role("status")).to_contain_text("200 · ")
    await expect(tried.locator("pre")).to_contain_text('"decision"')
    await tried.get_by_role("button", name="Copy").click()
    await expect(tried.locator("[data-copy] use")).to_have_attribute("href", re.compile("#check"))
    await tried.get_by_label("Try it").fill('{"prompt": "Which?"}')
    await tried.get_by_role("button", name="Send").click()
    await expect(tried.get_by_role("status")).to_contain_text("422")
    await expect(tried.locator("pre")).to_contain_text("Field required")
    await tried.get_by_role("button", name="Reset the example").click()
    await expect(tried.get_by_label("Try it")).to_have_value(re.compile("Excellent"))
    await page.locator("#decision summary").first.click()
    await read_by_everybody(page)
    await page.goto(f"{quick.url}/docs/socket")
    await read_by_everybody(page)
    # The browser tells of the refused request, as it should.
    troubles[:] = [each for each in troubles if "422" not in each]
