"""Marks that pile up on letters end with what has them, and what turns a text around ends with what was quoted."""

from __future__ import annotations

import io
from collections.abc import Sequence

import pytest
from PIL import Image, ImageChops, ImageDraw

from server.protocol import blocks
from tests.e2e.gallery import Gallery as Scripted
from tests.e2e.gallery import folded
from tests.e2e.scenarios import HOUR, IDENTIFICATION, NOW, Scenario, called, said, shown, spoke

MARKS = "".join(map(chr, range(0x300, 0x330))) * 2
RING = 5
"""So many pixels around a line its marks may be seen: a focus ring needs them."""

FAINT = 8
"""Of 255: a clip smooths the round corners of what it holds a little differently."""

HONEST = (
    "Ắn Ễ Ộ ỹ ÅÇ Ñ g̃ n̈",
    "น้ำ ที่ปู่ ฐัญฺญู",
    "بِسْمِ ٱللَّٰهِ ٱلرَّحْمَٰنِ",
    "שָׁלוֹם עֲלֵיכֶם",
    "हिन्दी क्ष्म्य",
    "👩\u200d👩\u200d👧\u200d👦 🇵🇹 e\u0301\u0323",
)

PLACED = """(text) => {
    const log = document.getElementById('log');
    htmx.swap({ text, target: log, swap: 'innerHTML', sourceElement: log });
    return document.fonts.ready.then(() => null);
}"""
STYLED = """(css) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(css);
    document.adoptedStyleSheets = [sheet];
}"""
UNCLIPPED = ":not(.unseen) { clip-path: none !important } .bubble { overflow: visible !important }"
MARKED = """() => {
    const walker = document.createTreeWalker(document.getElementById('log'), NodeFilter.SHOW_TEXT);
    const boxes = new Set();
    while (walker.nextNode())
        if (/[\\u0300-\\u036f]/.test(walker.currentNode.data) && !walker.currentNode.parentElement.closest('.unseen'))
            boxes.add(walker.currentNode.parentElement.closest(
                '.bubble, .option, summary, .prose > *, loopwire-text, p, h2, dt, dd, legend, label, small, .line'
            ));
    return [...boxes].map((each) => {
        each.toggleAttribute('data-marked', true);
        const { left, top, right, bottom } = each.getBoundingClientRect();
        return [left, top, right, bottom];
    });
}"""
HIDDEN = "[data-marked], [data-marked] :not(button, label, small) { color: transparent !important }"


def rows(word: str) -> str:
    """This word in the texts of all speakers, beside words of others."""
    approval = blocks.Approval(
        "int_1", f"Apagar {word}?", NOW + HOUR, pairs=(blocks.Pair(word, "Sim"), blocks.Pair("Nome", word))
    )
    field = blocks.Field("where", word, "choice", word, (blocks.Choice("a", word), blocks.Choice("b", "Não")))
    choices = blocks.Choices("option:7", word, (blocks.Choice("1", word, word), blocks.Choice("2", "Outro")))
    card = blocks.Card(word, tag=word, reference="LW-1", pairs=(blocks.Pair("Nome", word),), price="1 €")
    lines = blocks.Rows(word, (blocks.Row(word, word), blocks.Row("Outro", "Nota")))
    events = [
        *said(1, "Primeiro"),
        *spoke("msg_1", IDENTIFICATION, f"Antes.\n\n{word} e {word}\n\nDepois."),
        *said(2, word),
        *called("cal_1", "other_tool", f'{{"total": "{word}"}}', args=f'{{"query": "{word}"}}'),
        *spoke("msg_2", IDENTIFICATION, "Escolha:"),
        *shown("blk_1", choices),
        *shown("blk_2", approval),
        *shown("blk_3", blocks.Ask("int_2", word, NOW + HOUR, (field,))),
        *shown("blk_4", card),
        *shown("blk_5", lines),
        *shown("blk_6", blocks.Notice(word, "Aviso.")),
        *spoke("msg_3", IDENTIFICATION, "Antes."),
        *spoke("msg_4", IDENTIFICATION, word, open_=True),
        *said(3, "Último"),
    ]
    return (
        Scripted().renderer.log(folded(Scenario("marks", events)), "pt").replace("<details", "<details open")
    )


async def picture(page) -> Image.Image:
    """Return what the page looks like now."""
    return Image.open(io.BytesIO(await page.screenshot(animations="disabled", caret="hide"))).convert("RGB")


def differs(one: Image.Image, other: Image.Image, without: Sequence[list[float]] = ()) -> object:
    """Return where two pictures differ to the eye, outside of these boxes; None when they do not."""
    found = ImageChops.difference(one, other).point(lambda value: value if value > FAINT else 0)
    draw = ImageDraw.Draw(found)
    for left, top, right, bottom in without:
        draw.rectangle((left - RING, top - RING, right + RING, bottom + RING), fill=0)
    return found.getbbox()


async def test_marks_draw_over_no_neighbour_and_honest_writing_and_focus_are_whole(gallery, page):
    await page.set_viewport_size({"width": 390, "height": 2700})
    await gallery.open(page, "finished")
    await page.evaluate(PLACED, rows(f"{'a' + MARKS}b{'c' + MARKS}"))
    boxes = await page.evaluate(MARKED)
    assert len(boxes) >= 20
    clipped = await picture(page)
    await page.evaluate(STYLED, HIDDEN)
    without = await picture(page)
    assert differs(clipped, without, boxes) is None
    await page.evaluate(STYLED, UNCLIPPED)
    assert differs(await picture(page), without, boxes) is not None, "nothing reached out in this font"

    await page.evaluate(PLACED, rows(" ".join(HONEST)))
    await page.keyboard.press("Tab")
    await page.focus("#row-blk_2 .button.primary")
    whole = await picture(page)
    await page.evaluate(STYLED, "")
    assert differs(await picture(page), whole) is None


QUOTE = "Percebi: «\u2067\u202euma» primeiro segundo terceiro."
ORDER = """(row) => {
    const text = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const lefts = [];
    while (text.nextNode())
        for (const found of text.currentNode.data.matchAll(/Percebi|primeiro|segundo|terceiro/g)) {
            const range = new Range();
            range.setStart(text.currentNode, found.index);
            range.setEnd(text.currentNode, found.index + found[0].length);
            lefts.push(range.getBoundingClientRect().left);
        }
    return lefts;
}"""


@pytest.mark.conformance
async def test_a_direction_mark_in_a_quoted_answer_turns_no_other_words(gallery, page):
    await page.set_viewport_size({"width": 1280, "height": 900})
    await gallery.open(page, "finished")
    events = [
        *spoke("msg_1", IDENTIFICATION, QUOTE),
        *spoke("msg_2", IDENTIFICATION, "**Percebi**: `\u202euma` **primeiro** segundo terceiro."),
        *shown("blk_1", blocks.Approval("int_1", QUOTE, NOW + HOUR)),
        *called("cal_1", "other_tool", '{"names": ["Percebi \u202euma", "primeiro", "segundo", "terceiro"]}'),
        *spoke("msg_3", IDENTIFICATION, "", open_=True),
    ]
    log = Scripted().renderer.log(folded(Scenario("turned", events)), "pt")
    await page.evaluate(PLACED, log.replace("<details", "<details open"))
    await page.evaluate(
        """(pieces) => {
            const text = document.querySelector('loopwire-text');
            for (const each of pieces) text.add(each);
            return new Promise(requestAnimationFrame).then(() => null);
        }""",
        list(QUOTE),
    )
    for row in ("msg_1", "msg_2", "blk_1", "cal_1", "msg_3"):
        lefts = await page.locator(f"#row-{row}").evaluate(ORDER)
        assert len(lefts) == 4, row
        assert lefts == sorted(lefts), row


@pytest.mark.conformance
async def test_right_to_left_words_read_from_the_right(gallery, page):
    await page.set_viewport_size({"width": 1280, "height": 900})
    await gallery.open(page, "finished")
    words = "مرحبا، عندي iPhone 13 للبيع.\n\n- أولا\n- ثانيا"
    events = [
        *said(1, words),
        *spoke("msg_1", IDENTIFICATION, words),
        *spoke("msg_2", IDENTIFICATION, words, open_=True),
    ]
    await page.evaluate(PLACED, Scripted().renderer.log(folded(Scenario("right", events)), "pt"))
    for place in ("#row-msg_u1 p", "#row-msg_1 .prose", "#row-msg_2 .prose"):
        found = await page.locator(place).evaluate("""(box) => {
            const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
            while (walker.nextNode() && !walker.currentNode.data.includes('iPhone'));
            const at = (text) => {
                const range = new Range(), from = walker.currentNode.data.indexOf(text);
                range.setStart(walker.currentNode, from);
                range.setEnd(walker.currentNode, from + text.length);
                return range.getBoundingClientRect();
            };
            return [at('للبيع'), at('iPhone'), at('13'), at('مرحبا')].map((each) => each.left);
        }""")
        assert found == sorted(found), place
    bullet = await page.locator("#row-msg_1 li >> nth=0").evaluate(
        "(each) => getComputedStyle(each).direction"
    )
    assert bullet == "rtl"
