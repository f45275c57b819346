"""The answer that a message wants taken out, named by the words of its question: `remove the purchase date`."""

from collections.abc import Iterable, Sequence

from server import patterns
from server.languages import fold

_MOST_LETTERS = 80
_WISH = patterns.compile(
    r"\W*(?:(?:no|nao|ok|please|por favor|actually|afinal|can you|could you|podes?|podem?|and|e)\W+)*+"
    r"(?:delete|remove|take out|take away|take off|get rid of|clear|leave out|apag(?:ar?|ue)|tir(?:ar?|e)|"
    r"retir(?:ar?|e)|elimin(?:ar?|e)|remov(?:er|a|e)|limp(?:ar?|e))\W+"
    r"(?:(?:the|my|this|that|o|a|os|as|este|esta|meu|minha)\W+)*(?P<thing>[^,.;!?]+?)\W*"
    r"(?:(?:please|por favor|again|outra vez)\W*)?"
)
_OF_DATES = frozenset("date data purchase compra bought year ano month mes day dia buy".split())
_SMALL = frozenset(
    "of the a o da do de answer resposta about sobre to question pergunta it this that is are what how when did you "
    "your does isto isso quando qual que como com e and all everything tudo".split()
)


def removed_answer(text: str, questions: Iterable[tuple[str, bool]]) -> int | None:
    """Return the place of the question whose answer a message wants away; None where it names none of them.

    `questions` are labels, each with whether a date answers.
    """
    found = _WISH.fullmatch(fold(text)) if len(text) <= _MOST_LETTERS else None
    said = _words(found["thing"].split()) if found else frozenset()
    fitting = [
        place
        for place, (label, is_date) in enumerate(questions)
        if said and said <= _words(fold(label).strip("?").split()) | (_OF_DATES if is_date else frozenset())
    ]
    return fitting[0] if len(fitting) == 1 else None


def _words(words: Sequence[str]) -> frozenset[str]:
    return frozenset(each.strip(",.;:!?'\"") for each in words) - _SMALL
