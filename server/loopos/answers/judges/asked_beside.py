"""A yes or no before a question of the seller: `yes, does that matter?` answers, and asks something else."""

from __future__ import annotations

from datetime import date

from server.languages import split_question
from server.loopos.answers.element import Element
from server.loopos.answers.judges.polarity_judge import judge_polarity
from server.loopos.answers.refusals import Judgement, ProbableAnswer, Valid


def judge_before_question(element: Element, answer: str, language: str, today: date) -> Judgement:
    """Return what a yes or no says; one before a question of another thing is asked back."""
    said, asked = split_question(answer) if "?" in answer else (answer, "")
    if not asked or not said:
        return judge_polarity(element, answer, language, today)
    judged = judge_polarity(element, said, language, today)
    return ProbableAnswer(judged) if isinstance(judged, Valid) and not judged.skipped else judged
