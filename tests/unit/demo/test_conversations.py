"""Whole conversations to a complete item: by typing only and by clicking only, in both languages."""

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness
from tests.unit.demo.utterances import STATES

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def _finish(visitor: HarnessVisitor, yes: str, unsure: str) -> None:
    """Answer what is still open, in words, until the card is there."""
    for _ in range(20):
        if visitor.state.get("status") in ("complete", "refused"):
            return
        block = visitor.open_blocks()[-1]
        if block["kind"] == "choices":
            await visitor.say(block["choices"][0]["label"])
        elif block.get("unsure"):
            await visitor.say(unsure)
        else:
            await visitor.say({"number": "12", "date": "2021"}.get(block.get("input", ""), yes))


@pytest.mark.parametrize(
    ("language", "opening", "yes", "unsure"),
    [
        ("pt", ["quero vender uma máquina de café", "a segunda", "sim"], "sim", "não sei"),
        ("pt", ["quero vender um iPhone 12 preto de 128", "sim", "sim"], "sim", "não sei"),
        ("pt", ["vendo bicicleta", "elops 520"], "sim", "não faço ideia"),
        ("en", ["I want to sell a laptop", "the last one", "yes"], "yes", "I don't know"),
        ("en", ["selling my Bimby TM5", "yes"], "yes", "no idea"),
        ("en", ["a Stokke Tripp Trapp", "yes"], "yes", "not sure"),
    ],
)
async def test_typing_only_leads_to_a_complete_item(
    harness: RunnerHarness, language: str, opening: list[str], yes: str, unsure: str
) -> None:
    visitor = await harness.visitor(language)
    for text in opening:
        await visitor.say(text)
    await _finish(visitor, yes, unsure)
    (item,) = await visitor.items()
    assert item.status == "complete"
    assert visitor.state["reference"] == item.reference
    assert item.product == visitor.state["product"]
    assert visitor.replies[-1].blocks[-1]["kind"] == "card"


@pytest.mark.parametrize(
    ("language", "first"),
    [
        ("pt", "um telemóvel"),
        ("pt", "iPhone 12"),
        ("en", "headphones"),
        ("en", "a bike"),
        ("pt", "carrinho de bebé"),
    ],
)
async def test_clicking_only_leads_to_a_complete_item(
    harness: RunnerHarness, language: str, first: str
) -> None:
    """Every block that waits can be answered by its own buttons; a form by its field."""
    visitor = await harness.visitor(language)
    await visitor.say(first)
    for _ in range(25):
        if visitor.state.get("status") == "complete":
            break
        waiting = visitor.open_blocks()
        assert len(waiting) == 1, "one question at a time"
        await click_first(visitor, waiting[0])
    (item,) = await visitor.items()
    assert item.status == "complete"
    assert not visitor.open_blocks()


@pytest.mark.parametrize(("language", "label"), [("pt", "Não, está banida"), ("en", "No, it is banned")])
async def test_a_click_means_the_button_that_was_pressed(
    harness: RunnerHarness, language: str, label: str
) -> None:
    visitor = await harness.visitor(language)
    await visitor.say("PlayStation 5 Slim")
    while (block := visitor.open_blocks()[0])["name"] != "consoles.banned":
        await click_first(visitor, block)
    choice = next(each for each in block["choices"] if each["label"] == label)
    await visitor.click(block["name"], choice["value"], label)
    (asked_back,) = visitor.open_blocks()
    assert asked_back["choices"][0]["value"] == "answer:right"
    await visitor.click(block["name"], "answer:right", "Sim")
    assert visitor.state["status"] == "refused"


async def click_first(visitor: HarnessVisitor, block: dict[str, object]) -> None:
    """The first choice, or a plain answer in the field."""
    choices = block.get("choices")
    if isinstance(choices, list):
        choice = choices[0]
        await visitor.click(str(choice.get("name") or block["name"]), choice["value"], choice["label"])
        return
    value = {"number": "2", "date": "2021"}.get(str(block.get("input")), "ok")
    await visitor.click(str(block["name"]), value, value)


async def test_a_click_on_change_asks_again_and_the_new_value_counts(harness: RunnerHarness) -> None:
    visitor = await harness.visitor()
    await visitor.say("iPhone 12")
    for text in ("sim", "128"):
        await visitor.say(text)
    storage = next(b for reply in visitor.replies for b in reply.blocks if b.get("legend") == "Armazenamento")
    await visitor.click("change", storage["change"]["value"], storage["change"]["label"])
    assert [block["legend"] for block in visitor.open_blocks()] == ["Armazenamento"]
    await visitor.click(storage["name"], storage["choices"][2]["value"], "256 GB")
    assert visitor.state["options"] == {"Armazenamento": "256 GB"}
    assert [block["legend"] for block in visitor.open_blocks()] == ["Cor"]


async def test_a_wrong_option_is_corrected_in_the_item_that_was_made(harness: RunnerHarness) -> None:
    visitor = await harness.visitor()
    for text in ("quero vender um iPhone 12 preto de 128", "sim", "sim", "excelente", "afinal é o branco"):
        await visitor.say(text)
    assert visitor.state["options"] == {"Armazenamento": "128 GB", "Cor": "Branco"}
    assert visitor.state["answers"] == {"smartphones.condition": "Excelente"}
    (item,) = await visitor.items()
    assert item.options["Cor"] == "Branco"
    assert [answer.shown for answer in item.answers] == ["Excelente"]


async def test_a_click_on_change_after_the_item_was_made_opens_that_option(harness: RunnerHarness) -> None:
    visitor = await harness.visitor()
    for text in ("quero vender um iPhone 12 preto de 128", "sim", "sim", "excelente"):
        await visitor.say(text)
    colour = next(b for reply in visitor.replies for b in reply.blocks if b.get("legend") == "Cor")
    reply = await visitor.click("change", colour["change"]["value"], colour["change"]["label"])
    assert reply.calls == ["get_product_options"]
    assert [block["legend"] for block in visitor.open_blocks()] == ["Cor"]
    await visitor.click(colour["name"], colour["choices"][1]["value"], colour["choices"][1]["label"])
    assert visitor.state["options"]["Cor"] == colour["choices"][1]["label"]
    assert visitor.state["answers"] == {"smartphones.condition": "Excelente"}


async def test_a_click_on_change_beside_an_answer_asks_that_question_again(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for text in ("iPhone 12 black 128", "yes", "yes", "good", "yes"):
        await visitor.say(text)
    condition = next(
        b for reply in visitor.replies for b in reply.blocks if b.get("name") == "smartphones.condition"
    )
    await visitor.click("change", condition["change"]["value"], condition["change"]["label"])
    assert [block["name"] for block in visitor.open_blocks()] == ["smartphones.condition"]
    await visitor.click("smartphones.condition", "A", "Excellent")
    assert visitor.state["answers"]["smartphones.condition"] == "Excellent"
    assert [block["name"] for block in visitor.open_blocks()] == ["smartphones.battery_health"]


async def test_two_items_can_be_sold_one_after_the_other(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for text in ("Bimby TM5", "yes"):
        await visitor.say(text)
    await _finish(visitor, "yes", "I don't know")
    for text in ("I want to sell another item", "iPhone XR", "yes", "128", "the blue one"):
        await visitor.say(text)
    assert [item.product for item in await visitor.items()] == ["iPhone XR", "Bimby TM5"]


async def test_the_language_follows_the_person(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("pt")
    reply = await visitor.say("Hello, I want to sell my iPhone 12")
    assert "Is" in reply.text
    await visitor.say("128 GB, ok?")
    assert "product" not in visitor.state
    reply = await visitor.say("yes")
    assert "Next: colour" in reply.text or "Still to choose: colour" in reply.text
    assert {block["legend"] for block in reply.blocks} == {"Storage", "Colour"}
    reply = await visitor.say("não sei, onde vejo isso?")
    assert [block["legend"] for block in visitor.open_blocks()] == ["Cor"]
    assert "Preto" in reply.text or "caixa" in reply.text
    reply = await visitor.say("128")
    reply = await visitor.say("vermelho")
    assert visitor.state["options"] == {"Armazenamento": "128 GB", "Cor": "Vermelho"}
    assert "artigo" in reply.text


@pytest.mark.parametrize(
    ("language", "sale", "pick", "meant", "agree", "product"),
    [
        ("pt", "tenho um iphone", "o segundo", "não, é o 12", "sim", "iPhone 12"),
        ("en", "i want to sell a pixel", "the first", "no it's the 7a", "yes", "Pixel 7a"),
    ],
)
async def test_a_product_picked_by_mistake_is_corrected_by_naming_the_right_one(
    harness: RunnerHarness, language: str, sale: str, pick: str, meant: str, agree: str, product: str
) -> None:
    visitor = await harness.visitor(language)
    for text in (sale, pick):
        await visitor.say(text)
    assert visitor.state["product"] != product
    await visitor.say(meant)
    assert [block["name"] for block in visitor.open_blocks()] == ["confirm"]
    await visitor.say(agree)
    assert visitor.state["product"] == product and not visitor.state.get("options")


async def test_a_value_that_was_only_half_said_makes_nothing_before_a_yes(harness: RunnerHarness) -> None:
    visitor = await harness.visitor()
    for text in ("vendo uma switch oled branca", "sim", "mas espera, é vermelha e azul"):
        await visitor.say(text)
    assert await visitor.items() == []
    await visitor.say("não")
    assert await visitor.items() == []


@pytest.mark.parametrize(
    ("said", "left"),
    [("Nintendo Switch", ["Nintendo Switch OLED"]), ("Bimby TM5", [])],
    ids=["others are likely", "nothing else is"],
)
async def test_a_no_to_the_product_closes_it_and_shows_what_else_it_may_be(
    harness: RunnerHarness, said: str, left: list[str]
) -> None:
    visitor = await harness.visitor()
    await visitor.say(said)
    (asked,) = visitor.open_blocks()
    no = asked["choices"][-1]
    await visitor.click(asked["name"], no["value"], no["label"])
    labels = [choice["label"] for block in visitor.open_blocks() for choice in block["choices"]]
    assert asked["id"] not in [block["id"] for block in visitor.open_blocks()]
    assert said not in labels
    assert set(left) <= set(labels) and bool(labels) == bool(left)


async def test_a_no_to_the_options_asks_which_one_changes(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for text in ("I want to sell a black iPhone 12 with 128 GB", "yes"):
        await visitor.say(text)
    await visitor.click("options", "no", "No, change an option")
    (asked,) = visitor.open_blocks()
    assert [(each["label"], each["note"]) for each in asked["choices"]] == [
        ("Storage", "128 GB"),
        ("Colour", "Black"),
    ]
    storage = asked["choices"][0]
    await visitor.click(storage["name"], storage["value"], storage["label"])
    assert [block["legend"] for block in visitor.open_blocks()] == ["Storage"]
    await visitor.click("option:11", "2004", "64 GB")
    (item,) = await visitor.items()
    assert item.options == {"Armazenamento": "64 GB", "Cor": "Preto"}


async def test_another_product_is_asked_for_and_what_becomes_of_the_item_is_said(
    harness: RunnerHarness,
) -> None:
    visitor = await harness.visitor("en")
    for text in ("Bimby TM5", "yes"):
        await visitor.say(text)
    reference = visitor.state["reference"]
    reply = await visitor.say("no, it's another product")
    assert reference in reply.text and "Which product" in reply.text
    assert visitor.state["reference"] == reference
    reply = await visitor.say("what about the item you created?")
    assert reference in reply.text and reply.calls == []
    await visitor.say("iPhone XR")
    reply = await visitor.say("yes")
    assert f"**{reference}** is withdrawn" in reply.text
    assert visitor.state["product"] == "iPhone XR"
    session = await harness.store.sessions.get(visitor.session_id, visitor.principal)
    assert session.title == "iPhone XR"


async def test_a_finished_item_is_said_to_stay_beside_one_more(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    for text in ("Bimby TM5", "yes"):
        await visitor.say(text)
    await _finish(visitor, "yes", "I don't know")
    reference = visitor.state["reference"]
    for text in ("I want to sell another item", "iPhone XR"):
        await visitor.say(text)
    reply = await visitor.say("yes")
    assert f"**{reference}** stays" in reply.text


async def test_another_product_that_is_not_named_refuses_the_one_on_offer(harness: RunnerHarness) -> None:
    visitor = await harness.visitor("en")
    await visitor.say("Bimby TM5")
    reply = await visitor.say("no, it's another product")
    assert "First" not in reply.text and "Write" in reply.text
    assert not visitor.open_blocks()


@pytest.mark.parametrize(
    ("language", "steps", "stop", "left"),
    [
        ("pt", ["iPhone 12 preto de 128", "sim", "sim", "bom"], "deixa estar", "5 respostas"),
        ("en", ["black iPhone 12 with 128 GB", "yes", "yes", "good"], "Never mind", "5 answers"),
    ],
)
async def test_a_seller_who_stops_at_the_questions_is_told_that_the_item_is_kept(
    harness: RunnerHarness, language: str, steps: list[str], stop: str, left: str
) -> None:
    visitor = await harness.visitor(language)
    for text in steps:
        await visitor.say(text)
    waiting = visitor.open_blocks()
    reply = await visitor.say(stop)
    assert f"**{visitor.state['reference']}**" in reply.text and left in reply.text
    assert (reply.calls, reply.blocks, visitor.open_blocks()) == ([], [], waiting)
    reply = await visitor.say("continuar" if language == "pt" else "continue")
    assert [block["name"] for block in visitor.open_blocks()] == [waiting[0]["name"]]


@pytest.mark.parametrize(
    ("language", "sale", "found"),
    [
        ("pt", "quero vender também uma bicicleta", "Elops"),
        ("en", "I also want to sell a bike", "Elops"),
    ],
)
async def test_a_sale_that_begins_where_an_answer_is_changed_is_no_answer(
    harness: RunnerHarness, language: str, sale: str, found: str
) -> None:
    visitor = await harness.visitor(language)
    for text in STATES["done" if language == "pt" else "en:done"]:
        await visitor.say(text)
    answers, reference = visitor.state["answers"], visitor.state["reference"]
    await visitor.click("change", list(answers)[-1], "Alterar")
    reply = await visitor.say(sale)
    assert reply.handoffs == ["identification"] and reply.calls[-1] == "get_catalog"
    assert visitor.state["answers"] == answers
    labels = [choice["label"] for block in visitor.open_blocks() for choice in block["choices"]]
    assert any(found in label for label in labels)
    reply = await visitor.click("product", visitor.open_blocks()[0]["choices"][0]["value"], labels[0])
    assert reference in reply.text and "withdrawn" not in reply.text and "retirado" not in reply.text


@pytest.mark.parametrize(
    ("text", "stays"), [("an IKEA POÄNG armchair now", True), ("actually it's an IKEA POÄNG", False)]
)
async def test_a_finished_item_stays_unless_it_is_said_to_be_the_wrong_product(
    harness: RunnerHarness, text: str, stays: bool
) -> None:
    visitor = await harness.visitor("en")
    for each in (*STATES["en:done"], "I want to sell another item", text):
        await visitor.say(each)
    reference = (await visitor.items())[0].reference
    await visitor.say("yes")
    assert visitor.state["product"] == "POÄNG"
    kept = [item.reference for item in await visitor.items() if item.status != "withdrawn"]
    assert (reference in kept) is stays


async def test_a_sale_that_begins_at_an_open_question_is_asked_about(harness: RunnerHarness) -> None:
    visitor = await harness.visitor()
    for text in STATES["text"]:
        await visitor.say(text)
    before, waiting = visitor.state["answers"], visitor.open_blocks()
    reply = await visitor.say("quero vender também uma bicicleta")
    assert "«bicicleta» fica à espera" in reply.text and visitor.open_blocks()[0]["name"] == "switch"
    await visitor.say("não")
    assert visitor.state["answers"] == before
    assert [each["name"] for each in visitor.open_blocks()] == [each["name"] for each in waiting]
    await visitor.say("só a caixa")
    assert visitor.state["status"] == "complete"


@pytest.mark.parametrize(
    ("language", "first", "none", "says"),
    [
        ("pt", "quero vender um telemóvel Samsung", "não é nenhum deles", "ainda não se pode vender aqui"),
        ("en", "I want to sell a Samsung phone", "it's none of those", "can't be sold here yet"),
    ],
)
async def test_a_seller_who_rejects_all_products_twice_is_told_the_item_is_not_sold_here(
    harness: RunnerHarness, language: str, first: str, none: str, says: str
) -> None:
    visitor = await harness.visitor(language)
    await visitor.say(first)
    reply = await visitor.say(none)
    assert says not in reply.text and not visitor.open_blocks()
    await visitor.say("Galaxy")
    reply = await visitor.say(none)
    assert says in reply.text and not visitor.open_blocks()
