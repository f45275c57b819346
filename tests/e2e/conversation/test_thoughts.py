"""What the model thinks is one quiet line of the page: it opens by keyboard, and a screen reader says nothing of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import expect

from tests.e2e.axe import AXE, TAGS, looked_at
from tests.e2e.conversation.conftest import behind
from tests.e2e.conversation.person import Person
from tests.modelserver import Call, Plan, Reasoning, Text
from tests.parts.model import Held, Model, Tap, sentences
from tests.parts.server import Backend, Served, apart, served

pytestmark = pytest.mark.once

QUESTION = "O que é isto?"
THOUGHT = sentences(4)


@pytest.fixture(scope="module")
def thinking(backend: Backend, model_port: int) -> Iterator[Served]:
    """Yield a server that shows what its model thinks."""
    with apart(backend) as own:
        more = {**own.environment, **behind(model_port), "LOOPWIRE_SHOW_REASONING": "1"}
        with served(more) as running:
            yield running


@pytest.mark.conformance
async def test_a_thought_is_a_folded_line_that_stays_as_its_reader_left_it(
    thinking, model: Model, kept_person
):
    seller: Person = await kept_person(thinking)
    tap = Tap()
    model.script.extend([Plan([Reasoning(THOUGHT), Text("Um telefone.")], faults=(Held(tap.allowed),))])
    await seller.open()
    await seller.say(QUESTION)
    tap.let(6)
    row = seller.page.locator("#log .row-thought")
    line, text = row.locator("summary"), row.locator(".thought")
    await expect(line.locator("b")).to_have_text("A pensar…")
    await expect(text).to_contain_text("Frase 1 tem a1 b1 c1")
    await expect(text).to_be_hidden()
    await expect(seller.page.locator("#live")).to_be_hidden()
    await seller.reload()
    other = await seller.tab()
    for each in (other, seller):
        await expect(each.page.locator("#log .thought")).to_contain_text("Frase 1 tem a1 b1 c1")
    await line.focus()
    await seller.page.keyboard.press("Enter")
    await expect(text).to_be_visible()
    await seller.page.evaluate(AXE)
    assert (await looked_at(seller.page, {"runOnly": TAGS}))["violations"] == []
    tap.let(7)
    await expect(text).to_contain_text("Frase 2 tem a2 b2 c2")
    tap.open()
    await seller.settled()
    await expect(line.locator("b")).to_contain_text("Pensou")
    await expect(line).to_be_focused()
    await expect(text).to_be_visible()
    await expect(text).to_contain_text("d4.")
    told = await seller.page.locator("#announcer").text_content()
    assert told is not None and "Um telefone." in told and "Frase" not in told
    await other.settled()
    assert await seller.drawn() == await other.drawn()
    await seller.shows_what_is_stored()


async def test_the_thoughts_and_calls_of_a_turn_become_one_line_in_which_a_read_thought_stays_open(
    thinking, model: Model, kept_person
):
    seller: Person = await kept_person(thinking, language="en")
    tap = Tap()
    model.script.extend(
        [
            Plan([Reasoning("First I look."), Call("get_catalog", {"query": "iphone"})]),
            Plan([Reasoning(THOUGHT), Text("A phone.")], faults=(Held(tap.allowed),)),
        ]
    )
    await seller.open()
    await seller.say("What is this?")
    tap.let(6)
    open_line = seller.page.locator("#log > .row-thought.thinking summary")
    await expect(open_line.locator("b")).to_have_text("Thinking…")
    await expect(seller.page.locator("#log > .row-steps")).to_have_count(1)
    await open_line.click()
    tap.open()
    await seller.settled()
    steps = seller.page.locator("#log > .row-steps")
    await expect(steps).to_have_count(1)
    await expect(seller.page.locator("#log > .row-thought")).to_have_count(0)
    thoughts = steps.locator(".thought")
    await expect(thoughts.nth(1)).to_be_visible()
    await expect(thoughts.nth(0)).to_be_hidden()
    await seller.shows_what_is_stored()
