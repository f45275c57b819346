"""Dictation and reading aloud, by the browser's own speech.

Chromium without a window has no recogniser and no voices. What the page calls of the browser is doubled here, and only
that: what is heard is given by the test, and what is to be spoken is written down.
"""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from server.html.render import Renderer
from tests.e2e.conversation.person import DESKTOP, PHONE, ROOT
from tests.parts.sampled import later
from tests.parts.wait import until_async

pytestmark = pytest.mark.once

LANGUAGES = {"pt": "pt-PT", "en": "en", "es": "es", "fr": "fr", "de": "de"}
WORDS = Renderer(ROOT / "web").words

EARS = """(here) => {
  window.heard = [];
  class Recognition extends EventTarget {
    start() { heard.push(this); this.state = "started"; }
    stop() { this.state = "stopped"; this.dispatchEvent(new Event("end")); }
    abort() { this.state = "aborted"; this.dispatchEvent(new Event("end")); }
    hear(...texts) {
      const results = texts.map((transcript) => [{ transcript, confidence: 0.9 }]);
      this.dispatchEvent(Object.assign(new Event("result"), { results, resultIndex: 0 }));
    }
    settle(...pairs) {
      const result = ([transcript, confidence]) => Object.assign([{ transcript, confidence }], { isFinal: true });
      const results = pairs.map(result);
      this.dispatchEvent(Object.assign(new Event("result"), { results, resultIndex: 0 }));
    }
    fail(error) {
      this.dispatchEvent(Object.assign(new Event("error"), { error }));
      this.dispatchEvent(new Event("end"));
    }
  }
  const asked = async ({ processLocally }) => (here && processLocally ? "available" : "unavailable");
  if (here !== null) Recognition.available = asked;
  window.SpeechRecognition = window.webkitSpeechRecognition = Recognition;
}"""
MOUTH = """(here) => {
  window.spoken = [];
  window.silenced = 0;
  const voices = ["pt-PT", "en-GB", "es-ES", "fr-FR", "de-DE"].map((lang) => ({
    lang, localService: here, default: false,
  }));
  const synthesis = Object.assign(new EventTarget(), {
    getVoices: () => voices,
    speak: ({ text, lang, voice }) => spoken.push({ text, lang, voice: voice?.lang }),
    cancel: () => (silenced += 1),
  });
  Object.defineProperty(window, "speechSynthesis", { value: synthesis });
  window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; this.voice = null; } };
}"""
DEAF = """() => {
  delete window.SpeechRecognition;
  delete window.webkitSpeechRecognition;
  Object.defineProperty(window, "speechSynthesis", { value: undefined });
}"""
HIDE = """() => {
  Object.defineProperty(document, "hidden", { value: true, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""
ANSWER = "O preço muda."
LATE = "performance.getEntriesByType('resource').filter(({ name }) => /js\\/(dictation|reading)/.test(name)).length"


async def open_with(
    gallery, kept_page, *scripts: tuple[str, str], name="options", language="pt", **options
) -> Page:
    """Open a state in a browser with these doubles of speech."""
    doubles = [f"({script})({argument})" for script, argument in scripts]
    page = await kept_page(*doubles, **{"viewport": DESKTOP, **options})
    await gallery.open(page, name, language=language)
    return page


def switch_of(page: Page, name: str):
    """The switch in the list of conversations."""
    return page.locator(f"[data-speech={name}]")


async def listening(gallery, kept_page) -> Page:
    """Open a state with the microphone on."""
    page = await open_with(gallery, kept_page, (EARS, "true"))
    await switch_of(page, "dictate").click()
    await page.locator(".microphone").click()
    return page


async def switch_on(page: Page) -> None:
    """Let answers be read aloud."""
    await switch_of(page, "read").click()
    await expect(switch_of(page, "read")).to_have_attribute("aria-pressed", "true")


async def test_speech_is_off_until_it_is_asked_for_and_hidden_where_there_is_none(gallery, kept_page):
    page = await open_with(gallery, kept_page, (DEAF, ""))
    await expect(page.locator("[data-notify]")).to_be_visible()  # The late part is there.
    for name in ("dictate", "read"):
        await expect(switch_of(page, name)).to_be_hidden()
    page = await open_with(gallery, kept_page, (EARS, "false"), (MOUTH, "true"))
    for name in ("dictate", "read"):
        await expect(switch_of(page, name)).to_be_visible()
        await expect(switch_of(page, name)).to_have_attribute("aria-pressed", "false")
    await expect(page.locator(".microphone")).to_have_count(0)
    assert await page.evaluate(LATE) == 0


@pytest.mark.parametrize(
    ("language", "here"),
    [
        later("pt", "true"),
        ("en", "false"),
        later("pt", "false"),
        later("en", "true"),
        *(later(each, here) for each in ("es", "fr", "de") for here in ("true", "false")),
    ],
)
async def test_the_label_says_in_the_pages_language_whether_it_stays_on_the_device(
    gallery, kept_page, language, here
):
    page = await open_with(gallery, kept_page, (EARS, here), (MOUTH, here), language=language)
    place = "here" if here == "true" else "away"
    await expect(switch_of(page, "dictate")).to_have_accessible_description(
        WORDS.say(language, "speech.sound.away")
    )
    await switch_of(page, "dictate").click()
    for name, what in (("dictate", "sound"), ("read", "text")):
        label, note = WORDS.say(language, f"side.{name}"), WORDS.say(language, f"speech.{what}.{place}")
        # The mark of a pressed switch stands before it.
        await expect(switch_of(page, name)).to_have_accessible_name(re.compile(f"{re.escape(label)}$"))
        await expect(switch_of(page, name)).to_have_accessible_description(note)
        await expect(switch_of(page, name).locator("small")).to_have_text(note)
    await page.locator(".microphone").click()
    used = await page.evaluate("heard.map(({ lang, processLocally = false }) => [lang, processLocally])")
    assert used == [[LANGUAGES[language], here == "true"]]


@pytest.mark.conformance
async def test_a_browser_that_cannot_say_where_it_recognises_may_send_the_sound(gallery, kept_page):
    page = await open_with(gallery, kept_page, (EARS, "null"))
    await expect(switch_of(page, "dictate")).to_contain_text(WORDS.say("pt", "speech.sound.away"))


@pytest.mark.parametrize("viewport", [pytest.param(PHONE, id="phone"), later(DESKTOP, id="desktop")])
async def test_dictated_words_are_a_draft_that_only_the_visitor_sends(gallery, kept_page, viewport):
    page = await open_with(gallery, kept_page, (EARS, "true"), viewport=viewport)
    if viewport == PHONE:
        await page.locator("[data-open-drawer]").click()
    await switch_of(page, "dictate").focus()
    await page.keyboard.press("Enter")
    if viewport == PHONE:
        await page.keyboard.press("Escape")
    microphone = page.get_by_role("button", name="Ditar", exact=True)
    text = page.locator("#composer-text")
    await text.fill("Vendo")
    await microphone.focus()
    await page.keyboard.press("Space")
    await expect(microphone).to_have_attribute("aria-pressed", "true")
    await page.evaluate("heard[0].hear('uma bicicleta')")
    await expect(text).to_have_value("Vendo uma bicicleta")
    await page.evaluate("heard[0].hear('uma bicicleta azul.', ' Quase nova.')")
    await expect(text).to_have_value("Vendo uma bicicleta azul. Quase nova.")
    await expect(page.locator("#send")).to_be_enabled()
    await microphone.click()
    await expect(microphone).to_have_attribute("aria-pressed", "false")
    assert await page.evaluate("heard[0].state") == "stopped"
    assert await gallery.received(page, "options", "message") == []
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.reload()
    await expect(text).to_have_value("Vendo uma bicicleta azul. Quase nova.")
    await expect(page.locator(".microphone")).to_be_visible()
    await page.evaluate("document.querySelector('[data-speech=dictate]').click()")
    await expect(page.locator(".microphone")).to_have_count(0)


FINAL = {
    "cumulative": ("['hello', 0], ['hello mic', 0], ['hello mic check', 0]", "hello mic check"),
    "cumulative and sure": (
        "['hello', 0.9], ['hello mic', 0.9], ['hello mic check', 0.9]",
        "hello mic check",
    ),
    "corrected": ("['yellow', 0], ['hello Mike', 0], ['hello mic check', 0.9]", "hello mic check"),
    "two sentences": (
        "['hello', 0], ['Hello mic check.', 0.9], ['One', 0], ['One two', 0]",
        "Hello mic check. One two",
    ),
    "without confidences": ("['uma bicicleta', 0], ['azul', 0]", "uma bicicleta azul"),
}


@pytest.mark.conformance
async def test_interim_texts_that_are_reported_as_final_are_written_once(gallery, kept_page):
    page = await listening(gallery, kept_page)
    for name, (heard, text) in FINAL.items():
        await page.evaluate(f"heard.at(-1).settle({heard})")
        await expect(page.locator("#composer-text"), name).to_have_value(text)
        await page.locator(".microphone").click()
        await page.fill("#composer-text", "")
        await page.locator(".microphone").click()


async def test_a_text_that_the_page_put_into_the_composer_is_not_overwritten(gallery, kept_page):
    page = await listening(gallery, kept_page)
    text = page.locator("#composer-text")
    await text.press("ArrowUp")
    await expect(text).not_to_have_value("")
    former = await text.input_value()
    await page.evaluate("heard[0].hear('uma bicicleta')")
    await expect(page.locator(".microphone")).to_have_attribute("aria-pressed", "false")
    await expect(text).to_have_value(former)
    assert await page.evaluate("heard[0].state") == "aborted"


async def test_the_microphone_goes_off_in_a_hidden_tab(gallery, kept_page):
    page = await listening(gallery, kept_page)
    await page.evaluate(HIDE)
    await expect(page.locator(".microphone")).to_have_attribute("aria-pressed", "false")
    assert await page.evaluate("heard[0].state") == "aborted"


NO_START = "void (SpeechRecognition.prototype.start = () => { throw new Error(); })"
STOPS = {"typing": 1, "silence": 1, "error": 1, "sending": 0, "no start": 0}
"""How often a screen reader is told that dictation stopped, by what ends it; the last one changes the page for good."""


@pytest.mark.conformance
async def test_a_screen_reader_is_told_once_that_dictation_stopped_unless_by_sending(gallery, kept_page):
    page = await open_with(gallery, kept_page, (EARS, "true"))
    await switch_of(page, "dictate").click()
    announcer = page.locator("#announcer")
    stopped = announcer.locator("span", has_text=WORDS.say("pt", "speech.stopped"))
    for way, times in STOPS.items():
        await page.evaluate("document.getElementById('announcer').replaceChildren()")
        if way == "no start":
            await page.evaluate(NO_START)
            await page.locator(".microphone").click()
            await expect(announcer).to_contain_text(WORDS.say("pt", "speech.failed"))
        else:
            await page.locator(".microphone").click()
            await expect(announcer).to_contain_text(WORDS.say("pt", "speech.listening"))
            await dictation_ends(page, way)
        await expect(page.locator(".microphone")).to_have_attribute("aria-pressed", "false")
        await expect(stopped, way).to_have_count(times)


async def dictation_ends(page: Page, way: str) -> None:
    """End what the microphone hears; by typing or sending with a text that was heard."""
    if way in ("silence", "error"):
        await page.evaluate(f"heard.at(-1).fail('{'no-speech' if way == 'silence' else 'network'}')")
        return
    await page.evaluate("heard.at(-1).hear('uma bicicleta')")
    await page.press("#composer-text", "!" if way == "typing" else "Enter")


async def test_dictation_stops_when_the_visitor_types_or_sends(gallery, kept_page):
    page = await open_with(gallery, kept_page, (EARS, "true"))
    await switch_of(page, "dictate").click()
    text = page.locator("#composer-text")
    for way, left in (("typing", "uma bicicleta!"), ("sending", "")):
        await text.fill("")
        await page.locator(".microphone").click()
        await dictation_ends(page, way)
        await expect(page.locator(".microphone")).to_have_attribute("aria-pressed", "false")
        assert await page.evaluate("heard.at(-1).state") == "aborted", way
        await page.evaluate("heard.at(-1).hear('uma bicicleta', 'de senhora')")
        await expect(text, way).to_have_value(left)


async def test_the_composer_shows_why_dictation_failed(gallery, kept_page):
    page = await listening(gallery, kept_page)
    wrong = page.locator("#composer-hint.wrong")
    for error, key in (
        ("no-speech", None),
        ("not-allowed", "denied"),
        ("network", "failed"),
        ("audio-capture", "failed"),
    ):
        await page.evaluate(f"heard.at(-1).fail('{error}')")
        await expect(page.locator(".microphone")).to_have_attribute("aria-pressed", "false")
        if key:
            await expect(wrong).to_have_text(WORDS.say("pt", f"speech.{key}"))
        else:
            await expect(wrong).to_have_count(0)
        await page.fill("#composer-text", error)
        await expect(wrong).to_have_count(0)
        await page.locator(".microphone").click()


async def test_a_finished_answer_is_read_as_plain_text_by_a_voice_of_the_language(gallery, kept_page):
    page = await open_with(gallery, kept_page, (MOUTH, "true"), name="handoff")
    await switch_on(page)
    await gallery.go(page, "handoff")
    await until_async(lambda: page.evaluate("spoken.length"), what="the answer to be read")
    spoken = await page.evaluate("spoken")
    assert {(each["lang"], each["voice"]) for each in spoken} == {("pt-PT", "pt-PT")}
    read = "Encontrei-a: Fujifilm X-T30 II, marca Fujifilm. É esta, e não a X-T30 de 2019?"
    assert " ".join(each["text"] for each in spoken) == read


async def test_a_message_of_the_visitor_is_not_read_and_ends_the_reading(gallery, kept_page):
    page = await open_with(gallery, kept_page, (MOUTH, "true"))
    await switch_on(page)
    await page.evaluate("silenced = 0")
    await gallery.go(page, "options")
    await until_async(lambda: page.evaluate("spoken.length"), what="the answer to be read")
    assert [each["text"] for each in await page.evaluate("spoken")] == [ANSWER]
    assert await page.evaluate("silenced") == 1


async def test_an_unfinished_or_reopened_answer_is_not_read_aloud(gallery, kept_page):
    page = await open_with(gallery, kept_page, (MOUTH, "true"), name="streaming")
    await switch_on(page)
    await gallery.go(page, "streaming", last=4)
    await page.reload()
    await expect(page.locator("body[data-state=open]")).to_be_attached()
    await expect(switch_of(page, "read")).to_have_attribute("aria-pressed", "true")
    assert await page.evaluate("spoken") == []


async def test_reading_aloud_ends_when_the_visitor_types_sends_or_leaves(gallery, kept_page):
    page = await open_with(gallery, kept_page, (MOUTH, "true"))
    await switch_on(page)
    await page.fill("#composer-text", "sim")
    for name, act in (
        ("typing", lambda: page.press("#composer-text", "m")),
        ("escape", lambda: page.keyboard.press("Escape")),
        ("leaving", lambda: page.evaluate("dispatchEvent(new Event('pagehide'))")),
        ("sending", lambda: page.locator("#send").click()),
        ("switching it off", lambda: switch_of(page, "read").click()),
    ):
        await page.evaluate("silenced = 0")
        await act()
        await until_async(lambda: page.evaluate("silenced"), what=f"silence after {name}")


@pytest.mark.parametrize("way", ["typing", later("escape"), later("stop")])
async def test_an_answer_that_is_cut_while_it_is_written_is_not_read_at_its_end(gallery, kept_page, way):
    page = await open_with(gallery, kept_page, (MOUTH, "true"))
    await switch_on(page)
    await gallery.go(page, "options", last=6)  # All of the answer but its end.
    await expect(page.locator("#log")).to_contain_text(ANSWER)
    if way == "stop":
        await page.locator("#stop").click()
    else:
        await page.press("#composer-text", "m" if way == "typing" else "Escape")
    await gallery.go(page, "options")
    await expect(page.locator("#stop")).to_be_hidden()
    assert await page.evaluate("spoken") == []


async def test_an_answer_is_not_read_aloud_into_an_open_microphone(gallery, kept_page):
    page = await open_with(gallery, kept_page, (EARS, "true"), (MOUTH, "true"))
    await switch_on(page)
    await switch_of(page, "dictate").click()
    await page.locator(".microphone").click()
    await expect(page.locator(".microphone")).to_have_attribute("aria-pressed", "true")
    await gallery.go(page, "options", last=1)
    await expect(page.locator("#stop")).to_be_visible()
    await gallery.go(page, "options")
    await expect(page.locator("#stop")).to_be_hidden()
    await expect(page.locator("#log")).to_contain_text(ANSWER)
    assert await page.evaluate("spoken") == []
