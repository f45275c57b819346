"""Typed answers: which of the given choices a text means, and whether it answers a protocol question."""

from server.loopos.answers.asking_price import NO_PRICE, PRICE, show_price, told_price
from server.loopos.answers.certainty import asks, is_hedged_yes
from server.loopos.answers.element import Element, ElementOption, Text, language_of
from server.loopos.answers.judging import confirm_refusal, judge, judge_click
from server.loopos.answers.naming import Beside
from server.loopos.answers.own_words import confirms, judge_report
from server.loopos.answers.picking import Picked, pick
from server.loopos.answers.refusals import REFUSALS, Judgement, Refused, Unsure, Valid
from server.loopos.answers.selection import judge_selection
from server.loopos.answers.validation import validate, validate_click

__all__ = [
    "NO_PRICE",
    "PRICE",
    "REFUSALS",
    "Beside",
    "Element",
    "ElementOption",
    "Judgement",
    "Picked",
    "Refused",
    "Text",
    "Unsure",
    "Valid",
    "asks",
    "confirm_refusal",
    "confirms",
    "is_hedged_yes",
    "judge",
    "judge_click",
    "judge_report",
    "judge_selection",
    "language_of",
    "pick",
    "show_price",
    "told_price",
    "validate",
    "validate_click",
]
