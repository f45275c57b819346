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
