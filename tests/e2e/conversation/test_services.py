"""The services in the browser: found from the page, tried by keyboard alone, read on a phone, and by everybody."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.conversation.conftest import NewPerson
from tests.e2e.conversation.person import PHONE
from tests.parts.chromium import NewPage, Troubles
from tests.parts.sampled import later
from tests.parts.server import Served

pytestmark = pytest.mark.page

RULES = {"runOnly": {"type": "tag", "values": TAGS}}
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


async def test_a_service_is_found_from_the_page_and_answers_by_keyboard_alone(
    quick: Served, person: NewPerson
) -> None:
    someone = await person(quick, language="en")
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
    await expect(answer).to_contain_text("Average price")
    await answer.get_by_text("Data (JSON)").click()
    await expect(answer.locator("pre")).to_contain_text('"value_out_average"')
    await page.reload()
    await expect(page.locator(".response")).to_contain_text("Average price")


@pytest.mark.parametrize("phone", [later(False, id="desktop"), pytest.param(True, id="phone")])
@pytest.mark.parametrize("path", ["/services", "/services/c2c_validation", "/services/translator"])
async def test_the_pages_of_services_are_for_everybody(
    quick: Served, person: NewPerson, path: str, phone: bool
) -> None:
    someone = await person(quick, phone=phone)
    await someone.page.goto(quick.url + path)
    assert await someone.page.evaluate(WIDE) == 0
    await someone.page.evaluate(AXE)
    found = await looked_at(someone.page, RULES)
    assert found["violations"] == []
    if path != "/services":
        await someone.page.locator("form.request .button.primary").click()
        await expect(someone.page.locator(".response")).to_be_visible()
        assert await someone.page.evaluate(WIDE) == 0
        await someone.page.evaluate(AXE)
        found = await looked_at(someone.page, RULES)
        assert found["violations"] == []


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
    await tried.get_by_label("Try it").fill('{"prompt": "Which?"}')
    await tried.get_by_role("button", name="Send").click()
    await expect(tried.get_by_role("status")).to_contain_text("422")
    await expect(tried.locator("pre")).to_contain_text("Field required")
    await tried.get_by_role("button", name="Reset the example").click()
    await expect(tried.get_by_label("Try it")).to_have_value(re.compile("Excellent"))
    await page.locator("#decision summary").first.click()
    assert await page.evaluate(WIDE) == 0
    await page.evaluate(AXE)
    assert (await looked_at(page, RULES))["violations"] == []
    # The browser tells of the refused request, as it should.
    troubles[:] = [each for each in troubles if "422" not in each]
