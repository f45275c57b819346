"""Contrasts that a seller writes without a mark, such as `not black its blue`: the mark is put where it belongs."""

from server import patterns

_CONTRASTS = (
    patterns.compile(
        r"(?P<denied>\b(?:not|n[aã]o|isn'?t|aren'?t)\s(?:(?:the|an?|is|é|e|s[aã]o|era|o|uma?)\s)?"
        r"[\w.]+(?:\s(?:[gt]b|gigas?)\b)?)\s(?=(?:it['’]?s|it is|they['’]?re|é|s[aã]o)\s)",
        patterns.IGNORECASE,
    ),
    patterns.compile(r"(?P<denied>\bnao\se\s\w+)\s(?=e\s\w)", patterns.IGNORECASE),
)
"""A denied value before what is right. Who writes `nao e` without accents writes the second `é` as `e` too."""


def mark_contrasts(text: str) -> str:
    """Return the text with a comma between what it denies and what it says instead: `não é preto, é azul`."""
    for contrast in _CONTRASTS:
        text = contrast.sub(r"\g<denied>, ", text)
    return text
