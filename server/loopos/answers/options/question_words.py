"""The words of a question itself, and other words for the things of it."""

from server import patterns
from server.loopos.answers.certainty import NEGATIONS, content
from server.loopos.answers.element import Element
from server.loopos.answers.words import fold, tokens

VERBS = frozenset(
    "tem tenho temos inclui incluo traz vem vai esta estao ta e does has have includes is included it i "
    "do com with".split()
)
OTHER_WORDS = {
    "pouch": frozenset("case bag sleeve".split()),
    "bolsa": frozenset("estojo capa saco saquinho".split()),
}
"""Other words for a thing of a question."""


def own_words_of(element: Element) -> set[str]:
    """Return the words of the question, in both languages."""
    label = tokens(element.label.pt) + tokens(element.label.en)
    own = {word for word in content(label) if word not in NEGATIONS and word not in VERBS}
    return own.union(*(OTHER_WORDS.get(word, frozenset()) for word in own))


def asks_for_thing(element: Element) -> bool:
    """Return whether a question asks whether a thing comes with the item."""
    return element.kind == "boolean" and not _INCLUDES.isdisjoint(tokens(element.label.pt)[:1])


_INCLUDES = frozenset("inclui incluem tem".split())


def in_own_words(element: Element, answer: str) -> str:
    """Return the answer with the words of the question for the things of it that have others."""
    label = {*tokens(f"{element.label.pt} {element.label.en}")}
    others = {
        other: word
        for word in label & OTHER_WORDS.keys()
        for other in OTHER_WORDS[word]
        if other not in label
    }
    if others.keys().isdisjoint(tokens(answer)):
        return answer
    return patterns.sub(r"[^\W\d_]+", lambda found: others.get(fold(found[0]), found[0]), answer)


def tell_asked_option(element: Element, answer: str) -> str:
    """Return an answer that ends with the name of an option as a question as one that says it: `stained. so fair?`."""
    found = _LAST_ASKED.search(answer[-_LONGEST:]) if element.kind == "select" else None
    if found is None:
        return answer
    names = {fold(name) for each in element.options for name in (each.label.pt, each.label.en)}
    before = answer[: len(answer) - len(found[0])]
    told = f"{before}, {found['name']}" if before else found["name"]
    return told if fold(found["name"]) in names else answer


_LONGEST = 100
_LAST_ASKED = patterns.compile(
    r"(?:^|[.,;!\n–—])\s*(?:(?:so|then|e|and|ent[aã]o|maybe|talvez|is (?:it|that)|would (?:it|that) be|seria|ser[aá]|é|"
    r"that['’]?s|call it|digamos|say)\s+)*(?P<name>[^.,;!?\n]{2,40}?)"
    r"(?:,?\s+(?:then|ent[aã]o|right|certo|n[aã]o))?\s*\?+\s*$",
    patterns.IGNORECASE,
)
