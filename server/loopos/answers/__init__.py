"""Typed answers: which of the given choices a text means, and whether it answers a protocol question."""

from server.loopos.answers.amounts.asking_price import (
    NO_PRICE,
    PRICE,
    bare_price,
    show_price,
    tells_other_currency,
    told_price,
    without_price,
)
from server.loopos.answers.amounts.corrected_amounts import without_corrected
from server.loopos.answers.certainty import adds_nothing, asks, denies, is_hedged_no, is_hedged_yes
from server.loopos.answers.clauses.asides import speaks_of
from server.loopos.answers.clauses.cut_texts import (
    asks_to_cut,
    cut_text,
    is_of_answer,
    named_answer,
    without_no_thing,
    without_thing,
)
from server.loopos.answers.clauses.faults import goes_with_yes
from server.loopos.answers.clauses.replaced_words import with_replaced
from server.loopos.answers.element import Element, ElementOption, Text, language_of
from server.loopos.answers.judges.answer_judge import confirm_refusal, judge, judge_click
from server.loopos.answers.judges.damage_questions import asks_for_none, damage_of
from server.loopos.answers.judges.report_judge import confirms, judge_report, set_price
from server.loopos.answers.judges.selection_judge import judge_selection
from server.loopos.answers.judges.validation import validate, validate_click
from server.loopos.answers.options.named_options import SideRemark
from server.loopos.answers.options.option_choice import Picked, pick
from server.loopos.answers.refusals import REFUSALS, Judgement, ProbableAnswer, Refused, Valid
from server.loopos.answers.wishes.things_taken_back import withdrawn_things

__all__ = [
    "NO_PRICE",
    "PRICE",
    "REFUSALS",
    "Element",
    "ElementOption",
    "Judgement",
    "Picked",
    "ProbableAnswer",
    "Refused",
    "SideRemark",
    "Text",
    "Valid",
    "adds_nothing",
    "asks",
    "asks_for_none",
    "asks_to_cut",
    "bare_price",
    "confirm_refusal",
    "confirms",
    "cut_text",
    "damage_of",
    "denies",
    "goes_with_yes",
    "is_hedged_no",
    "is_hedged_yes",
    "is_of_answer",
    "judge",
    "judge_click",
    "judge_report",
    "judge_selection",
    "language_of",
    "named_answer",
    "pick",
    "set_price",
    "show_price",
    "speaks_of",
    "tells_other_currency",
    "told_price",
    "validate",
    "validate_click",
    "with_replaced",
    "withdrawn_things",
    "without_corrected",
    "without_no_thing",
    "without_price",
    "without_thing",
]
