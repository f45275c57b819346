"""The question of the item that a message means."""

from itertools import chain

from server.demo.reading.matching import COLOURS, content
from server.text_reading.labels import label_with_most
from server.text_reading.shown_questions import Element
from server.text_reading.typos import near

LONG = 3
_NAMES_NONE = COLOURS.union("can nothing anything something else say coisa mais alguma outra dizer".split())


def question_meant(text: str, known: list[Element]) -> Element | None:
    """Return the earlier question that a correction is about, by the words of its label."""
    labels = [content(str(each["label"])) for each in known]
    # `preto` is no `preço`; neither a wish, a denial nor the words of "is there anything else" name a question.
    told = [e for e in content(text.replace("-free", "")) if len(e) >= LONG and e not in _NAMES_NONE]
    words = near(told, chain(*labels))
    place = label_with_most(words, labels)
    return None if place is None else known[place]
