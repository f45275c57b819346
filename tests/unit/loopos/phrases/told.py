"""What messages tell of a question, read at once."""

from collections.abc import Sequence

from server.loopos.answers import Element, Valid
from server.loopos.tools.questions.early_facts import ToldFact


def told_fact(element: Element, messages: Sequence[str], language: str) -> Valid | None:
    """Return the one value that messages tell of a question, the newest message first."""
    told = ToldFact(element, language)
    for message in messages:
        for _ in told.read(message):
            pass
    return told.value
