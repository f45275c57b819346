"""The texts of an AG-UI client that press a choice: its exact label, or its value where that is no word."""

from __future__ import annotations

from typing import Any

import pytest

from server.endpoints.pressed_choices import find_choice
from server.loopos.seed import load_catalog
from server.protocol.blocks import Block, Card, Choice, Choices, Form, Notice

Json = dict[str, Any]

COLOURS = Choices(
    "colour",
    "Cor",
    (
        Choice("31", "Preto"),
        Choice("32", "Azul 64"),
        Choice("2", "Verde"),
        Choice("64", "Cinza"),
        Choice("no", "Sim"),
    ),
    more=Choice("page:2", "Mais", name="page"),
    unsure=Choice("Não sei", "Não sei"),
)
CARD = Card("iPhone", actions=(Choice("card:1", "Corrigir", name="correct"),))


def shown(*blocks: tuple[Block, str]) -> list[Json]:
    """Blocks as messages of a conversation, after which something was said."""
    messages = [
        {"id": f"blk_{n}", "role": "activity", "activityType": "block", "content": block.to_content(status)}
        for n, (block, status) in enumerate(blocks, 1)
    ]
    handoff = {"id": "hnd_1", "role": "activity", "activityType": "handoff", "content": {"status": "open"}}
    return [*messages, handoff, {"id": "msg_1", "role": "assistant", "content": "Qual?"}]


def test_the_label_of_the_yes_to_a_figure_presses_it() -> None:
    kept = Form(
        "minutes",
        "Percebi: 40 min. Certo?",
        "number",
        value="40",
        confirm=Choice("answer:right", "Sim, é isso"),
    )
    part = find_choice("Sim, é isso", shown((kept, "open")))
    assert part is not None and (part["name"], part["value"]) == ("minutes", "answer:right")
    assert find_choice("40", shown((kept, "open"))) is None


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("31", "colour", "31"),
        (" Preto\n", "colour", "31"),
        ("Azul 64", "colour", "32"),
        ("Mais", "page", "page:2"),
        ("page:2", "page", "page:2"),
        ("Não sei", "colour", "Não sei"),
    ],
)
def test_the_value_or_the_label_of_an_open_choice_presses_it(text: str, name: str, value: str) -> None:
    part = find_choice(text, shown((COLOURS, "open"), (Notice("Nota"), "open")))
    assert part is not None
    assert (part["type"], part["block_id"], part["name"], part["value"]) == ("answer", "blk_1", name, value)


@pytest.mark.parametrize(
    "text",
    [
        "preto",  # The judge reads it.
        "o preto",
        "Preto, acho",
        "2",  # The value of the third, the place of the second.
        "64",  # The value of one, in the label of another.
        "no",  # The value of the last, whose label is its opposite.
        "colour",
        "  ",
        "",
    ],
)
def test_a_text_without_an_exact_match_presses_no_choice(text: str) -> None:
    assert find_choice(text, shown((COLOURS, "open"))) is None


def test_a_number_that_is_value_and_place_of_one_choice_presses_it() -> None:
    block = Choices("size", "Tamanho", (Choice("1", "S"), Choice("2", "M")))
    part = find_choice("2", shown((block, "open")))
    assert part is not None
    assert part["label"] == "M"


def test_only_the_newest_open_question_is_answered() -> None:
    field = Form("notes", "Notas")
    assert find_choice("card:1", shown((CARD, "open"))) is not None
    assert find_choice("card:1", shown((CARD, "open"), (field, "open"))) is None
    assert find_choice("card:1", shown((CARD, "open"), (field, "answered"))) is not None
    assert find_choice("31", shown((COLOURS, "answered"))) is None
    assert find_choice("31", []) is None


def test_a_text_that_names_two_choices_is_left_to_the_judge() -> None:
    block = Choices(
        "size", "Tamanho", (Choice("M", "Grande"), Choice("L", "M"), Choice("a", "b"), Choice("c", "b"))
    )
    assert find_choice("M", shown((block, "open"))) is None
    assert find_choice("b", shown((block, "open"))) is None


def test_no_value_of_the_catalog_that_is_a_word_presses_its_choice() -> None:
    catalog = load_catalog()
    shared = [each for _, elements in catalog.protocols for each in elements]
    own = [each for product in catalog.products for each in product.elements]
    for element in (*shared, *own):
        choices = tuple(Choice(each.value, each.label.en) for each in element.options)
        for option in element.options:
            part = find_choice(option.value, shown((Choices(element.id, element.label.en, choices), "open")))
            assert part is None or not option.value.isalpha(), (element.id, option.value)


def test_where_values_do_not_count_a_label_alone_presses() -> None:
    assert find_choice("31", shown((COLOURS, "open")), by_value=False) is None
    part = find_choice("Azul 64", shown((COLOURS, "open")), by_value=False)
    assert part is not None and part["value"] == "32"


def test_a_choice_that_no_click_could_send_is_not_pressed_by_its_label() -> None:
    block = Choices("n" * 65, "Cor", (Choice("31", "Preto"),))
    assert find_choice("Preto", shown((block, "open"))) is None
