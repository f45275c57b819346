"""Words that take the place of others in a text: `3 heads, not 4`."""

from server import patterns
from server.loopos.answers.certainty import content
from server.loopos.answers.words import MOST_LETTERS, tokens


def with_replaced(text: str, message: str) -> str | None:
    """Return a text with what a message names instead of a part of it; None where it names nothing of the kind, or the
    part does not stand there once.
    """
    found = _INSTEAD.match(message) if max(len(message), len(text)) <= MOST_LETTERS else None
    new, old = (found["new"] or found["later"], found["old"] or found["first"]) if found else ("", "")
    figures = [patterns.findall(r"(?<![\w.,])\d+(?![\w.,])", each) for each in (old, new)]
    if old.isdigit() and len(figures[1]) == 1:
        new = figures[1][0]
    places = patterns.compile(rf"(?<![\w.,]){patterns.escape(old)}(?![\w.,]?\w)", patterns.IGNORECASE)
    if found is None or not content(tokens(new), _SAYS) or not _SAYS.isdisjoint(tokens(new)):
        return None
    if len(places.findall(text)) != 1:
        return None
    return places.sub(lambda _: new, text)


_INSTEAD = patterns.compile(
    r"(?:(?:ah|oh|no|n[aã]o|wait|espera|sorry|desculp[ae]|afinal|actually|it['’]?s|there['’]?s|they['’]?re|é|s[aã]o|"
    r"h[aá]|only|just|s[oó]|vai|leva)\b[\s,]*)*"
    r"(?:em vez d[eoa]s?\s+(?P<first>[^,.;!?\n]{1,40}?),?\s+(?:vai|v[aã]o|leva|vem|tem|é|s[aã]o)"
    r"\s+(?P<later>[^,.;!?\n]{1,60}?)"
    r"|(?P<new>[^,.;!?\n]{1,60}?)[\s,]+(?:(?:and|e|mas) )?(?:not|n[aã]o|instead of|em vez d[eoa]s?)\s+"
    r"(?:(?:the|os?|as?)\s+)?(?P<old>[^,.;!?\n]{1,40}?))[\s.!]*$",
    patterns.IGNORECASE,
)
"""A text that names one thing instead of another: `são 3 acessórios e não 4`, `em vez da mala vai uma bolsa`."""


_SAYS = frozenset("is are was its im i it e sao era tem has have do does ja n".split())
"""Words of a sentence, which is no thing."""
