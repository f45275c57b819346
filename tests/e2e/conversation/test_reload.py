"""A reload in mid-sentence: no text is missing or doubled, and the answer goes on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import expect

from tests.e2e.conversation.person import Person
from tests.parts.model import Model, Tap, sentences
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

LONG = sentences(60)
QUESTION = "conte tudo"
OPEN = "#log loopwire-text"


async def asks(seller: Person, model: Model, answer: str = LONG, *, words: int = 7) -> Tap:
    """Begin a conversation with a question whose answer shows so many words and then waits for its tap."""
    tap = model.held(answer)
    await seller.open()
    await seller.say(QUESTION)
    await flows(seller, tap, words, answer.split()[words - 1])
    return tap


async def flows(seller: Person, tap: Tap, words: int, last: str) -> None:
    """Let so many words come and see the last of them."""
    tap.let(words)
    await expect(seller.page.locator(OPEN)).to_contain_text(last)


@pytest.mark.parametrize("reloads", [2, later(10)])
async def test_the_words_said_so_far_are_there_after_each_reload(remote, model, kept_person, reloads):
    seller: Person = await kept_person(remote)
    tap = await asks(seller, model)
    for number in range(1, reloads + 1):
        before = await seller.page.locator(OPEN).text_content()
        await seller.reload()
        # What came last may have reached the log after the page: then it comes over the wire.
        await until_async(shown(seller, before), what="the words said so far, and no other")
        await expect(seller.rows).to_have_count(2)
        await expect(seller.page.locator("#stop")).to_be_visible()
        await flows(seller, tap, 7, f"d{number + 1}.")
    tap.open()
    await seller.settled()
    assert await seller.said() == [QUESTION, "\n".join(LONG.split("\n\n"))]
    await seller.shows_what_is_stored()


async def test_back_shows_the_start_page_and_forward_the_conversation(quick, kept_person):
    seller: Person = await kept_person(quick)
    await seller.open()
    start = seller.page.url
    await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    conversation = seller.page.url
    assert conversation != start
    await seller.page.go_back()
    await expect(seller.page).to_have_url(start)
    await expect(seller.page.get_by_role("heading", name="O que quer vender?")).to_be_visible()
    await seller.page.go_forward()
    await expect(seller.page).to_have_url(conversation)
    await expect(seller.rows.first).to_contain_text("tenho uma Bimby TM5")


def shown(seller: Person, text: str | None) -> Callable[[], Awaitable[bool]]:
    """Ask whether the open answer shows exactly this."""

    async def same() -> bool:
        return await seller.page.locator(OPEN).text_content() == text

    return same


@pytest.mark.conformance
async def test_a_reload_while_words_keep_coming_misses_none(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    model.will_say(LONG, delay=0.005)
    await seller.open()
    await seller.say(QUESTION)
    text = seller.page.locator("#log [id^=text-]").nth(1)
    for sentence in (2, 12, 25):
        await expect(text).to_contain_text(f"Frase {sentence} tem")
        await seller.reload()
        await expect(text).to_contain_text(f"Frase {sentence} tem a{sentence}")
    await seller.settled()
    await expect(text).to_contain_text(f"d{60}.")
    assert (await seller.said())[1].replace("\n", "") == LONG.replace("\n", "")
    await seller.shows_what_is_stored()


@pytest.mark.conformance
async def test_a_page_without_script_shows_the_words_so_far(remote, model, kept_person):
    seller: Person = await kept_person(remote)
    tap = await asks(seller, model, words=11)

    async def told() -> bool:
        return "Frase 2 tem a2" in await seller.page.evaluate(
            "async () => (await fetch(location.href)).text()"
        )

    await until_async(told, what="the words in the page itself")
    tap.open()
    await seller.settled()
