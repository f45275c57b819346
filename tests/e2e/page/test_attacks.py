"""Texts of models, tools and people have no effect in a real browser: no script, no request, no change."""

from __future__ import annotations

import re

from tests.e2e.gallery import Gallery as Scripted
from tests.e2e.gallery import folded
from tests.e2e.scenarios import IDENTIFICATION, Scenario, called, said, spoke
from tests.unit.html.attacks import ATTACKS

OF_THE_PAGE = re.compile(r"/icons\.svg$|/(?:offline\?|service-worker\.js$)")
"""The face takes its pictures of icons once, and the page stores what it shows offline once the browser is idle.

Whatever else is asked for after the page has been loaded is asked for by an attack.
"""

OUTSIDE = """() => ["#side", ".head", "#composer"]
    .map((each) => document.querySelector(each))
    .map((each) => each.outerHTML)
    .join("")"""


def drawn(number: int, attack: str) -> str:
    """Return an attack in the text of each speaker: the seller's, the agent's and a tool's."""
    result = {"total": attack, attack: attack}
    events = [
        *said(number, attack),
        *called(f"cal_{number}", "get_catalog", args='{"query": 1}', result=str(result).replace("'", '"')),
        *spoke(f"msg_x{number}", IDENTIFICATION, attack),
    ]
    return Scripted().renderer.log(folded(Scenario("attack", events)), "pt")


async def test_hostile_texts_cause_no_script_request_or_change(gallery, new_page):
    page = await new_page()
    asked: list[str] = []
    dialogs: list[str] = []

    async def refuse(dialog):
        dialogs.append(dialog.message)
        await dialog.dismiss()

    page.on("dialog", refuse)
    await gallery.open(page, "options")
    # The page itself has all it asks for.
    await page.wait_for_load_state("networkidle")
    outside = await page.evaluate(OUTSIDE)
    page.on("request", lambda request: OF_THE_PAGE.search(request.url) or asked.append(request.url))
    for number, attack in enumerate(ATTACKS, 20):
        html = drawn(number, attack)
        await page.evaluate(
            """(text) => {
                const log = document.getElementById("log");
                htmx.swap({ text, target: log, swap: "beforeend", sourceElement: log });
            }""",
            html,
        )
    await page.evaluate("""() => {
        for (const each of document.querySelectorAll("#log .prose *, #log .bubble *")) {
            each.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
            each.dispatchEvent(new Event("focus"));
            each.dispatchEvent(new Event("toggle"));
        }
        return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }""")
    assert dialogs == []
    assert asked == []
    assert await page.evaluate(OUTSIDE) == outside
    assert await page.locator("#log .prose").count() >= len(ATTACKS)
    assert (
        await page.locator(
            "#log .prose :is(img, iframe, form, input, svg, style, script, [id], [hx-get]),"
            "#log .prose button:not([data-copy-code])"
        ).count()
        == 0
    )
