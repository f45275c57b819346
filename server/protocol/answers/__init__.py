"""Typed answers: which of the given choices a text means, and whether it answers a protocol question."""

from server.protocol.answers.certainty import asks
from server.protocol.answers.element import Element, ElementOption, Text, language_of
from server.protocol.answers.judging import confirm_refusal, judge
from server.protocol.answers.naming import Beside
from server.protocol.answers.own_words import confirms, judge_report
from server.protocol.answers.picking import Picked, pick
from server.protocol.answers.refusals import REFUSALS, Judgement, Refused, Unsure, Valid
from server.protocol.answers.selection import judge_selection
from server.protocol.answers.validation import validate, validate_click

__all__ = [
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
    "judge",
    "judge_report",
    "judge_selection",
    "language_of",
    "pick",
    "validate",
    "validate_click",
]
