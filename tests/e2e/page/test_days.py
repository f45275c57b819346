"""Days and times of the log by the reader's clock: over midnight, after a reload and in another time zone."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from playwright.async_api import expect

from tests.e2e.scenarios import NOW

DAY_S = 86_400
SENT = dt.datetime.fromtimestamp(NOW / 1000 + 60, dt.UTC)


@pytest.mark.parametrize(
    "zone,hours", [pytest.param("Asia/Tokyo", 9, marks=pytest.mark.conformance), ("America/Los_Angeles", -8)]
)
async def test_times_and_days_are_those_of_the_readers_zone(gallery, new_page, zone, hours):
    page = await new_page(timezone_id=zone)
    await page.clock.set_fixed_time(NOW / 1000)
    await gallery.open(page, "finished")
    sent, days = page.locator("#log .row-user time").first, page.locator("#log .day")
    await expect(sent).to_have_text((SENT + dt.timedelta(hours=hours)).strftime("%H:%M"))
    assert await sent.get_attribute("datetime") == SENT.strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert await days.count() == 0
    # The zone's days of the server's rows: what was drawn by another clock is put right, and only that.
    rows = await page.locator("#log > .row").all_inner_texts()
    for later, name in ((DAY_S, "Ontem"), (2 * DAY_S, "20 de novembro")):
        await page.clock.set_fixed_time(NOW / 1000 + later)
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        await expect(days).to_have_count(1)
        await expect(days).to_contain_text(name)
    assert await page.locator("#log > .row").all_inner_texts() == rows
    assert await page.locator("#log > :first-child").get_attribute("class") == "day"
    await page.reload()
    await expect(sent).to_have_text((SENT + dt.timedelta(hours=hours)).strftime("%H:%M"))
    assert await days.count() == 0


async def test_each_answer_says_when_it_came(gallery, page):
    await gallery.open(page, "finished")
    asked = page.locator("#log > .row-user")
    answers = page.locator("#log > .row-user + :is(.row-tool, .row-text)")
    assert await asked.count() == await answers.count() > 0
    for answer in await answers.all():
        await expect(answer.locator("time").first).to_be_visible()
        await expect(answer.locator("time").first).to_have_text(re.compile(r"^\d\d:\d\d$"))
