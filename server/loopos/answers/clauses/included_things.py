"""Things that a text says are there or missing: at a question for what is missing `tem a varoma` names nothing, and a
missing tool is no fault of what works without it.
"""

from __future__ import annotations

from server import patterns
from server.loopos.answers.certainty import NEGATIONS
from server.loopos.answers.clauses.faults import tells_fault
from server.loopos.answers.element import Element, Text
from server.loopos.answers.words import MOST_LETTERS, fold, tokens

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


_MISSING = patterns.compile(
    r"\b(?:(?:is |are |was |it s |its )?missing|(?:is|are|was|got) lost|lost (?:the|an?|my|one|two)|"
    r"(?:so |apenas )?(?:lhe )?falt(?:am?|ava|avam)(?: lhe)?"
    r"(?= (?:so |apenas )?(?:os?|as?|uma?|uns|umas|dois|duas|tres)\b)|"
    r"(?:(?:em|esta em|estao em) )?falta$|(?:nao (?:sei|faco ideia) d[aeo]s?|perdi(?:d[oa]s?)?|perdeu se)\b)"
)
"""Words that say of a thing, and of no property as in `falta força`, that it is not there."""
_ALL_BUT = patterns.compile(
    r"\b(?:all|every\w*|tod[oa]s?|tudo)\b.*\b"
    r"(?:except|but|bar|apart from|besides|minus|menos|tirando|exce[p]?to|salvo)\b"
)
_THERE = frozenset(
    "there here included includes come comes has have got inclui incluido incluida incluidos traz tem vem ca la".split()
)
_WORKS = patterns.compile(r"\b(?:work\w*|funcion\w*|lig[ao]\w*|trabalh\w*|fine|bem|ok)\b")
_SENTENCES = patterns.compile(r"(?<!\d)[,.;!\n]|[,.;!\n](?!\d)|\s-\s|[()]")
_TURNS = patterns.compile(
    r"\s(?:but|mas|though)\s|\s(?:and|e|just|only|s[oó]|apenas)\s(?=(?:\S+\s){0,3}?(?:missing|lost|falt|perd))|"
    r"(?:(?<=fine)|(?<=well)|(?<=good)|(?<=great)|(?<=works)|(?<=perfectly)|(?<=funciona)|(?<=bem)|(?<=perfeito))"
    r"\s(?=(?:missing|falta|perdi))",
    patterns.IGNORECASE,
)


def excepts_things(clause: str) -> bool:
    """Return whether a clause says that all is there but some things, and not that all but they works."""
    flat = " ".join(tokens(clause))
    return _ALL_BUT.search(flat) is not None and _WORKS.search(flat) is None


def without_missing_things(answer: str, own: set[str]) -> str:
    """Return an answer without its clauses which say that a thing is missing that the question does not name (`own`).

    The answer itself where there are none, nothing where it says no more than that.
    """
    parts = [
        part
        for sentence in _SENTENCES.split(answer)
        for part in ([sentence] if _ALL_BUT.search(fold(sentence)) else _TURNS.split(sentence))
        if tokens(part)
    ]
    kept = [part for part in parts if not tells_missing(part, own)]
    return answer if len(kept) == len(parts) else ", ".join(map(str.strip, kept))


def tells_lost(text: str) -> bool:
    """Return whether a text says of something that its owner has lost it, whatever it is."""
    return _LOST.search(fold(text)) is not None


_LOST = patterns.compile(r"\b(?:perdi|perdemos|perdeu|perdid[oa]s?|lost|misplaced)\b")


def tells_missing(part: str, own: set[str] | None = None) -> bool:
    """Return whether a clause tells that a thing is missing, and no other fault."""
    flat = " ".join(tokens(part))
    words = set(flat.split())
    if "?" in part or not words.isdisjoint(own or ()):
        return False
    if _WORKS.search(flat):
        return False
    if _ALL_BUT.search(flat):
        return not (words.isdisjoint(_THERE) or tells_fault(part))
    rest = _MISSING.sub(" ", flat)
    return rest != flat and not tells_fault(rest)
