"""A text that was asked back and refused: the refusal is no part of it, and a yes to what is asked then ends it."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused, Valid, confirms, judge
from tests.unit.demo.harness import RunnerHarness, talk
from tests.unit.loopos.phrases.judged import TODAY, question
from tests.unit.loopos.phrases.told import told_fact

ASYNC = pytest.mark.asyncio(loop_scope="module")
CONSOLE = ("ps4 pro 1tb", "yes", "black", "good", "yes", "yes", "2", "yes", "2018", "two games")
NOTES = "consoles.games"
IPAD = ("um ipad 9 de 64gb cinzento com ecrã estalado no canto", "sim", "sim", "só wifi", "cinzento", "bom")


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        ("en", "no that's not it. no games, just the pad", "no games, just the pad"),
        ("en", "that's not right, just the pad", "just the pad"),
        ("en", "wrong: just the pad", "just the pad"),
        ("en", "not that. a pad and two games", "a pad and two games"),
        ("pt", "não é isso. um comando e cabos", "um comando e cabos"),
        ("pt", "não, isso não está certo, um comando", "um comando"),
        ("pt", "nada disso! um comando", "um comando"),
        ("pt", "não é isso é só o comando", "é só o comando"),
        ("en", "no games, just the pad", "no games, just the pad"),
        ("en", "wrong charger, but it fits", "wrong charger, but it fits"),
        ("pt", "só a capa azul, o ecrã já disse", "só a capa azul"),
        ("pt", "capa azul, já falei do ecrã", "capa azul"),
        ("en", "a blue case, the screen I already told you", "a blue case"),
        ("en", "a blue case, I already mentioned the screen", "a blue case"),
        ("pt", "capa azul, já disse que o ecrã está partido", "capa azul, o ecrã está partido"),
    ],
)
def test_a_text_has_no_refusal_before_it_and_no_reminder_behind_it(
    language: str, text: str, left: str
) -> None:
    assert judge(question(NOTES), text, language, TODAY) == Valid(left, left)


@pytest.mark.parametrize("text", ["não é isso", "that's not it", "no, that's wrong!", "isso não"])
def test_a_refusal_alone_is_no_text_and_a_plain_no(text: str) -> None:
    assert isinstance(judge(question(NOTES), text, "pt", TODAY), Refused)
    assert confirms(text, "pt") == (False, "")


@pytest.mark.parametrize(
    ("element", "language", "text", "shown"),
    [
        (
            "consoles.condition",
            "en",
            "fair, hoovered the dust out of it but the disc thing is shot",
            "Fair (the disc thing is shot)",
        ),
        (
            "consoles.works",
            "en",
            "no it wont read discs, but it turns on and digital games are fine",
            "It works, with faults (it wont read discs, but it turns on and digital games are fine)",
        ),
        ("consoles.works", "pt", "liga mas não lê discos", "Funciona, com defeitos (não lê discos)"),
        (
            "laptops.works",
            "pt",
            "liga bem mas só ligado à corrente, a bateria não aguenta nada",
            "Funciona, com defeitos (a bateria não aguenta nada)",
        ),
        (
            "laptops.condition",
            "pt",
            "bom, só falta a tecla F5 e a bateria não aguenta nada",
            "Bom (só falta a tecla F5 e a bateria não aguenta nada)",
        ),
        (
            "tablets.screen",
            "pt",
            "partido no canto mas funciona",
            "Partido, mas funciona (partido no canto)",
        ),
        (
            "tablets.screen",
            "en",
            "cracked in the corner but works",
            "Cracked, but works (cracked in the corner)",
        ),
    ],
)
def test_a_fault_beside_an_answer_is_asked_back_with_it(
    element: str, language: str, text: str, shown: str
) -> None:
    judged = judge(question(element), text, language, TODAY)
    assert isinstance(judged, ProbableAnswer)
    assert judged.guess.shown == shown


@pytest.mark.parametrize(
    ("language", "message"),
    [
        ("en", "it turns on and digital games are fine"),
        ("en", "the games work"),
        ("pt", "os jogos funcionam bem"),
        ("pt", "os jogos estão bons"),
    ],
)
def test_what_works_is_no_accessory(language: str, message: str) -> None:
    assert told_fact(question(NOTES), [message], language) is None


@ASYNC
async def test_what_is_right_behind_a_refusal_is_kept_alone(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "en", *CONSOLE, "forgot to say the lead is frayed")
    assert visitor.state["answers"][NOTES] == "two games"
    await visitor.say("no that's not it. the pad is frayed")
    await visitor.say("yes")
    assert visitor.state["answers"][NOTES] == "two games; the pad is frayed"


@ASYNC
async def test_a_text_that_was_cut_while_it_was_asked_to_be_added_to_ends_with_a_yes(
    harness: RunnerHarness,
) -> None:
    visitor = await talk(harness, "en", *CONSOLE, "forgot to say the lead is frayed")
    await visitor.say('take out the "two games" bit')
    await visitor.say("yes")
    assert visitor.state["answers"][NOTES] == "the lead is frayed"
    assert visitor.state["status"] == "complete"


@ASYNC
async def test_the_faults_of_a_broken_screen_are_no_accessories(harness: RunnerHarness) -> None:
    visitor = await talk(harness, "pt", *IPAD, "sim", "partido no canto mas funciona", "sim", "sim")
    await visitor.say("setembro de 2022")
    (asked,) = visitor.open_blocks()  # Its words may be clicked beside the field, in which nothing stands.
    assert asked["name"] == "tablets.notes" and not asked.get("value")
    await visitor.say("só a capa azul, o ecrã já disse")
    assert visitor.state["answers"]["tablets.notes"] == "só a capa azul"
    assert visitor.state["status"] == "complete"
