"""The clauses of the seller that nothing holds, and parts of a text that are made whole."""

import pytest

from server.loopos.tools.questions.item_questions import Questions
from server.loopos.tools.questions.texts.told_clauses import unused_clauses, with_whole_parts
from tests.unit.loopos.phrases.drafted import draft
from tests.unit.loopos.phrases.judged import question

ASKED = ("smartphones.condition", "smartphones.battery_health", "smartphones.screen", "smartphones.notes")


def questions(*messages: str) -> Questions:
    """Return the questions of an iPhone 12 whose battery has 87%, behind these messages, the oldest first."""
    told = draft(messages[-1], *messages[:-1])
    told.run.state.update(
        product="iPhone 12", brand="Apple", options={"Colour": "Black", "Storage": "128 GB"}
    )
    found = Questions(told, [question(each) for each in ASKED], {})
    found.keep(question("smartphones.battery_health"), 87, "87%")
    found.keep(question("smartphones.condition"), "B", "Good")
    return found


@pytest.mark.parametrize(
    ("said", "unused"),
    [
        (
            "selling my iphone 12 black 128gb, battery 87% (left corner is chipped)",
            ["left corner is chipped"],
        ),
        ("vendo o iphone 12 preto, bateria 87%. foi reparado na apple", ["foi reparado na apple"]),
        ("battery 87, it was in a drawer, i want 250 for it", ["it was in a drawer"]),
        (
            "the case fits tight but the camera is a bit foggy",
            ["the case fits tight", "camera is a bit foggy"],
        ),
        ("good, as i said", []),
        ("is it safe here? thanks", []),
        ("wait, that's wrong, sorry", []),
        ("não faço ideia, acho eu", []),
        ("remove the scratch from the notes", []),
        ("põe aí que peço 300 euros", []),
        ("black, 128", []),
    ],
)
def test_what_nothing_holds_is_offered_as_it_was_written(said: str, unused: list[str]) -> None:
    found = unused_clauses(questions(said, "yes"), "")
    assert [each.removeprefix("the ") for each in found] == [each.removeprefix("the ") for each in unused]


def test_what_the_text_holds_is_not_offered_and_the_newest_are() -> None:
    messages = [
        f"the {each} comes along" for each in "lens strap pouch cable stand clip sleeve dongle tripod".split()
    ]
    found = unused_clauses(questions(*messages, "yes"), "the strap comes along")
    assert len(found) == 8 and not any("strap" in each for each in found)
    assert found[-1] == "the tripod comes along"


@pytest.mark.parametrize(
    ("said", "text", "whole"),
    [
        ("às vezes não carrega, é preciso mexer no cabo", "mexer", "é preciso mexer no cabo"),
        ("com a caixa, mas não tem o transformador", "a caixa, mas não", "a caixa"),
        ("the lid is scuffed only at the back", "the back", "lid is scuffed only at the back"),
        ("selling an iphone 12 with box and a pouch", "box", "box"),
        ("comes with the box", "the box", "the box"),
        ("bought in march 2021 at fnac", "bought at fnac", "bought at fnac"),
    ],
)
def test_a_part_that_was_cut_from_a_clause_is_made_whole(said: str, text: str, whole: str) -> None:
    assert with_whole_parts(questions(said, "yes"), text).removeprefix("the ") == whole.removeprefix("the ")


def test_what_a_newer_message_speaks_of_stays_left_out() -> None:
    told = ("it has a strap and a card of 64gb", "the card stays with me")
    assert with_whole_parts(questions(*told), "a strap") == "a strap"
