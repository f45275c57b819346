"""Typed answers: which of the given choices a text means, and whether it answers a protocol question."""

from server.protocol.answers.element import Element, ElementOption, Text, language_of
from server.protocol.answers.picking import Picked, pick
from server.protocol.answers.refusals import REFUSALS, Refused, Valid
from server.protocol.answers.validation import validate

__all__ = [
    "REFUSALS",
    "Element",
    "ElementOption",
    "Picked",
    "Refused",
    "Text",
    "Valid",
    "language_of",
    "pick",
    "validate",
]
