"""The faults that sellers tell: which clauses tell one, and that they stay beside an option in the seller's words."""

from __future__ import annotations

import pytest

from server.loopos.answers import ProbableAnswer, Refused, judge_report
from server.loopos.answers.clauses.faults import fault_clauses, says_fault, takes_back
from server.loopos.answers.words import tokens
from tests.unit.loopos.phrases import Row
from tests.unit.loopos.phrases.judged import TODAY, judged, question


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("it works but the handle is loose", ["the handle is loose"]),
        ("also the hinge is loose", ["the hinge is loose"]),
        ("forgot to say it has a dent", ["it has a dent"]),
        ("btw the left button sticks", ["the left button sticks"]),
        ("ah and the wheel squeaks, put that in", ["the wheel squeaks"]),
        ("can you add that the brake needs adjusting", ["the brake needs adjusting"]),
        ("it comes with the rain cover and one wheel squeaks", ["one wheel squeaks"]),
        ("one of the drawers doesnt close properly", ["one of the drawers doesnt close properly"]),
        ("bimby tm5, a tampa está partida", ["a tampa está partida"]),
        ("acrescenta que falta um parafuso", ["falta um parafuso"]),
        ("o botão e o cabo estão partidos", ["o botão e o cabo estão partidos"]),
        ("samsung s21 com o ecra partido, liga mas o toque falha", ["o ecra partido", "o toque falha"]),
        ("razoavel, a porta range", ["a porta range"]),
        ("a faint water ring on the top", ["a faint water ring on the top"]),
        ("good, the third drawer is a little stiff", ["the third drawer is a little stiff"]),
        ("bom, a gaveta está um pouco perra", ["a gaveta está um pouco perra"]),
        ("tem uma marca de copo no tampo", ["tem uma marca de copo no tampo"]),
        ("good, not stiff at all", []),
        (
            "the frame has a knock on the left side, saddle is torn",
            ["the frame has a knock on the left side", "saddle is torn"],
        ),
        ("o quadro tem uma pancada do lado esquerdo", ["o quadro tem uma pancada do lado esquerdo"]),
        ("sem pancadas nem riscos", []),
        ("no knocks or bumps on it", []),
        ("good, no scratches", []),
        ("no cracks, scratches or dents", []),
        ("excellent, nothing broken", []),
        ("bom, não tem riscos nem mossas", []),
        ("não falta nada", []),
        ("scratch free", []),
        ("does it matter that the box is missing?", []),
        ("the screen was replaced", []),
        ("stainless steel, long range", []),
    ],
)
def test_a_message_tells_its_faults_in_its_own_words(message: str, told: list[str]) -> None:
    assert fault_clauses(message) == told


@pytest.mark.parametrize(
    ("element", "language", "phrase", "shown"),
    [
        (
            "coffee-machines.works",
            "en",
            "works but the lid is loose",
            "It works, with faults (the lid is loose)",
        ),
        (
            "tablets.condition",
            "en",
            "good, but theres a dent on the corner",
            "Good (theres a dent on the corner)",
        ),
        ("tablets.condition", "pt", "razoavel, a porta range", "Razoável (a porta range)"),
        (
            "strollers.chassis",
            "en",
            "yeah they're grand, just the squeaky wheel",
            "Yes (just the squeaky wheel)",
        ),
        (
            "smartphones.screen",
            "en",
            "no, its a bit scratched in the corner",
            "No (its a bit scratched in the corner)",
        ),
        ("tablets.condition", "en", "good, no scratches", "Good"),
        ("nintendo-switch-oled.drift", "en", "i think the left one drifts", "No, the left one drifts"),
    ],
)
def test_a_fault_stays_beside_the_answer_that_is_asked_back(
    element: str, language: str, phrase: str, shown: str
) -> None:
    judgement = judged(Row(element, language, "?", phrase))
    assert isinstance(judgement, ProbableAnswer)
    assert judgement.guess.shown == shown


def test_a_no_lists_only_the_options_that_begin_with_it() -> None:
    judgement = judged(Row("smartphones.account_lock", "en", "-", "no, my password is on it"))
    assert isinstance(judgement, Refused)
    assert (
        judgement.text_in("en") == "Which of these: “No, it is locked”; “No, but I can remove the account”?"
    )


@pytest.mark.parametrize(
    ("shown", "clause", "is_said"),
    [
        ("No, the left one drifts Are the Joy-Con free of drift", "left one drifts", True),
        ("Good (the wheel squeaks)", "just the squeaky wheel", True),
        ("Scratched How is the screen", "tiny scratch on the back", False),
        ("Fair", "the brake needs adjusting", False),
    ],
)
def test_a_fault_is_said_where_its_words_are_shown(shown: str, clause: str, *, is_said: bool) -> None:
    assert says_fault(tokens(shown), clause) is is_said


@pytest.mark.parametrize(
    ("words", "is_back"),
    [
        ("never had a problem", False),
        ("nunca deu problemas", False),
        ("no issues at all", False),
        ("plays online", False),
        ("but still has my icloud", True),
        ("never checked", True),
        ("mas sem o cabo", True),
    ],
)
def test_a_denial_of_trouble_takes_no_yes_back(words: str, *, is_back: bool) -> None:
    assert takes_back(tokens(words)) is is_back


@pytest.mark.parametrize(
    ("element", "language", "phrase", "shown"),
    [
        (
            "cameras.condition",
            "pt",
            "bom, so o risquinho no ecrã que ja disse, borracha da pega a descolar",
            "Bom (o risquinho no ecrã, borracha da pega a descolar)",
        ),
        (
            "bicycles.ready",
            "pt",
            "precisa de afinação entao, a mudança de tras salta",
            "Precisa de afinação (a mudança de tras salta)",
        ),
        (
            "bicycles.ready",
            "pt",
            "esta pronta a andar mas era bom afinar as mudanças, a de tras salta",
            "Precisa de afinação (era bom afinar as mudanças, a de tras salta)",
        ),
        (
            "audio.condition",
            "en",
            "fair because of the ear pad, otherwise they look new",
            "Fair (because of the ear pad)",
        ),
        ("cameras.condition", "en", "good, bought in 2020, comes with the box, no scratches", "Good"),
        ("watches.authentic", "en", "yes it's genuine, the strap is torn", "Yes, it is genuine"),
        (
            "laptops.works",
            "pt",
            "sim, mas a bateria dura pouco",
            "Funciona, com defeitos (a bateria dura pouco)",
        ),
    ],
)
def test_the_words_around_a_chosen_option_stay_beside_it(
    element: str, language: str, phrase: str, shown: str
) -> None:
    judgement = judge_report(question(element), phrase, [phrase], language, TODAY)
    assert isinstance(judgement, ProbableAnswer)
    assert judgement.guess.shown == shown
