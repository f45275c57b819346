"""Things that a text says are there, at a question for what is missing: `tem a varoma` is nothing that is missing."""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import NEGATIONS
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.element import Element, Text
from server.loopos.answers.words import MOST_LETTERS, tokens

INCLUDES = Text("inclui {things}", "includes {things}")
_HAS = patterns.compile(
    r"^\s*(?:(?:yes|sim|yeah|ok|it|ele|ela|also|tamb[eé]m|ainda)\b[\s,]*)*"
    r"(?:has|have|comes? with|includes?|with|got|tem|tenho|traz|vem com|com|inclui|leva)\s+"
    r"(?!to\b|de\b|sido\b|been\b)(?=\S)",
    patterns.IGNORECASE,
)
_OTHER = patterns.compile(
    r"\b(?:missing|replaced|changed|swapped|new|lost|trocad\w*|substitu\w*|nov[oa]s?|perdi\w*|years?|anos?|mes(?:es)?|"
    r"months?|bought|comprad\w*|used|usad\w*|uso)\b",
    patterns.IGNORECASE,
)
"""Words of what was replaced, or of how long it was used."""


def asks_for_missing(element: Element) -> bool:
    """Return whether a text question asks what is missing."""
    return element.kind == "text" and "missing" in tokens(element.label.en)


def as_included(element: Element, text: str, language: str) -> str:
    """Return a text that only says what is there as one that cannot be read as what is missing: `Includes the basket`.

    Any other text, and the text of any other question, is returned as it is.
    """
    found = _HAS.match(text) if asks_for_missing(element) and len(text) <= MOST_LETTERS else None
    if found is None or _OTHER.search(text) or tells_fault(text) or not NEGATIONS.isdisjoint(tokens(text)):
        return text
    return spell_included(text[found.end() :], language)


def spell_included(things: str, language: str) -> str:
    """Return the things with the verb that says that they are there."""
    return INCLUDES.text_in(language).format(things=things)
