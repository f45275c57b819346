"""The page on a phone: lines break beside their ticks, no word is cut, and the composer shows why it is closed."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from server.languages import LANGUAGES
from server.words import FOLDER, Words
from tests.parts.sampled import later

PHONE = {"width": 390, "height": 844}
SMALL = {"width": 320, "height": 640}
WIDTHS = [360, later(390), later(1280)]
DOCK = "document.querySelector('.dock').getBoundingClientRect().height"
BESIDE = """(line) => {
    const icon = line.querySelector('.icon').getBoundingClientRect();
    const words = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    const boxes = [];
    while (words.nextNode()) {
        const range = new Range();
        range.selectNodeContents(words.currentNode);
        boxes.push(...[...range.getClientRects()].filter((each) => each.width > 1));
    }
    const first = boxes.reduce((one, other) => (other.top < one.top ? other : one));
    return {
        beside: Math.abs((icon.top + icon.bottom) / 2 - (first.top + first.bottom) / 2),
        left: Math.min(...boxes.map((each) => each.left)) - icon.right,
        lines: new Set(boxes.map((each) => Math.round(each.bottom / 12))).size,
    };
}"""
CUT = """() => [...document.querySelectorAll('#log *')]
    .filter((each) => getComputedStyle(each).textOverflow === 'ellipsis' && each.scrollWidth > each.clientWidth)
    .map((each) => each.textContent.trim())"""

BEYOND_WIRE = """(time) => {
    const row = time.closest('.row');
    const { left, width } = getComputedStyle(row, '::before');
    return time.getBoundingClientRect().left - row.getBoundingClientRect().left - parseFloat(left) - parseFloat(width);
}"""
CLEAR = 6
SAY_WHY = """async (state) => {
    const { hint, placeholder } = await import('/static/js/hints.js');
    const text = document.getElementById('composer-text');
    const said = document.getElementById('composer-hint');
    text.placeholder = placeholder(state);
    said.textContent = hint({ long: 0, unclear: 0, ...state }).text;
    said.classList.toggle('needed', Boolean(hint({ long: 0, unclear: 0, ...state }).needed));
}"""
ROOM = """(text) => {
    const probe = Object.assign(document.createElement('span'), { textContent: text.placeholder });
    probe.style.cssText = `position: absolute; white-space: nowrap; font: ${getComputedStyle(text).font}`;
    document.body.append(probe);
    const room = text.clientWidth - probe.getBoundingClientRect().width;
    probe.remove();
    return room;
}"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.conformance
async def test_ticks_stand_beside_the_first_line_and_all_lines_begin_there(gallery, page, width):
    await page.set_viewport_size({"width": width, "height": 844})
    await gallery.open(page, "narrow")
    assert await page.evaluate(CUT) == []
    for line in ("#row-blk_1 .answered", "#row-cal_1 summary"):
        found = await page.locator(line).evaluate(BESIDE)
        assert found["beside"] <= 4, line
        assert found["left"] >= 4, line
        assert found["lines"] > 1 or width > 390, line


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("state", ["finished", later("failed"), later("several")])
async def test_no_line_of_the_log_is_cut(gallery, page, state, width):
    """Nor does the time beside a long message of the visitor stand on the wire."""
    await page.set_viewport_size({"width": width, "height": 844})
    await gallery.open(page, state)
    assert await page.evaluate(CUT) == []
    if state == "finished" and width == 360:
        time = page.locator("#log > .row-user").first.locator("time")
        for each in (360, 320):
            await page.set_viewport_size({"width": each, "height": 844})
            assert await time.evaluate(BEYOND_WIRE) >= CLEAR, each


async def test_a_long_result_ends_with_a_whole_word_and_is_all_inside(gallery, page):
    await gallery.open(page, "narrow")
    line = page.locator("#row-cal_1 summary")
    await expect(line).to_contain_text("antes de o entregar, e com a…")
    await line.click()
    await expect(page.locator("#row-cal_1 .pairs")).to_contain_text("a fatura da loja")


async def test_a_closed_question_opens_by_keyboard_and_by_finger(gallery, kept_page):
    page = await kept_page(viewport=PHONE, is_mobile=True, has_touch=True)
    await gallery.open(page, "narrow")
    line = page.locator("#row-blk_2 summary")
    options = page.get_by_role("listitem").filter(has_text="sem objetiva")
    await expect(options).to_have_count(0)
    assert (await line.bounding_box())["height"] >= 44
    await line.tap()
    await expect(options).to_be_visible()
    await line.press("Enter")
    await expect(options).to_be_hidden()


@pytest.mark.conformance
async def test_the_placeholder_says_why_nothing_is_sent_and_moves_nothing(gallery, kept_page):
    page = await kept_page(viewport=PHONE, is_mobile=True, has_touch=True)
    await gallery.open(page, "streaming")
    text = page.locator("#composer-text")
    before = await page.evaluate(DOCK)
    for state, why in (
        ({"full": True}, "Fila cheia: espere…"),
        ({"offline": True}, "Segue com a ligação"),
        ({"offline": True, "stopping": True}, "Para com a ligação"),
        ({"spent": True}, "Limite de hoje atingido"),
    ):
        await page.evaluate(SAY_WHY, state)
        await expect(text).to_have_attribute("placeholder", why)
        assert await page.evaluate(DOCK) == before, why
        assert await text.evaluate(ROOM) >= 0, why


async def test_a_text_that_cannot_go_says_why_below_itself(gallery, kept_page):
    page = await kept_page(viewport=PHONE, is_mobile=True, has_touch=True)
    await gallery.open(page, "options")
    await page.fill("#composer-text", "x" * 8001)
    hint = page.locator("#composer-hint")
    await expect(hint).to_have_text("São 8001 caracteres; o máximo é 8000.")
    assert (await hint.bounding_box())["height"] >= 16
    await expect(page.locator("#send")).to_be_disabled()


@pytest.mark.conformance
async def test_no_placeholder_is_cut_at_320_px_in_any_language(gallery, kept_page):
    page = await kept_page(viewport=SMALL, is_mobile=True, has_touch=True)
    await gallery.open(page, "streaming")
    begins = ("composer.placeholder", "empty.submission.placeholder", "empty.chat.placeholder")
    sentences = {text for each in LANGUAGES for text in Words(FOLDER).all(each, *begins).values()}
    await page.evaluate("document.getElementById('stop').hidden = true")
    cut = await page.locator("#composer-text").evaluate(
        """(text, sentences) => {
            const pen = document.createElement('canvas').getContext('2d');
            const { font, paddingLeft, paddingRight } = getComputedStyle(text);
            pen.font = font;
            const room = text.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
            return sentences.filter((each) => pen.measureText(each).width > room);
        }""",
        sorted(sentences),
    )
    assert cut == []
