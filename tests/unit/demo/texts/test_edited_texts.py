"""A text of the item that a seller edits: it is edited or asked back, and the words of the wish never replace it."""

from __future__ import annotations

import pytest

from tests.unit.demo.harness import HarnessVisitor, RunnerHarness, legend, talk

pytestmark = pytest.mark.asyncio(loop_scope="module")

GAMES = "consoles.games"
EN = "ps4 slim 500gb black|yes|yes|yes|fair|yes|yes|1|yes|december 2017|no games just the pad and cables. 120 hz".split(
    "|"
)
PT = (
    "ps4 slim 500gb preta|sim|sim|sim|razoável|sim|sim|1|sim|dezembro 2017|sem jogos, só o comando e os cabos. 120 hz"
).split("|")


async def finished(harness: RunnerHarness, language: str) -> HarnessVisitor:
    visitor = await talk(harness, language, *(PT if language == "pt" else EN))
    assert visitor.state["status"] == "complete"
    return visitor


@pytest.mark.parametrize(
    ("language", "said", "yes", "text"),
    [
        ("en", "take the 120 hz out of the games bit pls", "yes", "no games just the pad and cables"),
        ("en", "remove the 120 hz from the games", "yes", "no games just the pad and cables"),
        ("en", "change the pad to 2 pads in the games", "yes", "no games just the 2 pads and cables. 120 hz"),
        ("pt", "tira o 120 hz dos jogos", "sim", "sem jogos, só o comando e os cabos"),
    ],
)
async def test_an_edit_is_asked_back(
    harness: RunnerHarness, language: str, said: str, yes: str, text: str
) -> None:
    visitor = await finished(harness, language)
    before = visitor.state["answers"][GAMES]
    await visitor.say(said)
    assert visitor.state["answers"][GAMES] == before and text in legend(visitor)
    await visitor.say(yes)
    assert visitor.state["answers"][GAMES] == text


async def test_a_part_that_is_not_there_changes_nothing(harness: RunnerHarness) -> None:
    visitor = await finished(harness, "en")
    before = visitor.state["answers"][GAMES]
    reply = await visitor.say("take the fifa out of the games")
    assert visitor.state["answers"][GAMES] == before and "not clear which part" in reply.text


@pytest.mark.parametrize("said", ["no, leave it", "leave it as it was", "no, don't change it"])
async def test_an_edit_that_is_called_off_leaves_the_text(harness: RunnerHarness, said: str) -> None:
    visitor = await finished(harness, "en")
    before = visitor.state["answers"][GAMES]
    await visitor.say("take the 120 hz out of the games")
    reply = await visitor.say(said)
    assert visitor.state["answers"][GAMES] == before and "Nothing changes" in reply.text
    assert not [each for each in visitor.open_blocks() if each["kind"] in ("choices", "form")]


async def test_a_wish_that_names_no_question_is_asked_at_the_last_text(harness: RunnerHarness) -> None:
    visitor = await finished(harness, "en")
    await visitor.say("180 euros")
    before = dict(visitor.state["answers"])
    await visitor.say("sweet. can u add im in manchester")
    (asked,) = [each for each in visitor.open_blocks() if each["kind"] == "form"]
    assert asked["name"] == GAMES and "; im in manchester. Is that right?" in asked["legend"]
    assert visitor.state["answers"] == before


@pytest.mark.parametrize(
    ("language", "condition", "wish", "left"),
    [
        (
            "en",
            "good, small scratch on the back and a dent on the corner",
            "take out the dent on the corner",
            "Good (small scratch on the back)",
        ),
        (
            "en",
            "good, small scratch on the back",
            "remove 'small scratch on the back' from the condition",
            "Good",
        ),
        ("pt", "bom, tem um risco atrás", "tira o risco atrás", "Bom"),
    ],
)
async def test_words_beside_an_option_are_taken_out(
    harness: RunnerHarness, language: str, condition: str, wish: str, left: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    start = ("iphone 12 black 128", yes, yes, condition, yes, yes, "87", yes, "2021", "box")
    visitor = await talk(harness, language, *start)
    await visitor.say(wish)
    assert visitor.state["answers"]["smartphones.condition"] != left, "it is asked back first"
    await visitor.say(yes)
    assert visitor.state["answers"]["smartphones.condition"] == left


@pytest.mark.parametrize(
    ("language", "message"),
    [("pt", "nas notas: a capa tem um risco"), ("en", "in the notes: the case has a scratch")],
)
async def test_words_behind_the_name_of_a_text_are_added_to_it(
    harness: RunnerHarness, language: str, message: str
) -> None:
    yes = "yes" if language == "en" else "sim"
    start = ("iphone 12 black 128", yes, yes, "good" if yes == "yes" else "bom", yes, yes, "87", yes, "2021")
    visitor = await talk(harness, language, *start, "box, cable and case", message, yes)
    notes = visitor.state["answers"]["smartphones.notes"]
    assert notes == f"box, cable and case; {message.partition(': ')[2]}"


async def test_a_proposed_text_is_left_empty_by_a_click(harness: RunnerHarness) -> None:
    visitor = await talk(
        harness, "pt", "vendo iphone 12 azul 128, com caixa e cabo", "sim", "sim", "bom", "sim"
    )
    for text in ("87", "sim", "março 2022"):
        await visitor.say(text)
    (form,) = visitor.open_blocks()
    assert (form["kind"], form["value"]) == ("form", "caixa e cabo")
    empty = form["unsure"]
    await visitor.click(form["name"], empty["value"], empty["label"])
    assert "caixa" not in str(visitor.state["answers"]) and visitor.state["status"] == "complete"
