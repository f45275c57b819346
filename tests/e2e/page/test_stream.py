"""A streaming answer: no row jumps, no text is announced twice, and the live log is the log that a reload shows."""

from __future__ import annotations

import re
from itertools import accumulate

import pytest
from playwright.async_api import expect

from tests.e2e.gallery import Gallery as Scripted
from tests.e2e.gallery import folded
from tests.e2e.scenarios import ANSWER, LONG, SCENARIOS, Scenario
from tests.e2e.still import at_rest, drawn
from tests.parts.sampled import later, one_of
from tests.parts.wait import until_async

WATCH = """() => {
    window.shifts = [];
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts.push(
            [entry.value, entry.sources.map((each) => each.node?.outerHTML?.slice(0, 80) ?? '').join(' | ')]);
    }).observe({ type: "layout-shift", buffered: true });
    window.told = [];
    new MutationObserver((changes) => changes.forEach((change) =>
        change.addedNodes.forEach((node) => window.told.push(node.textContent.trim()))
    )).observe(document.getElementById("announcer"), { childList: true });
}"""
TOP = "document.getElementById('scroll').scrollTop"
LEFT = """(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
    (document.getElementById("scroll"))"""
"""The height of the log below the view."""
WHEEL = 400
LIVE = ["handoff", "streaming", "tool", "folded", "long", "markdown", "approval", "ask", "operator"]


async def played(gallery, page, name, *, pace=0.005, screen=(1440, 900)):
    """Open a state, let its live events come, and wait for the end of the run."""
    await page.set_viewport_size({"width": screen[0], "height": screen[1]})
    await gallery.open(page, name)
    await page.evaluate(WATCH)
    await gallery.go(page, name, pace=pace)
    await expect(page.locator(f"body[data-seq='{len(SCENARIOS[name].live)}']")).to_be_attached()


def ended(name: str) -> str:
    """Return the log that a reload would show at the end of a state."""
    scenario = SCENARIOS[name]
    whole = folded(Scenario(name, [*scenario.events, *scenario.live]))
    return Scripted().renderer.log(whole, "pt")


def plain(html: str) -> list[str]:
    """Markup as tags and words, without blanks, clocks and the marks that only the live page has."""
    html = re.sub(r"<time.*?</time>", "", html, flags=re.DOTALL)
    html = re.sub(r" (fresh|live-now)\b|data-htmx-powered=\"[^\"]*\"", "", html)
    return [part.strip() for part in re.split(r"(<[^>]*>)", html) if part.strip()]


@pytest.mark.parametrize("screen", [later((1440, 900), id="desktop"), pytest.param((390, 844), id="phone")])
@pytest.mark.parametrize("name", one_of(5, LIVE))
async def test_a_streaming_answer_moves_no_row_and_equals_the_reloaded_log(gallery, page, name, screen):
    await played(gallery, page, name, pace=0.002 if name == "markdown" else 0.02, screen=screen)
    shifts = await page.evaluate("window.shifts")
    live = await page.evaluate("document.getElementById('log').innerHTML")
    fresh = await page.evaluate(
        "(html) => Object.assign(document.createElement('div'), { innerHTML: html }).innerHTML", ended(name)
    )
    assert plain(live) == plain(fresh)
    told = " ".join(await page.evaluate("window.told"))
    assert told or name == "tool"
    # A screen reader hears no marks of Markdown.
    assert not re.search(r"\*\*|`|\||## |\[x\]", told)
    assert sum(value for value, _ in shifts) < 0.02, shifts


@pytest.mark.conformance
async def test_a_finished_answer_keeps_the_height_of_its_streaming_text(gallery, page):
    """Markdown takes the place of plain text with the same metrics: what stands above a list does not move."""
    kinds = [str(event["type"]) for event in SCENARIOS["long"].live]
    last = kinds.index("TEXT_MESSAGE_END")
    await page.set_viewport_size({"width": 1440, "height": 900})
    await gallery.open(page, "long")
    height = "document.querySelector('#text-msg_9').getBoundingClientRect().height"
    await gallery.go(page, "long", last=last)
    await expect(page.locator("loopwire-text#text-msg_9")).to_have_text(LONG)
    streaming = await page.evaluate(height)
    await gallery.go(page, "long")
    await expect(page.locator("div#text-msg_9")).to_be_attached()
    assert await page.evaluate(height) == streaming


IS_SEEN = """(each) => {
    each.scrollIntoView({ block: "center" });
    const { left, top, width, height } = each.getBoundingClientRect();
    return document.elementFromPoint(left + width / 2, top + height / 2) === each;
}"""


@pytest.mark.conformance
async def test_the_box_of_a_task_is_seen(gallery, page):
    await played(gallery, page, "markdown", pace=0)
    for width in (1440, 390):
        await page.set_viewport_size({"width": width, "height": 900})
        await at_rest(page)  # The list of conversations leaves a narrow page.
        for task in (".task.done > span", ".task:not(.done) > span"):
            assert await page.locator(task).first.evaluate(IS_SEEN), (task, width)


@pytest.mark.conformance
async def test_a_row_of_a_table_can_be_read_while_it_is_written(gallery, page):
    written = "todos os botões a fu"
    texts = accumulate(str(event.get("delta", "")) for event in SCENARIOS["markdown"].live)
    last = next(number for number, text in enumerate(texts, 1) if written in text)
    await page.set_viewport_size({"width": 390, "height": 844})
    await gallery.open(page, "markdown")
    await gallery.go(page, "markdown", last=last)
    row = page.locator("tr.open loopwire-text")
    await expect(row).to_contain_text(written)
    lines, is_cut = await row.evaluate(
        """(each) => [
            each.offsetHeight / parseFloat(getComputedStyle(each).lineHeight), each.scrollWidth > each.clientWidth,
        ]"""
    )
    assert lines >= 2 and not is_cut
    ends = "(each) => [each, each.closest('.table')].map((one) => one.getBoundingClientRect().right)"
    text, table = await row.evaluate(ends)
    assert text < table


async def test_a_screen_reader_hears_sentences_and_all_of_them(gallery, page):
    await played(gallery, page, "long")
    told = await page.evaluate("window.told")
    assert 4 <= len(told) <= 12
    assert " ".join(told).split() == LONG.split()
    assert all(each.endswith(".") for each in told)


@pytest.mark.conformance
async def test_an_answer_that_is_refused_again_for_the_same_reason_is_told_again(gallery, page):
    await played(gallery, page, "form")
    told = await page.evaluate("window.told")
    assert [each for each in told if "Escreva só o número, por exemplo 12000." in each] == [
        "Número de disparos. Escreva só o número, por exemplo 12000."
    ]


async def test_a_handoff_and_a_tool_are_told_once_and_the_loop_draws_itself_live_alone(gallery, page):
    await played(gallery, page, "handoff")
    told = await page.evaluate("window.told")
    assert [each for each in told if "A conversa passou" in each] == [
        "A conversa passou de Identificação para Opções: produto e marca confirmados."
    ]
    assert sum("Procurou no catálogo" in each for each in told) == 1
    await expect(page.locator(".row-handoff.live-now")).to_have_count(1)
    await gallery.open(page, "options")
    await expect(page.locator(".row-handoff")).to_have_count(1)
    await expect(page.locator(".row-handoff.live-now")).to_have_count(0)


async def test_a_joining_operator_and_its_name_are_shown_before_the_words(gallery, page):
    await played(gallery, page, "operator")
    assert await page.evaluate("window.told") == [
        "Alguém da equipa entrou na conversa e responde-lhe agora.",
        "Rui, uma pessoa da equipa, diz:",
        "Está tudo tratado.",
    ]


async def test_an_unfinished_emphasis_stays_as_typed_until_the_end(gallery, page):
    await gallery.open(page, "streaming")
    await expect(page.locator("loopwire-text")).to_contain_text("correia ori")
    await gallery.go(page, "streaming")
    await expect(page.locator("#text-msg_4 strong")).to_have_text("três conjuntos")
    await expect(page.locator("#text-msg_4 li")).to_have_count(ANSWER.count("\n- "))
    await expect(page.locator("loopwire-text")).to_have_count(0)


async def test_streaming_bold_text_is_bold_and_its_marks_are_never_shown(gallery, page):
    await gallery.open(page, "empty")
    seen = await page.evaluate(
        """async () => {
            const text = document.createElement("loopwire-text");
            text.textContent = "A **Bim";
            document.getElementById("log").append(text);
            const seen = [text.innerHTML];
            for (const delta of ["by TM5*", "* e 2 * 3", " **aberto\\n\\n<i>fim", " *"]) {
                text.add(delta);
                await new Promise(requestAnimationFrame);
                seen.push(text.innerHTML);
            }
            return seen;
        }"""
    )
    assert seen == [
        "A <strong>Bim</strong>",
        "A <strong>Bimby TM5</strong>",
        "A <strong>Bimby TM5</strong> e 2 * 3",
        "A <strong>Bimby TM5</strong> e 2 * 3 <strong>aberto</strong>\n\n&lt;i&gt;fim",
        "A <strong>Bimby TM5</strong> e 2 * 3 <strong>aberto</strong>\n\n&lt;i&gt;fim ",
    ]


async def test_the_work_of_a_turn_is_one_line_that_opens_and_is_told_once(gallery, page):
    await played(gallery, page, "folded")
    line = page.locator(".row-steps > details > summary")
    said = await line.locator("b").inner_text()
    told = await page.evaluate("window.told")
    assert [each for each in told if said in each] == [f"{said}."]
    await line.click()
    await expect(page.locator(".row-steps .inner .row-tool")).to_have_count(3)


@pytest.mark.conformance
async def test_the_duration_of_work_is_shown_in_the_developer_view_alone(gallery, page):
    took = page.locator("#log .technical").first
    await gallery.open(page, "folded")
    await expect(took).to_be_hidden()
    await gallery.open(page, "folded", debug="")
    await expect(took).to_contain_text("s")
    await gallery.open(page, "folded")
    await expect(took).to_be_visible()
    await gallery.open(page, "folded", debug="0")
    await expect(took).to_be_hidden()


async def test_the_thinking_notice_is_shown_only_while_nothing_else_moves(gallery, page):
    await gallery.open(page, "handoff")
    await expect(page.locator("#live")).to_be_visible()
    await expect(page.locator("#live")).to_have_text("A pensar…")
    await gallery.open(page, "streaming")
    await expect(page.locator("#live")).to_be_hidden()
    await gallery.open(page, "options")
    await expect(page.locator("#live")).to_be_hidden()


async def scrolled_up(page) -> int:
    """Turn the wheel by a screen and wait until the log stands there and has noticed; return where it stands."""
    await drawn(page)
    goal = max(0, await page.evaluate(TOP) - WHEEL)
    await page.hover("#log")
    await page.mouse.wheel(0, -WHEEL)
    await until_async(lambda: page.evaluate(f"{TOP} === {goal}"), what="the wheel to come to rest")
    await drawn(page)
    return goal


async def test_the_log_follows_its_end_only_for_a_reader_who_is_there(gallery, page):
    await page.set_viewport_size({"width": 1100, "height": 420})
    await gallery.open(page, "handoff")
    await gallery.go(page, "handoff", pace=0.02)
    await page.locator("#row-msg_1").wait_for()
    await expect(page.locator("#jump")).to_be_hidden()
    await until_async(lambda: page.evaluate(f"{LEFT} < 2"), what="the end")
    await gallery.open(page, "long")
    stood = await scrolled_up(page)
    await expect(page.locator("#jump")).to_be_visible()
    await gallery.go(page, "long")
    await page.locator("div#text-msg_9").wait_for()
    await drawn(page)
    assert await page.evaluate(TOP) == stood
    await page.click("#jump")
    await expect(page.locator("#jump")).to_be_hidden()
    assert await page.evaluate(LEFT) < 2


@pytest.mark.conformance
async def test_the_log_keeps_its_end_in_view_when_a_question_folds_away_before_the_next_row(gallery, page):
    await page.set_viewport_size({"width": 1100, "height": 420})
    await gallery.open(page, "long")
    await page.evaluate("""() => {
        document.getElementById("scroll").style.overflowAnchor = "none";  // As in Safari.
        window.grow = (height) => document.getElementById("log").append(
            Object.assign(document.createElement("div"), { style: `height: ${height}px` }));
        grow(900);
    }""")
    await drawn(page)
    assert await page.evaluate(LEFT) < 2
    await page.evaluate("""() => {
        document.getElementById("log").lastElementChild.remove();
        document.getElementById("scroll").getBoundingClientRect();  // The browser lays out, and cuts the position.
        grow(300);
    }""")
    await drawn(page)
    assert await page.evaluate(LEFT) < 2
    await expect(page.locator("#jump")).to_be_hidden()


async def test_the_jump_button_counts_what_the_reader_missed(gallery, page):
    await page.set_viewport_size({"width": 1100, "height": 300})
    await gallery.open(page, "folded")
    assert await scrolled_up(page) == 0
    await gallery.go(page, "folded")
    await expect(page.locator("#jump")).to_contain_text(re.compile(r"Ir para o fim · \d"))
