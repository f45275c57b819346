"""Pictures in a message, from the composer to the log: chosen, taken back, sent, kept, and tried again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.async_api import Route, expect

from tests.e2e.axe import is_without_fault
from tests.e2e.conversation.person import OF_AN_IPHONE, Person
from tests.e2e.conversation.test_lost_connection import only_cuts
from tests.parts.images import noisy_png, png
from tests.parts.sampled import later

pytestmark = pytest.mark.page


def file(name: str, data: bytes) -> dict[str, object]:
    """Return a file as the browser's dialog gives it."""
    return {"name": name, "mimeType": "image/png", "buffer": data}


async def choose(seller: Person, *files: dict[str, object]) -> None:
    """Choose files in the dialog that the button opens."""
    async with seller.page.expect_file_chooser() as opened:
        await seller.page.click("#attach")
    await (await opened.value).set_files(list(files))


DROP = """() => {
    const data = new DataTransfer();
    data.items.add(new File(["text"], "a.txt", { type: "text/plain" }));
    const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
    document.getElementById("log").dispatchEvent(drop);
    return drop.defaultPrevented;
}"""


GIVE = """async ({ way, place, type = "image/png" }) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: 30, height: 20 });
    canvas.getContext("2d").fillRect(0, 0, 10, 10);
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, type));
    const data = new DataTransfer();
    data.items.add(new File([blob], "a.png", { type }));
    const given = { bubbles: true, cancelable: true };
    const over = new DragEvent("dragover", { dataTransfer: data, ...given });
    const event = way === "paste"
        ? new ClipboardEvent("paste", { clipboardData: data, ...given })
        : new DragEvent("drop", { dataTransfer: data, ...given });
    const target = document.querySelector(place);
    if (way === "drop") target.dispatchEvent(over);
    const marked = document.getElementById("talk").classList.contains("dropping");
    target.dispatchEvent(event);
    return [marked, event.defaultPrevented];
}"""
"""Give the page a picture by another way than the dialog; returns whether its place was marked, and the event taken."""


# What a script of the page does with the SDK, beside the page's own conversation.
CHAT = """async () => {
    const { loopwire } = await import("/static/sdk/index.js");
    const chat = loopwire({ service: "submission", storage: sessionStorage });
    const canvas = Object.assign(document.createElement("canvas"), { width: 900, height: 900 });
    canvas.getContext("2d").fillRect(0, 0, 300, 300);
    const progress = [];
    const picture = await new Promise((resolve) => canvas.toBlob(resolve));
    const part = await chat.upload(picture, { onProgress: (done) => progress.push(done) });
    const run = await chat.send([part]);
    const parts = [];
    for await (const each of run) parts.push(each.type);
    const { status } = await run.done;
    const stored = Object.entries(sessionStorage).filter(([key]) => key.startsWith("loopwire")).map(([, text]) => text);
    const told = { progress: progress.at(-1), roles: chat.messages.map(({ role }) => role), parts, status, stored };
    chat.close();
    return told;
}"""


async def test_pictures_go_with_a_message_and_are_there_after_a_reload(quick, person):
    seller: Person = await person(quick, phone=True)
    await seller.open()
    chosen = seller.page.locator("#photos li")
    red, wide = file("a.png", png()), file("b.png", png("blue", (3000, 1500)))
    hint = seller.page.locator("#composer-hint")
    await expect(seller.page.locator("#camera")).to_be_visible()
    await choose(seller, {**file("d.heic", b"no picture"), "mimeType": "image/heic"})
    await expect(hint).to_contain_text("HEIC")
    await choose(seller, red, wide, file("c.png", b"no picture"))
    await expect(chosen).to_have_count(2)
    await expect(hint).to_contain_text("não se consegue ler")
    # What is no picture is refused where it is dropped: the browser would leave the page for it.
    assert await seller.page.evaluate(DROP) is True
    await expect(hint).to_contain_text("só se juntam fotografias")
    await expect(seller.page.locator("#send")).to_be_enabled()
    await chosen.first.get_by_role("button").click()
    await expect(chosen).to_have_count(1)
    await seller.page.press("#composer-text", "Enter")
    sent = seller.page.locator("#log .row-user .photos img")
    await expect(sent).to_have_count(1)
    await expect(seller.page.locator("#log .row-text")).to_contain_text("imagens")
    assert await seller.page.locator("#log .row-user .bubble").count() == 0
    await expect(chosen).to_have_count(0)
    await seller.reload()
    await expect(sent).to_have_count(1)
    # It was made small before it was sent, and its place is there before it has come.
    assert [await sent.get_attribute(name) for name in ("width", "height")] == ["1600", "800"]
    assert await sent.evaluate("async (img) => (await img.decode(), img.naturalWidth)") == 1600
    told = await seller.page.evaluate(CHAT)
    assert (told["progress"], told["status"], told["roles"][0]) == (1, "finished", "user")
    assert "text" in told["parts"]
    assert "assistant" in told["roles"]
    assert [json.loads(each)["frames"] for each in told["stored"]] == [[]]


@pytest.mark.conformance
async def test_pictures_that_go_slowly_show_how_far_they_are_and_are_told_when_they_are_lost(quick, person):
    seller: Person = await person(quick)
    await seller.open()
    network = await seller.page.context.new_cdp_session(seller.page)
    slow = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000}
    await network.send("Network.emulateNetworkConditions", slow)
    await choose(seller, file("a.png", noisy_png()))
    await seller.page.fill("#composer-text", "quero vender um iPhone 12")
    await seller.page.press("#composer-text", "Enter")
    await expect(seller.page.locator("#sending progress")).to_be_visible()
    await seller.page.reload()
    await expect(seller.page.locator("#composer-hint")).to_contain_text("escolha-as de novo")
    await expect(seller.page.locator("#composer-text")).to_have_value("quero vender um iPhone 12")


@pytest.mark.conformance
async def test_a_picture_that_could_not_be_sent_is_sent_again(quick, person, troubles, tmp_path: Path):
    seller: Person = await person(quick)
    await seller.open()
    await seller.page.route("**/files", lambda route: route.abort())
    await choose(seller, file("a.png", png()))
    await seller.page.fill("#composer-text", "quero vender um iPhone 12")
    await seller.page.press("#composer-text", "Enter")
    again = seller.page.get_by_role("button", name="Tentar de novo")
    await expect(again).to_be_visible()
    await expect(seller.page.locator("#sending")).to_contain_text("As fotografias não foram enviadas")
    announced = "As fotografias não foram enviadas. Ficam aqui enquanto a página estiver aberta. "
    assert announced in await seller.seen("said")
    await seller.page.unroute("**/files")
    troubles.clear()
    await again.click()
    await expect(seller.page.locator("#log .row-user .photos img")).to_have_count(1)
    await expect(seller.page.locator("#log .row-user .bubble")).to_have_text("quero vender um iPhone 12")
    other = await seller.tab()
    seen = other.page.locator("#log .row-user .photos img")
    assert await seen.evaluate("async (img) => (await img.decode(), img.naturalWidth)") > 0
    await other.page.close()
    await expect(seller.page.locator("#sending li")).to_have_count(0)
    # The item that comes of it has the picture, on its card and on its page.
    await seller.more("sim", "128 preto", *OF_AN_IPHONE)
    card = seller.page.locator("#log .card.item > img")
    assert await card.evaluate("async (img) => (await img.decode(), img.naturalWidth)") > 0
    await seller.page.goto(
        seller.served.url + str(await seller.page.locator("#log .card.item a.primary").get_attribute("href"))
    )
    shown = seller.page.locator(".item .photos img")
    assert await shown.evaluate("async (img) => (await img.decode(), img.naturalWidth)") > 0
    await is_without_fault(seller.page, ".item .photos")


async def test_more_pictures_than_a_message_takes_are_refused_in_words_that_stay(quick, person):
    seller: Person = await person(quick)
    await seller.open()
    chosen = seller.page.locator("#photos li img")
    hint = seller.page.locator("#composer-hint")
    await choose(seller, *(file(f"{each}.png", png(size=(20 + each, 20))) for each in range(12)))
    await expect(chosen).to_have_count(8)
    await expect(hint).to_have_text("Uma mensagem leva 8 fotografias no máximo.")
    assert "Uma mensagem leva 8 fotografias no máximo. " in await seller.seen("said")
    # With the place that is free now the sentence is no longer true.
    await seller.page.locator("#photos button").first.click()
    await expect(chosen).to_have_count(7)
    await expect(hint).not_to_contain_text("no máximo")


@pytest.mark.conformance
async def test_a_good_picture_after_a_bad_one_does_not_hide_what_was_refused(quick, person):
    seller: Person = await person(quick)
    await seller.open()
    chosen = seller.page.locator("#photos li")
    hint = seller.page.locator("#composer-hint")
    bad, apple = file("a.png", b"no picture"), {**file("b.heic", b"no picture"), "mimeType": "image/heic"}
    await choose(seller, bad, apple, file("c.png", png()))
    await expect(chosen).to_have_count(1)
    await expect(chosen.locator("img")).to_have_count(1)
    await expect(hint).to_contain_text("não se consegue ler")
    await expect(hint).to_contain_text("HEIC")
    # The next choice begins anew.
    await choose(seller, file("d.png", png("blue")))
    await expect(chosen.locator("img")).to_have_count(2)
    await expect(hint).to_have_text("Enter envia · Shift+Enter muda de linha")


@pytest.mark.parametrize(("way", "place"), [("paste", "#composer-text"), later("drop", "#log")])
async def test_a_picture_that_is_pasted_or_dropped_goes_with_the_message(quick, person, way, place):
    seller: Person = await person(quick)
    await seller.open()
    assert await seller.page.evaluate(GIVE, {"way": way, "place": place}) == [way == "drop", True]
    await expect(seller.page.locator("#talk.dropping")).to_have_count(0)
    await expect(seller.page.locator("#photos li img")).to_have_count(1)
    await seller.page.press("#composer-text", "Enter")
    await expect(seller.page.locator("#log .row-user .photos img")).to_have_count(1)


async def send_picture(seller: Person) -> None:
    """Send a message with a picture."""
    await choose(seller, file("a.png", png()))
    await seller.page.fill("#composer-text", "quero vender um iPhone 12")
    await seller.page.press("#composer-text", "Enter")


@pytest.mark.conformance
async def test_a_message_whose_picture_does_not_move_can_be_removed(quick, person):
    seller: Person = await person(quick)
    await seller.open()
    await seller.page.route("**/files", lambda _: None)
    await send_picture(seller)
    await expect(seller.page.locator("#sending progress")).to_be_visible()
    await seller.page.locator("#sending").get_by_role("button", name="Retirar").click()
    await expect(seller.page.locator("#sending li")).to_have_count(0)
    await expect(seller.page.locator("#composer-text")).to_be_focused()
    # Neither the message nor its picture comes later.
    await seller.page.unroute("**/files")
    await seller.say("tenho uma Bimby TM5")
    await seller.settled()
    await expect(seller.page.locator("#log .row-user")).to_have_count(1)
    await expect(seller.page.locator("#log .row-user .photos")).to_have_count(0)


async def test_an_upload_without_progress_ends_and_can_be_tried_again(quick, person, troubles):
    seller: Person = await person(quick)
    await seller.page.clock.install()
    await seller.open()
    await seller.page.route("**/files", lambda _: None)
    await send_picture(seller)
    await expect(seller.page.locator("#sending progress")).to_be_visible()
    await seller.page.clock.fast_forward(46_000)
    card = seller.page.locator("#sending .trouble")
    await expect(card).to_contain_text("As fotografias não foram enviadas")
    await expect(seller.page.locator("#sending progress")).to_have_count(0)
    await seller.page.unroute("**/files")
    await card.get_by_role("button", name="Tentar de novo").click()
    await expect(seller.page.locator("#log .row-user .photos img")).to_have_count(1)
    only_cuts(troubles)


@pytest.mark.conformance
async def test_a_picture_too_many_says_when_it_can_be_sent(quick, person, troubles):
    seller: Person = await person(quick)
    await seller.open()
    told = {
        "type": "error",
        "code": "rate_limited",
        "message": "Too often.",
        "retry": True,
        "retry_after": 12,
    }

    async def refuse(route: Route) -> None:
        await route.fulfill(status=429, headers={"retry-after": "12"}, json=told)

    await seller.page.route("**/files", refuse)
    await send_picture(seller)
    card = seller.page.locator("#sending .trouble")
    await expect(card).to_contain_text("Foram muitas fotografias em pouco tempo")
    await expect(card).to_contain_text("Ficam aqui: envie-as de novo daqui a 12 s.")
    await seller.page.unroute("**/files")
    await card.get_by_role("button", name="Tentar de novo").click()
    await expect(seller.page.locator("#log .row-user .photos img")).to_have_count(1)
    assert troubles
    troubles[:] = [each for each in troubles if "429" not in each]
