"""A cable that lacks beside those that are listed, and a fault whose subject stands before `e que`."""

import pytest

from server.loopos.answers import ProbableAnswer
from server.loopos.answers.clauses.faults import fault_clauses
from server.loopos.answers.judges.answer_judge import judge_with_remark
from tests.unit.loopos.phrases.judged import TODAY, question


@pytest.mark.parametrize(
    ("language", "said", "shown"),
    [
        ("pt", "hdmi e o da corrente, falta o do comando", "Não (falta o do comando)"),
        ("pt", "tem hdmi e carregador mas falta o outro", "Não (falta o outro)"),
        ("en", "hdmi and power, the controller one is missing", "No (the controller one is missing)"),
    ],
)
def test_a_cable_that_lacks_is_a_no(language: str, said: str, shown: str) -> None:
    judged = judge_with_remark(question("consoles.cables"), said, language, TODAY)
    assert isinstance(judged, ProbableAnswer)
    assert judged.guess.shown == shown


@pytest.mark.parametrize(
    "fault", ["o analogico esq do comando e q ja tem drift", "a bateria e que dura pouco"]
)
def test_a_fault_keeps_its_subject(fault: str) -> None:
    assert fault_clauses(f"liga bem, {fault}") == [fault]
