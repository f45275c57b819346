"""The messages of a page to its chat: the user, its context and its tools, under the strictest policy."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any

import jwt
import pytest
from playwright.async_api import Frame, Page, expect

from tests.e2e.embed.conftest import SECRET, Hosts, Site, Widget, secure_site
from tests.parts.server import Backend
from tests.parts.wait import until_async

pytestmark = pytest.mark.page


SHORT = -27
"""Seconds of a token that ends in three seconds, by the leeway of clocks."""


def signed(user: str, seconds: int = 600) -> str:
    """Return what the server of the shop signs."""
    now = int(time.time())
    claims = {"aud": "shop", "sub": user, "iat": now - 60, "exp": now + seconds, "jti": str(uuid.uuid4())}
    return jwt.encode(claims, SECRET, algorithm="HS256")


async def say(frame: Frame, text: str) -> None:
    """Send a message and wait until it is answered."""
    answered = await frame.locator("#log .row-text").count()
    await frame.locator("#composer-text").fill(text)
    await frame.locator("#composer-text").press("Enter")
    await expect(frame.locator("#log .row-text").nth(answered)).to_be_visible()
    await expect(frame.locator("body")).to_have_attribute("data-running", "")


@pytest.fixture(scope="module")
def own(backend: Backend, hosts: Hosts) -> Iterator[Site]:
    """Yield a Loopwire whose cookies are those of HTTPS: a second tab is the same visitor."""
    with secure_site(backend, hosts) as made:
        yield made


async def test_an_identified_user_reaches_both_tabs_and_a_switch_clears_the_chat(
    own: Site, new_page: Any, troubles: Any
) -> None:
    site = own
    page: Page = await new_page()
    await site.visit(page, site.tag(service="chat"), headers=site.strict)
    widget = Widget(page)
    frame = await widget.open()
    await say(frame, "olá, quem és?")
    session = await frame.evaluate("loopwire.session")
    other: Page = await page.context.new_page()
    await site.visit(other, site.tag(service="chat"), headers=site.strict)
    tab = await Widget(other).open()
    await expect(tab.locator("#log .row-text").first).to_be_visible()
    assert await tab.evaluate("loopwire.session") == session
    assert await page.evaluate("token => Loopwire.identify(token)", signed("ana")) == {"user": "ana"}
    for each in (frame, tab):
        await expect(each.locator("body")).to_have_attribute("data-state", "open")
        await say(each, "ainda aqui?")
        assert await each.evaluate("loopwire.session") == session
    refused = "token => Loopwire.identify(token).catch(({ code }) => code)"
    assert await page.evaluate(refused, "no token") == "identity_malformed"
    await page.evaluate("token => Loopwire.identify(token)", signed("eva"))
    await expect(page.frame_locator("loopwire-chat iframe").locator("#log .row-text")).to_have_count(0)
    await page.evaluate("token => Loopwire.identify(token)", signed("ana"))
    await expect(page.frame_locator("loopwire-chat iframe").locator("#log .row-text").nth(2)).to_be_visible()
    await page.evaluate("Loopwire.identify(null)")
    await expect(page.frame_locator("loopwire-chat iframe").locator("#log .row-text")).to_have_count(0)
    await page.reload()
    again = await Widget(page).open()
    assert await again.evaluate("loopwire.session") is None
    troubles.clear()


async def test_a_page_shares_its_context_and_runs_tools_that_the_visitor_allows(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    # So it is in pages over plain HTTP from another machine.
    await page.context.add_init_script("delete Crypto.prototype.randomUUID")
    early = "<script>window.Loopwire = document.documentElement</script>"
    await site.visit(page, site.tag(service="chat"), head=early)
    await page.evaluate(
        """() => {
          window.done = [];
          window.shown = Loopwire.setContext({ product: "Gira-discos" });
          Loopwire.registerTool("cart_total", { description: "The total." }, () => ({ total: 21 }));
          Loopwire.registerTool("reserve_product", { effect: true }, () => (done.push("reserved"), "reserved"));
        }"""
    )
    widget = Widget(page)
    frame = await widget.open()
    sent = "loopwire.context?.product === 'Gira-discos' && loopwire.tools.list.length === 2"
    await until_async(lambda: frame.evaluate(sent))
    assert await page.evaluate("shown.then(() => 'told')") == "told"
    await say(frame, "diz-me o cart total")
    await expect(frame.locator("#log")).to_contain_text("21")
    await frame.locator("#composer-text").fill("reserve o product")
    await frame.locator("#composer-text").press("Enter")
    ask = frame.locator("#log .approval, #log [data-kind=approval], #log form").last
    await expect(ask).to_contain_text("Esta página pode fazer isto")
    assert await page.evaluate("done") == []
    await ask.get_by_role("button", name="Confirmar").click()
    await until_async(lambda: page.evaluate("done.length === 1"), what="the call in the page")
    await expect(frame.locator("#log")).to_contain_text("reserved")
    refused = "Loopwire.setContext({ text: 'a'.repeat(9000) }).catch(({ code }) => code)"
    assert await page.evaluate(refused) == "bad_frame"
    for odd in ("'no name', {}", "'a', { parameters: [] }", "'a', { description: 'a'.repeat(2001) }"):
        named = f"Loopwire.registerTool({odd}, () => 1).catch(({{ code }}) => code)"
        assert await page.evaluate(named) == "bad_frame"
    wrong = "Loopwire.registerTool('a', {}).catch(({ name }) => name)"
    assert await page.evaluate(wrong) == "TypeError"


async def ended(frame: Frame) -> None:
    """Wait until the bearer of a frame has ended, and connect anew, as after a loss of the network."""
    end = time.time() + 30 + SHORT
    await until_async(lambda: time.time() > end + 1, what="the end of the bearer")
    await frame.evaluate("loopwire.renew(loopwire.session)")


@pytest.mark.conformance
async def test_a_user_whose_token_has_ended_goes_on_with_the_next_one_or_signs_out(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(service="chat"), headers=site.strict)
    frame = await Widget(page).open()
    await say(frame, "olá, quem és?")
    session = await frame.evaluate("loopwire.session")
    identify = "token => Loopwire.identify(token)"
    await page.evaluate(identify, signed("rosa", SHORT))
    await ended(frame)
    await expect(frame.locator("body")).to_have_attribute("data-state", "closed")
    assert await page.evaluate(identify, signed("rosa")) == {"user": "rosa"}
    await expect(frame.locator("body")).to_have_attribute("data-state", "open")
    await say(frame, "ainda aqui?")
    assert await frame.evaluate("loopwire.session") == session
    await page.evaluate(identify, signed("rosa", SHORT))
    await ended(frame)
    await expect(frame.locator("body")).to_have_attribute("data-state", "closed")
    assert await page.evaluate(identify, None) == {"user": None}
    await expect(page.frame_locator("loopwire-chat iframe").locator("#log .row-text")).to_have_count(0)
    troubles.clear()


async def test_a_page_whose_computer_slept_past_the_end_of_a_token_is_asked_for_the_next_one(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(service="chat"), headers=site.strict)
    frame = await Widget(page).open()
    await say(frame, "olá, quem és?")
    await page.evaluate("window.setTimeout = () => 0")
    tokens = [signed("sara", SHORT), signed("sara")]
    ask = "tokens => Loopwire.identify(() => ((window.left = tokens.length - 1), tokens.shift()))"
    assert await page.evaluate(ask, tokens) == {"user": "sara"}
    assert await page.evaluate("left") == 1
    await ended(frame)
    await until_async(lambda: page.evaluate("left === 0"), what="the next token")
    await expect(frame.locator("body")).to_have_attribute("data-state", "open")
    await say(frame, "ainda aqui?")
    troubles.clear()


async def test_what_is_said_before_a_frame_is_there_is_kept_and_its_refusal_is_told(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    note = """window.Loopwire = []; window.told = []; window.unhandled = 0;
      addEventListener('unhandledrejection', () => (unhandled += 1));
      addEventListener('loopwire:error', ({ detail }) => told.push(detail.code));"""
    await site.visit(page, site.tag(service="chat"), head=f"<script>{note}</script>")
    await expect(Widget(page).launcher).to_be_visible()
    assert await page.evaluate("Loopwire.identify('no token')") == {}
    assert await page.evaluate("Loopwire.setContext({ a: 1 })") == {}
    await page.evaluate("Loopwire.push(['setContext', 7])")
    frame = await Widget(page).open()
    await until_async(lambda: page.evaluate("told.length === 2"), what="both refusals")
    assert sorted(await page.evaluate("told")) == ["bad_frame", "identity_malformed"]
    await page.evaluate("Loopwire.push(['identify', 'no token'], ['setContext', { b: 1 }])")
    await until_async(lambda: page.evaluate("told.length === 3"), what="the third")
    await until_async(lambda: frame.evaluate("loopwire.context?.b === 1"), what="the context")
    assert await page.evaluate("unhandled") == 0
    assert (
        await page.evaluate("Loopwire.identify('no token').catch(({ code }) => code)") == "identity_malformed"
    )
    troubles.clear()


@pytest.mark.conformance
async def test_what_is_said_after_the_last_chat_has_gone_is_kept_for_the_next_one(
    site: Site, new_page: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(service="chat"))
    await Widget(page).open()
    await page.evaluate("document.querySelector('loopwire-chat').destroy()")
    assert await page.evaluate("token => Loopwire.identify(token)", signed("tina")) == {}
    assert await page.evaluate("Loopwire.setContext({ a: 1 })") == {}
    element = "Object.assign(document.createElement('loopwire-chat'), { id: 'next' })"
    await page.evaluate(
        f"document.documentElement.append({element}); next.setAttribute('app', 'shop'); next.open()"
    )
    frame = await Widget(page).frame()
    await until_async(lambda: frame.evaluate("loopwire.context?.a === 1"), what="the context")


async def test_a_call_that_fails_in_the_queue_is_told_and_the_rest_is_done(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    head = """<script>
      window.told = [];
      addEventListener('loopwire:error', ({ detail }) => told.push([detail.code, typeof detail.message]));
      window.Loopwire = [['identfy', 'x'], 7, ['setContext', { act() {} }], ['setContext', { a: 1 }], ['open']];
    </script>"""
    await site.visit(page, site.tag(service="chat"), head=head)
    widget = Widget(page)
    frame = await widget.frame()
    await until_async(lambda: frame.evaluate("loopwire.context?.a === 1"), what="the context")
    await until_async(lambda: page.evaluate("told.length === 3"), what="the errors")
    assert (await page.evaluate("told"))[:2] == [["bad_call", "string"]] * 2
    await page.evaluate("Loopwire.push(['opn'], ['close'])")
    await expect(widget.window).to_be_hidden()
    await until_async(lambda: page.evaluate("told.length === 4"), what="the fourth")
    assert not [each for each in troubles if "Loopwire" not in each]
    troubles.clear()


async def test_what_is_refused_does_not_reach_the_frame_of_another_conversation(
    site: Site, new_page: Any, troubles: Any
) -> None:
    page: Page = await new_page()
    await site.visit(page, site.tag(service="chat"))
    frame = await Widget(page).open()
    await say(frame, "olá, quem és?")
    assert await page.evaluate("Loopwire.setContext({ good: 1 }).then(() => 'told')") == "told"
    for bad in ("{ text: 'a'.repeat(9000) }", "{ act() {} }"):
        assert await page.evaluate(f"Loopwire.setContext({bad}).catch(() => 'refused')") == "refused"
    await frame.locator("#new").click()
    inside = page.frame_locator("loopwire-chat iframe")
    await expect(inside.locator("body.closable[data-session='']")).to_be_attached()
    frame = await Widget(page).frame()
    await until_async(lambda: frame.evaluate("window.loopwire?.context?.good === 1"), what="the context")
    troubles.clear()
