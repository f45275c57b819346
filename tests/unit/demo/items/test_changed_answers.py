"""Corrections and their reversal: the person chooses the wrong answer from the given ones; leaving it keeps all."""

import re
from typing import Any

import pytest

from server.loopos.common_answers import PRODUCT_ANSWERS
from tests.parts.sampled import later
from tests.unit.demo.harness import HarnessVisitor, RunnerHarness
from tests.unit.demo.judging import at, known

pytestmark = pytest.mark.asyncio(loop_scope="module")

CONDITION, BATTERY = "smartphones.condition", "smartphones.battery_health"
GOODBYE = re.compile(r"escrev\w+ o que quer vender|what you want to sell")
LEAVES = {
    "pt": ("deixa estar", "afinal não", "cancelar"),
    "en": ("never mind", "leave it as it was", "cancel"),
}


def blocks(visitor: HarnessVisitor) -> list[dict[str, Any]]:
    """Return all blocks as the page shows them, the newest first."""
    shown = [each for each in visitor.transcript.messages if each.get("activityType") == "block"]
    return [{"id": each["id"], **each["content"]} for each in reversed(shown)]


async def press(visitor: HarnessVisitor, wanted: str) -> Any:
    """Press "change" beside the newest line whose button has this value, or "correct" on the card."""
    for block in blocks(visitor):
        for button in (block.get("change"), *block.get("actions", ())):
            if button is not None and button["value"].startswith(wanted):
                part = {"type": "answer", "block_id": block["id"], **button}
                return await visitor.send([part])
    raise AssertionError(wanted)


async def choose(visitor: HarnessVisitor, label: str) -> Any:
    """Click a choice of the block that is open."""
    (block,) = visitor.open_blocks()
    choice = next(each for each in block["choices"] if each["label"] == label)
    part = {"type": "answer", "block_id": block["id"], "value": choice["value"], "label": label}
    return await visitor.send([{**part, "name": choice.get("name", block["name"])}])


@pytest.mark.parametrize(
    ("words", "language"), [(1, "pt"), later(3, "pt", id="all words-pt"), later(3, "en", id="all words-en")]
)
@pytest.mark.parametrize(
    ("state", "button"),
    [
        ("storage", "product"),
        ("colour", "option:"),
        ("colour", "product"),
        ("ready", "option:"),
        ("ready", "product"),
        ("select", "product"),
        ("number", CONDITION),
        ("number", "option:"),
        ("number", "product"),
        ("done", CONDITION),
        ("done", "option:"),
        ("done", "product"),
        ("done", "card"),
    ],
)
async def test_a_cancelled_correction_restores_the_open_question_and_all_answers(
    harness: RunnerHarness, state: str, button: str, words: int, language: str
) -> None:
    for text in LEAVES[language][:words]:
        visitor = await at(harness, state if language == "pt" else f"en:{state}")
        before, asked = known(visitor), [each["name"] for each in visitor.open_blocks()]
        item = visitor.state.get("item_id"), visitor.state.get("status")
        await press(visitor, button)
        reply = await visitor.say(text)
        assert known(visitor) == before, (text, reply.text)
        assert (visitor.state.get("item_id"), visitor.state.get("status")) == item
        assert [each["name"] for each in visitor.open_blocks()] == asked, (text, reply.text)
        assert reply.text
        assert not GOODBYE.search(reply.text)


async def test_stop_ends_the_conversation_when_no_correction_is_open(harness: RunnerHarness) -> None:
    visitor = await at(harness, "colour")
    assert GOODBYE.search((await visitor.say("parar")).text)


async def test_choosing_the_same_product_again_keeps_its_options(harness: RunnerHarness) -> None:
    visitor = await at(harness, "ready")
    await press(visitor, "product")
    await visitor.say("iPhone 12")
    await visitor.say("sim")
    assert visitor.state["options"] == {"Armazenamento": "128 GB", "Cor": "Preto"}


async def test_choosing_another_product_clears_the_options(harness: RunnerHarness) -> None:
    visitor = await at(harness, "ready")
    await press(visitor, "product")
    await visitor.say("iPhone XR")
    await visitor.say("sim")
    assert visitor.state["product"] == "iPhone XR"
    assert not visitor.state.get("options")


async def test_correcting_offers_all_that_was_answered(harness: RunnerHarness) -> None:
    visitor = await at(harness, "done")
    await press(visitor, "card")
    (block,) = visitor.open_blocks()
    given = {each["label"]: each["note"] for each in block["choices"]}
    card = next(each for each in blocks(visitor) if each["kind"] == "card")
    assert given.items() == {each["label"]: each["value"] for each in card["pairs"][1:]}.items()
    await choose(visitor, "Saúde da bateria")
    assert next(each for each in blocks(visitor) if each["id"] == block["id"])["answer"] == {
        "value": BATTERY,
        "label": "Saúde da bateria",
    }
    (form,) = visitor.open_blocks()
    assert (form["name"], form["value"]) == (BATTERY, "87")
    reply = await visitor.say("80")
    assert visitor.state["answers"][BATTERY] == "80\N{NO-BREAK SPACE}%"
    assert reply.blocks[-1]["kind"] == "card"


async def test_an_option_is_among_what_can_be_corrected(harness: RunnerHarness) -> None:
    visitor = await at(harness, "done")
    await press(visitor, "card")
    await choose(visitor, "Cor")
    await choose(visitor, "Azul")
    assert visitor.state["options"]["Cor"] == "Azul"
    assert visitor.state["status"] == "complete"


@pytest.mark.parametrize(
    ("typed", "asks", "answer"),
    [
        ("o estado", CONDITION, None),
        ("a bateria está a 80", None, "80\N{NO-BREAK SPACE}%"),
        ("a cor", "option:12", None),
    ],
)
async def test_the_answer_to_correct_may_be_typed(
    harness: RunnerHarness, typed: str, asks: str | None, answer: str | None
) -> None:
    visitor = await at(harness, "done")
    await press(visitor, "card")
    await visitor.say(typed)
    assert [each["name"] for each in visitor.open_blocks()] == ([asks] if asks else [])
    assert visitor.state["answers"][BATTERY] == (answer or "87\N{NO-BREAK SPACE}%")


async def test_a_wish_to_correct_something_is_asked_about_while_a_question_is_open(
    harness: RunnerHarness,
) -> None:
    visitor = await at(harness, "number")
    await visitor.say("quero corrigir uma resposta")
    (block,) = visitor.open_blocks()
    assert {each["value"] for each in block["choices"]} >= {CONDITION, "option:12"}
    await choose(visitor, "Estado")
    await choose(visitor, "Razoável")
    assert visitor.state["answers"][CONDITION] == "Razoável"
    assert [each["name"] for each in visitor.open_blocks()] == [BATTERY]


async def test_an_item_whose_answers_were_put_off_is_not_called_complete(harness: RunnerHarness) -> None:
    visitor = await at(harness, "boolean")
    for text in ("não sei", "n sei", "março de 2022", "só a caixa"):
        await visitor.say(text)
    (block,) = visitor.open_blocks()
    assert (block["name"], len(block["choices"])) == ("later", 1)
    reply = await visitor.say("não sei")
    assert "completo" not in reply.text, reply.text
    assert visitor.state["status"] == "draft"
    for text in ("o ecrã está inteiro", "sim"):
        await visitor.say(text)
    assert visitor.state["status"] == "complete"


async def test_a_step_back_passes_over_what_was_put_off(harness: RunnerHarness) -> None:
    visitor = await at(harness, "boolean")
    for text in ("não sei", "n sei", "voltar atrás"):
        await visitor.say(text)
    assert [each["name"] for each in visitor.open_blocks()] == [BATTERY]


async def test_a_button_that_no_longer_applies_is_no_answer_to_a_question_of_free_words(
    harness: RunnerHarness,
) -> None:
    visitor = await at(harness, "text")
    before = known(visitor)
    await visitor.click("smartphones.notes", "answer:right", "Sim, é isso")
    assert known(visitor) == before
    assert [each["name"] for each in visitor.open_blocks()] == ["smartphones.notes"]


@pytest.mark.parametrize(
    ("row", "asks", "answer", "shown"),
    [
        ("Cor", "option:12", "Azul", "Azul"),
        ("Saúde da bateria", BATTERY, "80", "80\N{NO-BREAK SPACE}%"),
        ("Jogos, acessórios e notas", "smartphones.notes", "só a caixa e o cabo", "só a caixa e o cabo"),
    ],
)
async def test_each_row_of_a_card_is_changed_by_a_click(
    harness: RunnerHarness, row: str, asks: str, answer: str, shown: str
) -> None:
    visitor = await at(harness, "done")
    card = next(each for each in blocks(visitor) if each["kind"] == "card")
    actions = {each["label"]: each["action"] for each in card["pairs"] if "action" in each}
    assert len(actions) == len(card["pairs"]) - 1, "the brand alone has no click"
    label = next((each for each in actions if actions[each]["value"] == asks), row)
    await visitor.send([{"type": "answer", "block_id": card["id"], **actions[label]}])
    (block,) = visitor.open_blocks()
    assert block["name"] == asks
    value = next((each["value"] for each in block.get("choices", ()) if each["label"] == answer), answer)
    await visitor.send(
        [{"type": "answer", "block_id": block["id"], "name": asks, "value": value, "label": answer}]
    )
    card = next(each for each in blocks(visitor) if each["kind"] == "card")
    assert {each["label"]: each["value"] for each in card["pairs"]}[label] == shown


async def test_what_was_skipped_is_added_at_the_card(harness: RunnerHarness) -> None:
    visitor = await at(harness, "text")
    for text in ("não sei", "150"):
        await visitor.say(text)
    card = next(each for each in blocks(visitor) if each["kind"] == "card")
    (added,) = (each for each in card["actions"] if each["name"] == "change")
    await visitor.send([{"type": "answer", "block_id": card["id"], **added}])
    (form,) = visitor.open_blocks()
    await visitor.say("vai com capa")
    card = next(each for each in blocks(visitor) if each["kind"] == "card")
    assert "vai com capa" in [each["value"] for each in card["pairs"]]
    assert form["name"] == added["value"]


async def test_a_finished_card_says_what_comes_next_and_begins_another_sale(harness: RunnerHarness) -> None:
    visitor = await at(harness, "done")
    card = next(each for each in blocks(visitor) if each["kind"] == "card")
    assert card["next_steps"] == PRODUCT_ANSWERS["next"]["pt"]
    assert card["share"].endswith(card["reference"])
    reply = await visitor.say(*card["suggestions"])
    assert "fica como está. Qual é o próximo?" in reply.text
    assert (await visitor.items())[0].status == "complete"


def folded_row(visitor, name: str) -> dict[str, object]:
    """The newest answered question of this name, as the page shows it."""
    shown = [m for m in visitor.transcript.messages if m.get("activityType") == "block"]
    rows = [{"id": m["id"], **m["content"]} for m in shown if m["content"].get("status") == "answered"]
    return next(row for row in reversed(rows) if row["name"] == name)


async def click_row(visitor, row, value: str, label: str):
    """Click another answer in a folded row."""
    part = {"type": "answer", "block_id": row["id"], "name": row["name"], "value": value, "label": label}
    return await visitor.send([part])


async def test_another_answer_is_clicked_where_the_first_one_stands(harness) -> None:
    visitor = await harness.visitor("pt")
    for text in ("Polly Magic", "sim", "Excelente"):
        await visitor.say(text)
    row, (waiting,) = folded_row(visitor, "high-chairs.condition"), visitor.open_blocks()
    assert row["in_place"]
    before = len(visitor.transcript.messages)
    reply = await click_row(visitor, row, "B", "Bom")
    assert visitor.state["answers"]["high-chairs.condition"] == "Bom"
    changed = folded_row(visitor, "high-chairs.condition")
    assert (changed["id"], changed["answer"]) == (row["id"], {"value": "B", "label": "Bom"})
    assert [each["name"] for each in visitor.open_blocks()] == [waiting["name"]]
    assert [each["name"] for each in reply.blocks] in ([], [waiting["name"]])
    assert len(visitor.transcript.messages) > before


async def test_a_click_in_a_row_of_another_item_changes_nothing(harness) -> None:
    visitor = await harness.visitor("pt")
    for text in ("Polly Magic", "sim", "Excelente", "Sim", "Sim", "2021", "uma caixa", "saltar"):
        await visitor.say(text)
    row = folded_row(visitor, "high-chairs.condition")
    for text in ("quero vender outro artigo", "Polly Magic", "sim", "Excelente"):
        await visitor.say(text)
    assert folded_row(visitor, "high-chairs.condition")["id"] != row["id"]
    await click_row(visitor, row, "D", "Mau")
    assert visitor.state["answers"]["high-chairs.condition"] == "Excelente"
    assert folded_row(visitor, "high-chairs.condition")["answer"]["label"] == "Excelente"


async def test_a_price_and_an_answer_that_are_put_right_are_no_other_product(harness: RunnerHarness) -> None:
    visitor = await at(harness, "done")
    before = known(visitor)["product"]
    reply = await visitor.say("afinal ponha o preço a 230 e a bateria é 81, enganei-me")
    assert known(visitor)["product"] == before
    assert reply.handoffs == []
