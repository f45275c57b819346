"""The page under keys, clicks and touch: everything works without a mouse, and what was written is never lost."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.e2e.axe import is_without_fault
from tests.e2e.hold import Hold
from tests.e2e.still import stand_still
from tests.parts.sampled import later
from tests.parts.wait import until_async

PATIENCE_MS = 1500


async def test_the_tab_order_is_skip_link_list_header_log_composer(gallery, page):
    await gallery.open(page, "options")
    await page.focus(".skip")
    parts = ["skip"]
    for _ in range(40):
        await page.keyboard.press("Tab")
        part = await page.evaluate("""(() => {
            const at = document.activeElement;
            return at.matches('.skip') ? 'skip' : ['side', 'log', 'composer'].find((id) => at.closest(`#${id}`))
                ?? (at.closest('.head') ? 'head' : at.tagName);
        })()""")
        if not parts or parts[-1] != part:
            parts.append(part)
        if part == "composer":
            break
    assert [each for each in parts if each != "DIV"] == ["skip", "side", "head", "log", "composer"]


async def test_the_skip_link_leads_to_the_field(gallery, page):
    await gallery.open(page, "options")
    await page.focus(".skip")
    await expect(page.locator(".skip")).to_be_in_viewport()
    await page.keyboard.press("Enter")
    await expect(page.locator("#composer-text")).to_be_focused()


@pytest.mark.conformance
async def test_the_note_on_the_demo_closes_by_escape_and_by_a_click_elsewhere(gallery, page):
    await gallery.open(page, "options")
    button, note = page.locator("#demo button"), page.locator("#demo-note")
    for leave in (
        lambda: page.keyboard.press("Escape"),
        lambda: page.mouse.click(700, 500),
        button.click,
    ):
        await button.focus()
        await page.keyboard.press("Enter")
        await expect(note).to_be_visible()
        await leave()
        await expect(note).to_be_hidden()
    await button.click()
    await page.keyboard.press("Escape")
    await expect(button).to_be_focused()


@pytest.mark.conformance
async def test_the_composer_has_the_focus_after_a_click_on_send(gallery, page):
    await gallery.open(page, "options")
    await page.fill("#composer-text", "Porquê?")
    await page.click("#send")
    await expect(page.locator("#composer-text")).to_be_focused()
    await until_async(lambda: gallery.received(page, "options", "message"))
    await page.keyboard.type("E agora?")
    await page.keyboard.press("Enter")

    async def both() -> bool:
        return len(await gallery.received(page, "options", "message")) > 1

    await until_async(both)
    sent = await gallery.received(page, "options", "message")
    assert [each["content"][0]["text"] for each in sent] == ["Porquê?", "E agora?"]


async def test_a_number_key_chooses_an_option_and_sends_a_typed_answer(gallery, page):
    await gallery.open(page, "options")
    await page.focus("#row-blk_4 .option >> nth=0")
    await page.keyboard.press("ArrowDown")
    await expect(page.locator("#row-blk_4 .option >> nth=1")).to_be_focused()
    await page.keyboard.press("2")
    (sent,) = await until_async(lambda: gallery.received(page, "options", "message"))
    answer = {
        "type": "answer",
        "block_id": "blk_4",
        "name": "option:7",
        "value": "72",
        "label": "Com XC 15-45 mm",
    }
    assert sent["content"] == [answer]
    await expect(page.locator("#row-blk_4 .answered b")).to_have_text("Com XC 15-45 mm")


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        pytest.param("com xf 16-80 MM", ["Com XF 16-80 mm"], id="a label"),
        later("porquê?", [], id="other words"),
    ],
)
async def test_a_question_folds_when_typed_words_are_stored_and_not_later(gallery, page, typed, shown):
    await gallery.open(page, "options")
    await page.fill("#composer-text", typed)
    await page.press("#composer-text", "Enter")
    folded = page.locator("#row-blk_4.answered > .answered")
    await expect(folded.locator("span")).to_have_text("Conjunto")
    assert await folded.locator("b").all_text_contents() == shown
    await expect(page.locator("#row-blk_4 .option")).to_have_count(0)


async def test_a_question_that_was_not_answered_is_open_again_when_the_run_is_over(gallery, page):
    await gallery.open(page, "options")
    await page.fill("#composer-text", "Porquê?")
    await page.press("#composer-text", "Enter")
    await expect(page.locator("#row-blk_4.answered")).to_be_attached()
    await gallery.go(page, "options")
    await expect(page.locator("#row-blk_4.open .option:visible")).to_have_count(4)


async def test_more_options_unfold_in_place_and_take_the_focus(gallery, page):
    await gallery.open(page, "options")
    await expect(page.locator("#row-blk_4 .option:visible")).to_have_count(4)
    await page.locator("[data-more]").press("Enter")
    await expect(page.locator("#row-blk_4 .option:visible")).to_have_count(5)
    await expect(page.get_by_role("button", name="Com XF 16-80 mm")).to_be_focused()


async def test_a_wrong_answer_leads_to_its_field_which_keeps_it(gallery, page):
    await gallery.open(page, "form")
    field = page.get_by_label("Número de disparos")
    await expect(field).to_have_value("uns 12 mil")
    await expect(field).to_have_attribute("aria-invalid", "true")
    described = (await field.get_attribute("aria-describedby") or "").split()
    assert [await page.locator(f"#{each}").count() for each in described] == [1, 1]
    await field.fill("12000")
    await field.press("Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "form", "message"))
    assert sent["content"][0]["value"] == "12000"


async def test_an_empty_field_is_not_sent_and_says_so(gallery, page):
    await gallery.open(page, "form")
    field = page.get_by_label("Número de disparos")
    await field.fill("  ")
    await field.press("Enter")
    await expect(page.locator("#error-blk_5")).to_have_text("Escreva uma resposta, ou escolha «Não sei».")
    await expect(field).to_be_focused()
    assert await gallery.received(page, "form", "message") == []


async def test_enter_sends_shift_enter_breaks_and_an_empty_field_sends_nothing(gallery, page):
    await gallery.open(page, "options")
    await expect(page.locator("#send")).to_be_disabled()
    await page.focus("#composer-text")
    await page.keyboard.press("Enter")
    await page.keyboard.type("uma")
    await page.keyboard.press("Shift+Enter")
    await page.keyboard.type("duas")
    await page.keyboard.press("Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "options", "message"))
    assert sent["content"] == [{"type": "text", "text": "uma\nduas"}]
    await expect(page.locator("#composer-text")).to_have_value("")
    await expect(page.locator("#sending .bubble")).to_have_text("uma\nduas")


async def test_escape_in_the_field_stops_the_answer(gallery, page):
    await gallery.open(page, "streaming")
    await expect(page.get_by_role("button", name="Parar")).to_be_visible()
    await page.focus("#composer-text")
    await page.keyboard.press("Escape")
    (sent,) = await until_async(lambda: gallery.received(page, "streaming", "cancel"))
    assert sent["run_id"] == "run_1"


async def test_an_arrow_up_brings_back_what_was_said_last(gallery, page):
    await gallery.open(page, "form")
    await page.focus("#composer-text")
    await page.keyboard.press("ArrowUp")
    await expect(page.locator("#composer-text")).to_have_value("Sim, pode criar.")


async def test_control_k_begins_a_new_conversation(gallery, page):
    await gallery.open(page, "options")
    await page.keyboard.press("Control+k")
    await expect(page.get_by_role("heading", name="O que quer vender?")).to_be_visible()
    await expect(page.locator("#composer-text")).to_be_focused()


async def test_unsent_text_is_kept_for_each_conversation(gallery, page):
    await gallery.open(page, "options")
    await page.fill("#composer-text", "ainda não")
    await gallery.open(page, "form")
    await expect(page.locator("#composer-text")).to_have_value("")
    await page.fill("#composer-text", "outra")
    await gallery.open(page, "options")
    await expect(page.locator("#composer-text")).to_have_value("ainda não")
    await gallery.open(page, "empty")
    await page.fill("#composer-text", "uma máquina")
    await page.reload()
    await expect(page.locator("#composer-text")).to_have_value("uma máquina")


async def test_the_first_message_begins_the_conversation(gallery, page):
    await gallery.open(page, "empty")
    assert await page.evaluate("document.body.dataset.state") is None
    await page.fill("#composer-text", "uma máquina")
    await page.keyboard.press("Enter")
    await expect(page.locator("#empty")).to_be_hidden()
    await page.wait_for_url("**/s/empty")
    (sent,) = await until_async(lambda: gallery.received(page, "empty", "message"))
    assert sent["content"] == [{"type": "text", "text": "uma máquina"}]
    assert await page.evaluate("localStorage.length") == 0


async def test_a_queued_message_is_docked_and_can_be_taken_back(gallery, page):
    await gallery.open(page, "queued")
    waiting = page.locator("#queue li")
    await expect(waiting).to_contain_text("Na fila: segue quando esta resposta acabar")
    await waiting.get_by_role("button", name="Retirar").click()
    (sent,) = await until_async(lambda: gallery.received(page, "queued", "cancel"))
    assert sent["message_id"] == "c8"


async def test_a_message_can_be_copied_and_rated_by_keys(gallery, kept_page):
    page = await kept_page(permissions=["clipboard-read", "clipboard-write"])
    await gallery.open(page, "options")
    row = page.locator("#row-msg_1")
    bar = row.get_by_role("toolbar", name="Ações da mensagem")
    assert await bar.locator("[tabindex='-1']").count() == 3
    await bar.get_by_role("button", name="Copiar").focus()
    await expect(bar).to_have_css("opacity", "1")
    await page.keyboard.press("Enter")
    await expect(page.locator("#announcer")).to_contain_text("Copiado")
    assert "Fujifilm X-T30 II" in await page.evaluate("navigator.clipboard.readText()")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("Enter")
    (sent,) = await until_async(lambda: gallery.received(page, "options", "feedback"))
    assert (sent["message_id"], sent["value"]) == ("msg_1", "up")
    await expect(bar.get_by_role("button", name="Útil", exact=True)).to_have_attribute("aria-pressed", "true")


@pytest.mark.conformance
async def test_a_thumb_down_may_say_why_and_need_not(gallery, page):
    await gallery.open(page, "options")
    row = page.locator("#row-msg_1")
    down = row.get_by_role("button", name="Pouco útil")
    form = row.locator(".reasons")
    await down.focus()
    await page.keyboard.press("Enter")
    await expect(form.get_by_role("group", name="O que falhou?")).to_be_visible()
    await expect(form.get_by_label("Está errado")).to_be_focused()
    await is_without_fault(page, ".reasons")
    await page.keyboard.press("Escape")
    await expect(form).to_have_count(0)
    await expect(down).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(down).to_have_attribute("aria-pressed", "false")
    await expect(form).to_have_count(0)
    await page.keyboard.press("Enter")
    await form.get_by_label("É rude ou perigoso").check()
    await form.get_by_role("textbox").fill("x" * 600)
    await form.get_by_role("button", name="Enviar").click()
    await expect(form).to_have_count(0)
    await expect(page.locator("#announcer")).to_contain_text("a razão ficou registada")
    sent = await gallery.received(page, "options", "feedback")
    assert [each["value"] for each in sent] == ["down", None, "down", "down"]
    assert (sent[-1]["reason"], sent[-1]["comment"]) == ("unsafe", "x" * 500)
    assert not any("reason" in each for each in sent[:-1])


async def test_code_is_copied_without_what_the_page_says_of_it(gallery, kept_page):
    page = await kept_page(permissions=["clipboard-read", "clipboard-write"])
    await gallery.open(page, "markdown")
    await gallery.go(page, "markdown")
    await page.locator("div#text-msg_9").wait_for()
    await page.locator("[data-copy-code]").first.click()
    await expect(page.locator("#announcer")).to_contain_text("Copiado")
    code = await page.evaluate("navigator.clipboard.readText()")
    assert code.startswith("def preco(")
    assert code.endswith("**menos** de zero")


async def test_a_finished_item_is_shared_by_the_device_or_copied(gallery, kept_page):
    page = await kept_page(permissions=["clipboard-read", "clipboard-write"])
    await gallery.open(page, "finished")
    button = page.locator("[data-share]")
    text = await button.get_attribute("data-share")
    # The dialog is the device's own: what it is given is kept, as if a person had taken it.
    await page.evaluate("navigator.share = async (given) => { window.shared = given; }")
    await button.click()
    await expect(page.locator("#announcer")).to_contain_text("Partilhado")
    assert (await page.evaluate("window.shared"))["text"] == text
    await page.evaluate("navigator.share = undefined")
    await button.click()
    await expect(page.locator("#announcer")).to_contain_text("Copiado")
    assert await page.evaluate("navigator.clipboard.readText()") == text


async def test_a_retry_names_the_message_of_the_visitor(gallery, page):
    await gallery.open(page, "failed")
    await page.get_by_role("button", name="Tentar de novo").click()
    (sent,) = await until_async(lambda: gallery.received(page, "failed", "regenerate"))
    asked = page.locator(f"#row-{sent['message_id']}")
    await expect(asked).to_contain_text("Quero vender a minha Fujifilm")


async def test_a_stopped_answer_goes_on_after_one_click(gallery, page):
    await gallery.open(page, "stopped")
    await page.get_by_role("button", name="Continuar").click()
    (sent,) = await until_async(lambda: gallery.received(page, "stopped", "message"))
    assert sent["content"][0]["text"] == "Continuar"


@pytest.mark.conformance
async def test_on_touch_the_actions_come_by_a_long_press(gallery, kept_page):
    page = await kept_page(viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True)
    await gallery.open(page, "options")
    bar = page.locator("#row-msg_1 loopwire-actions")
    await expect(bar).to_have_css("opacity", "0")
    await page.locator("#row-msg_1 article").dispatch_event(
        "pointerdown", {"pointerType": "touch", "bubbles": True}
    )
    await expect(bar).to_have_css("opacity", "1")
    await page.locator("#title").dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
    await expect(bar).to_have_css("opacity", "0")


async def test_the_drawer_keeps_the_focus_and_gives_it_back(gallery, kept_page):
    page = await kept_page(viewport={"width": 390, "height": 844})
    await gallery.open(page, "options")
    opener = page.get_by_role("button", name="Abrir as conversas")
    await opener.click()
    for _ in range(25):
        await page.keyboard.press("Tab")
        assert await page.evaluate("Boolean(document.activeElement.closest('#side'))")
    await page.keyboard.press("Escape")
    await expect(opener).to_be_focused()
    await expect(page.locator("#side")).to_be_hidden()


async def test_a_lost_connection_is_shown_after_a_delay_with_a_retry_button(gallery, new_page):
    page = await new_page()
    await page.clock.install()
    await stand_still(page)
    await gallery.open(page, "offline")
    await expect(page.locator("body[data-state=waiting]")).to_be_attached()
    bar = page.get_by_role("status")
    await page.clock.run_for(PATIENCE_MS - 1)
    await expect(bar).to_be_hidden()
    await page.clock.run_for(1)
    await expect(bar).to_contain_text("A restabelecer a ligação… O que escrever fica guardado.")
    await expect(bar.get_by_role("button", name="Tentar já")).to_be_visible()


@pytest.mark.conformance
async def test_a_loss_of_internet_is_shown_until_it_is_over(gallery, new_page):
    page = await new_page()
    await gallery.open(page, "options")
    # What the page loads late is there, so that nothing is cut off.
    await page.evaluate("navigator.serviceWorker.ready.then(() => null)")
    await page.context.set_offline(True)
    await expect(page.get_by_role("status")).to_contain_text(
        "Sem internet. O que estava a correr continua do nosso lado"
    )
    await page.context.set_offline(False)
    await expect(page.get_by_role("status")).to_be_hidden()
    await expect(page.locator("body[data-state=open]")).to_be_attached()


@pytest.mark.parametrize("scheme", [later("light"), "dark"])
async def test_the_theme_is_the_systems_until_it_is_switched(gallery, kept_page, scheme):
    page = await kept_page(color_scheme=scheme)
    await gallery.open(page, "options")
    ground = "getComputedStyle(document.body).backgroundColor"
    before = await page.evaluate(ground)
    assert (before == "rgb(20, 22, 27)") == (scheme == "dark")
    await page.get_by_role("button", name="Mudar entre claro e escuro").click()
    assert await page.evaluate(ground) != before


@pytest.mark.parametrize("width", [later(1440, id="desktop"), pytest.param(360, id="phone")])
async def test_a_text_that_is_too_long_is_neither_cut_nor_sent(gallery, page, width):
    await page.set_viewport_size({"width": width, "height": 800})
    await gallery.open(page, "options")
    box, send = page.locator("#composer-text"), page.locator("#send")
    await box.fill("x" * 7_999 + "\N{GRINNING FACE}!")
    hint = page.locator("#composer-hint")
    await expect(hint).to_contain_text("8001")
    assert await hint.evaluate("hint => hint.getBoundingClientRect().width > 100")
    await expect(send).to_be_disabled()
    await box.press("Enter")
    await box.press("Backspace")
    await expect(page.locator("#composer-hint")).not_to_contain_text("8001")
    await expect(send).to_be_enabled()
    assert await gallery.received(page, "options", "message") == []
    await box.press("Enter")
    await expect(box).to_have_value("")
    (sent,) = await until_async(lambda: gallery.received(page, "options", "message"))
    assert len(sent["content"][0]["text"]) == 8_000


@pytest.mark.conformance
async def test_a_message_whose_server_is_silent_says_that_it_is_being_sent(gallery, new_page):
    """As in the first seconds of a start, when the page is there before the server's backend is open."""
    page = await new_page()
    hold = Hold()
    await page.route_web_socket("**/ws", hold.wire)
    await gallery.open(page, "options")
    hold.everything()
    await page.fill("#composer-text", "uma máquina")
    await page.keyboard.press("Enter")
    await expect(page.locator("#sending li small")).to_have_text("A enviar…")
    hold.let_go()
    await expect(page.locator("#sending li small")).to_have_count(0)
    await expect(page.locator("#sending .bubble")).to_have_text("uma máquina")


async def test_a_text_that_cannot_be_stored_is_refused_with_its_reason(gallery, page):
    await gallery.open(page, "options")
    box, hint, send = page.locator("#composer-text"), page.locator("#composer-hint"), page.locator("#send")
    for odd in ("a\\0b", "a\\ud800b"):
        await box.evaluate(
            f"box => {{ box.value = '{odd}'; box.dispatchEvent(new Event('input', {{ bubbles: true }})); }}"
        )
        await expect(hint).to_contain_text("carácter invisível")
        await expect(send).to_be_disabled()
        await box.press("Enter")
        await box.fill("olá 👋")
        await expect(hint).not_to_contain_text("invisível")
        await expect(send).to_be_enabled()
    assert await gallery.received(page, "options", "message") == []


async def test_a_message_that_was_refused_can_be_taken_away(gallery, page):
    await gallery.open(page, "options")
    await gallery.refuse(page, "options", "message", {"code": "bad_frame"})
    await page.fill("#composer-text", "uma máquina")
    await page.keyboard.press("Enter")
    row = page.locator("#sending li")
    await expect(row).to_contain_text("Não foi enviada")
    await row.get_by_role("button", name="Retirar").click()
    await expect(row).to_have_count(0)


async def test_a_message_without_a_connection_is_shown_as_waiting(gallery, page):
    await page.goto(gallery.of("offline"))
    await expect(page.locator("#composer-hint")).to_have_text("Segue quando a ligação voltar")
    await page.fill("#composer-text", "uma máquina")
    await page.keyboard.press("Enter")
    await expect(page.locator("#sending li small")).to_have_text("Segue quando a ligação voltar")


@pytest.mark.conformance
async def test_a_message_during_a_reconnect_is_shown_as_waiting(gallery, new_page):
    page = await new_page()
    wires = []

    def wire(route):
        if not wires:
            route.connect_to_server()
        wires.append(route)  # The next one is taken, and nobody answers.

    await page.route_web_socket("**/ws", wire)
    await gallery.open(page, "options")
    await wires[0].close(code=1001)
    await expect(page.locator("body[data-state=connecting]")).to_be_attached()
    await page.fill("#composer-text", "uma máquina")
    await page.keyboard.press("Enter")
    said = page.locator("#sending li small")
    await expect(said).not_to_be_empty()
    assert await said.text_content() == "Segue quando a ligação voltar"


@pytest.mark.conformance
async def test_the_composer_of_a_phone_shows_why_nothing_is_sent_and_keeps_its_height(gallery, kept_page):
    page = await kept_page(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    await gallery.open(page, "options")
    text, composer = page.locator("#composer-text"), page.locator("#composer")
    before = await composer.bounding_box()
    await page.goto(gallery.of("offline"))
    await expect(text).to_have_attribute("placeholder", "Segue com a ligação")
    assert await composer.bounding_box() == before
