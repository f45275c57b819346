"""The forms of the page of the API: a request is watched while it runs, and a message of `/chat` as it streams."""

from __future__ import annotations

import json
import re

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.e2e.conversation.person import PHONE
from tests.e2e.conversation.test_services import read_by_everybody
from tests.parts.chromium import NewPage, Troubles
from tests.parts.model import Model
from tests.parts.searching import searching
from tests.parts.server import Served, Servers

pytestmark = pytest.mark.page

DECIDED = json.dumps({"decision": "Good", "reasoning": "Light scratches."})
WITHOUT_COOKIES = """const own = window.fetch;
window.fetch = (path, options) => own(path, { ...options, credentials: "omit" });"""
"""What a browser does whose person allows this server no cookies."""

STEPS = """async () => {
    const { RunSteps } = await import("/static/js/run_steps.js");
    const list = document.querySelector("#decision .run-steps");
    const steps = new RunSteps(list);
    steps.apply({ type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "<b>repair</b>" });
    for (const progress of [0.1, 0.42]) {
        const content = { tool_call_id: "c", progress, label: "Asking the <i>workshop</i>" };
        steps.apply({ type: "ACTIVITY_SNAPSHOT", messageId: "prg_c", activityType: "tool_progress", content });
    }
    const content = { from: "first", to: "second", reason: "why" };
    steps.apply({ type: "ACTIVITY_SNAPSHOT", messageId: "h", activityType: "handoff", content });
    return [...list.children].slice(-2).map((each) => each.textContent);
}"""
"""The list of steps after a call that tells its progress, and a handoff."""

TRUSTED = "; require-trusted-types-for 'script'; trusted-types loopwire 'allow-duplicates'"


async def refuse_markup(route: Route) -> None:
    """Serve a page under a policy by which no text becomes markup."""
    answer = await route.fetch()
    policy = answer.headers["content-security-policy"] + TRUSTED
    await route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": policy})


def tried(page: Page, name: str) -> Locator:
    """Return the form of a service, or of `/chat`."""
    return page.locator(f"#{name} .try")


async def test_the_programs_of_the_page_post_what_its_form_says(loopwire: Served, new_page: NewPage) -> None:
    """They were those of the example, whatever was written above them."""
    page = await new_page(locale="en-GB")
    await page.goto(f"{loopwire.url}/docs")
    programs = page.locator("#decision .snippet pre")
    body = tried(page, "decision").locator("textarea")
    example = await body.input_value()
    before = await programs.all_text_contents()
    await body.fill(json.dumps({**json.loads(example), "item_context": "it's green"}, indent=2))
    for at, written in enumerate((r"it'\''s green", "it's green", "it's green")):
        await expect(programs.nth(at)).to_contain_text(written, use_inner_text=False)
    await body.fill("{")
    await expect(programs.nth(1)).to_contain_text("it's green")
    await tried(page, "decision").locator("[data-reset]").click()
    for at, text in enumerate(before):
        await expect(programs.nth(at)).to_have_text(text)
    await tried(page, "chat").locator("textarea").fill("a red lamp")
    await expect(page.locator("#chat .snippet pre").first).to_contain_text('"text": "a red lamp"')


@pytest.mark.conformance
async def test_the_steps_of_a_request_are_shown_while_it_runs_and_its_json_at_the_end(
    remote: Served, model: Model, new_page: NewPage
) -> None:
    """Its visitor has no key, which a server with a real model wants of programs."""
    page = await new_page(locale="en-GB", viewport=PHONE, is_mobile=True, has_touch=True, color_scheme="dark")
    await page.goto(f"{remote.url}/docs")
    form = tried(page, "decision")
    answer = form.get_by_role("region", name="Answer: Decision")
    tap = model.held(DECIDED)
    await form.get_by_role("button", name="Send").focus()
    await page.keyboard.press("Enter")
    step = answer.get_by_role("list", name="Steps").get_by_role("listitem")
    await expect(step).to_have_text(re.compile(r"Agent\s+loop_os_ai_decision_agent\s+running"))
    await expect(answer.get_by_role("status")).to_have_text("Running…")
    await expect(answer.locator("pre")).to_be_hidden()
    await expect(form.get_by_role("button", name="Cancel")).to_be_visible()
    await read_by_everybody(page)
    tap.open()
    await expect(answer.get_by_role("status")).to_contain_text("200 · ")
    await expect(step).to_have_text(re.compile("done$"))
    assert json.loads(await answer.locator("pre").inner_text()) == json.loads(DECIDED)
    await expect(form.get_by_role("button", name="Cancel")).to_be_hidden()
    await expect(form.get_by_role("button", name="Send")).to_be_focused()


async def test_a_request_that_runs_is_cancelled_at_the_server(
    remote: Served, model: Model, new_page: NewPage, troubles: Troubles
) -> None:
    page = await new_page(locale="en-GB")
    await page.goto(f"{remote.url}/docs")
    form = tried(page, "decision")
    model.held(DECIDED)
    await form.get_by_role("button", name="Send").click()
    await expect(form.locator("[data-status=running]")).to_be_visible()
    await form.get_by_role("button", name="Cancel").focus()
    await page.keyboard.press("Enter")
    await expect(form.get_by_role("status")).to_contain_text("409 · ")
    await expect(form.get_by_role("alert")).to_have_text("cancelled: The request was stopped.")
    await expect(form.locator(".run-steps li")).to_have_text(re.compile("stopped by you$"))
    await expect(form.get_by_role("button", name="Send")).to_be_focused()
    # The browser tells of the refused request, as it should.
    troubles[:] = [each for each in troubles if "409" not in each]


async def test_a_message_to_the_chat_streams_as_plain_text_and_the_next_one_goes_on(
    remote: Served, model: Model, new_page: NewPage
) -> None:
    page = await new_page(locale="en-GB")
    await page.goto(f"{remote.url}/docs")
    form = tried(page, "chat")
    await form.get_by_label("Message").fill("Do you buy <b>phones</b>?")
    tap = model.held("We do <img src=x> buy phones.")
    await form.get_by_role("button", name="Send").click()
    tap.let(2)
    said = form.get_by_role("group", name="Text of the answer")
    await expect(said).to_have_text(re.compile(r"^We do\s*$"))
    await expect(form.get_by_role("status")).to_have_text("Running…")
    tap.open()
    await expect(form.get_by_role("status")).to_contain_text("200 · ")
    await expect(said).to_contain_text("We do <img src=x> buy phones.")
    assert await said.locator("*").count() == 0
    await expect(page.locator("#announcer")).to_contain_text("buy phones.")
    events = (await form.locator("pre").inner_text()).strip().split("\n")
    assert "".join(json.loads(each)["text"] for each in events).startswith("We do <img src=x> buy phones.")
    name = form.get_by_label("session_id")
    kept = await name.input_value()
    assert len(kept) == 32
    model.will_say("And laptops.")
    await form.get_by_role("button", name="Send").click()
    await expect(said).to_contain_text("And laptops.")
    await expect(form.get_by_role("status")).to_contain_text("200 · ")
    assert await name.input_value() == kept
    assert "We do" in json.dumps(model.script.requests[-1].body)


@pytest.mark.conformance
async def test_a_message_to_the_chat_is_cancelled_and_a_wrong_one_says_why(
    remote: Served, model: Model, new_page: NewPage, troubles: Troubles
) -> None:
    page = await new_page(locale="en-GB", viewport=PHONE, is_mobile=True, has_touch=True)
    await page.goto(f"{remote.url}/docs")
    form = tried(page, "chat")
    model.held("We buy phones.").let(1)
    await form.get_by_role("button", name="Send").click()
    await expect(form.locator(".said")).to_have_text(re.compile("We"))
    await form.get_by_role("button", name="Cancel").click()
    await expect(form.get_by_role("status")).to_have_text("Cancelled.")
    await form.get_by_label("Message").fill(" ")
    await form.get_by_role("button", name="Send").click()
    await expect(form.get_by_role("status")).to_contain_text("422 · ")
    await expect(form.get_by_role("alert")).to_have_text(re.compile(r"^\s*empty: \w"))
    await read_by_everybody(page)
    troubles[:] = [each for each in troubles if "422" not in each]


@pytest.mark.conformance
async def test_a_browser_without_a_cookie_reads_what_is_missing(
    remote: Served, new_page: NewPage, troubles: Troubles
) -> None:
    page = await new_page(locale="en-GB")
    await page.add_init_script(WITHOUT_COOKIES)
    await page.goto(f"{remote.url}/docs")
    for name in ("decision", "chat"):
        form = tried(page, name)
        await form.get_by_role("button", name="Send").click()
        await expect(form.get_by_role("status")).to_contain_text("401 · ")
        await expect(form.get_by_role("alert")).to_have_text(re.compile(r"^\s*unauthorized: \w"))
        await expect(form.locator("[data-note]")).to_contain_text("allow cookies of this server")
    troubles[:] = [each for each in troubles if "401" not in each]


@pytest.mark.conformance
async def test_where_requests_need_no_cookie_the_answer_comes_without_its_steps(
    quick: Served, new_page: NewPage
) -> None:
    page = await new_page(locale="en-GB")
    await page.add_init_script(WITHOUT_COOKIES)
    await page.goto(f"{quick.url}/docs")
    form = tried(page, "decision")
    await form.get_by_role("button", name="Send").click()
    await expect(form.get_by_role("status")).to_contain_text("200 · ")
    await expect(form.locator("pre")).to_contain_text('"decision"')
    await expect(form.locator("[data-note]")).to_contain_text("The steps are not shown here")


async def test_the_tools_of_a_request_are_among_its_steps(serve_each: Servers, new_page: NewPage) -> None:
    async with searching() as engine:
        served = serve_each({"LOOPWIRE_SEARCH_URL": engine.url, "LOOPWIRE_DEMO_DELAY_MS": "2"})
        page = await new_page(locale="en-GB")
        await page.goto(f"{served.url}/docs")
        form = tried(page, "value_estimation")
        await form.get_by_role("button", name="Send").click()
        await expect(form.get_by_role("status")).to_contain_text("200 · ")
        await expect(form.locator(".run-steps li").nth(1)).to_have_text(
            re.compile(r"Tool\s+web_search\s+done$")
        )
        assert len(engine.asked) == 1


async def test_nothing_becomes_markup_also_not_a_tools_progress_or_a_handoff(
    quick: Served, new_page: NewPage, troubles: Troubles
) -> None:
    page = await new_page(locale="en-GB")
    await page.route("**/docs", refuse_markup)
    await page.goto(f"{quick.url}/docs")
    for name in ("decision", "chat"):
        await tried(page, name).get_by_role("button", name="Send").click()
        await expect(tried(page, name).get_by_role("status")).to_contain_text("200 · ")
    assert await page.evaluate(STEPS) == [
        "Tool <b>repair</b> running · 42 % · Asking the <i>workshop</i>",
        "Handoff first → second done · why",
    ]
    assert await page.locator("#decision .run-steps :is(b, i)").count() == 0
    # Chromium does not know from where this page came, and lets it open no socket here: it watches by HTTP alone.
    troubles[:] = [each for each in troubles if "LOCAL_NETWORK_ACCESS" not in each]


@pytest.mark.conformance
async def test_a_text_that_is_no_json_is_sent_as_it_was_written(
    quick: Served, new_page: NewPage, troubles: Troubles
) -> None:
    page = await new_page(locale="en-GB")
    await page.goto(f"{quick.url}/docs")
    form = tried(page, "decision")
    await form.get_by_label("Try it").fill("{ <b>")
    await form.get_by_role("button", name="Send").click()
    await expect(form.get_by_role("status")).to_contain_text("400 · ")
    await expect(form.get_by_role("alert")).to_have_text(re.compile(r"^\s*bad_json: \w"))
    troubles[:] = [each for each in troubles if "400" not in each]
