"""The sentences of a reply that the reply before it said too."""

from server import patterns

_END = patterns.compile(r"(?<=[.!?]) +(?=[^a-z])(?![^«“]{0,400}[»”])")
"""The border of two sentences; none stands in a quotation."""


def without_said(text: str, before: str, answers: str) -> str:
    """Return a reply without the sentences of the reply `before`; those that are `answers` to a question stay."""
    said = {*map(_heart, _END.split(before))} - {*map(_heart, _END.split(answers))}
    return " ".join(each for each in _END.split(text) if _heart(each) not in said) if before else text


def _heart(sentence: str) -> str:
    """Return a sentence without what leads to it ("In other words: ..."), as it is compared."""
    return sentence.rpartition(": ")[2].casefold().strip("*«»“” ")
